// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Partitions a kernel over a grid of ranks. Its iteration space is cut along as many dimensions as the storage of an
// operand, so that each rank computes the elements of its box (owner computes), or uses the operand's box that it has.
// A matrix product becomes SUMMA with one panel: each rank is brought its rows of the left matrix and its columns of
// the right one (van de Geijn and Watts, 1997).

#include <stdlib.h>
#include <string.h>

#include "vm/sched/boxes.h"
#include "vm/sched/dry.h"
#include "vm/sched/grid_impl.h"
#include "vm/sched/operands.h"
#include "vm/sched/overlap.h"
#include "vm/sched/own.h"
#include "vm/sched/sched.h"
#include "vm/sched/split_impl.h"

// A kernel that is being partitioned.
typedef struct Work {
    Kernel *loop;   // the kernel, or the space of a library call
    AxisSet whole;  // dimensions that may not be cut
    bool is_call;
    GridShare share;
    GridAccess loads[KERN_LOADS], stores[KERN_STORES];
    uint32_t partial; // stores of which ranks have partial results, as bits
} Work;

// --- Cuts that follow an operand -------------------------------------------------------------------

// Cuts the space as another operand that is cut over the same ranks. It has to move along that level: a cut without a
// dimension would leave most ranks idle.
static bool follow_another(const Work *w, const GridFollow *f, GridCut *cut) {
    const Kernel *k = w->loop;
    for (int i = 0; i < k->store_count + k->load_count; i++) {
        const bool stores = i < k->store_count;
        const Storage *storage = stores ? k->stores[i].to.storage : k->loads[i - k->store_count].storage;
        const GridAccess *access = stores ? &w->stores[i] : &w->loads[i - k->store_count];
        if (!is_on_grid(storage)) continue;
        const int level = grid_level_of(storage->buffer.grid, cut);
        if (level >= 0 && grid_dim_along(access, k->ndim, level) >= 0 && grid_follow_level(f, storage->buffer.grid, access, level, cut))
            return true;
    }
    return false;
}

// Cuts the space evenly along the slowest dimension of the first result that is not cut yet.
static bool follow_result(const Work *w, const GridFollow *f, GridCut *cut) {
    const KernAccess *to = &w->loop->stores[0].to;
    AxisSet taken = f->whole;
    for (int c = 0; c < f->share->count; c++)
        if (f->share->cut[c].dim >= 0) taken |= axis_bit(f->share->cut[c].dim);
    cut->dim = reach_slowest(f->space, to, taken);
    if (cut->dim < 0) return false;
    reach_evenly_in(cut->ranks, f->space.shape[cut->dim], cut->ranges);
    return true;
}

// Finds a share in which the leading operand's elements stay where they are, as far as possible. `sums`: reduced
// dimensions may be cut. Returns false if there is none.
static bool follow(const Link *link, Work *w, const Grid *grid, const GridAccess *access, bool stores, bool sums) {
    const GridFollow f = {space_of(w->loop), w->whole | (sums ? 0 : w->loop->reduced), &w->share, stores};
    w->share.count = 0;
    for (int l = 0; l < grid->levels; l++) {
        if (grid->level[l].ranks == 1) continue;
        GridCut cut = {.ranks = grid->level[l].ranks, .step = grid->level[l].step,
                       .ranges = link->grid_ranges + w->share.count * link->size};
        if (!grid_follow_level(&f, grid, access, l, &cut) && !follow_another(w, &f, &cut) && (sums || !follow_result(w, &f, &cut)))
            return false;
        w->share.cut[w->share.count++] = cut;
    }
    return true;
}

// --- Results ---------------------------------------------------------------------------------------

// Returns the slowest dimension of an access that is not in `placed`; -1: none is left. Counts dimensions with one
// index only if they are cut.
static int slowest(const Work *w, const KernAccess *access, AxisSet placed) {
    int found = -1;
    for (int d = 0; d < w->loop->ndim; d++) {
        const bool counts = w->loop->shape[d] > 1 || grid_is_cut_along(&w->share, d);
        if (!counts || access->strides[d] == 0 || placed >> d & 1) continue;
        const int64_t more = found < 0 ? 1 : llabs(access->strides[d]) - llabs(access->strides[found]);
        if (more > 0 || (more == 0 && w->loop->shape[d] > w->loop->shape[found])) found = d;
    }
    return found;
}

// Plans how to cut a storage so that each rank's part of an access lies in its own box. Returns false if this is not
// possible.
static bool plan_for(const Link *link, const Work *w, const KernAccess *access, GridPlan *plan) {
    const Kernel *k = w->loop;
    int64_t extents[GRID_LEVELS], strides[GRID_LEVELS], outer = (int64_t)access->storage->buffer.bytes;
    int dims[GRID_LEVELS], count = 0, cuts = 0;
    AxisSet placed = 0;
    while (cuts < w->share.count) { // takes dimensions from the slowest one until all that are cut are among them
        const int d = slowest(w, access, placed);
        if (d < 0 || count == GRID_CUTS || access->strides[d] <= 0 || outer % access->strides[d] != 0) return false;
        extents[count] = outer / access->strides[d];
        outer = strides[count] = access->strides[d];
        dims[count++] = d;
        placed |= axis_bit(d);
        cuts += grid_is_cut_along(&w->share, d);
    }
    if (!grid_plan(plan, count, extents, strides)) return false;
    int64_t rest = access->offset;
    for (int l = 0; l < count; l++) {
        const int64_t first = rest / strides[l];
        rest -= first * strides[l];
        if (first + k->shape[dims[l]] > extents[l]) return false;
        for (int c = 0; c < w->share.count; c++) {
            const GridCut *cut = &w->share.cut[c];
            int64_t *at = link->grid_cuts + c * (link->size + 1), next = 0;
            if (cut->dim != dims[l]) continue;
            for (int p = 0; p < cut->ranks; p++) {
                const Extent e = cut->ranges[p];
                if (!extent_is_empty(e) && e.low != next) return false;
                if (!extent_is_empty(e)) next = e.high;
                at[p + 1] = next == k->shape[dims[l]] ? extents[l] : next == 0 ? 0 : first + next;
            }
            at[0] = 0;
            if (at[cut->ranks] != extents[l]) return false;
            plan->level[l].ranks = cut->ranks;
            plan->level[l].step = cut->step;
            plan->level[l].cuts = at;
        }
    }
    return true;
}

// Returns whether all loads of a storage can be described by the levels that it will have (grid_access).
static bool loads_fit(const Work *w, const Storage *storage, const GridPlan *plan) {
    Grid as_planned = {.levels = plan->levels};
    GridAccess found;
    memcpy(as_planned.level, plan->level, sizeof as_planned.level);
    for (int i = 0; i < w->loop->load_count; i++)
        if (w->loop->loads[i].storage == storage && !grid_access(&as_planned, space_of(w->loop), &w->loop->loads[i], &found))
            return false;
    return true;
}

// Returns whether a storage that is not on the grid can be cut to suit the share.
static bool can_join(const Link *link, const Work *w, const KernAccess *access) {
    GridPlan plan;
    return storage_is_own(access->storage) && split_is_of_most(w->loop, access) && plan_for(link, w, access, &plan) &&
           loads_fit(w, access->storage, &plan);
}

// Returns whether a store moves along some cut dimension.
static bool keeps_cuts(const Work *w, int s) {
    for (int c = 0; c < w->share.count; c++)
        if (w->share.cut[c].dim >= 0 && w->loop->stores[s].to.strides[w->share.cut[c].dim] != 0) return true;
    return false;
}

static bool is_partial(const Work *w, int s) {
    for (int c = 0; c < w->share.count; c++)
        if (w->share.cut[c].dim >= 0 && store_is_partial(w->loop, s, w->share.cut[c].dim)) return true;
    return false;
}

// Returns whether partial results of store s can be combined. All ranks gather them, filled with the op's identity
// where a rank has computed nothing.
static bool partial_fits(const Work *w, int s) {
    const Kernel *k = w->loop;
    const KernReduction *reduction = &k->reductions[s];
    const Storage *to = k->stores[s].to.storage;
    if (!op_has_parts((OpId)reduction->op, k->stores[s].to.dtype) || is_cut(to) || is_on_grid(to)) return false;
    for (int i = 0; i < k->load_count; i++)
        if (k->loads[i].storage == to) return false;
    for (int o = 0; o < k->store_count; o++)
        if (o != s && k->stores[o].to.storage == to) return false;
    return !keeps_cuts(w, s) || (op_info[reduction->op].identity != IDENTITY_NONE && !reduction->begun);
}

// Returns whether every rank writes only in its own box.
static bool store_is_local(const Link *link, const Work *w, int s) {
    const Grid *grid = w->loop->stores[s].to.storage->buffer.grid;
    RankClasses classes;
    int64_t times;
    grid_classes(link, grid, &w->stores[s], &w->share, space_of(w->loop), &classes);
    for (int i = 0; i < classes.count; i++) {
        const int r = grid_class(&classes, i, &times);
        const Box own = grid_box(grid, r), touched = grid_touched(grid, &w->stores[s], &w->share, space_of(w->loop), r);
        if (!box_has(grid->levels, &own, &touched)) return false;
    }
    return true;
}

static bool stores_fit(const Link *link, Work *w) {
    const Kernel *k = w->loop;
    w->partial = 0;
    for (int s = 0; s < k->store_count; s++) {
        const KernAccess *to = &k->stores[s].to;
        if (is_partial(w, s)) {
            if (!partial_fits(w, s)) return false;
            w->partial |= (uint32_t)1 << s;
        } else if (is_on_grid(to->storage)) {
            if (!store_is_local(link, w, s)) return false;
        } else if (is_cut(to->storage) || store_target_before(k, s) >= 0 || !can_join(link, w, to)) {
            return false;
        }
    }
    return true;
}

// Returns the bytes of operands that parts read outside of their ranks' boxes, over all ranks.
static double bytes_missing(const Link *link, const Work *w) {
    double missing = 0;
    for (int i = 0; i < w->loop->load_count; i++) {
        const Storage *storage = w->loop->loads[i].storage;
        if (is_on_grid(storage)) missing += grid_missing(link, storage->buffer.grid, &w->loads[i], &w->share, space_of(w->loop));
    }
    return missing;
}

// Returns the bytes of partial results that are gathered, over all ranks.
static double bytes_combined(const Link *link, const Work *w) {
    double bytes = 0;
    for (int s = 0; s < w->loop->store_count; s++)
        if (w->partial >> s & 1) bytes += (double)store_bytes(w->loop, s) * (link->size - 1) * link->size;
    return bytes;
}

// --- Choosing --------------------------------------------------------------------------------------

static bool find_accesses(Work *w) {
    Kernel *k = w->loop;
    for (int i = 0; i < k->load_count; i++)
        if (is_on_grid(k->loads[i].storage) &&
            !grid_access(k->loads[i].storage->buffer.grid, space_of(k), &k->loads[i], &w->loads[i]))
            return false;
    for (int s = 0; s < k->store_count; s++)
        if (is_on_grid(k->stores[s].to.storage) &&
            !grid_access(k->stores[s].to.storage->buffer.grid, space_of(k), &k->stores[s].to, &w->stores[s]))
            return false;
    return true;
}

// Tries way n of partitioning the kernel: with each operand as the leader, results first; then again with reduced
// dimensions cut as well. Returns false if this way is not possible.
static bool way(const Link *link, Work *w, int n) {
    const Kernel *k = w->loop;
    const int operands = k->store_count + k->load_count, i = n % operands;
    const bool stores = i < k->store_count;
    const Storage *storage = stores ? k->stores[i].to.storage : k->loads[i - k->store_count].storage;
    const GridAccess *access = stores ? &w->stores[i] : &w->loads[i - k->store_count];
    return is_on_grid(storage) && follow(link, w, storage->buffer.grid, access, stores, n >= operands) && stores_fit(link, w);
}

static bool choose(const Link *link, Work *w) {
    const int ways = 2 * (w->loop->store_count + w->loop->load_count);
    double least = 0;
    int best = -1;
    for (int n = 0; n < ways && (best < 0 || least > 0); n++) {
        if (!way(link, w, n)) continue;
        const double bytes = bytes_missing(link, w) + bytes_combined(link, w);
        if (best >= 0 && bytes >= least) continue;
        best = n;
        least = bytes;
    }
    return best >= 0 && way(link, w, best);
}

// --- Bringing --------------------------------------------------------------------------------------

// Cuts a result that every rank has whole. A result without memory is cut by place_stores, after operands were brought.
static Status join_result(Vm *vm, Work *w, int s) {
    KernAccess *to = &w->loop->stores[s].to;
    GridPlan plan;
    if (is_on_grid(to->storage) || is_blank(&to->storage->buffer)) return ST_OK;
    plan_for(link_of(vm), w, to, &plan);
    Status st = is_dry(vm) ? ST_OK : memory_to_host(vm, to->storage, false);
    return st == ST_OK ? grid_cut(vm, to->storage, &plan) : st;
}

// Redistributes an operand that is in blocks of rows onto the grid if that suits the share, and otherwise gathers it.
static Status join_operand(Vm *vm, Work *w, const KernAccess *access) {
    GridPlan plan;
    if (!is_cut(access->storage)) return ST_OK;
    if (!can_join(link_of(vm), w, access)) return blocks_gather(vm, access->storage);
    plan_for(link_of(vm), w, access, &plan);
    return grid_from_rows(vm, access->storage, &plan);
}

static Status join_all(Vm *vm, Work *w) {
    Kernel *k = w->loop;
    Status st = ST_OK;
    for (int s = 0; st == ST_OK && s < k->store_count; s++)
        if (!(w->partial >> s & 1)) st = join_result(vm, w, s);
    for (int i = 0; st == ST_OK && i < k->load_count; i++) st = join_operand(vm, w, &k->loads[i]);
    if (st == ST_OK && !find_accesses(w)) return vm_raise(vm, EXC_SystemError, "an operand does not lie as it was cut");
    return st;
}

// Begins to bring the elements of loads that ranks lack. *local: loads that access a box of their own now, as bits.
static Status begin_bringing(Vm *vm, Work *w, uint32_t *local) {
    Kernel *k = w->loop;
    Status st = ST_OK;
    *local = 0;
    blocks_begin(vm);
    for (int i = 0; st == ST_OK && i < k->load_count; i++) {
        bool is_local = false;
        if (!is_on_grid(k->loads[i].storage)) continue;
        st = grid_want(vm, k->loads[i].storage, &w->loads[i], &w->share, space_of(k), &k->loads[i], &is_local);
        if (is_local) *local |= (uint32_t)1 << i;
    }
    for (int i = 0; st == ST_OK && i < k->load_count; i++)
        if (is_on_grid(k->loads[i].storage)) st = grid_want_halos(vm, k->loads[i].storage);
    if (st == ST_OK) st = blocks_post(vm);
    for (int i = 0; st != ST_OK && i < k->load_count; i++) // halos that were listed have not arrived
        if (is_on_grid(k->loads[i].storage)) grid_written(k->loads[i].storage);
    return st;
}

static void localize_loads(Work *w, uint32_t local) {
    Kernel *k = w->loop;
    for (int i = 0; i < k->load_count; i++)
        if (is_on_grid(k->loads[i].storage) && !(local >> i & 1))
            grid_localize(k->loads[i].storage, &w->loads[i], k->ndim, &k->loads[i]);
}

// --- Sharing out -----------------------------------------------------------------------------------

static Status fill_identity(Vm *vm, const Kernel *k, int s) {
    const KernAccess *to = &k->stores[s].to;
    const KernReduction *reduction = &k->reductions[s];
    Status st = is_dry(vm) ? dry_reach(vm, to->storage) : memory_to_host(vm, to->storage, true);
    if (is_dry(vm)) return st;
    if (st != ST_OK) return st;
    KernAccess access = *to;
    access.base = to->storage->buffer.host;
    int64_t shape[NDIM_MAX];
    for (int d = 0; d < k->ndim; d++) shape[d] = access.strides[d] == 0 ? 1 : k->shape[d];
    return own_fill(vm, k->ndim, shape, op_identity((OpId)reduction->op, to->dtype), &access);
}

static Status keep_partial(Vm *vm, Work *w, Split *split) {
    Kernel *k = w->loop;
    Status st = ST_OK;
    for (int s = 0; st == ST_OK && s < k->store_count; s++) {
        if (!(w->partial >> s & 1)) continue;
        SplitResult *result = &split->results[split->result_count++];
        result->to = k->stores[s].to;
        result->reduction = k->reductions[s];
        result->sums = true;
        result->box = NULL;
        if (keeps_cuts(w, s)) st = fill_identity(vm, k, s);
    }
    return st;
}

static Status place_stores(Vm *vm, Work *w) {
    Kernel *k = w->loop;
    Status st = ST_OK;
    for (int s = 0; st == ST_OK && s < k->store_count; s++) {
        KernAccess *to = &k->stores[s].to;
        GridPlan plan;
        if (w->partial >> s & 1) continue;
        if (!is_on_grid(to->storage)) {
            plan_for(link_of(vm), w, to, &plan);
            st = grid_cut(vm, to->storage, &plan);
            if (st == ST_OK && !grid_access(to->storage->buffer.grid, space_of(k), to, &w->stores[s]))
                return vm_raise(vm, EXC_SystemError, "a result does not lie as it was cut");
        }
    }
    for (int s = 0; st == ST_OK && s < k->store_count; s++)
        if (!(w->partial >> s & 1)) grid_localize(k->stores[s].to.storage, &w->stores[s], k->ndim, &k->stores[s].to);
    return st;
}

// Makes parts other than the first start reductions from the identity: only the first accumulates into the result's
// value, or begins with the program's initial value.
static void start_reductions(Work *w, int rank) {
    Kernel *k = w->loop;
    bool is_first = true;
    for (int c = 0; c < w->share.count; c++) {
        const GridCut *cut = &w->share.cut[c];
        int first = 0;
        if (cut->dim < 0 || !(k->reduced >> cut->dim & 1)) continue;
        while (first < cut->ranks - 1 && extent_is_empty(cut->ranges[first])) first++;
        is_first &= rank / cut->step % cut->ranks == first;
    }
    for (int r = 0; r < k->reduction_count && !is_first; r++)
        if (w->partial >> r & 1) split_start_afresh(&k->reductions[r], k->stores[r].to.dtype);
}

static void note_parts(const Link *link, const Work *w) {
    for (int r = 0; r < link->size; r++) link->ranges[r] = (Extent){0, !grid_part_is_empty(&w->share, r)};
}

// Leaves out the indices of which a load's elements lie in another rank's box. Returns false if that is not so by
// dimensions.
static bool leave_out_brought(const Link *link, const Work *w, int load, Extent *inner) {
    const Kernel *k = w->loop;
    const Grid *grid = k->loads[load].storage->buffer.grid;
    const GridAccess *access = &w->loads[load];
    const Box own = grid_box(grid, link->rank);
    for (int l = 0; l < grid->levels; l++) {
        const int dim = grid_dim_along(access, k->ndim, l);
        const Extent at = {access->first[l], access->first[l] + (l == grid->levels - 1 ? access->item : 1)};
        if (grid->level[l].ranks == 1) continue;
        if (dim < -1 || (dim < 0 && !extent_has(own.along[l], at))) return false;
        if (dim < 0) continue;
        inner[dim] = extent_meet(inner[dim], reach_indices_in(at, access->factor[dim], k->shape[dim], own.along[l]));
    }
    return true;
}

// Finds the indices of this rank's part that need nothing that travels, counted from the part's first ones.
static bool find_inner(Vm *vm, const Work *w, Extent *inner) {
    const Link *link = link_of(vm);
    const Kernel *k = w->loop;
    for (int d = 0; d < k->ndim; d++) inner[d] = grid_part(&w->share, space_of(k), link->rank, d);
    for (int i = 0; i < k->load_count; i++)
        if (is_on_grid(k->loads[i].storage) && !leave_out_brought(link, w, i, inner)) return false;
    for (int d = 0; d < k->ndim; d++) {
        const int64_t first = grid_part(&w->share, space_of(k), link->rank, d).low;
        inner[d] = (Extent){inner[d].low - first, inner[d].high - first};
    }
    return true;
}

static Status share_out(Vm *vm, Kernel *k, Work *w, CallSpace *space, Split *split) {
    const Link *link = link_of(vm);
    Kernel *loop = w->loop;
    uint32_t local = 0;
    Extent inner[NDIM_MAX];
    Status st = join_all(vm, w);
    note_parts(link, w);
    split_keep(link, loop, w->share.cut[0].dim < 0 ? 0 : w->share.cut[0].dim, split);
    if (link->dry) dry_share_boxes(vm, loop, &w->share);
    if (st == ST_OK) st = begin_bringing(vm, w, &local);
    const bool overlaps = st == ST_OK && !space && !local && find_inner(vm, w, inner);
    if (st == ST_OK && !overlaps) st = blocks_finish(vm);
    if (st == ST_OK) st = keep_partial(vm, w, split);
    if (st == ST_OK) st = place_stores(vm, w);
    if (st != ST_OK) return st;
    localize_loads(w, local);
    if (space) call_use_boxes(k, space);
    for (int c = 0; c < w->share.count; c++) {
        const int dim = w->share.cut[c].dim;
        if (dim < 0) continue;
        Extent own = split->is_empty ? (Extent){0, 1} : grid_part(&w->share, space_of(loop), link->rank, dim);
        if (space) call_slice(k, space, dim, own.low, own.high);
        else kernel_slice(k, dim, own.low, own.high);
    }
    if (!space) {
        start_reductions(w, link->rank);
        kernel_sum_runs(k);
    }
    vm->engine->stats.kernels_shared++;
    k->split = split;
    return overlaps && overlap_begin(vm, k, inner) ? ST_OK : blocks_finish(vm);
}

// --- Kernels that are not partitioned ----------------------------------------------------------------

// Makes every rank run all of a small kernel, whose operands are brought to all. *done: this was possible.
static Status repeat(Vm *vm, Kernel *k, Work *w, CallSpace *space, bool *done) {
    const Kernel *loop = w->loop;
    uint32_t local;
    w->share.count = 0;
    *done = false;
    for (int s = 0; s < loop->store_count; s++)
        if (is_on_grid(loop->stores[s].to.storage) || is_cut(loop->stores[s].to.storage)) return ST_OK;
    for (int i = 0; i < loop->load_count; i++)
        if (is_cut(loop->loads[i].storage)) return ST_OK;
    if (bytes_missing(link_of(vm), w) > (double)link_of(vm)->split_least) return ST_OK;
    Status st = begin_bringing(vm, w, &local);
    if (st == ST_OK) st = blocks_finish(vm);
    if (st != ST_OK) return st;
    localize_loads(w, local);
    if (space) call_use_boxes(k, space);
    *done = true;
    return ST_OK;
}

static Status rows_of(Vm *vm, Kernel *k) {
    Storage *storages[KERNEL_STORAGES];
    int written, count = kernel_storages(k, storages, &written);
    Status st = ST_OK;
    for (int i = 0; st == ST_OK && i < count; i++)
        if (is_on_grid(storages[i])) st = grid_to_rows(vm, storages[i]);
    return st;
}

static Status resume_grids(Vm *vm, Kernel *k, bool *any) {
    Storage *storages[KERNEL_STORAGES];
    int written, count = kernel_storages(k, storages, &written);
    Status st = ST_OK;
    *any = false;
    for (int i = 0; st == ST_OK && i < count; i++) {
        st = grid_resume(vm, storages[i]);
        *any |= is_on_grid(storages[i]);
    }
    return st;
}

// Returns whether a call can be partitioned over a grid: its rule only says which dimensions correspond. Calls with
// other rules are partitioned by files of their own, and only over blocks of rows.
static bool call_fits(const Kernel *k, CallSpace *space) {
    return !strpbrk(op_info[k->library].partition, "?#~%/@") && call_space(k, space) && !space->limits.in_place;
}

// Partitions a kernel with operands on a grid. *done: every rank runs all of it. *rows: operands were brought into
// blocks of rows.
static Status split_boxes(Vm *vm, Kernel *k, Split *split, bool *done, bool *rows) {
    CallSpace space;
    Work w = {.loop = k, .is_call = k->library != AOP_NONE};
    Status st = grid_scratch_ready(vm);
    bool fits = st == ST_OK && (w.is_call ? call_fits(k, &space) : !k->lines_count);
    if (fits && w.is_call) {
        w.loop = &space.loop;
        w.whole = space.limits.whole | space.limits.scanned;
    }
    fits = fits && !split_is_nothing(w.loop) && find_accesses(&w);
    if (fits && choose(link_of(vm), &w)) return share_out(vm, k, &w, w.is_call ? &space : NULL, split);
    split->apart = st == ST_OK && k->site_count > 1;
    if (split->apart) return ST_OK;
    if (fits) st = repeat(vm, k, &w, w.is_call ? &space : NULL, done);
    *rows = st == ST_OK && !*done;
    return *rows ? rows_of(vm, k) : st;
}

Status split_grid(Vm *vm, Kernel *k, Split *split, bool *done, bool *rows) {
    bool any;
    *done = *rows = false;
    Status st = resume_grids(vm, k, &any);
    return st == ST_OK && any ? split_boxes(vm, k, split, done, rows) : st;
}
