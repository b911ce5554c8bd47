// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Overlaps the exchange of a chain with ghost zones with computation. Of each loop, a rank first runs the inner rows: those
// that depend, through all earlier loops, on nothing that travels to it, and that overwrite nothing that travels from it
// or that the edges still need. Each loop has fewer inner rows than the one before it, so that the edges are wedges
// (as the phases of split tiling: S. Krishnamoorthy et al., "Effective Automatic Parallelization of Stencil
// Computations", 2007). When the messages have come, the edges are run, each loop after the earlier ones.

#include "vm/kernel/figures.h"
#include "vm/plan/watch.h"
#include "vm/sched/chain.h"
#include "vm/sched/collective.h"
#include "vm/sched/overlap.h"

static const int64_t FAR = 1 << 19; // rows: skew.c stands for "all rows" by more

// --- Inner rows ------------------------------------------------------------------------------------

static void leave_out_below(Extent *rows, int64_t low) {
    if (low > rows->low) rows->low = low;
}

static void leave_out_from(Extent *rows, int64_t high) {
    if (high < rows->high) rows->high = high;
}

// Returns the whole rows of a storage that this rank owns. What is only read may be cut elsewhere than what the chain writes.
static Extent rows_of_block(const Link *link, const Storage *storage, int64_t step) {
    const Extent block = block_of(storage->buffer.blocks->partition, link->rank);
    Extent rows = {(block.low + step - 1) / step, block.high / step};
    if (block.low == 0) rows.low = -GHOST_ENDLESS;
    if (block.high == (int64_t)storage->buffer.bytes) rows.high = GHOST_ENDLESS;
    return rows;
}

// Leaves out rows that read what other ranks own.
static bool leave_out_brought(const Link *link, struct Chain *c, const ChainLink *loop, Extent *rows) {
    for (int i = 0; i < loop->reach_count; i++) {
        const Reach *reach = &loop->reaches[i];
        if (reach->written || !is_cut(reach->storage)) continue;
        if (reach->low < -FAR || reach->high > FAR) return false;
        const Extent own = rows_of_block(link, reach->storage, chain_touched(c, reach->storage)->step);
        leave_out_below(rows, own.low - reach->low);
        leave_out_from(rows, own.high - reach->high);
    }
    return true;
}

// Leaves out rows of results that are being sent, and what lies between them and the neighbour.
static void leave_out_sent(const Link *link, struct Chain *c, const ChainLink *loop, Extent *rows) {
    const Extent own = ghost_own_rows(link, link->rank);
    for (int i = 0; i < loop->reach_count; i++) {
        const Storage *storage = loop->reaches[i].storage;
        const int64_t step = chain_touched(c, storage)->step;
        for (size_t n = 0; n < link->transfer_count && loop->reaches[i].written; n++) {
            const Extent sent = blocks_sent(link, n, storage);
            if (extent_is_empty(sent)) continue;
            const int64_t first = sent.low / step, last = (sent.high - 1) / step;
            if (first - own.low <= own.high - last) leave_out_below(rows, last + 1);
            else leave_out_from(rows, first);
        }
    }
}

static bool has_part(const Link *link, const ChainLink *loop) {
    return !extent_is_empty(ghost_part(link, loop, link->rank));
}

// Sets each loop's inner rows. Returns false if a loop has none, or if edges of the two sides could depend on each other.
static bool find_inner(const Link *link, struct Chain *c) {
    const Extent own = ghost_own_rows(link, link->rank);
    int64_t widest = 0;
    Extent common = own;
    for (int n = 0; n < c->count; n++) {
        ChainLink *loop = &c->links[n];
        loop->inner = own;
        if (!has_part(link, loop)) continue;
        if (!leave_out_brought(link, c, loop, &loop->inner)) return false;
        leave_out_sent(link, c, loop, &loop->inner);
        for (int m = 0; m < n; m++) {
            const ChainLink *early = &c->links[m];
            int64_t back, on;
            if (!has_part(link, early) || !skew_rows_needed(early, loop, &back, &on)) continue;
            if (back > FAR || on > FAR) return false;
            leave_out_below(&loop->inner, early->inner.low + (back > 0 ? back : 0));
            leave_out_from(&loop->inner, early->inner.high - (on > 0 ? on : 0));
            if (back > widest) widest = back;
            if (on > widest) widest = on;
        }
        common = extent_meet(common, loop->inner);
        if (extent_is_empty(common)) return false;
    }
    return common.high - common.low > widest;
}

static bool pays(const Vm *vm, const struct Chain *c) {
    const Link *link = link_of(vm);
    int64_t elements = 0;
    for (int n = 0; n < c->count; n++) {
        const Extent e = extent_meet(ghost_indices(&c->links[n], c->links[n].inner), ghost_part(link, &c->links[n], link->rank));
        if (!extent_is_empty(e)) elements += kernel_elements(&c->links[n].kernel) / c->links[n].kernel.shape[0] * (e.high - e.low);
    }
    return overlap_pays(vm, elements);
}

bool ghost_overlaps(Vm *vm, struct Chain *c) {
    return link_of(vm)->posted && find_inner(link_of(vm), c) && pays(vm, c);
}

// --- Running ---------------------------------------------------------------------------------------

typedef enum Phase { PHASE_INNER, PHASE_LOW, PHASE_HIGH } Phase;

static Extent rows_of_phase(const ChainLink *loop, Extent own, Phase phase) {
    const Extent all = {own.low - loop->zone.before, own.high + loop->zone.behind};
    switch (phase) {
    case PHASE_INNER: return loop->inner;
    case PHASE_LOW: return (Extent){all.low, loop->inner.low};
    case PHASE_HIGH: return (Extent){loop->inner.high, all.high};
    }
    return all;
}

// Puts the loops into the order of the program.
static void put_in_order(struct Chain *c) {
    for (int n = 0; n < c->count; n++)
        while (c->links[n].number != n) {
            const int to = c->links[n].number;
            const ChainLink other = c->links[to];
            c->links[to] = c->links[n];
            c->links[n] = other;
        }
}

static Status run_phase(Vm *vm, const Device *device, struct Chain *c, Phase phase) {
    const Link *link = link_of(vm);
    for (int n = 0; n < c->count; n++) {
        ChainLink *loop = &c->links[n];
        loop->kernel = c->wholes[n];
        Extent e = ghost_indices(loop, rows_of_phase(loop, ghost_own_rows(link, link->rank), phase));
        e = extent_meet(e, ghost_part(link, loop, link->rank));
        if (extent_is_empty(e)) e = (Extent){0, 0};
        kernel_slice(&loop->kernel, 0, e.low, e.high);
    }
    Status st = ghost_launch(vm, device, c, false);
    put_in_order(c);
    return st;
}

static Status run_phases(Vm *vm, const Device *device, struct Chain *c) {
    c->bands.poke = link_poke;
    c->bands.poked = vm;
    Status st = run_phase(vm, device, c, PHASE_INNER);
    const int64_t band = c->bands.band;
    c->bands.poke = NULL;
    const Status finished = blocks_finish(vm);
    if (st == ST_OK) st = finished;
    if (st == ST_OK) st = run_phase(vm, device, c, PHASE_LOW);
    if (st == ST_OK) st = run_phase(vm, device, c, PHASE_HIGH);
    c->bands.band = band;
    return st;
}

Status ghost_overlap(Vm *vm, const Device *device, struct Chain *c, bool *done) {
    struct Engine *engine = vm->engine;
    const uint64_t kernels = engine->stats.kernels;
    const double begin = engine->watch ? watch_clock() : 0;
    *done = false;
    if (!ghost_overlaps(vm, c)) return ST_OK;
    if (!c->wholes) c->wholes = mem_alloc(&vm->mem, BAND_KERNELS * sizeof *c->wholes);
    if (!c->wholes) return ST_OK; // they are run afterwards
    for (int n = 0; n < c->count; n++) c->wholes[n] = c->links[n].kernel;
    *done = true;
    Status st = run_phases(vm, device, c);
    for (int n = 0; n < c->count; n++) { // restores the kernels of whole parts, which the watcher reports
        const Extent part = ghost_part(link_of(vm), &c->links[n], link_of(vm)->rank);
        c->links[n].kernel = c->wholes[n];
        kernel_slice(&c->links[n].kernel, 0, part.low, part.high);
    }
    engine->stats.kernels = kernels + (uint64_t)c->count; // the phases of a loop are one kernel
    engine->stats.exchanges_overlapped++;
    if (st == ST_OK && engine->watch && !chain_is_interrupted(c)) chain_show(vm, c, begin, watch_clock() - begin);
    return st;
}
