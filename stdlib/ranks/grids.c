// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arrays that are distributed over a grid of ranks by hand. stdlib/nacre.ncr checks what the program asks for.

#include <string.h>

#include "stdlib/ranks/parts.h"
#include "vm/array/array.h"
#include "vm/sched/apart.h"
#include "vm/sched/collective.h"
#include "vm/sched/grid.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"

// --- Making ------------------------------------------------------------------------------------------

static Status cut_over(Vm *vm, const View *view, const Value *grid) {
    GridPlan plan;
    int64_t extents[GRID_LEVELS], strides[GRID_LEVELS];
    const size_t count = grid->tuple->len;
    const int size = link_of(vm)->size;
    if (count > (size_t)view->ndim || count > GRID_CUTS)
        return vm_raise(vm, EXC_ValueError, "a grid of ranks has %d dimensions at most, and no more than the array", GRID_CUTS);
    for (size_t d = 0; d < count; d++) {
        extents[d] = view->shape[d];
        strides[d] = (int64_t)dtype_size(view->dtype);
        for (int e = view->ndim - 1; e > (int)d; e--) strides[d] *= view->shape[e];
    }
    grid_plan(&plan, (int)count, extents, strides);
    for (size_t d = 0; d < count; d++) {
        int64_t ranks;
        Status st = op_index(vm, grid->tuple->items[d], &ranks);
        if (st != ST_OK) return st;
        if (ranks < 1 || ranks > size) return vm_raise(vm, EXC_ValueError, "a grid of ranks has at least one along each axis");
        plan.level[d].ranks = (int)ranks;
    }
    if (!grid_plan_ranks(&plan, size)) return vm_raise(vm, EXC_ValueError, "the grid is not of %d ranks", size);
    return grid_cut(vm, view->storage, &plan);
}

// shape, dtype, a tuple of ranks along the first axes. Its elements are not written.
Status parts_blank_grid(Vm *vm, const Value *args, Value *out) {
    View like = {.storage = NULL};
    Status st = apart_refuse_call(vm, "distributing an array");
    if (st == ST_OK && link_of(vm)->dry)
        st = vm_raise(vm, EXC_NotImplementedError, "nacre plan counts arrays that are cut along one axis, not over a grid of ranks");
    if (st == ST_OK) st = shape_from(vm, args[0], like.shape, &like.ndim);
    if (st == ST_OK) st = dtype_from(vm, args[1], DT_FLOAT64, &like.dtype);
    if (st == ST_OK) st = array_new(vm, like.dtype, like.ndim, like.shape, ROOM_PLACED, out);
    if (st != ST_OK) return st;
    array_view(out->array, &like);
    if (link_of(vm)->size > 1 && view_size(&like) > 0) st = cut_over(vm, &like, &args[2]);
    if (st != ST_OK) clear(vm, out);
    return st;
}

// --- How an array lies -------------------------------------------------------------------------------

// A view's shares, if it is of an array on a grid.
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

// (low, high) for each cut.
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

// None, or the axes that are cut, in order, and each rank's indices along them.
Status parts_grid(Vm *vm, const Value *args, Value *out) {
    View view;
    GridShare share;
    *out = V_NONE;
    if (args[0].kind != K_ARRAY) return ST_OK; // partition raises
    array_view(args[0].array, &view);
    Status st = find_share(vm, &view, &share);
    if (st != ST_OK || share.count == 0) return st;
    for (int c = 1; c < share.count; c++) // by axis
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
    grid_localize(grid, &found, view->ndim, &access);
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
