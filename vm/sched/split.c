// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Partitions a kernel: chooses the dimension that is cut, and brings what each rank needs for its part.

#include "vm/sched/split_impl.h"

#include <string.h>

#include "vm/sched/boxes.h"
#include "vm/sched/dry.h"
#include "vm/sched/grid.h"
#include "vm/sched/operands.h"
#include "vm/sched/overlap.h"
#include "vm/sched/reach.h"
#include "vm/sched/rule.h"
#include "vm/sched/sched.h"

// --- Choosing --------------------------------------------------------------------------------------

static bool touches_cut(const Kernel *k) {
    for (int i = 0; i < k->load_count; i++)
        if (is_cut(k->loads[i].storage)) return true;
    for (int i = 0; i < k->store_count; i++)
        if (is_cut(k->stores[i].to.storage)) return true;
    if (k->library == AOP_NONE) return false;
    for (int i = 0; i < op_info[k->library].arity; i++)
        if (!k->args[i].is_scalar && is_cut(k->args[i].view.storage)) return true;
    return is_cut(k->result.view.storage);
}

bool split_is_of_most(const Kernel *k, const KernAccess *to) {
    const Extent bytes = reach(space_of(k), to, -1);
    return 2 * (bytes.high - bytes.low) > (int64_t)to->storage->buffer.bytes;
}

static bool makes_large(const Link *link, const Kernel *k) {
    for (int s = 0; s < k->store_count; s++) {
        const KernAccess *to = &k->stores[s].to;
        if (storage_is_large(link, to->storage) && storage_is_own(to->storage) && split_is_of_most(k, to)) return true;
    }
    return false;
}

// Sets link->ranges to the parts whose elements of an access lie in each rank's block. Returns the dimension that is
// cut; -1: the access's storage is not cut, or no dimension follows the blocks.
static int along_blocks(const Link *link, const Kernel *k, AxisSet whole, const KernAccess *access) {
    if (!is_cut(access->storage)) return -1;
    return reach_owners(link, space_of(k), access, access->storage->buffer.blocks->partition, whole, link->ranges);
}

// Sets link->ranges to even parts along the slowest dimension of a result. Returns it; -1: there is none.
static int along_result(const Link *link, const Kernel *k, AxisSet whole, const KernAccess *to) {
    int dim = storage_is_own(to->storage) ? reach_slowest(space_of(k), to, whole) : -1;
    if (dim >= 0) reach_evenly(link, k->shape[dim], link->ranges);
    return dim;
}

// Tries way `number` of partitioning a kernel, in order of preference: by the owners of each result, by the owners of
// each operand, evenly for each result. Sets link->ranges and returns the dimension; -1: this way is not possible.
static int way(const Link *link, const Kernel *k, AxisSet whole, int number) {
    if (number < k->store_count) return along_blocks(link, k, whole, &k->stores[number].to);
    number -= k->store_count;
    if (number < k->load_count) return along_blocks(link, k, whole, &k->loads[number]);
    return along_result(link, k, whole, &k->stores[number - k->load_count].to);
}

int split_choose(const Link *link, const Kernel *k, const Limits *limits, Cost *chosen) {
    const int ways = 2 * k->store_count + k->load_count;
    int best = -1;
    if (!touches_cut(k) && !makes_large(link, k)) return -1;
    for (int n = 0; n < ways && (best < 0 || chosen->bytes > 0); n++) {
        Cost cost;
        int dim = way(link, k, limits->whole, n);
        if (dim < 0 || !cost_of(link, k, dim, limits->in_place, &cost)) continue;
        if (limits->scanned >> dim & 1) cost.bytes += store_bytes(k, 0) / k->shape[dim] * (parts_of(link) - 1) * link->size;
        if (best >= 0 && cost.bytes >= chosen->bytes) continue;
        best = n;
        *chosen = cost;
    }
    return best < 0 ? -1 : way(link, k, limits->whole, best);
}

// --- Preparing -------------------------------------------------------------------------------------

Extent split_part(const Link *link) {
    const Extent part = link->ranges[link->rank];
    return extent_is_empty(part) ? (Extent){0, 1} : part;
}

Status split_begin_bringing(Vm *vm, Kernel *k, int dim, const Cost *cost) {
    const Link *link = link_of(vm);
    Status st = ST_OK;
    blocks_begin(vm);
    for (int i = 0; st == ST_OK && i < k->load_count; i++) {
        Storage *storage = k->loads[i].storage;
        if (cost->packed >> i & 1) {
            st = boxes_want(vm, space_of(k), &k->loads[i], dim, split_part(link));
        } else if (is_cut(storage) && load_is_first(k, i)) {
            load_needs(link, k, dim, storage);
            st = blocks_want(vm, storage, link->scratch);
        }
    }
    return st == ST_OK ? blocks_post(vm) : st;
}

Status split_bring(Vm *vm, Kernel *k, int dim, const Cost *cost) {
    Status st = split_begin_bringing(vm, k, dim, cost);
    return st == ST_OK ? blocks_finish(vm) : st;
}

Status split_cut(Vm *vm, const Kernel *k, int dim, const Cost *cost) {
    Link *link = link_of(vm);
    Status st = ST_OK;
    for (int s = 0; st == ST_OK && s < k->store_count; s++) {
        Storage *to = k->stores[s].to.storage;
        bool cuts = !is_cut(to);
        const bool boxed = cost->boxed >> s & 1;
        if (store_is_partial(k, s, dim) && !boxed) continue;
        // Fails if two stores need different cuts of a storage.
        if (boxed ? store_owners(link, k, s) < 0 : !store_fits(link, k, s, dim, &cuts))
            return vm_raise(vm, EXC_SystemError, "a kernel writes one array in two distributions");
        if (cuts) st = blocks_cut(vm, to, link->trial->cuts);
    }
    return st;
}

// Makes parts other than the first start reductions from the identity: only the first accumulates into the result's
// value.
static void part_of_reductions(Kernel *k, const Split *split, int rank) {
    for (int r = 0; r < k->reduction_count && rank != split->first; r++)
        split_start_afresh(&k->reductions[r], k->stores[r].to.dtype);
}

void split_begin(Split *split, const Kernel *k) {
    split->is_empty = split->scans = split->sorts = false;
    split->flags = k->flags || k->may_raise;
    split->site_count = k->site_count;
    split->dim = split->first = split->result_count = 0;
    split->ndim = k->ndim;
    memcpy(split->shape, k->shape, (size_t)k->ndim * sizeof *split->shape);
}

void split_keep(const Link *link, const Kernel *k, int dim, Split *split) {
    split_begin(split, k);
    split->is_empty = extent_is_empty(link->ranges[link->rank]);
    split->dim = dim;
    while (extent_is_empty(link->ranges[split->first])) split->first++;
}

// Records results that need work after the kernel (partial sums, boxes), and allocates their boxes.
static Status keep_results(Vm *vm, Kernel *k, const Cost *cost, Split *split) {
    const Link *link = link_of(vm);
    Status st = ST_OK;
    for (int s = 0; st == ST_OK && s < k->store_count; s++) {
        SplitResult *result = &split->results[split->result_count];
        const bool boxed = cost->boxed >> s & 1;
        if (!boxed && !store_is_partial(k, s, split->dim)) continue;
        split->result_count++;
        result->to.storage = k->stores[s].to.storage;
        result->to.dtype = k->stores[s].to.dtype;
        result->to.offset = k->stores[s].to.offset;
        memcpy(result->to.strides, k->stores[s].to.strides, (size_t)k->ndim * sizeof *result->to.strides);
        result->sums = store_is_partial(k, s, split->dim);
        result->box = NULL;
        if (result->sums) result->reduction = k->reductions[s];
        if (!boxed) continue;
        result->owners = store_owners(link, k, s);
        st = boxes_make(vm, space_of(k), result, &k->stores[s].to, split->dim, split_part(link));
    }
    return st;
}

bool split_is_nothing(const Kernel *k) {
    for (int d = 0; d < k->ndim; d++)
        if (k->shape[d] == 0) return true;
    return false;
}

// Decides how a loop is partitioned, brings operands, and cuts results. *dim: -1 if it is not partitioned.
static Status prepare(Vm *vm, Kernel *k, const Limits *limits, Split *split, int *dim) {
    const Link *link = link_of(vm);
    Cost cost;
    *dim = split_is_nothing(k) ? -1 : split_choose(link, k, limits, &cost);
    if (*dim < 0) return ST_OK;
    split_keep(link, k, *dim, split);
    // Operands are brought before results are prepared, so that one that the kernel overwrites still has its halo.
    if (link->dry) dry_share(vm, k, *dim);
    Status st = split_begin_bringing(vm, k, *dim, &cost);
    if (st == ST_OK && (!limits->overlaps || cost.packed)) st = blocks_finish(vm);
    if (st == ST_OK) st = split_cut(vm, k, *dim, &cost);
    if (st == ST_OK) st = keep_results(vm, k, &cost, split);
    vm->engine->stats.kernels_shared += st == ST_OK;
    return st;
}

// Gives a kernel of one element a dimension to be cut along, so that its element has an owner.
static void with_dimension(Kernel *k) {
    for (int d = 0; d < k->ndim; d++)
        if (k->shape[d] != 1) return;
    k->ndim = 1;
    k->shape[0] = 1;
    k->order[0] = 1;
    k->reduced = 0;
    for (int i = 0; i < k->load_count; i++) k->loads[i].strides[0] = (int64_t)dtype_size(k->loads[i].dtype);
    for (int s = 0; s < k->store_count; s++) k->stores[s].to.strides[0] = (int64_t)dtype_size(k->stores[s].to.dtype);
}

static Status split_loop(Vm *vm, Kernel *k, Split *split) {
    const Link *link = link_of(vm);
    int dim;
    if (k->lines_count) return ST_OK; // which elements a part reads depends on the matrix: only split_lines.c does that
    if (!k->reduction_count) with_dimension(k);
    Status st = prepare(vm, k, &(Limits){.overlaps = true}, split, &dim);
    if (st != ST_OK || dim < 0) return st;
    const Extent own = split_part(link);
    kernel_slice(k, dim, own.low, own.high);
    if (k->reduced >> dim & 1) part_of_reductions(k, split, link->rank);
    kernel_sum_runs(k);
    k->split = split;
    return overlap_begin_rows(vm, k, dim) ? ST_OK : blocks_finish(vm);
}

bool split_follows(const Link *link, const Kernel *k, const KernAccess *access, int dim, Extent *ranges) {
    return reach_ranges(link, space_of(k), access, dim, access->storage->buffer.blocks->partition, ranges);
}

bool split_cuts_evenly(const Link *link, const Kernel *k, const KernAccess *access, int dim, int64_t *cuts) {
    reach_evenly(link, k->shape[dim], link->scratch);
    return storage_is_own(access->storage) && reach_cuts(link, space_of(k), access, dim, link->scratch, cuts);
}

Status split_along(Vm *vm, Kernel *k, CallSpace *space, Split *split) {
    int dim;
    Status st = prepare(vm, &space->loop, &space->limits, split, &dim);
    if (st != ST_OK || dim < 0) return st;
    const Extent own = split_part(link_of(vm));
    split->scans = space->limits.scanned >> dim & 1;
    call_use_boxes(k, space);
    call_slice(k, space, dim, own.low, own.high);
    k->split = split;
    return ST_OK;
}

static Status split_call(Vm *vm, Kernel *k, Split *split) {
    const char *rule = op_info[k->library].partition;
    CallSpace space;
    if (strchr(rule, '?')) return split_masked(vm, k, split);
    if (call_along_axes(k) == ALONG_SORT) {
        Status st = split_sorted(vm, k, split);
        if (st != ST_OK || k->split) return st;
    }
    if (strchr(rule, '#')) return split_places(vm, k, split);
    if (strchr(rule, '~')) return split_window(vm, k, split);
    if (strchr(rule, '%')) return split_lines(vm, k, split);
    if (!call_space(k, &space)) return ST_OK;
    if (strchr(rule, '/') && split_extreme_fits(vm, k, &space)) return split_extreme(vm, k, &space, split);
    return split_along(vm, k, &space, split);
}

// Returns the reason why a loop cannot be partitioned, for people: the first one that is found.
static const char *why_whole(const Link *link, const Kernel *k) {
    const int ways = 2 * k->store_count + k->load_count;
    bool any = false;
    for (int s = 0; s < k->store_count; s++) {
        if (!storage_is_own(k->stores[s].to.storage)) return "its result is in memory that others see";
        if (store_target_before(k, s) >= 0) return "it writes one array in several places";
        if (s < k->reduction_count && !op_has_parts((OpId)k->reductions[s].op, k->stores[s].to.dtype))
            return "results of its parts cannot be combined";
    }
    for (int n = 0; n < ways && !any; n++) any = way(link, k, 0, n) >= 0;
    return any ? "its results lie across each other" : "its operands lie across the blocks of ranks";
}

static Status gathered(Vm *vm, const Kernel *k, const Node *node) {
    const char *name = node->attrs.called ? node->attrs.called : op_info[node->op].name, *why;
    const char *rule = k->library == AOP_NONE ? NULL : op_info[k->library].partition;
    if (!rule) why = why_whole(link_of(vm), k);
    else if (strcmp(rule, "NONE") == 0) why = "there is no rule for its parts";
    else if (strchr(rule, '?')) why = "its mask does not lie as the array that it is of";
    else if (is_dry(vm) && strpbrk(rule, "#%")) why = "which elements it needs depends on data";
    else why = "the dimension that is cut has to stay whole";
    vm->engine->stats.kernels_gathered++;
    link_of(vm)->traffic.why = why;
    if (is_dry(vm)) dry_gathered(vm, why);
    return engine_detour(vm, DETOUR_GATHERED, node->op, node->place, name, why);
}

static Status in_rows(Vm *vm, const Kernel *k, const Node *node) {
    const char *name = node->attrs.called ? node->attrs.called : op_info[node->op].name;
    const char *why = k->library == AOP_NONE ? "its results or operands lie across the boxes" : "it has no rule for boxes";
    return engine_detour(vm, DETOUR_ROWS, node->op, node->place, name, why);
}

// Cuts the kernel's arrays again that were gathered when the program observed them (blocks_resume).
static void resume_all(Vm *vm, const Kernel *k) {
    for (int i = 0; i < k->load_count; i++) blocks_resume(vm, k->loads[i].storage);
    for (int s = 0; s < k->store_count; s++) blocks_resume(vm, k->stores[s].to.storage);
    if (k->library == AOP_NONE) return;
    for (int i = 0; i < op_info[k->library].arity; i++)
        if (!k->args[i].is_scalar) blocks_resume(vm, k->args[i].view.storage);
    blocks_resume(vm, k->result.view.storage);
}

Status split_kernel(Vm *vm, Kernel *k, const Node *node, Split *split) {
    k->split = NULL;
    split->apart = false;
    // Blocks are in the host's memory, so with a device every rank runs kernels in full.
    if (!is_on_ranks(vm) || vm->engine->device.backend->place != PLACE_HOST) return ST_OK;
    boxes_release(vm); // those of the previous kernel
    resume_all(vm, k);
    bool done, rows;
    Status st = split_grid(vm, k, split, &done, &rows);
    if (st == ST_OK && rows) st = in_rows(vm, k, node);
    if (st != ST_OK || k->split || done || split->apart) return st;
    st = k->library == AOP_NONE ? split_loop(vm, k, split) : split_call(vm, k, split);
    return st == ST_OK && !k->split && touches_cut(k) ? gathered(vm, k, node) : st;
}

bool split_ranges(const Link *link, const View *view, int axis, Extent *ranges) {
    KernAccess access;
    kernel_set_access(&access, view);
    const Space space = {view->ndim, view->shape};
    return reach_ranges(link, space, &access, axis, view->storage->buffer.blocks->partition, ranges);
}

Status split_agree(Vm *vm, const Split *split, bool is_so, bool *everywhere) {
    const Link *link = link_of(vm);
    const int64_t own = is_so || split->is_empty;
    int64_t *all = link->trial->cuts; // scratch
    Status st = link_gather(vm, (StepKey){'a', 0}, &own, all, sizeof own);
    *everywhere = st == ST_OK;
    for (int r = 0; st == ST_OK && r < link->size; r++) *everywhere &= all[r] != 0;
    return st;
}
