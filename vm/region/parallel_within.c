// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Finds loops that are perfectly nested as far as effects go: the code around the inner loop only computes numbers, so
// each iteration of the inner loop may repeat it.

#include "vm/region/parallel_within.h"

#include <string.h>

static int size_of(const BlockSet *set) {
    int size = 0;
    for (int w = 0; w < FLOW_WORDS; w++) size += __builtin_popcountll(set->words[w]);
    return size;
}

static bool is_inside(const FlowLoop *inner, const FlowLoop *outer) {
    return inner->head != outer->head && block_in(&outer->blocks, inner->head);
}

// Returns the outermost loop inside another one; NULL: none, or several that do not contain one another.
static const FlowLoop *largest_inside(const Flow *flow, const FlowLoop *loop) {
    const FlowLoop *best = NULL;
    for (int32_t l = 0; l < flow->loop_count; l++) {
        const FlowLoop *one = &flow->loops[l];
        if (is_inside(one, loop) && (!best || size_of(&one->blocks) > size_of(&best->blocks))) best = one;
    }
    for (int32_t l = 0; best && l < flow->loop_count; l++)
        if (is_inside(&flow->loops[l], loop) && !block_in(&best->blocks, flow->loops[l].head)) return NULL;
    return best;
}

static bool is_number_of_ints(const RegionInstr *in) {
    return in->op == RG_APPLY && dtype_kind((DType)in->type) != DK_FLOAT && dtype_kind((DType)in->from) != DK_FLOAT &&
           op_info[in->elementwise].effects == EFFECT_PURE;
}

// Returns whether executing an instruction more often, or less, has no effect.
static bool is_idle(const RegionInstr *in, uint32_t written) {
    if (region_op_is_scalar(in->op)) return true;
    switch ((RegionOp)in->op) {
    case RG_CHECKED:
    case RG_QUIET: return true;
    case RG_LOAD: return !(written >> in->array & 1);
    default: return false;
    }
}

// Returns whether an instruction may stand after the inner loop, where a work item may lack the values of that loop's
// last iteration.
static bool is_passage(const RegionInstr *in) {
    return in->op == RG_PARAM || in->op == RG_NUMBER || in->op == RG_JUMP || is_number_of_ints(in);
}

// Adds to *behind the blocks after the inner loop, up to the outer loop's head. Returns whether any was new.
static bool spread(const Region *r, const FlowLoop *outer, const FlowLoop *inner, BlockSet *behind) {
    bool changed = false;
    for (int32_t b = 0; b < r->block_count; b++) {
        const RegionEdge *edges[2];
        if (b != inner->head && !block_in(behind, b)) continue;
        int count = block_edges(r, b, edges);
        for (int e = 0; e < count; e++) {
            int32_t to = edges[e]->block;
            if (to == outer->head || !block_in(&outer->blocks, to) || block_in(&inner->blocks, to) || block_in(behind, to))
                continue;
            block_put(behind, to);
            changed = true;
        }
    }
    return changed;
}

static bool is_free_of_effects(const Region *r, const RegionBlock *block, bool behind, uint32_t written) {
    for (int32_t i = block->first; i < block->end; i++)
        if (!(behind ? is_passage(&r->code[i]) : is_idle(&r->code[i], written))) return false;
    return true;
}

const FlowLoop *within_find(const Region *r, const Flow *flow, const FlowLoop *loop, uint32_t written) {
    const FlowLoop *inner = largest_inside(flow, loop);
    BlockSet behind = {{0}};
    while (inner && spread(r, loop, inner, &behind)) {
    }
    for (int32_t b = 0; inner && b < r->block_count; b++) {
        if (!block_in(&loop->blocks, b) || block_in(&inner->blocks, b)) continue;
        if (!is_free_of_effects(r, &r->blocks[b], block_in(&behind, b), written)) return NULL;
    }
    return inner;
}

void within_keep(const RegionParallel *inner, const FlowLoop *loop, RegionParallel *outer) {
    ParallelWithin *to = &outer->within;
    if (inner->param_count > PARALLEL_WITHIN_PARAMS || inner->folded) return;
    for (int i = 0; i < inner->param_count; i++)
        if (inner->params[i].kind == PARALLEL_FOLD) return;
    for (int l = 1; l < outer->level_count; l++) {
        if (outer->levels[l].head != loop->head || !outer->levels[l].rounds.known) continue;
        to->level = l;
        to->head = loop->head;
    }
    to->param_count = inner->param_count;
    to->count_param = inner->count_param;
    memcpy(to->params, inner->params, (size_t)inner->param_count * sizeof *to->params);
    memcpy(to->blocks, loop->blocks.words, sizeof to->blocks);
}
