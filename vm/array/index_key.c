// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Parses keys: ints, slices, None and Ellipsis become views; masks and integer arrays are kept.

#include <inttypes.h>
#include <string.h>

#include "vm/array/index.h"
#include "vm/array/methods.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"

void index_selection_free(Vm *vm, Selection *s) {
    for (int i = 0; i < s->advanced_count; i++) release(vm, s->advanced[i].array);
}

static Status bad_key(Vm *vm) {
    return vm_raise(vm, EXC_IndexError, "only integers, slices (`:`), ellipsis (`...`), "
                    "numpy.newaxis (`None`) and integer or boolean arrays are valid indices");
}

static Status out_of_bounds(Vm *vm, int64_t index, int axis, int64_t extent) {
    return vm_raise(vm, EXC_IndexError, "index %" PRId64 " is out of bounds for axis %d with size "
                    "%" PRId64, index, axis, extent);
}

static bool is_index(Value v) {
    return v.kind == K_INT ||
           (v.kind == K_SCALAR && dtype_is_integer((DType)v.aux)) ||
           (v.kind == K_ARRAY && v.array->ndim == 0 && dtype_is_integer(v.array->dtype));
}

bool index_is_mask(Value v) {
    return v.kind == K_ARRAY && v.array->dtype == DT_BOOL;
}

static Status key_index(Vm *vm, Value v, int64_t *out) {
    if (v.kind == K_SCALAR && scalar_dtype(v) != DT_UINT64) {
        *out = scalar_of(v).i;
        return ST_OK;
    }
    if (v.kind == K_ARRAY) {
        const char *data = array_read(vm, v.array);
        if (!data) return ST_ERROR;
        *out = dtype_load(v.array->dtype, data).i;
        if (v.array->dtype == DT_UINT64 && *out < 0)
            return vm_raise(vm, EXC_OverflowError, "Python int too large to convert to C long");
        return ST_OK;
    }
    return array_long(vm, v, out);
}

// --- The keys ----------------------------------------------------------------------------------

static bool is_key(Value v) {
    return is_index(v) || v.kind == K_ARRAY || v.kind == K_SLICE || v.kind == K_NONE ||
           v.kind == K_ELLIPSIS;
}

static int consumed_dims(Value key) {
    if (key.kind == K_NONE || key.kind == K_ELLIPSIS) return 0;
    return index_is_mask(key) ? key.array->ndim : 1;
}

void index_keys_free(Vm *vm, Keys *keys) {
    for (int i = 0; i < keys->count; i++) release(vm, keys->owned[i]);
}

// Converts a list to an index array or a mask. Its items must be ints or bools; an empty list, which has
// no type, counts as ints.
static Status key_from_list(Vm *vm, Value list, Value *out) {
    Status st = array_from(vm, list, DT_NONE, out);
    if (st != ST_OK && (vm_error_is(vm, EXC_NotImplementedError) ||
                        vm_error_is(vm, EXC_OverflowError))) {
        vm_clear_error(vm);
        return bad_key(vm);
    }
    if (st != ST_OK || index_is_mask(*out) || dtype_is_integer(out->array->dtype)) return st;
    if (array_size(out->array) > 0) st = bad_key(vm);
    Value places;
    if (st == ST_OK) st = array_copy(vm, *out, DT_INT64, &places);
    release(vm, *out);
    if (st == ST_OK) *out = places;
    return st;
}

// Replaces an object of a class by what stands for it as a key: the value inside, its items, or an int.
static Status plain_key(Vm *vm, Value *item) {
    int64_t index;
    Scalar wide;
    if (item->kind == K_BIGINT) { // NumPy reads it as a 64-bit unsigned index, which it then
                                  // refuses
        if (scalar_from(vm, *item, DT_UINT64, &wide) == ST_OK)
            return vm_raise(vm, EXC_OverflowError, "Python int too large to convert to C long");
        vm_clear_error(vm);
    }
    Status st = array_stand_in(vm, item);
    if (st != ST_OK || item->kind != K_INSTANCE || !op_user_method(vm, *item, NAME_index)) return st;
    st = array_long(vm, *item, &index);
    if (st == ST_OK) *item = v_int(index);
    return st;
}

Status index_keys(Vm *vm, Value key, Keys *keys) {
    keys->count = 0;
    Status held = plain_key(vm, &key);
    if (held != ST_OK) return held;
    const Value *items = key.kind == K_TUPLE ? key.tuple->items : &key;
    size_t n = key.kind == K_TUPLE ? key.tuple->len : 1;
    int ellipses = 0;
    keys->count = 0;
    if (n > KEYS_MAX) return vm_raise(vm, EXC_IndexError, "too many indices for array");
    for (size_t i = 0; i < n; i++) {
        Value item = items[i];
        Status st = plain_key(vm, &item);
        if (st != ST_OK) return st;
        keys->owned[keys->count] = V_UNDEF;
        if (item.kind == K_LIST || item.kind == K_RANGE || item.kind == K_TUPLE ||
            item.kind == K_BOOL || (item.kind == K_SCALAR && item.aux == DT_BOOL)) {
            st = key_from_list(vm, item, &keys->owned[keys->count]);
            if (st != ST_OK) return st;
            item = keys->owned[keys->count];
        }
        if (!is_key(item)) return bad_key(vm);
        if (item.kind == K_ARRAY && !index_is_mask(item) && !dtype_is_integer(item.array->dtype))
            return has_stand_in(items[i]) ? bad_key(vm) : vm_raise(vm, EXC_IndexError, "arrays used as indices must be of integer (or "
                            "boolean) type");
        ellipses += item.kind == K_ELLIPSIS;
        if (ellipses > 1)
            return vm_raise(vm, EXC_IndexError, "an index can only have a single ellipsis ('...')");
        keys->items[keys->count++] = item;
    }
    return ST_OK;
}

// --- Arrays as keys ----------------------------------------------------------------------------

// Applies a 0-dimensional mask, as in a[True]: adds an index array of 1 or 0 elements.
static Status add_switch(Vm *vm, Selection *s, Value mask, int dim) {
    const char *data = array_read(vm, mask.array);
    if (!data) return ST_ERROR;
    Value places;
    int64_t count = *data != 0;
    Status st = array_new(vm, DT_INT64, 1, &count, ROOM_ZEROED, &places);
    if (st == ST_OK) s->advanced[s->advanced_count++] = (Advanced){.dim = dim, .array = places};
    return st;
}

static Status add_mask(Vm *vm, Selection *s, Value mask, int dim, int axis) {
    Array *m = mask.array;
    for (int d = 0; d < m->ndim; d++) {
        int64_t want = s->view.shape[dim + d], got = array_shape(m)[d];
        if (want != got && got > 0) // with extent 0 it selects nothing anyway
            return vm_raise(vm, EXC_IndexError, "boolean index did not match indexed array along "
                            "axis %d; size of axis is %" PRId64 " but size of corresponding "
                            "boolean axis is %" PRId64, axis + d, want, got);
    }
    Value places;
    Status st = array_nonzero(vm, mask, &places);
    if (st != ST_OK) return st;
    for (int d = 0; d < m->ndim; d++)
        s->advanced[s->advanced_count++] =
            (Advanced){.dim = dim + d, .array = retain(places.tuple->items[d])};
    release(vm, places);
    return ST_OK;
}

// Finds whether indices can be used without a copy: they are many, already computed, and all in range.
// The check is cheaper than copying. For indices on a device it waits, but only once until they are written to.
static Status are_places(Vm *vm, const Selection *s, Value indexes, int dim, bool *are) {
    enum { MANY = 1 << 12 };
    const Array *array = indexes.array;
    bool pays = array_size(indexes.array) >= MANY || array->storage->buffer.valid == PLACE_DEVICE;
    *are = array->dtype == DT_INT64 && pays && !array->storage->producer && array->storage != s->view.storage &&
           array_size(indexes.array) > 0;
    return *are ? array_is_within(vm, indexes, s->view.shape[dim], are) : ST_OK;
}

// Adds an integer array, as int64; see wrap_all.
static Status add_indexes(Vm *vm, Selection *s, Value indexes, int dim, int axis) {
    Value copy;
    bool ready;
    if (are_places(vm, s, indexes, dim, &ready) != ST_OK) return ST_ERROR;
    if (ready) {
        s->advanced[s->advanced_count++] = (Advanced){.dim = dim, .array = retain(indexes), .axis = axis};
        return ST_OK;
    }
    Status st = array_copy(vm, indexes, DT_INT64, &copy);
    if (st == ST_OK)
        s->advanced[s->advanced_count++] = (Advanced){.dim = dim, .array = copy, .axis = axis,
                                                      .unchecked = true};
    return st;
}

// --- What they select --------------------------------------------------------------------------

Status index_too_many(Vm *vm, int ndim, int used) {
    return vm_raise(vm, EXC_IndexError, "too many indices for array: array is %d-dimensional, but "
                    "%d were indexed", ndim, used);
}

Status index_too_large(Vm *vm, int ndim) {
    return vm_raise(vm, EXC_IndexError, "number of dimensions must be within [0, %d], indexing result "
                    "would have %d", NDIM_MAX, ndim);
}

void view_push_dim(View *v, int64_t extent, int64_t stride) {
    v->shape[v->ndim] = extent;
    v->strides[v->ndim++] = stride;
}

static Status take_slice(Vm *vm, View *to, const View *from, int dim, const Slice *slice) {
    int64_t start, stop, step, count;
    Status st = slice_resolve(vm, slice, from->shape[dim], &start, &stop, &step, &count);
    if (st != ST_OK) return st;
    if (count > 0) to->offset += start * from->strides[dim];
    // with at most one element the step may be anything; like NumPy, let the stride wrap
    view_push_dim(to, count, (int64_t)((uint64_t)from->strides[dim] * (uint64_t)step));
    return ST_OK;
}

// Adds an int as an index array, which it acts as among others.
static Status take_int_index(Vm *vm, Selection *s, const View *from, int dim, Value key) {
    Value index;
    Status st = array_from(vm, key, DT_INT64, &index);
    if (st != ST_OK) return st;
    view_push_dim(&s->view, from->shape[dim], from->strides[dim]);
    st = add_indexes(vm, s, index, s->view.ndim - 1, dim);
    if (st == ST_OK) s->advanced[s->advanced_count - 1].number = true;
    release(vm, index);
    return st;
}

static Status take_int(Vm *vm, View *to, const View *from, int dim, Value key) {
    int64_t index;
    Status st = key_index(vm, key, &index);
    if (st != ST_OK) return st;
    int64_t extent = from->shape[dim];
    if (index < -extent || index >= extent) return out_of_bounds(vm, index, dim, extent);
    to->offset += (index < 0 ? index + extent : index) * from->strides[dim];
    return ST_OK;
}

// Applies one key to dimension *dim of `from`.
static Status take_key(Vm *vm, Selection *s, const View *from, int *dim, Value key, int fill) {
    View *to = &s->view;
    bool grows = key.kind == K_NONE || (index_is_mask(key) && key.array->ndim == 0);
    if (grows && to->ndim + from->ndim - *dim >= NDIM_MAX)
        return index_too_large(vm, NDIM_MAX + 1);
    if (key.kind == K_NONE) {
        view_push_dim(to, 1, 0);
        return ST_OK;
    }
    if (key.kind == K_ELLIPSIS) {
        s->gap = s->advanced_count; // an Ellipsis separates index arrays, even if it stands for no axis
        for (int i = 0; i < fill; i++, ++*dim) view_push_dim(to, from->shape[*dim], from->strides[*dim]);
        return ST_OK;
    }
    if (key.kind == K_SLICE)
        return take_slice(vm, to, from, (*dim)++, (const Slice *)key.obj);
    if (is_index(key) && s->by_arrays) return take_int_index(vm, s, from, (*dim)++, key);
    if (is_index(key)) return take_int(vm, to, from, (*dim)++, key);
    int first = to->ndim, used = consumed_dims(key), axis = *dim;
    if (used == 0) {
        view_push_dim(to, 1, 0);
        return add_switch(vm, s, key, first);
    }
    for (int i = 0; i < used; i++, ++*dim) view_push_dim(to, from->shape[*dim], from->strides[*dim]);
    return index_is_mask(key) ? add_mask(vm, s, key, first, axis) : add_indexes(vm, s, key, first, axis);
}

// Returns the number of dimensions of the result; index arrays add their broadcast ones, masks one.
static int result_dims(const Keys *keys, int ndim, int used) {
    int dims = ndim - used, common = 0;
    for (int i = 0; i < keys->count; i++) {
        Value key = keys->items[i];
        int own = key.kind != K_ARRAY || is_index(key) ? 0 : index_is_mask(key) ? 1 : key.array->ndim;
        dims += key.kind == K_NONE || key.kind == K_SLICE;
        if (own > common) common = own;
    }
    return dims + common;
}

Status index_select(Vm *vm, Array *array, const Keys *keys, Selection *s) {
    View from;
    int used = 0, ints = 0, dim = 0;
    array_view(array, &from);
    s->view.storage = from.storage; // only the used dimensions are initialised
    s->view.offset = from.offset;
    s->view.dtype = from.dtype;
    s->view.ndim = 0;
    s->advanced_count = s->gap = 0;
    s->by_arrays = s->copies = false;
    for (int i = 0; i < keys->count; i++) {
        used += consumed_dims(keys->items[i]);
        ints += is_index(keys->items[i]);
        bool array = keys->items[i].kind == K_ARRAY;
        s->by_arrays |= array && !is_index(keys->items[i]);
        s->copies |= array;
    }
    if (used > from.ndim) return index_too_many(vm, from.ndim, used);
    int dims = result_dims(keys, from.ndim, used);
    if (dims > NDIM_MAX) return index_too_large(vm, dims);
    for (int i = 0; i < keys->count; i++) {
        Status st = take_key(vm, s, &from, &dim, keys->items[i], from.ndim - used);
        if (st != ST_OK) return st;
    }
    for (; dim < from.ndim; dim++) view_push_dim(&s->view, from.shape[dim], from.strides[dim]);
    s->by_mask = keys->count == 1 && index_is_mask(keys->items[0]) && used == from.ndim &&
                 memcmp(array_shape(keys->items[0].array), from.shape, (size_t)used * 8) == 0;
    s->all_ints = ints == from.ndim && keys->count == ints;
    return ST_OK;
}
