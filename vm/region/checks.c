// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Hoists checks out of a loop: a check in each iteration is replaced by one condition in front of the
// loop. In guarded loops (FastLoop.guards), an index that some iterations do not evaluate keeps its
// check, since the guard may exist to protect that index.

#include "vm/region/fast.h"

static bool every_round(const FastLoop *f, int32_t instr) {
    return block_in(&f->always, f->ranges.block_of[instr]);
}

static RegionInstr origin_instr(FastLoop *f, int32_t value) {
    return f->maker->region->code[ranges_origin(&f->ranges, value)];
}

// --- Conditions for leaving --------------------------------------------------------------------

typedef enum Pattern {
    PATTERN_NONE,
    PATTERN_FIXED,
    PATTERN_NARROW,  // x changes when it is converted to `type`
    PATTERN_OUTSIDE, // x is not between `low` and `high`
    PATTERN_MEETS,   // x equals `low`
} Pattern;

typedef struct Condition {
    Pattern pattern;
    int32_t x;
    DType type;
    int64_t low, high;
} Condition;

static bool is_cast(const RegionInstr *in, DType from, DType to) {
    return in->op == RG_CAST && in->from == from && in->type == to;
}

// Matches x != (int64)(T)x.
static bool find_narrow(FastLoop *f, const RegionInstr *in, Condition *out) {
    if (in->elementwise != AOP_NOT_EQUAL || in->from != DT_INT64) return false;
    RegionInstr back = origin_instr(f, in->args[0]);
    if (back.op != RG_CAST || back.type != DT_INT64) return false;
    RegionInstr narrow = origin_instr(f, back.args[0]);
    int32_t x = ranges_origin(&f->ranges, in->args[1]);
    if (!is_cast(&narrow, DT_INT64, (DType)back.from) || dtype_kind((DType)back.from) == DK_FLOAT ||
        back.from == DT_UINT64 || ranges_origin(&f->ranges, narrow.args[0]) != x)
        return false;
    *out = (Condition){PATTERN_NARROW, x, (DType)back.from, 0, 0};
    return true;
}

// Matches (uint64)(x - low) > width.
static bool find_outside(FastLoop *f, const RegionInstr *in, Condition *out) {
    if (in->elementwise != AOP_GREATER || in->from != DT_UINT64) return false;
    RegionInstr cast = origin_instr(f, in->args[0]), width = origin_instr(f, in->args[1]);
    if (!is_cast(&cast, DT_INT64, DT_UINT64) || width.op != RG_NUMBER) return false;
    RegionInstr less = origin_instr(f, cast.args[0]);
    int64_t low, high;
    if (less.op != RG_APPLY || less.elementwise != AOP_SUBTRACT ||
        !ranges_number(&f->ranges, less.args[1], &low) || width.number > INT64_MAX ||
        __builtin_add_overflow(low, (int64_t)width.number, &high))
        return false;
    *out = (Condition){PATTERN_OUTSIDE, less.args[0], DT_INT64, low, high};
    return true;
}

static bool find_meeting(FastLoop *f, const RegionInstr *in, Condition *out) {
    int64_t low;
    if (in->elementwise != AOP_EQUAL || in->from == DT_BOOL || in->from == DT_UINT64 ||
        dtype_kind((DType)in->from) == DK_FLOAT)
        return false;
    if (!ranges_number(&f->ranges, in->args[1], &low)) return false;
    *out = (Condition){PATTERN_MEETS, in->args[0], DT_INT64, low, low};
    return true;
}

static Condition find_condition(FastLoop *f, int32_t instr) {
    Condition found = {.pattern = PATTERN_NONE};
    int32_t value = f->maker->region->code[instr].args[0];
    RegionInstr in = origin_instr(f, value);
    if (ranges_kind(&f->ranges, value) == VALUE_FIXED && every_round(f, instr))
        return (Condition){PATTERN_FIXED, value, DT_BOOL, 0, 0};
    if (in.op != RG_APPLY) return found;
    bool is = find_narrow(f, &in, &found) || find_outside(f, &in, &found) ||
              (every_round(f, instr) && find_meeting(f, &in, &found));
    if (!is || !ranges_knows(&f->ranges, found.x) || ranges_loose(&f->ranges, found.x))
        found.pattern = PATTERN_NONE;
    return found;
}

// --- Instructions ------------------------------------------------------------------------------

// Returns whether every iteration checks an equal index of the same dimension anyway.
static bool has_equal(FastLoop *f, int32_t instr) {
    const Region *r = f->maker->region;
    const RegionInstr *in = &r->code[instr];
    int32_t index = ranges_origin(&f->ranges, in->args[0]);
    for (int32_t n = 0; n < f->block_count; n++) {
        const RegionBlock *block = &r->blocks[f->order[n]];
        if (!block_in(&f->always, f->order[n])) continue;
        for (int32_t i = block->first; i < block->end; i++)
            if (r->code[i].op == RG_INDEX && r->code[i].array == in->array &&
                r->code[i].dim == in->dim && ranges_origin(&f->ranges, r->code[i].args[0]) == index)
                return true;
    }
    return false;
}

static bool is_sure_index(FastLoop *f, int32_t instr) {
    int32_t index = f->maker->region->code[instr].args[0];
    if (f->tries && is_stored_index(f, instr)) return true;
    if (!ranges_knows(&f->ranges, index) || ranges_loose(&f->ranges, index)) return false;
    return !f->guards || every_round(f, instr) || has_equal(f, instr);
}

static bool compares_counter(FastLoop *f, int32_t instr) {
    const RegionInstr in = f->maker->region->code[instr];
    if (in.op != RG_APPLY || in.type != DT_BOOL || in.from != DT_INT64) return false;
    if (in.elementwise < AOP_EQUAL || in.elementwise > AOP_GREATER_EQUAL) return false;
    return ranges_kind(&f->ranges, in.args[0]) == VALUE_AFFINE ||
           ranges_kind(&f->ranges, in.args[1]) == VALUE_AFFINE;
}

bool has_guards(FastLoop *f) {
    const Region *r = f->maker->region;
    int32_t counting = r->code[r->blocks[f->loop->head].end - 1].args[0];
    for (int32_t n = 0; n < f->block_count; n++) {
        RegionBlock block = r->blocks[f->order[n]];
        for (int32_t i = block.first; i < block.end; i++)
            if (i != counting && compares_counter(f, i)) return true;
    }
    return false;
}

static bool has_sure_divisor(FastLoop *f, int32_t instr) {
    int64_t number;
    int32_t divisor = f->maker->region->code[instr].args[1];
    if (ranges_number(&f->ranges, divisor, &number)) return number > 0;
    return every_round(f, instr) && ranges_kind(&f->ranges, divisor) == VALUE_FIXED;
}

static Fate fate_of_checked(FastLoop *f, int32_t instr) {
    // A sum of narrow elements may take any value of its type, so it may overflow.
    bool narrow = f->maker->region->code[instr].type != DT_INT64;
    if (ranges_knows(&f->ranges, instr) && !(narrow && ranges_loose(&f->ranges, instr)))
        return FATE_SURE;
    bool sum = f->maker->region->code[instr].elementwise != AOP_MULTIPLY;
    return f->tries && sum ? FATE_LATER : FATE_STAYS;
}

Fate fate_of(FastLoop *f, int32_t instr) {
    switch ((RegionOp)f->maker->region->code[instr].op) {
    case RG_POLL: return FATE_GONE;
    case RG_QUIET: return f->tries ? FATE_GONE : FATE_STAYS;
    case RG_INDEX: return is_sure_index(f, instr) ? FATE_SURE : FATE_STAYS;
    case RG_CHECKED: return fate_of_checked(f, instr);
    case RG_ROUND_DOWN: return has_sure_divisor(f, instr) ? FATE_SURE : FATE_STAYS;
    case RG_LEAVE_IF:
        return find_condition(f, instr).pattern != PATTERN_NONE ? FATE_GONE : FATE_STAYS;
    default: return FATE_STAYS;
    }
}

static void want_never(FastLoop *f, int32_t instr) {
    LoopRanges *s = &f->ranges;
    RegionMaker *m = f->maker;
    Condition c = find_condition(f, instr);
    if (c.pattern == PATTERN_FIXED) {
        int32_t holds = ranges_at(s, c.x, AT_FIRST);
        ranges_want(s, region_add_apply(m, AOP_LOGICAL_NOT, DT_BOOL, DT_BOOL, holds, NO_VALUE));
        return;
    }
    if (c.pattern == PATTERN_NARROW) {
        c.low = dtype_min(c.type);
        c.high = (int64_t)dtype_max(c.type);
    }
    int32_t low = ranges_low(s, c.x), high = ranges_high(s, c.x);
    if (c.pattern != PATTERN_MEETS) {
        ranges_want_order(s, region_add_int(m, c.low), low);
        ranges_want_order(s, high, region_add_int(m, c.high));
        return;
    }
    int32_t number = region_add_int(m, c.low),
            above = region_add_apply(m, AOP_GREATER, DT_INT64, DT_BOOL, low, number),
            below = region_add_apply(m, AOP_LESS, DT_INT64, DT_BOOL, high, number);
    ranges_want(s, region_add_apply(m, AOP_BITWISE_OR, DT_BOOL, DT_BOOL, above, below));
}

// --- Sums --------------------------------------------------------------------------------------

bool leaves_later(FastLoop *f) {
    const Region *r = f->maker->region;
    bool any = false;
    for (int32_t n = 0; n < f->block_count; n++) {
        const RegionBlock *block = &r->blocks[f->order[n]];
        if (!block_in(&f->always, f->order[n])) return false;
        for (int32_t i = block->first; i < block->end; i++) {
            if (r->code[i].exit == NO_VALUE) continue;
            Fate fate = fate_of(f, i);
            if (fate == FATE_STAYS) return false;
            any |= fate == FATE_LATER;
        }
    }
    return any;
}

// Tests that the sum is the value of the head's parameter `place` in the next iteration.
static bool is_carried_sum(FastLoop *f, int32_t sum, int32_t place) {
    const Region *r = f->maker->region;
    for (int32_t n = 0; n < f->block_count; n++) {
        const RegionEdge *edges[2];
        int count = block_edges(r, f->order[n], edges);
        for (int e = 0; e < count; e++)
            if (edges[e]->block == f->loop->head &&
                ranges_origin(&f->ranges, r->links[edges[e]->first + place]) != sum)
                return false;
    }
    return true;
}

CheckLater how_later(FastLoop *f, int32_t instr, int32_t *place) {
    const RegionInstr *in = &f->maker->region->code[instr];
    *place = ranges_param(&f->ranges, in->args[0]);
    if (in->type != DT_INT64 || *place < 0 || !every_round(f, instr)) return CHECK_LATER;
    return is_carried_sum(f, instr, *place) ? CHECK_SMALL : CHECK_LATER;
}

void want_fate(FastLoop *f, int32_t instr) {
    LoopRanges *s = &f->ranges;
    const RegionInstr in = f->maker->region->code[instr];
    Fate fate = fate_of(f, instr);
    if (fate == FATE_STAYS || fate == FATE_LATER) return;
    switch ((RegionOp)in.op) {
    case RG_INDEX: ranges_index(s, instr); break;
    case RG_CHECKED: ranges_low(s, instr); break;
    case RG_ROUND_DOWN: {
        int64_t number;
        if (ranges_number(s, in.args[1], &number)) break;
        int32_t divisor = ranges_at(s, in.args[1], AT_FIRST);
        ranges_want_order(s, region_add_int(f->maker, 1), divisor);
        break;
    }
    case RG_LEAVE_IF: want_never(f, instr); break;
    default: break;
    }
}
