// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Makes arrays, and copies whole arrays.

#include <string.h>

#include "vm/array/array.h"
#include "vm/graph/fill.h"
#include "vm/value/object.h"

// --- Making ------------------------------------------------------------------------------------

bool view_byte_count(const View *view, size_t *bytes) {
    int64_t total = (int64_t)dtype_size(view->dtype);
    bool zero = false;
    for (int i = 0; i < view->ndim; i++) {
        if (view->shape[i] == 0) zero = true;
        else if (__builtin_mul_overflow(total, view->shape[i], &total)) return false;
    }
    *bytes = zero || total == 0 ? 1 : (size_t)total;
    return true;
}

Status array_too_big(Vm *vm) {
    return vm_raise(vm, EXC_ValueError, "array is too big; `arr.size * arr.dtype.itemsize` is larger "
                    "than the maximum possible size.");
}

Status view_check_size(Vm *vm, const View *view) {
    size_t bytes;
    return view_byte_count(view, &bytes) ? ST_OK : array_too_big(vm);
}

static Status wrap_dims(Vm *vm, Storage *storage, int64_t offset, DType dtype, int ndim,
                        const int64_t *shape, const int64_t *strides, Value *out) {
    size_t dims = (size_t)ndim * sizeof(int64_t);
    Array *array = obj_new(vm, K_ARRAY, sizeof(Array) + 2 * dims);
    if (!array) return vm_no_memory(vm);
    array->storage = storage;
    array->offset = offset;
    array->dtype = dtype;
    array->ndim = array->own_ndim = ndim;
    array->dims = array->own;
    memcpy(array_shape(array), shape, dims);
    memcpy(array_strides(array), strides, dims);
    *out = v_obj(array);
    return ST_OK;
}

static Status wrap(Vm *vm, const View *view, Value *out) {
    return wrap_dims(vm, view->storage, view->offset, view->dtype, view->ndim, view->shape,
                     view->strides, out);
}

// Allocates the memory that `room` asks for. Outputs of nodes get memory when they run, but a size that
// can never be allocated is refused here.
static Status make_room(Vm *vm, const View *view, Room room) {
    Buffer *buffer = &view->storage->buffer;
    size_t bytes = buffer->bytes;
    if (room == ROOM_LATER) return ST_OK;
    Status st = room == ROOM_PLACED ? graph_can_promise(vm, bytes) : graph_can_hold(vm, bytes);
    Fresh fresh = room == ROOM_HOST ? FRESH_ANY : room == ROOM_EMPTY && view->dtype != DT_BOOL ? FRESH_OWN : FRESH_ZEROED;
    if (st == ST_OK && room != ROOM_PLACED) {
        if (!buffer_alloc_host(vm, buffer, fresh)) st = vm_no_memory(vm);
        else if (fresh == FRESH_ZEROED) buffer->untouched = UNTOUCHED_ZEROS;
        else if (fresh == FRESH_OWN && !graph_of(vm)->kept.pattern) buffer->untouched = UNTOUCHED_ANY;
    }
    if (st == ST_OK && room == ROOM_HOST && buffer_is_reserved(vm, buffer)) buffer->valid = PLACE_UNKNOWN;
    if (st == ST_OK || !vm_error_is(vm, EXC_MemoryError)) return st;
    vm_clear_error(vm);
    return view_no_memory(vm, view);
}

Status array_new_arranged(Vm *vm, DType dtype, int ndim, const int64_t *shape, const int *axes,
                          Room room, Value *out) {
    View view; // only the used dimensions are initialised
    size_t bytes;
    view.storage = NULL;
    view.offset = 0;
    view.dtype = dtype;
    view.ndim = ndim;
    memcpy(view.shape, shape, (size_t)ndim * sizeof *shape);
    if (!view_byte_count(&view, &bytes)) return array_too_big(vm);
    view_fill_strides_along(&view, axes);
    if (view_size(&view) == 0) memset(view.strides, 0, (size_t)ndim * sizeof *view.strides);
    view.storage = storage_new(vm, bytes);
    if (!view.storage) return view_no_memory(vm, &view);
    Status st = make_room(vm, &view, room);
    if (st == ST_OK) st = wrap(vm, &view, out);
    if (st != ST_OK) storage_release(vm, view.storage);
    return st;
}

Status array_new(Vm *vm, DType dtype, int ndim, const int64_t *shape, Room room, Value *out) {
    return array_new_arranged(vm, dtype, ndim, shape, NULL, room, out);
}

Status array_new_part(Vm *vm, DType dtype, int ndim, const int64_t *shape, Value *out, ArrayPart *part) {
    const GraphHooks *hooks = &graph_of(vm)->hooks;
    View view;
    Status st = array_new(vm, dtype, ndim, shape, hooks->divide ? ROOM_PLACED : ROOM_HOST, out);
    if (st != ST_OK) return st;
    array_view(out->array, &view);
    part->from = 0;
    part->to = view_size(&view);
    if (hooks->divide) st = hooks->divide(vm, &view, &part->from, &part->to);
    if (st == ST_OK) {
        const bool divided = hooks->divide && view.storage->buffer.valid;
        const bool is_dry = graph_of(vm)->reserving.least > 0; // in a dry run elements of cut arrays are unknown
        part->at = !divided ? array_write(vm, out->array) : is_dry ? NULL : view.storage->buffer.host;
        if (!divided && !part->at) st = ST_ERROR;
    }
    if (st != ST_OK) release(vm, *out);
    return st;
}

static Status no_memory_like(Vm *vm, Array *like, DType dtype) {
    View view;
    array_view(like, &view);
    view.dtype = dtype;
    return view_no_memory(vm, &view);
}

Status array_new_like(Vm *vm, Array *like, DType dtype, Value *out) {
    int64_t strides[NDIM_MAX], bytes = (int64_t)dtype_size(dtype);
    for (int d = like->ndim - 1; d >= 0; d--) {
        strides[d] = bytes;
        bytes *= array_shape(like)[d];
    }
    Status st = graph_can_promise(vm, (size_t)bytes);
    if (st != ST_OK && !vm_error_is(vm, EXC_MemoryError)) return st;
    vm_clear_error(vm);
    Storage *storage = st == ST_OK ? storage_new(vm, (size_t)bytes) : NULL;
    if (!storage) return no_memory_like(vm, like, dtype);
    st = wrap_dims(vm, storage, 0, dtype, like->ndim, array_shape(like), strides, out);
    if (st != ST_OK) storage_release(vm, storage);
    return st;
}

Status array_of_view(Vm *vm, const View *view, Value base, Value *out) {
    Status st = wrap(vm, view, out);
    if (st != ST_OK) return st;
    storage_retain(view->storage);
    out->array->readonly = base.kind == K_ARRAY && base.array->readonly;
    if (base.kind == K_ARRAY && base.array->base.kind == K_ARRAY) base = base.array->base;
    out->array->base = retain(base);
    return ST_OK;
}

Status array_spare(Vm *vm, int ndim, Value *out) {
    const int64_t none[2 * NDIM_MAX] = {0};
    return wrap_dims(vm, NULL, 0, DT_BOOL, ndim, none, none, out);
}

void array_become_view(Array *spare, Value base, int64_t offset, int ndim, const int64_t *dims) {
    Array *of = base.array;
    storage_retain(of->storage);
    spare->storage = of->storage;
    spare->offset = of->offset + offset;
    spare->dtype = of->dtype;
    spare->readonly = of->readonly;
    spare->base = retain(of->base.kind == K_ARRAY ? of->base : base);
    spare->ndim = ndim;
    memcpy(spare->dims, dims, 2 * (size_t)ndim * sizeof *dims);
}

void array_view(Array *array, View *out) {
    out->storage = array->storage;
    out->offset = array->offset;
    out->dtype = array->dtype;
    out->ndim = array->ndim;
    memcpy(out->shape, array_shape(array), (size_t)array->ndim * sizeof(int64_t));
    memcpy(out->strides, array_strides(array), (size_t)array->ndim * sizeof(int64_t));
}

int64_t array_size(Array *array) {
    int64_t size = 1;
    for (int i = 0; i < array->ndim; i++) size *= array_shape(array)[i];
    return size;
}

bool array_is_contiguous(Array *array) {
    if (array->ndim == 1)
        return array_shape(array)[0] <= 1 || array_strides(array)[0] == (int64_t)dtype_size(array->dtype);
    View view;
    array_view(array, &view);
    return view_is_contiguous(&view);
}

Status array_check_writeable(Vm *vm, const Array *array, const char *what) {
    if (!array->readonly) return ST_OK;
    return vm_raise(vm, EXC_ValueError, "%s is read-only", what);
}

static const char *read_fill(Vm *vm, Array *array) {
    View view;
    array_view(array, &view);
    return fill_read(vm, &view);
}

const char *array_read(Vm *vm, Array *array) {
    if (array->storage->fill) return read_fill(vm, array);
    const char *base = graph_read(vm, array->storage);
    return base ? base + array->offset : NULL;
}

static bool is_elsewhere(Vm *vm, const Array *array) {
    return array->storage->buffer.valid == PLACE_DEVICE || array->storage->fill || graph_is_distributed(vm, array->storage);
}

Status array_part(Vm *vm, Array *array, Value *part) {
    enum { PART = 4 }; // copied if smaller than this part of the storage
    const Value self = v_obj(array);
    const Buffer *buffer = &array->storage->buffer;
    const size_t bytes = (size_t)array_size(array) * dtype_size(array->dtype);
    Status st = graph_observe(vm, array->storage);
    *part = self;
    if (st != ST_OK) return st;
    if (is_elsewhere(vm, array) && bytes < buffer->bytes / PART) return array_copy(vm, self, array->dtype, part);
    retain(self);
    return ST_OK;
}

const char *array_fetch(Vm *vm, Array *array, const char *why) {
    if (array->storage->fill) return read_fill(vm, array);
    const char *base = graph_fetch(vm, array->storage, why);
    return base ? base + array->offset : NULL;
}

char *array_write(Vm *vm, Array *array) {
    char *base = graph_write(vm, array->storage);
    return base ? base + array->offset : NULL;
}

// --- Copying -----------------------------------------------------------------------------------

// Records `to = cast(from)`.
static Status record_copy(Vm *vm, const View *to, const View *from) {
    if (warn_of_cast(vm, from->dtype, to->dtype) != ST_OK) return ST_ERROR;
    Node *node = graph_node_of(vm, AOP_CAST, to->dtype, to, 1, &from);
    return node ? graph_record(vm, node) : vm_no_memory(vm);
}

Status array_copy(Vm *vm, Value array, DType dtype, Value *out) {
    View from, to;
    array_view(array.array, &from);
    Value copy;
    Status st = array_new(vm, dtype, from.ndim, from.shape, ROOM_PLACED, &copy);
    if (st != ST_OK) return st;
    array_view(copy.array, &to);
    st = record_copy(vm, &to, &from);
    if (st == ST_OK) *out = copy;
    else release(vm, copy);
    return st;
}

// Copies one of the corners. Its number has a bit for each of `axes`, set for the far end.
static Status copy_corner(Vm *vm, const View *whole, const View *corners, int64_t edge, const int *axes, int count, int number) {
    View from, to;
    view_copy(&from, whole);
    view_copy(&to, corners);
    for (int i = 0; i < count; i++) {
        const int d = axes[i];
        from.shape[d] = to.shape[d] = edge;
        if (!(number >> i & 1)) continue;
        from.offset += (whole->shape[d] - edge) * from.strides[d];
        to.offset += edge * to.strides[d];
    }
    return record_copy(vm, &to, &from);
}

Status array_corners(Vm *vm, Array *array, int64_t edge, Value *out) {
    enum { AXES = 4 };
    int axes[AXES], count = 0;
    View whole, to;
    Value corners;
    *out = V_NONE;
    Status st = graph_observe(vm, array->storage);
    if (st != ST_OK || !is_elsewhere(vm, array)) return st;
    array_view(array, &whole);
    view_copy(&to, &whole);
    for (int d = 0; d < whole.ndim; d++) {
        if (whole.shape[d] / 2 < edge || whole.shape[d] == 2 * edge) continue;
        if (count == AXES) return ST_OK;
        axes[count++] = d;
        to.shape[d] = 2 * edge;
    }
    if (count == 0) return ST_OK;
    st = array_new(vm, array->dtype, to.ndim, to.shape, ROOM_PLACED, &corners);
    if (st != ST_OK) return st;
    array_view(corners.array, &to);
    for (int i = 0; st == ST_OK && i < 1 << count; i++) st = copy_corner(vm, &whole, &to, edge, axes, count, i);
    if (st == ST_OK) *out = corners;
    else release(vm, corners);
    return st;
}

Status array_contiguous(Vm *vm, Value array, Value *out) {
    if (!array_is_contiguous(array.array)) return array_copy(vm, array, array.array->dtype, out);
    *out = retain(array);
    return ST_OK;
}

Status array_fill(Vm *vm, const View *to, DType dtype, Scalar scalar) {
    Node *node = graph_node(vm, AOP_CAST);
    if (!node) return vm_no_memory(vm);
    node_input_scalar(node, dtype, scalar);
    node_output(node, to);
    node->attrs.loop = to->dtype;
    return graph_record(vm, node);
}

static Status assign_shape_error(Vm *vm, const View *from, const View *to) {
    Buf text;
    buf_init(&text, &vm->mem);
    buf_puts(&text, "could not broadcast input array from shape ");
    shape_text_tight(from->shape, from->ndim, &text);
    buf_puts(&text, " into shape ");
    shape_text_tight(to->shape, to->ndim, &text);
    buf_putc(&text, '\0');
    Status st = text.failed ? vm_no_memory(vm) : vm_raise(vm, EXC_ValueError, "%s", text.data);
    buf_free(&text);
    return st;
}

static Status assign_array(Vm *vm, const View *to, Array *array) {
    View from;
    array_view(array, &from);
    while (from.ndim > to->ndim && from.shape[0] == 1) { // drops leading dimensions of extent 1
        from.ndim--;
        memmove(from.shape, from.shape + 1, (size_t)from.ndim * sizeof *from.shape);
        memmove(from.strides, from.strides + 1, (size_t)from.ndim * sizeof *from.strides);
    }
    int lead = to->ndim - from.ndim;
    bool fits = lead >= 0;
    for (int d = 0; fits && d < from.ndim; d++)
        fits = from.shape[d] == 1 || from.shape[d] == to->shape[d + lead];
    if (!fits) return assign_shape_error(vm, &from, to);
    view_broadcast(&from, to->shape, to->ndim);
    if (view_same(&from, to)) return ST_OK; // a[i] += x ends with a[i] = a[i]
    return record_copy(vm, to, &from);
}

Status array_assign(Vm *vm, const View *to, Value from) {
    if (from.kind == K_ARRAY) return assign_array(vm, to, from.array);
    if (is_array_like(from) || from.kind == K_FLATITER) {
        Value array;
        Status st = array_from(vm, from, to->dtype, &array);
        if (st != ST_OK) return st;
        if (array.array->ndim > to->ndim)
            st = vm_raise(vm, EXC_ValueError, "setting an array element with a sequence. The requested "
                          "array would exceed the maximum number of dimension of %d.", to->ndim);
        else st = assign_array(vm, to, array.array);
        release(vm, array);
        return st;
    }
    Scalar scalar;
    Status st = element_from(vm, from, to->dtype, &scalar);
    if (st != ST_OK) return st;
    return array_fill(vm, to, to->dtype, scalar);
}
