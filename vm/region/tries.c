// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Speculative chunks with rollback: elements that a chunk will write are saved first. Stores need
// affine indexes for that, so that the elements are known in advance. Float flags are raised where a
// value is computed, so the C compiler must not drop values that are otherwise unused.

#include <string.h>

#include "vm/region/fast.h"

// --- Elements ----------------------------------------------------------------------------------

static bool has_affine_place(FastLoop *f, const RegionInstr *store) {
    const Region *r = f->maker->region;
    for (int d = 0; d < r->arrays[store->array].ndim; d++)
        if (r->code[store->args[d]].op != RG_INDEX ||
            ranges_kind(&f->ranges, store->args[d]) < VALUE_AFFINE)
            return false;
    return true;
}

static bool is_same_place(FastLoop *f, const RegionInstr *a, const RegionInstr *b) {
    const Region *r = f->maker->region;
    if (a->array != b->array) return false;
    for (int d = 0; d < r->arrays[a->array].ndim; d++)
        if (ranges_origin(&f->ranges, r->code[a->args[d]].args[0]) !=
            ranges_origin(&f->ranges, r->code[b->args[d]].args[0]))
            return false;
    return true;
}

static bool list_store(FastLoop *f, int32_t at) {
    const RegionInstr *store = &f->maker->region->code[at];
    if (!has_affine_place(f, store)) return false;
    for (int k = 0; k < f->kept_count; k++)
        if (is_same_place(f, store, &f->maker->region->code[f->kept[k].store])) return true;
    if (f->kept_count == KEPT_PLACES) return false;
    f->kept[f->kept_count++] = (Kept){.store = at};
    return true;
}

bool can_put_back(FastLoop *f) {
    const Region *r = f->maker->region;
    f->kept_count = 0;
    for (int32_t n = 0; n < f->block_count; n++) {
        const RegionBlock *block = &r->blocks[f->order[n]];
        for (int32_t i = block->first; i < block->end; i++) {
            if (r->code[i].op == RG_STORE_AT || r->code[i].op == RG_FUNCTION) return false;
            if (r->code[i].op == RG_STORE && !list_store(f, i)) return false;
        }
    }
    return true;
}

bool is_stored_index(const FastLoop *f, int32_t index) {
    const Region *r = f->maker->region;
    const RegionBlock *block = &r->blocks[f->ranges.block_of[index]];
    for (int32_t i = index; i < block->end; i++) {
        const RegionInstr *in = &r->code[i];
        for (int d = 0; in->op == RG_STORE && d < r->arrays[in->array].ndim; d++)
            if (in->args[d] == index) return true;
    }
    return false;
}

static int32_t apply(FastLoop *f, OpId op, int32_t a, int32_t b) {
    return region_add_apply(f->maker, op, DT_INT64, DT_INT64, a, b);
}

static int32_t of_array(FastLoop *f, RegionOp op, int array, int dim) {
    return region_add(f->maker, REGION_INSTR(.op = (uint8_t)op, .type = DT_INT64,
                                             .array = (uint8_t)array, .dim = (uint8_t)dim));
}

// Emits the offset in bytes of a store's element from the array's start.
static int32_t offset_at(FastLoop *f, const RegionInstr *store, Moment when) {
    int32_t sum = NO_VALUE;
    for (int d = 0; d < f->maker->region->arrays[store->array].ndim; d++) {
        int32_t stride = of_array(f, RG_STRIDE, store->array, d),
                bytes = apply(f, AOP_MULTIPLY, ranges_at(&f->ranges, store->args[d], when), stride);
        sum = sum == NO_VALUE ? bytes : apply(f, AOP_ADD, sum, bytes);
    }
    return sum;
}

static bool moves(FastLoop *f, const RegionInstr *store) {
    for (int d = 0; d < f->maker->region->arrays[store->array].ndim; d++)
        if (ranges_kind(&f->ranges, store->args[d]) != VALUE_FIXED) return true;
    return false;
}

static void add_kept(FastLoop *f, RegionOp op, int place) {
    const Kept *kept = &f->kept[place];
    RegionInstr instr =
        REGION_INSTR(.op = (uint8_t)op, .type = f->maker->region->code[kept->store].type,
                     .number = (uint64_t)place);
    instr.args[0] = kept->address;
    instr.args[1] = kept->stride;
    instr.args[2] = kept->count;
    region_add(f->maker, instr);
}

void keep_elements(FastLoop *f) {
    for (int k = 0; k < f->kept_count && !f->maker->failed; k++) {
        const RegionInstr store = f->maker->region->code[f->kept[k].store];
        int32_t now = offset_at(f, &store, AT_CHUNK), next = offset_at(f, &store, AT_NEXT);
        f->kept[k].address = apply(f, AOP_ADD, of_array(f, RG_ADDRESS, store.array, 0), now);
        f->kept[k].stride = apply(f, AOP_SUBTRACT, next, now);
        f->kept[k].count = moves(f, &store) ? f->chunk_rounds : region_add_int(f->maker, 1);
        add_kept(f, RG_KEEP, k);
    }
}

void put_elements_back(FastLoop *f) {
    for (int k = 0; k < f->kept_count; k++) add_kept(f, RG_PUT_BACK, k);
}

// --- Deferred checks ---------------------------------------------------------------------------

void begin_checks(FastLoop *f) {
    Region *r = f->maker->region;
    RegionInstr begin = REGION_INSTR(.op = RG_UNSPOILT);
    int32_t place;
    begin.links.first = r->link_count;
    f->later = false;
    for (int32_t n = 0; n < f->block_count; n++) {
        RegionBlock block = r->blocks[f->order[n]];
        for (int32_t i = block.first; i < block.end; i++) {
            if (r->code[i].op != RG_CHECKED || fate_of(f, i) != FATE_LATER) continue;
            f->later = true;
            if (how_later(f, i, &place) == CHECK_SMALL)
                region_add_link(f->maker, f->ranges.chunk + place);
        }
    }
    begin.links.count = r->link_count - begin.links.first;
    if (f->later) region_add(f->maker, begin);
}

static void leave_again(FastLoop *f, int32_t condition) {
    RegionInstr leave = REGION_INSTR(.op = RG_LEAVE_IF, .to_block = true);
    leave.args[0] = condition;
    leave.exit = f->again;
    region_add(f->maker, leave);
}

void leave_if_spoilt(FastLoop *f, int32_t floats) {
    RegionInstr raised = REGION_INSTR(.op = RG_RAISED, .type = DT_BOOL);
    raised.links.first = floats;
    raised.links.count = f->maker->region->link_count - floats;
    if (f->looks) leave_again(f, region_add(f->maker, raised));
    if (f->later)
        leave_again(f, region_add(f->maker, REGION_INSTR(.op = RG_SPOILT, .type = DT_BOOL)));
}

// --- Floats ------------------------------------------------------------------------------------

// Returns whether an operation needs all its operands to produce its result.
static bool is_arithmetic(const RegionInstr *in) {
    if (in->op == RG_CAST) return true;
    if (in->op != RG_APPLY) return false;
    switch (in->elementwise) {
    case AOP_ADD:
    case AOP_SUBTRACT:
    case AOP_MULTIPLY:
    case AOP_DIVIDE:
    case AOP_NEGATIVE:
    case AOP_SQUARE:
    case AOP_SQRT: return true;
    default: return false;
    }
}

// Tests whether `part` is the value, or an operand of the arithmetic that computes it (to a limited depth).
static bool is_made_of(FastLoop *f, int32_t value, int32_t part, int depth) {
    enum { DEPTH = 8 };
    const RegionInstr in = f->maker->region->code[value];
    if (value == part || ranges_origin(&f->ranges, value) == part) return true;
    if (!is_arithmetic(&in) || depth == DEPTH) return false;
    for (int a = 0; a < 2; a++)
        if (in.args[a] != NO_VALUE && is_made_of(f, in.args[a], part, depth + 1)) return true;
    return false;
}

static bool is_in_store(FastLoop *f, int32_t value, const RegionInstr *in) {
    return in->op == RG_STORE && moves(f, in) && is_made_of(f, in->args[3], value, 0);
}

// Tests that the value is passed back to the head's parameter it was computed from.
static bool comes_back(FastLoop *f, int32_t value, int32_t block) {
    const Region *r = f->maker->region;
    const RegionEdge *edges[2];
    int32_t head = r->blocks[f->loop->head].first;
    if (block_edges(r, block, edges) != 1 || edges[0]->block != f->loop->head) return false;
    for (int32_t p = 0; p < f->params; p++) {
        int32_t link = r->links[edges[0]->first + p];
        if (is_made_of(f, link, value, 0) && is_made_of(f, link, head + p, 0) &&
            ranges_origin(&f->ranges, link) != head + p)
            return true;
    }
    return false;
}

bool is_computed(FastLoop *f, int32_t value) {
    const Region *r = f->maker->region;
    int32_t home = f->ranges.block_of[value];
    const RegionBlock *block = &r->blocks[home];
    if (f->parts) return false;
    for (int32_t i = value; i < block->end; i++)
        if (is_in_store(f, value, &r->code[i])) return true;
    return comes_back(f, value, home);
}
