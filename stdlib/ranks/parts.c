// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Explicit distribution of arrays. stdlib/nacre.ncr has checked the arguments; the functions here copy this rank's
// elements, and gather the forms of the ranks' parts.

#include "stdlib/ranks/parts.h"

#include <inttypes.h>
#include <string.h>

#include "vm/array/array.h"
#include "vm/sched/apart.h"
#include "vm/sched/collective.h"
#include "vm/sched/grid.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"

enum { STEP_JOIN = 'J' };

static Status need_array(Vm *vm, Value v) {
    if (v.kind == K_ARRAY) return ST_OK;
    return vm_raise(vm, EXC_TypeError, "an array is needed, not %s", type_name(vm, v));
}

// --- Memory ------------------------------------------------------------------------------------------

// Copies a view's elements to contiguous memory, in C order. Returns the end of the copied elements.
static char *pack(const View *view, int axis, const char *from, char *to) {
    const size_t item = dtype_size(view->dtype);
    if (axis == view->ndim) {
        memcpy(to, from, item);
        return to + item;
    }
    const int64_t count = view->shape[axis], stride = view->strides[axis];
    if (axis == view->ndim - 1 && stride == (int64_t)item && count > 0) {
        memcpy(to, from, (size_t)count * item);
        return to + (size_t)count * item;
    }
    for (int64_t i = 0; i < count; i++) to = pack(view, axis + 1, from + i * stride, to);
    return to;
}

static Extent *ranges_new(Vm *vm) {
    Extent *ranges = mem_zalloc(&vm->mem, (size_t)link_of(vm)->size * sizeof *ranges);
    if (!ranges) vm_no_memory(vm);
    return ranges;
}

static void ranges_free(Vm *vm, Extent *ranges) {
    mem_free(&vm->mem, ranges, (size_t)link_of(vm)->size * sizeof *ranges);
}

// --- How an array is distributed ---------------------------------------------------------------------

static Status pair_of(Vm *vm, Value first, Value second, Value *out) {
    const Value items[] = {first, second};
    return tuple_of(vm, items, 2, out);
}

static Status tuple_of_ranges(Vm *vm, const Extent *ranges, Value *out) {
    const size_t size = (size_t)link_of(vm)->size;
    Tuple *tuple = tuple_new(vm, size);
    if (!tuple) return vm_no_memory(vm);
    for (size_t r = 0; r < size; r++) tuple->items[r] = V_NONE;
    Status st = ST_OK;
    for (size_t r = 0; st == ST_OK && r < size; r++)
        st = pair_of(vm, v_int(ranges[r].low), v_int(ranges[r].high), &tuple->items[r]);
    if (st == ST_OK) *out = v_obj(tuple);
    else release_obj(vm, tuple);
    return st;
}

// partition(array): returns (axis that is cut, each rank's index range along it), or None if every rank has the whole
// array.
Status parts_partition(Vm *vm, const Value *args, Value *out) {
    View view;
    int axis = -1;
    Status st = need_array(vm, args[0]);
    if (st != ST_OK) return st;
    Extent *ranges = ranges_new(vm);
    if (!ranges) return ST_ERROR;
    array_view(args[0].array, &view);
    st = parts_find(vm, &view, &axis, ranges);
    *out = V_NONE;
    if (st == ST_OK && axis >= 0) {
        Value parts;
        st = tuple_of_ranges(vm, ranges, &parts);
        if (st == ST_OK) {
            st = pair_of(vm, v_int(axis), parts, out);
            release(vm, parts);
        }
    }
    ranges_free(vm, ranges);
    return st;
}

// --- Making ------------------------------------------------------------------------------------------

// Makes an uninitialised array whose outermost dimension in memory is `axis`, and cuts it along that axis.
static Status new_cut(Vm *vm, View *like, int axis, const int64_t *lengths, Value *out) {
    int axes[NDIM_MAX], count = 0;
    axes[count++] = axis;
    for (int d = 0; d < like->ndim; d++)
        if (d != axis) axes[count++] = d;
    Status st = array_new_arranged(vm, like->dtype, like->ndim, like->shape, axes, ROOM_PLACED, out);
    if (st != ST_OK) return st;
    // An axis of extent 1 may have any stride. This one lets parts_cut and parts_find recognise the axis as the cut
    // one.
    if (like->shape[axis] == 1) array_strides(out->array)[axis] = 2 * (int64_t)out->array->storage->buffer.bytes;
    array_view(out->array, like);
    st = parts_cut(vm, like, axis, lengths);
    if (st != ST_OK) clear(vm, out);
    return st;
}

static Status lengths_from(Vm *vm, Value list, int64_t *lengths) {
    const int size = link_of(vm)->size;
    Status st = ST_OK;
    if (list.kind != K_LIST || (int64_t)list.list->len != size)
        return vm_raise(vm, EXC_ValueError, "a list with one length for each of %d ranks is needed", size);
    for (int r = 0; st == ST_OK && r < size; r++) st = op_index(vm, list.list->items[r], &lengths[r]);
    return st;
}

// blank(shape, dtype, axis, lengths): makes an uninitialised array that is cut along an axis, by the lengths of the
// ranks' parts, or evenly if None.
Status parts_blank(Vm *vm, const Value *args, Value *out) {
    View like = {.storage = NULL};
    int axis = 0;
    const size_t bytes = (size_t)link_of(vm)->size * sizeof(int64_t);
    Status st = apart_refuse_call(vm, "distributing an array");
    if (st == ST_OK) st = shape_from(vm, args[0], like.shape, &like.ndim);
    if (st == ST_OK) st = dtype_from(vm, args[1], DT_FLOAT64, &like.dtype);
    if (st == ST_OK) st = axis_from(vm, args[2], like.ndim, &axis);
    if (st != ST_OK) return st;
    int64_t *lengths = mem_alloc(&vm->mem, bytes);
    if (!lengths) return vm_no_memory(vm);
    parts_even(vm, like.shape[axis], lengths);
    if (args[3].kind != K_NONE) st = lengths_from(vm, args[3], lengths);
    if (st == ST_OK) st = new_cut(vm, &like, axis, lengths, out);
    mem_free(&vm->mem, lengths, bytes);
    return st;
}

Status parts_whole(Vm *vm, const Value *args, Value *out) {
    Status st = need_array(vm, args[0]);
    if (st != ST_OK) return st;
    Storage *storage = args[0].array->storage;
    if (!graph_read(vm, storage)) return ST_ERROR;
    blocks_drop(vm, &storage->buffer); // so that it is not cut again
    grid_drop(vm, &storage->buffer);
    *out = retain(args[0]);
    return ST_OK;
}

// --- Parts -------------------------------------------------------------------------------------------

// Restricts a view to this rank's part. Returns the address to which the view's offset is added; NULL: an exception is
// set.
const char *parts_own_base(Vm *vm, View *view) {
    int axis = -1;
    const char *base = NULL;
    Extent *ranges = ranges_new(vm);
    if (!ranges) return NULL;
    Status st = parts_find(vm, view, &axis, ranges);
    if (st == ST_OK && axis >= 0) {
        const Extent own = ranges[link_of(vm)->rank];
        view->offset += own.low * view->strides[axis];
        view->shape[axis] = own.high - own.low;
        base = view->storage->buffer.host;
    } else if (st == ST_OK) {
        apart_begin(vm); // it may be an array of this rank alone
        base = graph_read(vm, view->storage);
        apart_end(vm);
    }
    ranges_free(vm, ranges);
    return base;
}

static Status own_copy(Vm *vm, const View *view, const char *base, Value *out) {
    apart_begin(vm);
    Status st = array_new(vm, view->dtype, view->ndim, view->shape, ROOM_HOST, out);
    if (st == ST_OK && view_size(view) > 0) pack(view, 0, base + view->offset, out->array->storage->buffer.host);
    apart_end(vm);
    return st;
}

// own(array): returns a copy of this rank's part, as an array of this rank alone.
Status parts_own(Vm *vm, const Value *args, Value *out) {
    View view;
    Status st = need_array(vm, args[0]);
    if (st != ST_OK) return st;
    array_view(args[0].array, &view);
    const char *base;
    st = parts_own_box(vm, &view, &base);
    if (st == ST_OK && !base) base = parts_own_base(vm, &view);
    return st == ST_OK && base ? own_copy(vm, &view, base, out) : ST_ERROR;
}

// gathered(array): returns an array that may be used while ranks are apart: the array itself, or a copy of the whole
// array if it is distributed.
Status parts_gathered(Vm *vm, const Value *args, Value *out) {
    View view;
    Status st = need_array(vm, args[0]);
    if (st != ST_OK) return st;
    array_view(args[0].array, &view);
    st = graph_observe(vm, view.storage);
    if (st != ST_OK) return st;
    if (view.storage->buffer.blocks || view.storage->buffer.grid) {
        const char *base = graph_read(vm, view.storage);
        return base ? own_copy(vm, &view, base, out) : ST_ERROR;
    }
    *out = retain(args[0]);
    return ST_OK;
}

static void put_form(const PartForm *form, int rank, Buf *out) {
    shape_text(form->shape, form->ndim, out);
    buf_printf(out, " of %s on rank %d", dtype_info[form->dtype].name, rank);
}

static Status parts_differ(Vm *vm, const PartForm *all, int rank) {
    Buf text;
    buf_init(&text, &vm->mem);
    put_form(all, 0, &text);
    buf_puts(&text, ", and ");
    put_form(&all[rank], rank, &text);
    Status st = text.failed ? vm_no_memory(vm)
                            : vm_raise(vm, EXC_ValueError, "parts may differ in length along the axis that is cut, and in "
                                       "nothing else: %.*s", (int)text.len, text.data);
    buf_free(&text);
    return st;
}

static Status compare_parts(Vm *vm, const PartForm *all, int axis) {
    for (int r = 1; r < link_of(vm)->size; r++) {
        bool same = all[r].dtype == all->dtype && all[r].ndim == all->ndim;
        for (int d = 0; same && d < all->ndim; d++) same = d == axis || all[r].shape[d] == all->shape[d];
        if (!same) return parts_differ(vm, all, r);
    }
    return ST_OK;
}

// Gathers the forms of all parts. `known`: None, or a list of the parts' lengths along axis 0 if the caller knows that
// the parts are alike otherwise, which saves the communication.
static Status gather_parts(Vm *vm, const View *view, Value known, int64_t *lengths, PartForm *all) {
    PartForm own = {.dtype = view->dtype, .ndim = view->ndim};
    memcpy(own.shape, view->shape, (size_t)view->ndim * sizeof *own.shape);
    if (known.kind != K_NONE) {
        Status st = lengths_from(vm, known, lengths);
        for (int r = 0; st == ST_OK && r < link_of(vm)->size; r++) {
            all[r] = own;
            all[r].shape[0] = lengths[r];
        }
        return st;
    }
    if (link_of(vm)->size > 1) return link_gather(vm, (StepKey){.kind = STEP_JOIN}, &own, all, sizeof own);
    *all = own;
    return ST_OK;
}

// Finds the form of the joined array, and checks that the parts fit. The axis is checked only after the numbers of
// dimensions, so that all ranks raise the same error.
static Status like_parts(Vm *vm, const PartForm *all, Value axis_value, View *like, int *axis, int64_t *lengths) {
    Status st = ST_OK;
    *axis = -1;
    like->ndim = all->ndim;
    like->dtype = (DType)all->dtype;
    for (int r = 1; st == ST_OK && r < link_of(vm)->size; r++)
        if (all[r].ndim != all->ndim) st = parts_differ(vm, all, r);
    if (st == ST_OK) st = axis_from(vm, axis_value, all->ndim, axis);
    if (st == ST_OK) st = compare_parts(vm, all, *axis);
    if (st != ST_OK) return st;
    memcpy(like->shape, all->shape, (size_t)all->ndim * sizeof *like->shape);
    like->shape[*axis] = 0;
    for (int r = 0; r < link_of(vm)->size; r++) {
        lengths[r] = all[r].shape[*axis];
        if (__builtin_add_overflow(like->shape[*axis], lengths[r], &like->shape[*axis])) return array_too_big(vm);
    }
    return ST_OK;
}

// Returns the address of this rank's block of a new array.
static char *block_at(Vm *vm, const Storage *storage) {
    char *base = storage->buffer.host;
    return is_cut(storage) ? base + block_of(storage->buffer.blocks->partition, link_of(vm)->rank).low : base;
}

static Status fill_own(Vm *vm, const View *part, const char *base, const View *to, int axis) {
    View moved = *part; // the part, with its axes in the memory order of the new array
    moved.shape[0] = part->shape[axis];
    moved.strides[0] = part->strides[axis];
    for (int d = 0, at = 1; d < part->ndim; d++) {
        if (d == axis) continue;
        moved.shape[at] = part->shape[d];
        moved.strides[at++] = part->strides[d];
    }
    if (view_size(&moved) == 0) return ST_OK;
    if (!is_cut(to->storage) && !graph_write(vm, to->storage)) return ST_ERROR;
    pack(&moved, 0, base + part->offset, block_at(vm, to->storage));
    return ST_OK;
}

static Status join(Vm *vm, const Value *args, PartForm *all, int64_t *lengths, Value *out) {
    View part, like = {.storage = NULL};
    int axis = 0;
    array_view(args[0].array, &part);
    apart_begin(vm);
    const char *base = graph_read(vm, part.storage);
    apart_end(vm);
    if (!base) return ST_ERROR;
    Status st = gather_parts(vm, &part, args[2], lengths, all);
    if (st == ST_OK) st = like_parts(vm, all, args[1], &like, &axis, lengths);
    if (st == ST_OK) st = new_cut(vm, &like, axis, lengths, out);
    if (st != ST_OK) return st;
    st = fill_own(vm, &part, base, &like, axis);
    if (st != ST_OK) clear(vm, out);
    return st;
}

// join(part, axis, lengths): makes one array of the ranks' parts, in the order of ranks.
Status parts_join(Vm *vm, const Value *args, Value *out) {
    const size_t size = (size_t)link_of(vm)->size;
    Status st = apart_refuse_call(vm, "nacre.from_local");
    if (st == ST_OK) st = need_array(vm, args[0]);
    if (st != ST_OK) return st;
    PartForm *all = mem_alloc(&vm->mem, size * sizeof *all);
    int64_t *lengths = mem_alloc(&vm->mem, size * sizeof *lengths);
    st = all && lengths ? join(vm, args, all, lengths, out) : vm_no_memory(vm);
    mem_free(&vm->mem, all, size * sizeof *all);
    mem_free(&vm->mem, lengths, size * sizeof *lengths);
    return st;
}
