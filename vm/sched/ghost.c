// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Ghost zones: loops that follow one another, such as time steps of a stencil, are shared out together, with one
// exchange before all of them instead of one before each. A rank is sent a halo that is deep enough for the last loop,
// and computes in each loop the rows that it owns and those around them that later loops need (C. Ding and Y. He, "A
// Ghost Cell Expansion Method for Reducing Communications in Solving PDE Problems", 2001). So loops need not wait for
// the neighbours, and are run in bands as on one rank.
//
// Everything that decides which loops these are follows from the program and the partitions, so that all ranks agree.
// Each rank decides for itself whether it runs its part in bands.

#include <string.h>

#include "vm/kernel/figures.h"
#include "vm/plan/watch.h"
#include "vm/sched/boxes.h"
#include "vm/sched/chain.h"
#include "vm/sched/dry.h"
#include "vm/sched/overlap.h"
#include "vm/sched/split_impl.h"

// --- Rows of ranks -----------------------------------------------------------------------------------

// Rank r owns the rows link->starts[r] … link->starts[r + 1] of every array that the chain writes.
Extent ghost_own_rows(const Link *link, int rank) {
    return (Extent){link->starts[rank], link->starts[rank + 1]};
}

// Sets link->starts to the rows at which a storage is cut. False: it is not cut between rows.
static bool take_rows(Link *link, const Storage *storage, int64_t step) {
    const int64_t *cuts = storage->buffer.blocks->partition->cuts, bytes = (int64_t)storage->buffer.bytes;
    for (int r = 0; r <= link->size; r++) {
        if (cuts[r] % step && cuts[r] != bytes) return false;
        link->starts[r] = (cuts[r] + step - 1) / step;
    }
    link->starts[0] = -GHOST_ENDLESS;
    link->starts[link->size] = GHOST_ENDLESS;
    return true;
}

// Computes, in link->trial, how a storage with rows of `step` bytes is cut at link->starts.
static const int64_t *cuts_of_rows(Link *link, const Storage *storage, int64_t step) {
    const int64_t bytes = (int64_t)storage->buffer.bytes, rows = bytes / step;
    int64_t *cuts = link->trial->cuts;
    for (int r = 0; r <= link->size; r++) {
        const int64_t row = link->starts[r];
        cuts[r] = row <= 0 ? 0 : row >= rows ? bytes : row * step;
    }
    cuts[link->size] = bytes;
    return cuts;
}

static int64_t rows_in(const Storage *storage, int64_t step) {
    return (int64_t)storage->buffer.bytes / step;
}

static const Touched *first_cut(struct Chain *c, bool written) {
    for (int n = 0; n < c->count; n++) {
        const Kernel *k = &c->links[n].kernel;
        const int count = written ? k->store_count : k->load_count;
        for (int i = 0; i < count; i++) {
            const Storage *storage = written ? k->stores[i].to.storage : k->loads[i].storage;
            if (is_cut(storage)) return chain_touched(c, storage);
        }
    }
    return NULL;
}

// Returns whether a storage that a loop writes is cut into the chain's rows, or can be.
static bool has_rows(Link *link, const Storage *storage, int64_t step, int64_t rows) {
    enum { ALIKE = 16 };
    const Blocks *blocks = storage->buffer.blocks;
    const int64_t more = rows_in(storage, step) - rows;
    if (!storage_is_own(storage) || step <= 0) return false;
    if (!is_cut(storage)) return (more < 0 ? -more : more) <= rows / ALIKE;
    return memcmp(cuts_of_rows(link, storage, step), blocks->partition->cuts, ((size_t)link->size + 1) * sizeof(int64_t)) == 0;
}

// Returns whether each row that a loop writes has one owner, and no operand is on a grid.
static bool is_by_owner(Link *link, struct Chain *c, const ChainLink *loop, int64_t rows) {
    for (int i = 0; i < loop->reach_count; i++) {
        const Reach *reach = &loop->reaches[i];
        if (reach->storage->buffer.grid) return false; // cut along several dimensions
        if (!reach->written) continue;
        if (reach->low != 0 || reach->high != 0) return false;
        if (!has_rows(link, reach->storage, chain_touched(c, reach->storage)->step, rows)) return false;
    }
    return true;
}

// --- Zones -------------------------------------------------------------------------------------------

// Widens a loop's zone by the rows of its results that a later loop reads.
static void widen_for(Zone *zone, const ChainLink *early, const ChainLink *late) {
    for (int i = 0; i < early->reach_count; i++)
        for (int j = 0; j < late->reach_count; j++) {
            const Reach *made = &early->reaches[i], *read = &late->reaches[j];
            if (!made->written || read->written || made->storage != read->storage) continue;
            const int64_t before = late->zone.before - read->low, behind = late->zone.behind + read->high;
            if (before > zone->before) zone->before = before;
            if (behind > zone->behind) zone->behind = behind;
        }
}

// Computes the zones of the first `count` loops. Returns how many rows in these a rank computes that others own.
static int64_t find_zones(struct Chain *c, int count) {
    int64_t more = 0;
    for (int n = count - 1; n >= 0; n--) {
        Zone *zone = &c->links[n].zone;
        *zone = (Zone){.first = c->bands.first[n], .rows = c->links[n].rows, .in_row = c->links[n].in_row};
        for (int later = n + 1; later < count; later++) widen_for(zone, &c->links[n], &c->links[later]);
        if (zone->rows > 1) more += zone->before + zone->behind;
    }
    return more;
}

// Returns whether a loop of the chain has many elements; then those with few are shared out with it.
static bool has_large(const Vm *vm, const struct Chain *c) {
    bool any = false;
    for (int n = 0; n < c->count && !any; n++) any = kernel_elements(&c->links[n].kernel) >= vm->engine->limits.band_least;
    return any;
}

// Returns whether little is computed twice: at most a sixteenth, on average.
static bool is_worth_it(const struct Chain *c, int count, int64_t more, int ranks) {
    enum { PART = 16 };
    int64_t rows = 0;
    for (int n = 0; n < count; n++) rows += c->links[n].rows;
    return more <= rows / ranks / PART;
}

// Returns how many loops, from the first one on, are shared out together; fewer than two: none.
static int choose(Link *link, struct Chain *c) {
    int found = 0, most = skew_describe(c);
    const Touched *like = first_cut(c, true);
    if (!like) like = first_cut(c, false);
    if (!like || like->step <= 0 || !take_rows(link, like->storage, like->step)) return 0;
    const int64_t rows = rows_in(like->storage, like->step);
    while (found < most && is_by_owner(link, c, &c->links[found], rows)) found++;
    while (found > 1 && !is_worth_it(c, found, find_zones(c, found), link->size)) found--;
    return found;
}

Extent ghost_indices(const ChainLink *loop, Extent rows) {
    const Zone *zone = &loop->zone;
    const Extent e = extent_meet((Extent){rows.low - zone->first, rows.high - zone->first}, (Extent){0, zone->rows});
    if (extent_is_empty(e)) return (Extent){0, 0};
    return extent_meet((Extent){e.low * zone->in_row, e.high * zone->in_row}, (Extent){0, loop->kernel.shape[0]});
}

Extent ghost_part(const Link *link, const ChainLink *loop, int rank) {
    const Extent own = ghost_own_rows(link, rank);
    if (extent_is_empty(own)) return (Extent){0, 0};
    return ghost_indices(loop, (Extent){own.low - loop->zone.before, own.high + loop->zone.behind});
}

// --- Exchange ----------------------------------------------------------------------------------------

static void resume(Vm *vm, const Kernel *k) {
    for (int i = 0; i < k->load_count; i++) blocks_resume(vm, k->loads[i].storage);
    for (int s = 0; s < k->store_count; s++) blocks_resume(vm, k->stores[s].to.storage);
}

// Notes in c->shared which loops read and write each storage.
static void find_uses(struct Chain *c) {
    for (int i = 0; i < c->touched_count; i++) c->touched[i].loaded = c->touched[i].stored = 0;
    for (int n = 0; n < c->count; n++)
        for (int i = 0; i < c->links[n].reach_count; i++) {
            const Reach *reach = &c->links[n].reaches[i];
            Touched *t = chain_touched(c, reach->storage);
            *(reach->written ? &t->stored : &t->loaded) |= (uint32_t)1 << n;
        }
    c->shared_count = c->touched_count;
    memcpy(c->shared, c->touched, (size_t)c->touched_count * sizeof *c->shared);
}

static Status cut_results(Vm *vm, struct Chain *c) {
    Link *link = link_of(vm);
    Status st = ST_OK;
    for (int i = 0; st == ST_OK && i < c->shared_count; i++) {
        Touched *t = &c->shared[i];
        t->fresh = t->stored && !is_cut(t->storage) && is_blank(&t->storage->buffer);
        if (t->stored && !is_cut(t->storage)) st = blocks_cut(vm, t->storage, cuts_of_rows(link, t->storage, t->step));
    }
    return st;
}

// Returns the bytes of a storage that a rank reads in its zones, with those that it writes if `writes`.
static Extent touched_by(const Link *link, const struct Chain *c, const Storage *storage, int rank, bool writes) {
    Extent all = {0, 0};
    for (int n = 0; n < c->count; n++) {
        const ChainLink *loop = &c->links[n];
        const Kernel *k = &loop->kernel;
        const Extent part = ghost_part(link, loop, rank);
        for (int i = 0; i < k->load_count; i++)
            if (k->loads[i].storage == storage) all = extent_hull(all, reach_range(space_of(k), &k->loads[i], 0, part));
        for (int s = 0; writes && s < k->store_count; s++)
            if (k->stores[s].to.storage == storage) all = extent_hull(all, reach_range(space_of(k), &k->stores[s].to, 0, part));
    }
    return all;
}

static Status want(Vm *vm, const struct Chain *c, const Touched *t) {
    Link *link = link_of(vm);
    Status st = blocks_room(vm, t->storage, touched_by(link, c, t->storage, link->rank, true));
    if (st != ST_OK || t->fresh || !t->loaded) return st;
    for (int r = 0; r < link->size; r++) link->scratch[r] = touched_by(link, c, t->storage, r, false);
    return blocks_want(vm, t->storage, link->scratch);
}

static Status begin_bringing(Vm *vm, const struct Chain *c) {
    Status st = ST_OK;
    blocks_begin(vm);
    for (int i = 0; st == ST_OK && i < c->shared_count; i++)
        if (is_cut(c->shared[i].storage)) st = want(vm, c, &c->shared[i]);
    return st == ST_OK ? blocks_post(vm) : st;
}

// --- Halos afterwards --------------------------------------------------------------------------------

// Returns the rows of a storage whose copy on a rank is current: all but those that in some loop only other ranks have
// written.
static Extent current_rows(const Link *link, const struct Chain *c, const Touched *t, int rank) {
    const Extent own = ghost_own_rows(link, rank);
    Extent rows = {0, rows_in(t->storage, t->step) + 1}; // the last one may be a part of a row
    for (int n = 0; n < c->count; n++) {
        const ChainLink *loop = &c->links[n];
        const Zone *zone = &loop->zone;
        const int64_t low = own.low - zone->before, high = own.high + zone->behind;
        for (int i = 0; i < loop->reach_count; i++) {
            if (!loop->reaches[i].written || loop->reaches[i].storage != t->storage) continue;
            if (low > zone->first && low > rows.low) rows.low = low;
            if (high < zone->first + zone->rows && high < rows.high) rows.high = high;
        }
    }
    return rows;
}

static void written(Vm *vm, const struct Chain *c, bool done) {
    Link *link = link_of(vm);
    for (int i = 0; i < c->shared_count; i++) {
        const Touched *t = &c->shared[i];
        if (!t->stored) continue;
        if (!done) {
            blocks_written(vm, t->storage);
            continue;
        }
        for (int r = 0; r < link->size; r++) {
            const Extent rows = current_rows(link, c, t, r);
            link->scratch[r] = (Extent){rows.low * t->step, rows.high * t->step};
        }
        blocks_written_within(vm, t->storage, link->scratch);
    }
}

// --- Running -----------------------------------------------------------------------------------------

// Moves loops in which this rank has no part behind the others. Returns how many have a part.
static int leave_out_empty(struct Chain *c) {
    int kept = c->count;
    for (int n = 0; n < kept;) {
        if (c->links[n].kernel.shape[0] > 0) {
            n++;
            continue;
        }
        const ChainLink none = c->links[n];
        memmove(&c->links[n], &c->links[n + 1], (size_t)(c->count - n - 1) * sizeof none);
        c->links[c->count - 1] = none;
        kept--;
    }
    return kept;
}

static Status find_operand(Vm *vm, const Device *device, KernAccess *access) {
    Status st = is_cut(access->storage) ? ST_OK : memory_to_device(vm, device, access->storage);
    access->base = operand_base(device, access->storage);
    return st;
}

static Status prepare(Vm *vm, const Device *device, ChainLink *loop, bool whole) {
    Kernel *k = &loop->kernel;
    Status st = ST_OK;
    k->underflow = vm->float_errors.action[FLOAT_UNDERFLOW] != FLOAT_IGNORE;
    k->whole = whole;
    for (int i = 0; st == ST_OK && i < k->load_count; i++) st = find_operand(vm, device, &k->loads[i]);
    for (int s = 0; st == ST_OK && s < k->store_count; s++) st = find_operand(vm, device, &k->stores[s].to);
    loop->flight = (Flight){.site_count = k->site_count};
    return st;
}

static bool launch_banded(Vm *vm, const Device *device, struct Chain *c) {
    uint32_t *flags[BAND_KERNELS];
    c->bands.skewed = true;
    c->bands.count = c->count;
    c->bands.inside_bytes = 0;
    for (int n = 0; n < c->count; n++) {
        flags[n] = c->links[n].flight.flags;
        c->bands.kernels[n] = &c->links[n].kernel;
        c->bands.loads_inside[n] = c->bands.stores_inside[n] = 0;
    }
    return flight_launch_bands(vm, device, &c->bands, flags);
}

static void show_one(Vm *vm, const ChainLink *loop, double begin) {
    Watch *watch = vm->engine->watch;
    const KernelRun run = {.kernel = &loop->kernel, .sites = loop->sites, .begin = begin, .seconds = watch_clock() - begin};
    watch->kernel(watch, vm, &run);
}

// Runs the first `kept` loops.
static bool launch_kept(Vm *vm, const Device *device, struct Chain *c, int kept, bool watched) {
    double begin = watched ? watch_clock() : 0;
    int banded = 0;
    c->count = kept;
    if (kept > 1 && skew_find(c, device->backend, device, 2)) banded = c->count;
    c->count = banded;
    if (banded && !launch_banded(vm, device, c)) return false;
    if (banded && watched && !chain_is_interrupted(c)) chain_show(vm, c, begin, watch_clock() - begin);
    for (int n = banded; n < kept; n++) {
        ChainLink *loop = &c->links[n];
        begin = watched ? watch_clock() : 0;
        if (!flight_launch_here(vm, device, &loop->kernel, loop->flight.flags)) return false;
        if (watched) show_one(vm, loop, begin);
    }
    return true;
}

Status ghost_launch(Vm *vm, const Device *device, struct Chain *c, bool watched) {
    const int count = c->count, kept = leave_out_empty(c);
    const bool done = launch_kept(vm, device, c, kept, watched);
    c->count = count;
    vm->engine->stats.kernels += (uint64_t)(count - kept);
    return done ? ST_OK : vm_no_memory(vm);
}

static bool writes_what_it_reads(const struct Chain *c) {
    for (int i = 0; i < c->shared_count; i++)
        if (c->shared[i].stored && c->shared[i].loaded) return true;
    return false;
}

static Status run_parts(Vm *vm, const Device *device, struct Chain *c) {
    const Link *link = link_of(vm);
    const int count = c->count;
    const bool whole = writes_what_it_reads(c);
    Status st = ST_OK;
    bool done = false;
    for (int n = 0; st == ST_OK && n < count; n++) st = prepare(vm, device, &c->links[n], whole);
    if (st == ST_OK) st = ghost_overlap(vm, device, c, &done);
    if (st == ST_OK && !done) st = blocks_finish(vm);
    if (st != ST_OK || done) return st;
    for (int n = 0; n < count; n++) {
        const Extent part = ghost_part(link, &c->links[n], link->rank);
        kernel_slice(&c->links[n].kernel, 0, part.low, part.high);
    }
    return ghost_launch(vm, device, c, vm->engine->watch != NULL);
}

// Returns the fraction of this rank's part of a loop that it computes while messages travel.
static double inner_of(const Link *link, const ChainLink *loop) {
    const Extent part = ghost_part(link, loop, link->rank), inner = extent_meet(part, ghost_indices(loop, loop->inner));
    return extent_is_empty(inner) ? 0 : (double)(inner.high - inner.low) / (double)(part.high - part.low);
}

// Counts the loops in a dry run, instead of running them.
static Status count_parts(Vm *vm, struct Chain *c) {
    Link *link = link_of(vm);
    const bool overlaps = ghost_overlaps(vm, c);
    Status st = blocks_finish(vm);
    for (int n = 0; n < c->count; n++) {
        ChainLink *loop = &c->links[n];
        const Node *node = loop->nodes[loop->step->count - 1];
        for (int r = 0; r < link->size; r++) link->ranges[r] = ghost_part(link, loop, r);
        const Extent own = split_part(link);
        dry_begin(vm, node);
        dry_share(vm, &loop->kernel, 0);
        if (overlaps) dry_overlaps(vm, inner_of(link, loop));
        kernel_slice(&loop->kernel, 0, own.low, own.high);
        dry_loop(vm, &loop->kernel, node);
    }
    return st;
}

// --- Flags -------------------------------------------------------------------------------------------

static bool has_flags(const struct Chain *c) {
    bool any = false;
    for (int n = 0; n < c->count; n++) any |= c->links[n].kernel.flags;
    return any;
}

static void join_flags(Vm *vm, struct Chain *c, const uint32_t *theirs) {
    for (int n = 0; n < c->count; n++)
        for (int i = 0; i < c->links[n].kernel.site_count; i++) {
            uint32_t *flags = &c->links[n].flight.flags[i];
            split_join_flags(vm, flags, theirs[c->links[n].number * KERN_SITES + i]);
        }
}

static void write_flags(const struct Chain *c, uint32_t *own) {
    for (int n = 0; n < c->count; n++)
        memcpy(own + c->links[n].number * KERN_SITES, c->links[n].flight.flags,
               (size_t)c->links[n].kernel.site_count * sizeof *own);
}

// Joins the flags that the loops have raised on all ranks, with one gather for all loops.
static Status agree(Vm *vm, struct Chain *c) {
    const Link *link = link_of(vm);
    const size_t each = (size_t)c->count * KERN_SITES, bytes = each * sizeof(uint32_t);
    const StepKey key = {'z', bytes};
    if (!has_flags(c)) return ST_OK;
    if (link->dry) {
        dry_borrowed(vm, bytes * ((size_t)link->size + 1));
        return link_gather(vm, key, NULL, NULL, bytes);
    }
    uint32_t *all = mem_zalloc(&vm->mem, bytes * ((size_t)link->size + 1)), *own = all + each * (size_t)link->size;
    if (!all) return vm_no_memory(vm);
    write_flags(c, own);
    Status st = link_gather(vm, key, own, all, bytes);
    for (int r = 0; st == ST_OK && r < link->size; r++) join_flags(vm, c, all + each * (size_t)r);
    mem_free(&vm->mem, all, bytes * ((size_t)link->size + 1));
    return st;
}

static void finish_all(Vm *vm, const ChainLink *loop, NodeState state) {
    for (uint32_t i = 0; i < loop->step->count; i++) graph_finish(vm, loop->nodes[i], state);
}

// Reports flags and finishes the nodes, in the order of the program.
static Status report(Vm *vm, struct Chain *c) {
    Status st = chain_is_interrupted(c) ? vm_poll(vm) : ST_OK;
    if (st != ST_OK) return st; // all nodes stay pending
    for (int number = 0; number < c->count; number++) {
        int n = 0;
        while (c->links[n].number != number) n++;
        ChainLink *loop = &c->links[n];
        loop->flight.sites = loop->sites;
        Status one = st == ST_OK && !is_dry(vm) ? flight_report(vm, &loop->flight) : ST_OK;
        finish_all(vm, loop, one == ST_OK ? NODE_EXECUTED : NODE_ELIMINATED);
        if (st == ST_OK) st = one;
    }
    return st;
}

// --- Sharing out -------------------------------------------------------------------------------------

// Drops the nodes of loops that failed, if they may have overwritten their operands and so cannot be repeated.
static Status lost(Vm *vm, const struct Chain *c) {
    for (int n = 0; n < c->count && writes_what_it_reads(c); n++) finish_all(vm, &c->links[n], NODE_ELIMINATED);
    return ST_ERROR;
}

static Status share_out(Vm *vm, const Device *device, struct Chain *c) {
    Status st = cut_results(vm, c);
    if (st == ST_OK) st = begin_bringing(vm, c);
    if (st != ST_OK) return st; // all nodes stay pending
    for (int n = 0; n < c->count; n++)
        for (uint32_t i = 0; i < c->links[n].step->count; i++) vm->engine->runs[c->links[n].nodes[i]->op]++;
    st = is_dry(vm) ? count_parts(vm, c) : run_parts(vm, device, c);
    if (st != ST_OK) overlap_abandon(vm);
    if (st == ST_OK) st = agree(vm, c);
    written(vm, c, st == ST_OK);
    return st == ST_OK ? ST_OK : lost(vm, c);
}

Status ghost_run(Vm *vm, struct Chain *c, const Step *first, Node *const *all, int *done) {
    struct Engine *engine = vm->engine;
    const Device *device = placing_home(engine);
    if (engine->device.backend->place != PLACE_HOST) return ST_OK; // every rank does all of it on its own
    chain_take(vm, c, first, all);
    boxes_release(vm);
    for (int n = 0; n < c->count; n++) resume(vm, &c->links[n].kernel);
    const int count = c->count < 2 || !has_large(vm, c) ? 0 : choose(link_of(vm), c);
    if (count < 2) return ST_OK;
    c->count = count;
    for (int n = 0; n < count; n++) {
        c->links[n].number = n;
        c->links[n].kernel.split = NULL;
    }
    find_uses(c);
    traffic_begin(vm, c->links[0].nodes, c->links[0].step->count);
    Status st = share_out(vm, device, c);
    traffic_end(vm);
    if (st != ST_OK) return st;
    engine->stats.kernels_shared += (uint64_t)count;
    for (int n = 0; n < count && !is_dry(vm); n++) traffic_kernel(vm, &c->links[n].kernel, c->links[n].sites);
    *done = count;
    return report(vm, c);
}
