// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Writing by a key.

#include <inttypes.h>

#include "vm/array/index.h"
#include "vm/value/ops.h"

static Status mask_too_deep(Vm *vm, int ndim) {
    return vm_raise(vm, EXC_TypeError, "NumPy boolean array indexing assignment requires a 0 or "
                    "1-dimensional input, input has %d dimensions", ndim);
}

Status index_value_mismatch(Vm *vm, const Selection *s, const Walk *w, Value value) {
    Value array;
    Buf text;
    if (!is_array_like(value)) return ST_ERROR; // another problem, reported already
    Status st = array_from(vm, value, DT_NONE, &array);
    if (st != ST_OK) return st;
    Array *a = array.array;
    if (s->by_mask) {
        st = vm_raise(vm, EXC_ValueError,
                      "NumPy boolean array indexing assignment cannot assign %" PRId64
                      " input values to the %" PRId64 " output values where the mask is true",
                      array_size(a), view_size(&w->result));
        release(vm, array);
        return st;
    }
    buf_init(&text, &vm->mem);
    buf_puts(&text, "shape mismatch: value array of shape ");
    shape_text_tight(array_shape(a), a->ndim, &text);
    buf_puts(&text, " could not be broadcast to indexing result of shape ");
    shape_text_tight(w->result.shape, w->result.ndim, &text);
    buf_putc(&text, '\0');
    st = text.failed ? vm_no_memory(vm) : vm_raise(vm, EXC_ValueError, "%s", text.data);
    buf_free(&text);
    release(vm, array);
    return st;
}

static Status set_selected(Vm *vm, const Selection *s, Value value) {
    Walk w;
    View dense;
    Value made;
    Status st = index_walk(vm, s, &w);
    if (st == ST_OK)
        st = array_new(vm, w.result.dtype, w.result.ndim, w.result.shape, ROOM_PLACED, &made);
    if (st != ST_OK) return st;
    array_view(made.array, &dense);
    Value values = V_UNDEF; // an array of a list: its depth does not matter
    if (is_array_like(value)) st = array_from(vm, value, DT_NONE, &values);
    bool too_deep = s->by_mask && values.kind == K_ARRAY && values.array->ndim > 1;
    if (too_deep) st = mask_too_deep(vm, values.array->ndim);
    if (st == ST_OK) st = array_assign(vm, &dense, values.kind == K_UNDEF ? value : values);
    release(vm, values);
    if (st == ST_ERROR && vm_error_is(vm, EXC_ValueError)) st = index_value_mismatch(vm, s, &w, value);
    if (st == ST_OK) st = index_move(vm, s, &w, &dense, false, AOP_NONE);
    release(vm, made);
    return st;
}

// What becomes of a list that should be an element.
static Status list_as_element(Vm *vm, DType dtype, Value value, Scalar *out) {
    bool truth;
    Status st;
    switch (dtype_kind(dtype)) {
    case DK_BOOL:
        st = op_truth(vm, value, &truth);
        *out = (Scalar){.i = st == ST_OK && truth};
        return st;
    case DK_INT:
    case DK_UINT:
        return vm_raise(vm, EXC_TypeError, "int() argument must be a string, a bytes-like object or a "
                        "real number, not '%s'", type_name(vm, value));
    case DK_COMPLEX:
        return vm_raise(vm, EXC_TypeError, "must be real number, not %s", type_name(vm, value));
    default: return vm_raise(vm, EXC_ValueError, "setting an array element with a sequence.");
    }
}

// A single element takes a number, or an array that is one.
static Status set_one(Vm *vm, const View *view, Value value) {
    Scalar s;
    bool listed = is_array_like(value) && value.kind != K_ARRAY;
    Status st = listed ? list_as_element(vm, view->dtype, value, &s)
                       : scalar_from(vm, value, view->dtype, &s);
    return st == ST_OK ? array_fill(vm, view, view->dtype, s) : st;
}

static Status set_keys(Vm *vm, Value self, const Keys *keys, Value value) {
    Selection s;
    bool number = is_numpy_scalar(value) || value.kind == K_FLOAT || value.kind == K_INT ||
                  value.kind == K_BOOL || value.kind == K_COMPLEX;
    if (number && index_is_whole_mask(self, keys)) return index_set_masked(vm, self, keys->items[0], value);
    Status st = index_select(vm, self.array, keys, &s);
    if (st == ST_OK) {
        if (s.advanced_count) st = set_selected(vm, &s, value);
        else if (s.all_ints) st = set_one(vm, &s.view, value);
        else st = array_assign(vm, &s.view, value);
    }
    index_selection_free(vm, &s);
    return st;
}

Status array_set_element(Vm *vm, Array *array, const Value *indexes, int count, Value value) {
    int64_t offset;
    if (array->readonly || !index_element(array, indexes, count, &offset)) return ST_NOTIMPL;
    Scalar s;
    if (value.kind == K_FLOAT && array->dtype == DT_FLOAT64) {
        s.f = value.f;
    } else if (value.kind == K_SCALAR) {
        s = dtype_convert((DType)value.aux, array->dtype, scalar_of(value));
    } else if (is_array_like(value)) {
        return ST_NOTIMPL;
    } else {
        Status st = scalar_from(vm, value, array->dtype, &s);
        if (st != ST_OK) return st;
    }
    char *base = graph_write(vm, array->storage);
    if (!base) return ST_ERROR;
    dtype_store(array->dtype, base + offset, s);
    return ST_OK;
}

Status array_setitem(Vm *vm, Value self, Value key, Value value) {
    Keys keys;
    const Value *items = key.kind == K_TUPLE ? key.tuple->items : &key;
    int count = key.kind == K_TUPLE ? (int)key.tuple->len : 1;
    Status st = array_set_element(vm, self.array, items, count, value);
    if (st != ST_NOTIMPL) return st;
    st = array_check_writeable(vm, self.array, "assignment destination");
    if (st != ST_OK) return st;
    st = index_keys(vm, key, &keys);
    if (st == ST_OK) st = set_keys(vm, self, &keys, value);
    index_keys_free(vm, &keys);
    return st;
}
