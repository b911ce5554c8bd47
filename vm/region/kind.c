// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Classifies the integers of a loop: invariant, affine in the iteration number, or bounded by
// values known before the loop.

#include "vm/region/range.h"

#include <string.h>

#include "vm/region/kind.h"

enum { DEPTH = 96 };   // depth limit of the search through expressions
enum { BREADTH = 64 }; // limit of the instructions that is_gathering visits

bool ranges_open(RegionMaker *maker, const FlowLoop *loop, LoopRanges *out) {
    const Region *r = maker->region;
    size_t count = (size_t)r->code_count;
    *out = (LoopRanges){.maker = maker,
                        .loop = loop,
                        .count = r->code_count,
                        .rounds_less = NO_VALUE,
                        .condition = NO_VALUE};
    out->values = mem_alloc(maker->mem, count * sizeof *out->values);
    out->block_of = mem_alloc(maker->mem, count * sizeof *out->block_of);
    if (!out->values || !out->block_of) {
        ranges_close(out);
        return false;
    }
    memset(out->values, 0xff, count * sizeof *out->values); // NO_VALUE
    for (size_t v = 0; v < count; v++) {
        out->values[v].kind = VALUE_UNSEEN;
        out->values[v].by_type = false;
        out->block_of[v] = NO_VALUE;
    }
    for (int32_t b = 0; b < r->block_count; b++)
        for (int32_t i = r->blocks[b].first; i < r->blocks[b].end; i++) out->block_of[i] = b;
    return true;
}

void ranges_close(LoopRanges *s) {
    mem_free(s->maker->mem, s->values, (size_t)s->count * sizeof *s->values);
    mem_free(s->maker->mem, s->block_of, (size_t)s->count * sizeof *s->block_of);
}

bool is_small_int(DType type) {
    return type != DT_INT64 && type != DT_UINT64 &&
           (type == DT_BOOL || dtype_kind(type) == DK_INT || dtype_kind(type) == DK_UINT);
}

bool is_range_type(DType type) {
    return type == DT_INT64 || is_small_int(type);
}

// --- Names -------------------------------------------------------------------------------------

static bool is_in_loop(const LoopRanges *s, int32_t value) {
    return s->block_of[value] != NO_VALUE && block_in(&s->loop->blocks, s->block_of[value]);
}

bool next_incoming(const LoopRanges *s, int32_t param, Incoming *at) {
    const Region *r = s->maker->region;
    int32_t home = s->block_of[param], place = param - r->blocks[home].first;
    for (; at->block < r->block_count; at->block++, at->edge = 0) {
        const RegionEdge *edges[2];
        if (!block_in(&s->loop->blocks, at->block)) continue;
        int count = block_edges(r, at->block, edges);
        while (at->edge < count) {
            const RegionEdge *edge = edges[at->edge++];
            if (edge->block != home) continue;
            at->value = r->links[edge->first + place];
            return true;
        }
    }
    return false;
}

bool is_head_param(const LoopRanges *s, int32_t value) {
    return s->maker->region->code[value].op == RG_PARAM && s->block_of[value] == s->loop->head;
}

// Returns the value that all edges pass to a parameter; the parameter itself if they pass different ones.
static int32_t common_origin(LoopRanges *s, int32_t param) {
    int32_t common = NO_VALUE;
    for (Incoming at = {0}; next_incoming(s, param, &at);) {
        int32_t origin = ranges_origin(s, at.value);
        if (common != NO_VALUE && origin != common) return param;
        common = origin;
    }
    return common == NO_VALUE ? param : common;
}

int32_t ranges_origin(LoopRanges *s, int32_t value) {
    LoopValue *v = &s->values[value];
    if (v->origin != NO_VALUE) return v->origin;
    v->origin = value; // breaks cycles: a recursive query sees the value itself
    if (s->maker->region->code[value].op != RG_PARAM || !is_in_loop(s, value) ||
        is_head_param(s, value) || s->depth >= DEPTH)
        return value;
    s->depth++;
    int32_t origin = common_origin(s, value);
    s->depth--;
    return v->origin = origin;
}

bool ranges_number(LoopRanges *s, int32_t value, int64_t *number) {
    const RegionInstr *in = &s->maker->region->code[ranges_origin(s, value)];
    if (in->op != RG_NUMBER || !is_range_type((DType)in->type)) return false;
    *number = (int64_t)in->number;
    return true;
}

int32_t ranges_param(LoopRanges *s, int32_t value) {
    int32_t origin = ranges_origin(s, value);
    if (!is_head_param(s, origin)) return -1;
    return origin - s->maker->region->blocks[s->loop->head].first;
}

// --- Parameters of the head --------------------------------------------------------------------

static bool is_sum(const RegionInstr *in) {
    return (in->op == RG_CHECKED || in->op == RG_APPLY) && in->from == DT_INT64 &&
           in->type == DT_INT64 && (in->elementwise == AOP_ADD || in->elementwise == AOP_SUBTRACT);
}

static bool same_step(LoopRanges *s, Induction a, Induction b) {
    int64_t x, y;
    if (a.minus != b.minus) return false;
    return a.step == b.step ||
           (ranges_number(s, a.step, &x) && ranges_number(s, b.step, &y) && x == y);
}

// Matches parameter + invariant.
static bool is_advanced(LoopRanges *s, int32_t value, int32_t param, Induction *out) {
    const RegionInstr in = s->maker->region->code[ranges_origin(s, value)];
    if (!is_sum(&in)) return false;
    bool first = ranges_origin(s, in.args[0]) == param,
         second = in.elementwise == AOP_ADD && ranges_origin(s, in.args[1]) == param;
    if (first == second) return false;
    *out = (Induction){ranges_origin(s, in.args[first]), in.elementwise == AOP_SUBTRACT};
    return ranges_kind(s, out->step) == VALUE_FIXED;
}

bool find_induction(LoopRanges *s, int32_t param, Induction *out) {
    bool any = false;
    if (s->maker->region->code[param].type != DT_INT64) return false;
    for (Incoming at = {0}; next_incoming(s, param, &at);) {
        Induction found;
        if (!is_advanced(s, at.value, param, &found)) return false;
        if (any && !same_step(s, found, *out)) return false;
        *out = found;
        any = true;
    }
    return any;
}

static bool never_changes(LoopRanges *s, int32_t param) {
    for (Incoming at = {0}; next_incoming(s, param, &at);)
        if (ranges_origin(s, at.value) != param) return false;
    return true;
}

bool is_gathered(LoopRanges *s, int32_t value, int32_t param, int *budget) {
    int32_t origin = ranges_origin(s, value);
    const RegionInstr in = s->maker->region->code[origin];
    if (origin == param) return true;
    if (--*budget < 0 || s->depth >= DEPTH || !is_in_loop(s, origin) || is_head_param(s, origin))
        return false;
    s->depth++;
    bool gathered = false;
    if (in.op == RG_PARAM) {
        gathered = true;
        for (Incoming at = {0}; gathered && next_incoming(s, origin, &at);)
            gathered = is_gathered(s, at.value, param, budget);
    } else if (is_sum(&in)) {
        gathered = is_gathered(s, in.args[0], param, budget) && ranges_knows(s, in.args[1]);
        if (!gathered && in.elementwise == AOP_ADD)
            gathered = is_gathered(s, in.args[1], param, budget) && ranges_knows(s, in.args[0]);
    }
    s->depth--;
    return gathered;
}

bool is_gathering(LoopRanges *s, int32_t param) {
    int budget = BREADTH;
    if (s->maker->region->code[param].type != DT_INT64) return false;
    for (Incoming at = {0}; next_incoming(s, param, &at);)
        if (!is_gathered(s, at.value, param, &budget)) return false;
    return true;
}

static ValueKind kind_of_head_param(LoopRanges *s, int32_t param) {
    Induction induction;
    if (never_changes(s, param)) return VALUE_FIXED;
    if (find_induction(s, param, &induction)) return VALUE_AFFINE;
    return is_gathering(s, param) ? VALUE_BOUNDED : VALUE_UNKNOWN;
}

// --- Instructions ------------------------------------------------------------------------------

static ValueKind less_of(ValueKind a, ValueKind b) {
    return a < b ? a : b;
}

static ValueKind kind_of_product(LoopRanges *s, const RegionInstr *in) {
    ValueKind a = ranges_kind(s, in->args[0]), b = ranges_kind(s, in->args[1]);
    if (less_of(a, b) == VALUE_AFFINE && a == b) return VALUE_BOUNDED;
    return less_of(a, b);
}

static ValueKind kind_of_pair(LoopRanges *s, const RegionInstr *in) {
    return less_of(ranges_kind(s, in->args[0]), ranges_kind(s, in->args[1]));
}

// Weakens a kind to VALUE_BOUNDED, for results that cannot be advanced from one iteration to the next.
static ValueKind at_most_bounded(ValueKind kind) {
    return less_of(kind, VALUE_BOUNDED);
}

static bool is_mask(LoopRanges *s, int32_t value) {
    int64_t number;
    return ranges_number(s, value, &number) && number >= 0;
}

static bool is_shift(LoopRanges *s, int32_t value) {
    int64_t number;
    return ranges_number(s, value, &number) && number >= 0 && number <= 63;
}

static ValueKind kind_of_choice(LoopRanges *s, const RegionInstr *in) {
    ValueKind either = less_of(ranges_kind(s, in->args[1]), ranges_kind(s, in->args[2]));
    bool fixed = either == VALUE_FIXED && ranges_kind(s, in->args[0]) == VALUE_FIXED;
    return fixed ? VALUE_FIXED : at_most_bounded(either);
}

static ValueKind kind_of_apply(LoopRanges *s, const RegionInstr *in) {
    if (!is_range_type((DType)in->from)) return VALUE_UNKNOWN;
    switch (in->elementwise) {
    case AOP_EQUAL:
    case AOP_NOT_EQUAL:
    case AOP_LESS:
    case AOP_LESS_EQUAL:
    case AOP_GREATER:
    case AOP_GREATER_EQUAL: return kind_of_pair(s, in) == VALUE_FIXED ? VALUE_FIXED : VALUE_UNKNOWN;
    default: break;
    }
    if (in->from != DT_INT64 || in->type != DT_INT64) return VALUE_UNKNOWN;
    switch (in->elementwise) {
    case AOP_ADD:
    case AOP_SUBTRACT: return kind_of_pair(s, in);
    case AOP_MULTIPLY: return kind_of_product(s, in);
    case AOP_NEGATIVE: return ranges_kind(s, in->args[0]);
    case AOP_MAXIMUM:
    case AOP_MINIMUM: {
        ValueKind pair = kind_of_pair(s, in);
        return pair == VALUE_FIXED ? pair : at_most_bounded(pair);
    }
    case AOP_WHERE: return kind_of_choice(s, in);
    case AOP_BITWISE_AND:
        return is_mask(s, in->args[0]) || is_mask(s, in->args[1]) ? VALUE_BOUNDED : VALUE_UNKNOWN;
    case AOP_RIGHT_SHIFT:
        return is_shift(s, in->args[1]) ? at_most_bounded(ranges_kind(s, in->args[0]))
                                        : VALUE_UNKNOWN;
    default: return VALUE_UNKNOWN;
    }
}

static ValueKind kind_of_round_down(LoopRanges *s, const RegionInstr *in) {
    int64_t divisor;
    // the remainder by a negative divisor is negative, too
    if (in->dim != DIVIDE_POSITIVE) return VALUE_UNKNOWN;
    if (in->elementwise == AOP_REMAINDER)
        return ranges_kind(s, in->args[1]) == VALUE_FIXED ? VALUE_BOUNDED : VALUE_UNKNOWN;
    if (!ranges_number(s, in->args[1], &divisor) || divisor <= 0) return VALUE_UNKNOWN;
    return at_most_bounded(ranges_kind(s, in->args[0]));
}

static ValueKind kind_of_param(LoopRanges *s, int32_t param) {
    ValueKind kind = VALUE_BOUNDED;
    if (s->maker->region->code[param].type != DT_INT64) return VALUE_UNKNOWN;
    for (Incoming at = {0}; kind == VALUE_BOUNDED && next_incoming(s, param, &at);)
        kind = at_most_bounded(ranges_kind(s, at.value));
    return kind;
}

static ValueKind kind_of_instr(LoopRanges *s, int32_t value) {
    const RegionInstr in = s->maker->region->code[value];
    switch ((RegionOp)in.op) {
    case RG_INPUT:
    case RG_NUMBER:
    case RG_ADDRESS:
    case RG_EXTENT:
    case RG_STRIDE: return VALUE_FIXED;
    case RG_PARAM:
        return is_head_param(s, value) ? kind_of_head_param(s, value) : kind_of_param(s, value);
    case RG_INDEX: return ranges_kind(s, in.args[0]);
    case RG_CAST:
        if (!is_range_type((DType)in.from) || !is_range_type((DType)in.type) ||
            in.type == DT_BOOL || in.from == DT_BOOL)
            return VALUE_UNKNOWN;
        return ranges_kind(s, in.args[0]);
    case RG_CHECKED:
        if (!is_range_type((DType)in.type)) return VALUE_UNKNOWN;
        return in.elementwise == AOP_MULTIPLY ? kind_of_product(s, &in) : kind_of_pair(s, &in);
    case RG_ROUND_DOWN: return kind_of_round_down(s, &in);
    case RG_APPLY: return kind_of_apply(s, &in);
    default: return VALUE_UNKNOWN;
    }
}

ValueKind ranges_kind(LoopRanges *s, int32_t value) {
    int32_t origin = ranges_origin(s, value);
    LoopValue *v = &s->values[origin];
    if (v->kind == VALUE_BUSY || s->depth >= DEPTH) return VALUE_UNKNOWN;
    if (v->kind != VALUE_UNSEEN) return (ValueKind)v->kind;
    if (!is_in_loop(s, origin)) return VALUE_UNKNOWN;
    v->kind = VALUE_BUSY;
    s->depth++;
    ValueKind kind = kind_of_instr(s, origin);
    s->depth--;
    bool small = is_small_int((DType)s->maker->region->code[origin].type);
    if (kind == VALUE_UNKNOWN && small) {
        v->by_type = true;
        kind = VALUE_BOUNDED;
    }
    v->kind = (uint8_t)kind;
    return kind;
}

bool ranges_loose(LoopRanges *s, int32_t value) {
    int32_t origin = ranges_origin(s, value);
    const RegionInstr in = s->maker->region->code[origin];
    if (ranges_kind(s, origin) != VALUE_BOUNDED || is_head_param(s, origin)) return false;
    bool masked = (in.op == RG_APPLY && in.elementwise == AOP_BITWISE_AND) ||
                  (in.op == RG_ROUND_DOWN && in.elementwise == AOP_REMAINDER);
    if (s->values[origin].by_type || masked) return !masked;
    if (in.op == RG_PARAM) return true;
    bool loose = false;
    for (int a = 0; a < 3; a++) loose |= in.args[a] != NO_VALUE && ranges_loose(s, in.args[a]);
    return loose;
}

// --- Steps -------------------------------------------------------------------------------------

static int64_t step_of_param(LoopRanges *s, int32_t param) {
    Induction induction;
    int64_t step;
    if (!find_induction(s, param, &induction) || !ranges_number(s, induction.step, &step) ||
        step == INT64_MIN)
        return 0;
    return induction.minus ? -step : step;
}

int64_t ranges_step(LoopRanges *s, int32_t value) {
    int32_t origin = ranges_origin(s, value);
    const RegionInstr in = s->maker->region->code[origin];
    if (ranges_kind(s, origin) != VALUE_AFFINE) return 0;
    if (is_head_param(s, origin)) return step_of_param(s, origin);
    if (in.op == RG_INDEX || in.op == RG_CAST) return ranges_step(s, in.args[0]);
    if (!is_sum(&in)) return 0;
    bool first = ranges_kind(s, in.args[0]) == VALUE_FIXED,
         second = ranges_kind(s, in.args[1]) == VALUE_FIXED;
    if (first == second) return 0;
    int64_t step = ranges_step(s, in.args[first]);
    return first && in.elementwise == AOP_SUBTRACT ? -step : step;
}
