// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Recognises folds (reductions): chains of instructions that each combine the accumulator with
// something else.

#include "vm/region/parallel_fold.h"

#include <fenv.h>
#include <string.h>

typedef struct Fold {
    const Region *region;
    const FlowLoop *loop;
    int32_t param;
    uint8_t *marks; // which values carry the accumulator
    OpId op;        // NONE: not known yet
    bool exact;
} Fold;

static bool is_type(DType type) {
    return type == DT_INT64 || type == DT_FLOAT64 || type == DT_FLOAT32;
}

static bool is_float(DType type) {
    return dtype_kind(type) == DK_FLOAT;
}

// --- Instructions ------------------------------------------------------------------------------

static bool is_smaller_or_greater(const RegionInstr *in) {
    return in->op == RG_APPLY && in->type == DT_BOOL &&
           (in->elementwise == AOP_LESS || in->elementwise == AOP_GREATER);
}

// Matches WHERE(x < m, x, m) and its variants as MINIMUM or MAXIMUM.
static OpId extreme_of(const Region *r, const RegionInstr *in, int32_t marked) {
    if (in->op != RG_APPLY || in->elementwise != AOP_WHERE || marked != 2) return AOP_NONE;
    const RegionInstr *test = &r->code[in->args[0]];
    if (!is_smaller_or_greater(test) || test->args[0] != in->args[1] ||
        test->args[1] != in->args[2])
        return AOP_NONE;
    return test->elementwise == AOP_LESS ? AOP_MINIMUM : AOP_MAXIMUM;
}

// Returns the fold that an instruction applies to its operand number `marked`; NONE: not a fold.
static OpId fold_at(const Region *r, const RegionInstr *in, int32_t marked) {
    if (in->op != RG_APPLY && in->op != RG_CHECKED) return AOP_NONE;
    switch (in->elementwise) {
    case AOP_ADD:
    case AOP_MULTIPLY: return (OpId)in->elementwise;
    case AOP_SUBTRACT: return marked == 0 ? AOP_ADD : AOP_NONE;
    case AOP_MINIMUM:
    case AOP_MAXIMUM: return (OpId)in->elementwise;
    default: return extreme_of(r, in, marked);
    }
}

// --- A parameter -------------------------------------------------------------------------------

static bool in_loop(const Fold *f, int32_t block) {
    return block_in(&f->loop->blocks, block);
}

static bool mark_along(Fold *f, const RegionEdge *edge) {
    bool changed = false;
    if (edge->block == f->loop->head || !in_loop(f, edge->block)) return false;
    for (int32_t i = 0; i < edge->count; i++) {
        int32_t to = f->region->blocks[edge->block].first + i;
        if (!f->marks[f->region->links[edge->first + i]] || f->marks[to]) continue;
        f->marks[to] = changed = true;
    }
    return changed;
}

static bool mark_instr(Fold *f, int32_t at) {
    const RegionInstr *in = &f->region->code[at];
    if (f->marks[at]) return false;
    for (int32_t a = 0; a < 3; a++)
        if (in->args[a] != NO_VALUE && f->marks[in->args[a]] &&
            fold_at(f->region, in, a) != AOP_NONE)
            f->marks[at] = true;
    return f->marks[at];
}

static void mark_all(Fold *f) {
    const Region *r = f->region;
    bool changed = true;
    while (changed) {
        changed = false;
        for (int32_t b = 0; b < r->block_count; b++) {
            const RegionEdge *edges[2];
            if (!in_loop(f, b)) continue;
            for (int32_t i = r->blocks[b].first; i < r->blocks[b].end; i++)
                changed |= mark_instr(f, i);
            int count = block_edges(r, b, edges);
            for (int e = 0; e < count; e++) changed |= mark_along(f, edges[e]);
        }
    }
}

// Tests that a comparison is used only by the WHERE of a minimum or maximum.
static bool serves_extremes(const Fold *f, int32_t test) {
    const Region *r = f->region;
    for (int32_t b = 0; b < r->block_count; b++)
        for (int32_t i = r->blocks[b].first; in_loop(f, b) && i < r->blocks[b].end; i++)
            for (int a = 0; a < 4; a++)
                if (r->code[i].args[a] == test &&
                    (a != 0 || !f->marks[i] || extreme_of(r, &r->code[i], 2) == AOP_NONE))
                    return false;
    return is_smaller_or_greater(&r->code[test]);
}

static bool is_marked(const void *fold, int32_t value) {
    return ((const Fold *)fold)->marks[value];
}

static bool uses_well(Fold *f, int32_t at) {
    const RegionInstr *in = &f->region->code[at];
    int32_t marked = NO_VALUE;
    if (in->op == RG_QUIET) return true;
    if (in->op == RG_NEST || in->op == RG_SPREAD || has_links(in->op))
        return !any_operand(f->region, in, is_marked, f);
    for (int32_t a = 0; a < 4; a++) {
        if (in->args[a] == NO_VALUE || !f->marks[in->args[a]]) continue;
        if (marked != NO_VALUE) return false;
        marked = a;
    }
    if (marked == NO_VALUE) return true;
    if (serves_extremes(f, at)) return true;
    OpId op = fold_at(f->region, in, marked);
    if (op == AOP_NONE || (f->op != AOP_NONE && f->op != op)) return false;
    f->op = op;
    f->exact &= op == AOP_MINIMUM || op == AOP_MAXIMUM || in->number != 0;
    return true;
}

// Checks that marked parameters, and only these, receive marked values.
static bool brings_well(const Fold *f, const RegionEdge *edge) {
    if (!in_loop(f, edge->block)) return true;
    int32_t first = f->region->blocks[edge->block].first;
    for (int32_t i = 0; i < edge->count; i++)
        if (f->marks[f->region->links[edge->first + i]] != f->marks[first + i]) return false;
    return true;
}

bool fold_of_param(const Region *r, const FlowLoop *loop, int32_t param, uint8_t *marks, OpId *op,
                   bool *exact) {
    DType type = (DType)r->code[param].type;
    Fold f = {r, loop, param, marks, AOP_NONE, !is_float(type)};
    memset(marks, 0, (size_t)r->code_count);
    marks[param] = true;
    if (!is_type(type)) return false;
    mark_all(&f);
    for (int32_t b = 0; b < r->block_count; b++) {
        const RegionEdge *edges[2];
        if (!in_loop(&f, b)) continue;
        for (int32_t i = r->blocks[b].first; i < r->blocks[b].end; i++)
            if (!uses_well(&f, i)) return false;
        int count = block_edges(r, b, edges);
        for (int e = 0; e < count; e++)
            if (!brings_well(&f, edges[e])) return false;
    }
    *op = f.op;
    *exact = f.exact;
    return f.op != AOP_NONE;
}

// --- Elements ----------------------------------------------------------------------------------

static bool same_element(IndexForms *s, const RegionInstr *a, const RegionInstr *b, int ndim) {
    const Region *r = s->maker->region;
    for (int d = 0; d < ndim; d++) {
        const RegionInstr *x = &r->code[a->args[d]], *y = &r->code[b->args[d]];
        if (x->op != RG_INDEX || y->op != RG_INDEX ||
            forms_origin(s, x->args[0]) != forms_origin(s, y->args[0]))
            return false;
    }
    return true;
}

static int32_t uses_of(const Region *r, const RegionBlock *block, int32_t value, int32_t *user) {
    int32_t uses = 0;
    for (int32_t i = block->first; i < block->end; i++)
        for (int a = 0; a < 4; a++)
            if (r->code[i].args[a] == value && r->code[i].op != RG_QUIET) {
                uses++;
                *user = i;
            }
    return uses;
}

static bool goes_on(const Region *r, int32_t block, int32_t value) {
    const RegionEdge *edges[2];
    int count = block_edges(r, block, edges);
    for (int e = 0; e < count; e++)
        for (int32_t i = 0; i < edges[e]->count; i++)
            if (r->links[edges[e]->first + i] == value) return true;
    return false;
}

// Checks that the loaded element is folded and stored, and used nowhere else.
static bool is_update(IndexForms *s, int32_t block, int32_t load, int *stores, OpId *op) {
    const Region *r = s->maker->region;
    const RegionBlock *b = &r->blocks[block];
    int32_t fold = NO_VALUE, store = NO_VALUE;
    if (uses_of(r, b, load, &fold) != 1 || goes_on(r, block, load)) return false;
    const RegionInstr *in = &r->code[fold];
    int marked = in->args[0] == load ? 0 : in->args[1] == load ? 1 : 2;
    OpId own = fold_at(r, in, marked);
    if ((own != AOP_ADD && own != AOP_MULTIPLY && own != AOP_MINIMUM && own != AOP_MAXIMUM) ||
        in->elementwise == AOP_WHERE || (*op != AOP_NONE && *op != own))
        return false;
    if (uses_of(r, b, fold, &store) != 1 || goes_on(r, block, fold)) return false;
    const RegionInstr *to = &r->code[store];
    if (to->op != RG_STORE || to->args[3] != fold || to->array != r->code[load].array ||
        !same_element(s, &r->code[load], to, r->arrays[to->array].ndim))
        return false;
    *op = own;
    (*stores)--;
    return true;
}

bool fold_of_array(IndexForms *s, int array, OpId *op) {
    const Region *r = s->maker->region;
    int stores = 0;
    *op = AOP_NONE;
    if (!is_type((DType)r->arrays[array].dtype)) return false;
    for (int pass = 0; pass < 2; pass++)
        for (int32_t b = 0; b < r->block_count; b++) {
            if (!block_in(&s->loop->blocks, b)) continue;
            for (int32_t i = r->blocks[b].first; i < r->blocks[b].end; i++) {
                const RegionInstr *in = &r->code[i];
                if (pass == 0) stores += in->op == RG_STORE && in->array == array;
                if (pass == 1 && in->op == RG_LOAD && in->array == array &&
                    !is_update(s, b, i, &stores, op))
                    return false;
            }
        }
    return stores == 0 && *op != AOP_NONE;
}

// --- Combining ---------------------------------------------------------------------------------

RegionSlot fold_begin(OpId op, DType type, RegionSlot first) {
    RegionSlot slot = first;
    if (op == AOP_ADD || op == AOP_MULTIPLY) {
        slot.i = op == AOP_MULTIPLY;
        if (is_float(type)) slot.f = op == AOP_MULTIPLY ? 1.0 : -0.0;
    }
    return slot;
}

static bool ints_together(OpId op, int64_t *to, int64_t part) {
    if (op == AOP_ADD) return !__builtin_add_overflow(*to, part, to);
    if (op == AOP_MULTIPLY) return !__builtin_mul_overflow(*to, part, to);
    if (op == AOP_MINIMUM ? part < *to : part > *to) *to = part;
    return true;
}

bool fold_together(OpId op, DType type, RegionSlot *to, RegionSlot part) {
    if (!is_float(type)) return ints_together(op, &to->i, part.i);
    feclearexcept(FE_ALL_EXCEPT);
    volatile double sum = to->f; // volatile: forces the sum to be computed here, so that its flags
                                 // are raised
    if (op == AOP_ADD) sum += part.f;
    if (op == AOP_MULTIPLY) sum *= part.f;
    if (op == AOP_MINIMUM && (part.f < sum || part.f != part.f)) sum = part.f;
    if (op == AOP_MAXIMUM && (part.f > sum || part.f != part.f)) sum = part.f;
    if (type == DT_FLOAT32) sum = (float)sum;
    to->f = sum;
    return !fetestexcept(FE_OVERFLOW | FE_INVALID);
}
