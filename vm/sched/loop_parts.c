// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Chooses each rank's part of a parallel loop, and brings what the part reads.

#include "vm/sched/loop_parts.h"

#include "vm/sched/dry.h"
#include "vm/sched/grid.h"
#include "vm/sched/operands.h"
#include "vm/sched/reach.h"
#include "vm/sched/sched.h"
#include "vm/sched/split_cost.h"

bool engine_has_loop_parts(const Vm *vm) {
    return is_on_ranks(vm) && !is_dry(vm) && vm->engine->device.backend->place == PLACE_HOST;
}

int engine_rank_count(const Vm *vm) {
    return link_of(vm)->size;
}

// --- Before code is entered ----------------------------------------------------------------------

static bool is_all_of(const View *view) {
    return view->offset == 0 && view_is_contiguous(view) &&
           (size_t)view_size(view) * dtype_size(view->dtype) == view->storage->buffer.bytes;
}

Status engine_loop_open(Vm *vm, const View *view, bool written) {
    Storage *storage = view->storage;
    int64_t from, to;
    if (is_on_grid(storage) &&
        engine_detour_here(vm, DETOUR_ROWS, "a loop in machine code", "it works on single elements") != ST_OK)
        return ST_ERROR;
    if (is_on_grid(storage)) return grid_to_rows(vm, storage);
    if (is_cut(storage)) return ST_OK;
    const bool is_new = is_blank(&storage->buffer) && storage_is_own(storage) && is_all_of(view);
    if (is_new && blocks_divide(vm, view, &from, &to) != ST_OK) return ST_ERROR;
    return is_cut(storage) ? ST_OK : memory_to_host(vm, storage, written);
}

// --- Choosing ------------------------------------------------------------------------------------

static bool is_first_of_storage(const LoopParts *p, int use) {
    for (int i = 0; i < use; i++)
        if (p->uses[i].storage == p->uses[use].storage && p->uses[i].written == p->uses[use].written) return false;
    return true;
}

// Returns the bytes that a range of iterations touches by a use.
static Extent touched(const LoopUse *use, Extent range) {
    return extent_is_empty(range) ? (Extent){0, 0} : extent_meet(reach_moved(use->at, use->step, range), use->all);
}

// Sets link->scratch to the bytes of a storage that each rank's iterations read.
static void find_needs(Link *link, const LoopParts *p, const Storage *storage) {
    for (int r = 0; r < link->size; r++) {
        link->scratch[r] = (Extent){0, 0};
        for (int i = 0; i < p->use_count; i++)
            if (!p->uses[i].written && p->uses[i].storage == storage)
                link->scratch[r] = extent_hull(link->scratch[r], touched(&p->uses[i], link->ranges[r]));
    }
}

static double bytes_missing(Link *link, const LoopParts *p) {
    double missing = 0;
    for (int i = 0; i < p->use_count; i++) {
        const LoopUse *use = &p->uses[i];
        if (use->written || !is_cut(use->storage) || !is_first_of_storage(p, i)) continue;
        find_needs(link, p, use->storage);
        missing += (double)blocks_missing(link, use->storage, link->scratch);
    }
    return missing;
}

// Computes in link->trial how to cut a storage by one of its uses. Callers pass the first use that writes it.
static bool find_cuts(Link *link, const LoopParts *p, const LoopUse *use) {
    return reach_cuts_of(link, (int64_t)use->storage->buffer.bytes, use->at, use->step, p->rounds, link->ranges, link->trial->cuts);
}

static bool is_within(const Link *link, const LoopUse *use, const Partition *partition) {
    for (int r = 0; r < link->size; r++)
        if (!extent_has(block_of(partition, r), touched(use, link->ranges[r]))) return false;
    return true;
}

// Returns whether each rank writes in its own blocks only.
static bool writes_fit(Link *link, const LoopParts *p) {
    for (int i = 0; i < p->use_count; i++) {
        const LoopUse *use = &p->uses[i];
        if (!use->written) continue;
        if (is_cut(use->storage)) {
            if (!is_within(link, use, use->storage->buffer.blocks->partition)) return false;
            continue;
        }
        if (!is_first_of_storage(p, i)) continue;
        if (!find_cuts(link, p, use)) return false;
        for (int k = i; k < p->use_count; k++)
            if (p->uses[k].written && p->uses[k].storage == use->storage && !is_within(link, &p->uses[k], link->trial)) return false;
    }
    return true;
}

// Gives all iterations to the rank whose block has all bytes that they touch by this use. False: there is no such rank.
static bool falls_to_one(Link *link, const LoopParts *p, const LoopUse *use) {
    int first, last;
    if (!owners_of(use->storage->buffer.blocks->partition, link->size, use->at, &first, &last) || first < last) return false;
    for (int r = 0; r < link->size; r++) link->ranges[r] = (Extent){0, r == first ? p->rounds : 0};
    return true;
}

// Sets link->ranges to the parts that follow the blocks of what a use touches.
static bool follows(Link *link, const LoopParts *p, const LoopUse *use) {
    if (!is_cut(use->storage)) return false;
    if (use->step == 0) return use->written && falls_to_one(link, p, use);
    return reach_indices(link, use->at, use->step, p->rounds, use->storage->buffer.blocks->partition, link->ranges);
}

// Sets link->ranges. Parts follow the first cut storage that is written (owner computes); otherwise the cut operand for
// which the fewest bytes are missing; otherwise they are even. *missing receives the missing bytes. False: ranks
// would write outside their own blocks.
static bool choose(Link *link, const LoopParts *p, double *missing) {
    const LoopUse *best = NULL, *leader = NULL;
    bool found = false;
    for (int i = 0; i < p->use_count && !leader; i++)
        if (p->uses[i].written && is_cut(p->uses[i].storage)) leader = &p->uses[i];
    for (int i = 0; i < p->use_count; i++) {
        const LoopUse *use = &p->uses[i];
        if ((leader && use != leader) || !follows(link, p, use) || !writes_fit(link, p)) continue;
        const double bytes = bytes_missing(link, p);
        if (found && bytes >= *missing) continue;
        found = true;
        best = use;
        *missing = bytes;
    }
    if (best) return follows(link, p, best);
    if (leader) return false;
    reach_evenly(link, p->rounds, link->ranges);
    *missing = bytes_missing(link, p);
    return writes_fit(link, p);
}

// --- Whether it is worth it ------------------------------------------------------------------------

static int64_t most_rounds(const Link *link) {
    int64_t most = 0;
    for (int r = 0; r < link->size; r++)
        if (link->ranges[r].high - link->ranges[r].low > most) most = link->ranges[r].high - link->ranges[r].low;
    return most;
}

// Returns the bytes that ranks would receive, all together, to gather a storage.
static int64_t bytes_to_gather(Link *link, const Storage *storage) {
    for (int r = 0; r < link->size; r++) link->scratch[r] = (Extent){0, (int64_t)storage->buffer.bytes};
    return blocks_missing(link, storage, link->scratch);
}

static double gathering(Link *link, const LoopParts *p) {
    double bytes = 0;
    for (int i = 0; i < p->use_count; i++) {
        const Storage *storage = p->uses[i].storage;
        bool is_first = is_cut(storage);
        for (int k = 0; k < i; k++) is_first &= p->uses[k].storage != storage;
        if (is_first) bytes += (double)bytes_to_gather(link, storage);
    }
    return bytes;
}

static bool makes_large(const Link *link, const LoopParts *p) {
    for (int i = 0; i < p->use_count; i++)
        if (p->uses[i].written && storage_is_large(link, p->uses[i].storage)) return true;
    return false;
}

// Returns whether ranks share the loop. They do as long as all costs of exchanges so far are at most all work saved
// so far plus twice the cost of gathering, so that a wrong choice costs little.
static bool is_worth_it(Link *link, const LoopParts *p, double missing) {
    enum { WORK_LEAST = 1 << 17 }; // instructions for which arrays that all ranks have are worth being cut
    enum { STEPS_COST = 1 << 15 };   // cost, in bytes, of an exchange and an agreement
    const double saved = p->work * (1 - (double)most_rounds(link) / (double)p->rounds) * link->size;
    if (!p->is_cut && !makes_large(link, p) && saved < WORK_LEAST) return false;
    p->balance->sent += missing + (double)STEPS_COST * link->size;
    p->balance->saved += saved;
    return p->balance->sent <= p->balance->saved + 2 * gathering(link, p);
}

// Returns whether the storage of a use that writes is cut or can be. Most of a whole array has to be written: cut by
// a small part, the rest would be one rank's.
static bool can_be_cut(const LoopParts *p, const LoopUse *use) {
    const Extent bytes = touched(use, (Extent){0, p->rounds});
    return is_cut(use->storage) || (storage_is_own(use->storage) && 2 * (bytes.high - bytes.low) > (int64_t)use->storage->buffer.bytes);
}

static const char *why_whole(const LoopParts *p) {
    for (int i = 0; i < p->use_count; i++) {
        const LoopUse *use = &p->uses[i];
        if (use->written && !storage_is_own(use->storage)) return "it writes to memory that others see";
        if (use->written && use->step == 0 && !is_cut(use->storage)) return "where its rounds write is not known";
        if (use->written && !can_be_cut(p, use)) return "it writes to a small part of an array";
    }
    return NULL;
}

// --- Exchange --------------------------------------------------------------------------------------

static Status bring(Vm *vm, const LoopParts *p) {
    Link *link = link_of(vm);
    Status st = ST_OK;
    blocks_begin(vm);
    for (int i = 0; st == ST_OK && i < p->use_count; i++) {
        const LoopUse *use = &p->uses[i];
        if (use->written || !is_cut(use->storage) || !is_first_of_storage(p, i)) continue;
        find_needs(link, p, use->storage);
        st = blocks_want(vm, use->storage, link->scratch);
    }
    return st == ST_OK ? blocks_exchange(vm) : st;
}

static Status cut_results(Vm *vm, const LoopParts *p) {
    Link *link = link_of(vm);
    Status st = ST_OK;
    for (int i = 0; st == ST_OK && i < p->use_count; i++)
        if (p->uses[i].written && !is_cut(p->uses[i].storage) && find_cuts(link, p, &p->uses[i]))
            st = blocks_cut(vm, p->uses[i].storage, link->trial->cuts);
    return st;
}

static bool any_is_cut(const LoopParts *p) {
    bool any = false;
    for (int i = 0; i < p->use_count; i++) any |= is_cut(p->uses[i].storage);
    return any;
}

// For a loop that every rank runs in full. Makes cut arrays whole again if every rank holds all of their bytes.
static Status leave_whole(Vm *vm, LoopParts *p) {
    Status st = ST_OK;
    for (int i = 0; st == ST_OK && i < p->use_count; i++) {
        Storage *storage = p->uses[i].storage;
        if (is_cut(storage) && bytes_to_gather(link_of(vm), storage) == 0) st = blocks_gather(vm, storage);
    }
    p->is_cut = any_is_cut(p);
    return st;
}

Status engine_loop_begin(Vm *vm, LoopParts *p) {
    Link *link = link_of(vm);
    double missing = 0;
    for (int i = 0; i < p->use_count; i++) blocks_resume(vm, p->uses[i].storage);
    p->is_cut = any_is_cut(p);
    if (!p->why) p->why = why_whole(p);
    if (!p->why && !choose(link, p, &missing)) p->why = "its rounds lie across the blocks of ranks";
    if (!p->why && !is_worth_it(link, p, missing)) p->why = "what its rounds read would have to be sent again and again";
    if (p->why) return leave_whole(vm, p);
    Status st = bring(vm, p);
    if (st == ST_OK) st = cut_results(vm, p);
    if (st != ST_OK) return st;
    const Extent own = link->ranges[link->rank];
    p->first = own.low;
    p->count = extent_is_empty(own) ? 0 : own.high - own.low;
    p->last = 0;
    p->flags_raise = sched_float_errors_raise(vm);
    for (int r = 0; r < link->size; r++)
        if (!extent_is_empty(link->ranges[r]) && link->ranges[r].high == p->rounds) p->last = r;
    vm->engine->stats.kernels_shared++;
    return ST_OK;
}

// --- Afterwards ------------------------------------------------------------------------------------

Status engine_loop_agree(Vm *vm, const void *own, void *all, size_t bytes) {
    return link_gather(vm, (StepKey){'l', bytes}, own, all, bytes);
}

void engine_loop_end(Vm *vm, const LoopParts *p) {
    for (int i = 0; i < p->use_count; i++) {
        Storage *storage = p->uses[i].storage;
        if (!p->uses[i].written) continue;
        blocks_written(vm, storage);
        storage->buffer.untouched = WRITTEN;
        storage->version++;
    }
}
