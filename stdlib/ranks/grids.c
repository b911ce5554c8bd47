// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Explicit distribution of arrays over a grid of ranks. stdlib/nacre.ncr has checked the arguments.

#include <string.h>

#include "stdlib/ranks/parts.h"
#include "vm/array/array.h"
#include "vm/sched/apart.h"
#include "vm/sched/collective.h"
#include "vm/sched/grid.h"
#include "vm/sched/own.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"

// --- Making ------------------------------------------------------------------------------------------

enum { STEP_JOIN_GRID = 'G' };

// Plans a grid over the first axes of a view's shape. `grid`: a tuple of the number of ranks along each.
static Status plan_of(Vm *vm, const View *view, const Value *grid, GridPlan *plan, int *count) {
    int64_t extents[GRID_LEVELS], strides[GRID_LEVELS];
    const int size = link_of(vm)->size;
    *count = (int)grid->tuple->len;
    if (*count > view->ndim || *count > GRID_CUTS)
        return vm_raise(vm, EXC_ValueError, "a grid of ranks has %d dimensions at most, and no more than the array", GRID_CUTS);
    for (int d = 0; d < *count; d++) {
        extents[d] = view->shape[d];
        strides[d] = (int64_t)dtype_size(view->dtype);
        for (int e = view->ndim - 1; e > d; e--) strides[d] *= view->shape[e];
    }
    grid_plan(plan, *count, extents, strides);
    for (int d = 0; d < *count; d++) {
        int64_t ranks;
        Status st = op_index(vm, grid->tuple->items[d], &ranks);
        if (st != ST_OK) return st;
        if (ranks < 1 || ranks > size) return vm_raise(vm, EXC_ValueError, "a grid of ranks has at least one along each axis");
        plan->level[d].ranks = (int)ranks;
    }
    return grid_plan_ranks(plan, size) ? ST_OK : vm_raise(vm, EXC_ValueError, "the grid is not of %d ranks", size);
}

// blank_grid(shape, dtype, grid): makes an uninitialised array on a grid, a tuple of ranks along the first axes.
Status parts_blank_grid(Vm *vm, const Value *args, Value *out) {
    View like = {.storage = NULL};
    GridPlan plan;
    int count;
    Status st = apart_refuse_call(vm, "distributing an array");
    if (st == ST_OK) st = shape_from(vm, args[0], like.shape, &like.ndim);
    if (st == ST_OK) st = dtype_from(vm, args[1], DT_FLOAT64, &like.dtype);
    if (st == ST_OK) st = array_new(vm, like.dtype, like.ndim, like.shape, ROOM_PLACED, out);
    if (st != ST_OK) return st;
    array_view(out->array, &like);
    st = plan_of(vm, &like, &args[2], &plan, &count);
    if (st == ST_OK && link_of(vm)->size > 1 && view_size(&like) > 0) st = grid_cut(vm, like.storage, &plan);
    if (st != ST_OK) clear(vm, out);
    return st;
}

// --- One array of the ranks' boxes -----------------------------------------------------------------------

// Returns whether a rank's box has the same extent along each axis as the other boxes at its position there.
static bool box_fits(const PartForm *all, int rank, const GridPlan *plan, int count) {
    const PartForm *own = &all[rank];
    if (own->dtype != all->dtype || own->ndim != all->ndim) return false;
    for (int d = 0; d < own->ndim; d++) {
        const int step = d < count ? plan->level[d].step : 1, part = d < count ? rank / step % plan->level[d].ranks : 0;
        if (own->shape[d] != all[part * step].shape[d]) return false; // the box at `part` along d, at 0 elsewhere
    }
    return true;
}

// Sets the plan's cuts, which borrow the memory `cuts`, and the shape of the joined array.
static Status join_shape(Vm *vm, const PartForm *all, int count, GridPlan *plan, int64_t *cuts, View *like) {
    like->ndim = all->ndim;
    like->dtype = (DType)all->dtype;
    memcpy(like->shape, all->shape, (size_t)all->ndim * sizeof *like->shape);
    for (int r = 0; r < link_of(vm)->size; r++)
        if (!box_fits(all, r, plan, count))
            return vm_raise(vm, EXC_ValueError, "the boxes of ranks do not fit each other: that of rank %d has another type or shape", r);
    for (int d = 0; d < count; d++) {
        GridLevel *level = &plan->level[d];
        level->cuts = cuts;
        cuts[0] = 0;
        for (int p = 0; p < level->ranks; p++)
            if (__builtin_add_overflow(cuts[p], all[p * level->step].shape[d], &cuts[p + 1])) return array_too_big(vm);
        level->extent = like->shape[d] = cuts[level->ranks];
        cuts += level->ranks + 1;
    }
    return ST_OK;
}

static void set_strides(const View *view, int count, GridPlan *plan) {
    int64_t stride = (int64_t)dtype_size(view->dtype);
    for (int d = view->ndim - 1; d >= 0; d--) {
        if (d == count - 1) plan->level[count].extent = stride;
        if (d < count) plan->level[d].stride = stride;
        stride *= view->shape[d];
    }
}

static Status copy_part(Vm *vm, const View *part, const char *base, const View *box, const char *own) {
    KernAccess from, to;
    kernel_set_access(&from, part);
    kernel_set_access(&to, box);
    from.base = (char *)base;
    to.base = (char *)own;
    return own_copy(vm, part->ndim, part->shape, &from, &to);
}

static Status join_boxes(Vm *vm, const View *part, const char *base, const PartForm *all, int count, GridPlan *plan, int64_t *cuts,
                         Value *out) {
    View like = {.storage = NULL};
    Status st = join_shape(vm, all, count, plan, cuts, &like);
    if (st == ST_OK) st = array_new(vm, like.dtype, like.ndim, like.shape, ROOM_PLACED, out);
    if (st != ST_OK) return st;
    array_view(out->array, &like);
    if (view_size(&like) == 0) return ST_OK;
    set_strides(&like, count, plan);
    st = grid_cut(vm, like.storage, plan);
    const char *own = like.storage->buffer.host;
    if (st == ST_OK) st = parts_own_box(vm, &like, &own);
    if (st == ST_OK) st = copy_part(vm, part, base, &like, own);
    if (st != ST_OK) clear(vm, out);
    return st;
}

// join_grid(part, grid): makes one array of the boxes of all ranks; `grid` is a tuple of ranks along the first axes.
// For more than one rank.
Status parts_join_grid(Vm *vm, const Value *args, Value *out) {
    const size_t size = (size_t)link_of(vm)->size, bytes = size * sizeof(PartForm), cut_bytes = (size + GRID_CUTS) * 2 * sizeof(int64_t);
    GridPlan plan;
    View part;
    int count;
    Status st = apart_refuse_call(vm, "nacre.from_local");
    if (st == ST_OK && link_of(vm)->dry)
        st = vm_raise(vm, EXC_NotImplementedError, "nacre plan does not know the boxes of other ranks: nacre.from_local with a grid of ranks");
    if (st == ST_OK && args[0].kind != K_ARRAY) st = vm_raise(vm, EXC_TypeError, "an array is needed, not %s", type_name(vm, args[0]));
    if (st != ST_OK) return st;
    array_view(args[0].array, &part);
    st = plan_of(vm, &part, &args[1], &plan, &count);
    apart_begin(vm);
    const char *base = st == ST_OK ? graph_read(vm, part.storage) : NULL;
    apart_end(vm);
    if (!base) return ST_ERROR;
    PartForm own = {.dtype = part.dtype, .ndim = part.ndim}, *all = mem_alloc(&vm->mem, bytes);
    int64_t *cuts = mem_alloc(&vm->mem, cut_bytes);
    memcpy(own.shape, part.shape, (size_t)part.ndim * sizeof *own.shape);
    st = all && cuts ? link_gather(vm, (StepKey){.kind = STEP_JOIN_GRID}, &own, all, sizeof own) : vm_no_memory(vm);
    if (st == ST_OK) st = join_boxes(vm, &part, base, all, count, &plan, cuts, out);
    mem_free(&vm->mem, all, all ? bytes : 0);
    mem_free(&vm->mem, cuts, cuts ? cut_bytes : 0);
    return st;
}

// --- How an array is distributed ---------------------------------------------------------------------

// Finds the ranks' shares of a view. share->count 0: its array is not on a grid.
static Status find_share(Vm *vm, const View *view, GridShare *share) {
    Storage *storage = view->storage;
    share->count = 0;
    Status st = graph_observe(vm, storage);
    if (st == ST_OK) st = grid_resume(vm, storage);
    if (st != ST_OK || !is_on_grid(storage) || view_size(view) == 0) return st;
    return grid_share_of(vm, view, share);
}

static Status new_tuple(Vm *vm, size_t count, Tuple **out) {
    *out = tuple_new(vm, count);
    if (!*out) return vm_no_memory(vm);
    for (size_t i = 0; i < count; i++) (*out)->items[i] = V_NONE;
    return ST_OK;
}

// Makes a tuple with a rank's (low, high) for each cut.
static Status box_of(Vm *vm, const GridShare *share, Space space, int rank, Value *out) {
    Tuple *box;
    Status st = new_tuple(vm, (size_t)share->count, &box);
    if (st != ST_OK) return st;
    for (int c = 0; st == ST_OK && c < share->count; c++) {
        const Extent e = grid_part(share, space, rank, share->cut[c].dim);
        const Value ends[] = {v_int(e.low), v_int(e.high)};
        st = tuple_of(vm, ends, 2, &box->items[c]);
    }
    if (st == ST_OK) *out = v_obj(box);
    else release_obj(vm, box);
    return st;
}

static Status boxes_of(Vm *vm, const GridShare *share, Space space, Value *out) {
    const int size = link_of(vm)->size;
    Tuple *boxes;
    Status st = new_tuple(vm, (size_t)size, &boxes);
    if (st != ST_OK) return st;
    for (int r = 0; st == ST_OK && r < size; r++) st = box_of(vm, share, space, r, &boxes->items[r]);
    if (st == ST_OK) *out = v_obj(boxes);
    else release_obj(vm, boxes);
    return st;
}

// grid(array): returns (axes that are cut, in order, each rank's tuple of index ranges along them), or None if the
// array is not on a grid.
Status parts_grid(Vm *vm, const Value *args, Value *out) {
    View view;
    GridShare share;
    *out = V_NONE;
    if (args[0].kind != K_ARRAY) return ST_OK; // partition raises
    array_view(args[0].array, &view);
    Status st = find_share(vm, &view, &share);
    if (st != ST_OK || share.count == 0) return st;
    for (int c = 1; c < share.count; c++) // sorts the cuts by axis
        for (int o = c; o > 0 && share.cut[o].dim < share.cut[o - 1].dim; o--) {
            const GridCut other = share.cut[o];
            share.cut[o] = share.cut[o - 1];
            share.cut[o - 1] = other;
        }
    Value pair[2] = {V_NONE, V_NONE};
    Tuple *axes;
    st = new_tuple(vm, (size_t)share.count, &axes);
    if (st != ST_OK) return st;
    for (int c = 0; c < share.count; c++) axes->items[c] = v_int(share.cut[c].dim);
    pair[0] = v_obj(axes);
    st = boxes_of(vm, &share, (Space){view.ndim, view.shape}, &pair[1]);
    if (st == ST_OK) st = tuple_of(vm, pair, 2, out);
    release(vm, pair[0]);
    release(vm, pair[1]);
    return st;
}

Status parts_own_box(Vm *vm, View *view, const char **base) {
    const int rank = link_of(vm)->rank;
    GridShare share;
    GridAccess found;
    KernAccess access;
    *base = NULL;
    Status st = find_share(vm, view, &share);
    if (st != ST_OK || share.count == 0) return st;
    const Grid *grid = view->storage->buffer.grid;
    const Space space = {view->ndim, view->shape};
    kernel_set_access(&access, view);
    grid_access(grid, space, &access, &found);
    grid_localize(view->storage, &found, view->ndim, &access);
    int64_t shape[NDIM_MAX];
    view->offset = access.offset;
    for (int d = 0; d < view->ndim; d++) {
        const Extent own = grid_part(&share, space, rank, d);
        shape[d] = own.high - own.low;
        view->strides[d] = access.strides[d];
        view->offset += own.low * access.strides[d];
    }
    memcpy(view->shape, shape, (size_t)view->ndim * sizeof *shape);
    *base = view->storage->buffer.host;
    return ST_OK;
}
