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

// Raises NumPy's error for values that do not fit the selection.
static Status value_mismatch(Vm *vm, const Selection *s, const Walk *w, Value value) {
    Buf text;
    Array *a = value.array;
    if (s->by_mask)
        return vm_raise(vm, EXC_ValueError,
                      "NumPy boolean array indexing assignment cannot assign %" PRId64
                      " input values to the %" PRId64 " output values where the mask is true",
                      array_size(a), view_size(&w->result));
    buf_init(&text, &vm->mem);
    buf_puts(&text, "shape mismatch: value array of shape ");
    shape_text_tight(array_shape(a), a->ndim, &text);
    buf_puts(&text, " could not be broadcast to indexing result of shape ");
    shape_text_tight(w->result.shape, w->result.ndim, &text);
    buf_putc(&text, '\0');
    Status st = text.failed ? vm_no_memory(vm) : vm_raise(vm, EXC_ValueError, "%s", text.data);
    buf_free(&text);
    return st;
}

// Drops the surplus leading dimensions of an array with more dimensions than the selection, if that keeps
// the size: they have extent 1, or the array is empty.
static Status without_front(Vm *vm, const Walk *w, Value values, Value *out) {
    Array *a = values.array;
    int extra = a->ndim - w->result.ndim;
    int64_t kept = 1;
    for (int d = extra; d >= 0 && d < a->ndim; d++) kept *= array_shape(a)[d];
    if (extra > 0 && kept == array_size(a))
        return array_reshape(vm, values, array_shape(a) + extra, w->result.ndim, out);
    *out = retain(values); // otherwise it will not fit, which is an error later
    return ST_OK;
}

// Copies values, an array, into `dense`, which has the selection's shape.
static Status spread_values(Vm *vm, const Selection *s, const Walk *w, View *dense, Value values) {
    Value shaped;
    if (s->by_mask && values.array->ndim > 1) return mask_too_deep(vm, values.array->ndim);
    Status st = without_front(vm, w, values, &shaped);
    if (st != ST_OK) return st;
    st = array_assign(vm, dense, shaped);
    release(vm, shaped);
    if (st == ST_ERROR && vm_error_is(vm, EXC_ValueError))
        st = value_mismatch(vm, s, w, values);
    return st;
}

// Values written to the selected elements: an array, or one number.
typedef struct Values {
    Value array; // owned; V_UNDEF: `number`
    Scalar number;
} Values;

static Status read_values(Vm *vm, DType type, Value value, Values *out) {
    out->array = V_UNDEF;
    if (!is_array_like(value) && value.kind != K_FLATITER) return scalar_from(vm, value, type, &out->number);
    return array_from(vm, value, value.kind == K_ARRAY ? DT_NONE : type, &out->array);
}

// Broadcasts the values to an array of the result's shape.
static Status dense_values(Vm *vm, const Selection *s, const Walk *w, const Values *values, Value *out) {
    View dense;
    Value made;
    Status st = array_new(vm, w->result.dtype, w->result.ndim, w->result.shape, ROOM_PLACED, &made);
    if (st != ST_OK) return st;
    array_view(made.array, &dense);
    st = values->array.kind == K_UNDEF ? array_fill(vm, &dense, dense.dtype, values->number)
                                       : spread_values(vm, s, w, &dense, values->array);
    if (st == ST_OK) *out = made;
    else release(vm, made);
    return st;
}

// Assigns to elements selected by index arrays. Checks in NumPy's order: reads the values, broadcasts
// the keys, broadcasts the values, checks bounds.
static Status set_selected(Vm *vm, const Selection *s, Value value) {
    Walk w;
    View dense;
    Values values;
    Value made;
    Status st = read_values(vm, s->view.dtype, value, &values);
    if (st != ST_OK) return st;
    st = index_walk(vm, s, &w);
    if (st == ST_OK) st = dense_values(vm, s, &w, &values, &made);
    release(vm, values.array);
    if (st != ST_OK) return st;
    array_view(made.array, &dense);
    st = index_check(vm, s, &w);
    if (st == ST_OK) st = index_move(vm, s, &w, &dense, false, NULL);
    release(vm, made);
    return st;
}

// Returns whether values can be scattered without conversion.
static bool is_dense_row(const Values *values, DType type, int64_t count) {
    Array *a = values->array.kind == K_ARRAY ? values->array.array : NULL;
    return a && a->dtype == type && a->ndim == 1 && array_size(a) == count && array_is_contiguous(a);
}

// Writes a number, or a row of the array's type, to a few elements of a row by direct execution. False: not applicable,
// nothing has happened.
static bool set_at_once(Vm *vm, Value self, const Keys *keys, Value value, bool number) {
    bool is_float = value.kind == K_FLOAT && self.array->dtype == DT_FLOAT64;
    bool is_row = keys->count == 1 && !number && value.kind == K_ARRAY && value.array->dtype == self.array->dtype &&
                  value.array->ndim == 1 && keys->items[0].kind == K_ARRAY && keys->items[0].array->ndim == 1 &&
                  array_size(value.array) == array_size(keys->items[0].array) && array_is_contiguous(value.array);
    Node *node = is_float || is_row ? index_row_node(vm, AOP_PUT, self.array, keys) : NULL;
    if (!node) return false;
    if (is_float) node_input_scalar(node, DT_FLOAT64, (Scalar){.f = value.f});
    else node_input_array(node, value.array);
    node_output_array(node, self.array);
    return graph_try(vm, node);
}

// Assigns by a mask of the array's own shape to a contiguous array, without making indices.
static Status set_by_mask(Vm *vm, Value self, Value mask, Value value) {
    Selection s = {.by_mask = true};
    Walk w = {.result = {.dtype = self.array->dtype, .ndim = 1}};
    Values values;
    Value flat, made;
    Status st = read_values(vm, self.array->dtype, value, &values);
    if (st != ST_OK) return st;
    st = index_count_masked(vm, mask, &flat, &w.result.shape[0]);
    if (st == ST_OK) {
        if (is_dense_row(&values, w.result.dtype, w.result.shape[0])) made = retain(values.array);
        else st = dense_values(vm, &s, &w, &values, &made);
        if (st == ST_OK) {
            st = index_put_masked(vm, self, flat, made);
            release(vm, made);
        }
        release(vm, flat);
    }
    release(vm, values.array);
    return st;
}

// Assigns a number to the one element that ints select.
static Status set_number(Vm *vm, const View *view, Value value) {
    Scalar s;
    if (array_is_awaited(vm, value) && value.array->dtype == view->dtype) return array_assign(vm, view, value);
    Status st = element_from(vm, value, view->dtype, &s);
    return st == ST_OK ? array_fill(vm, view, view->dtype, s) : st;
}

static Status set_keys(Vm *vm, Value self, const Keys *keys, Value value) {
    Selection s;
    bool number = is_numpy_scalar(value) || value.kind == K_FLOAT || value.kind == K_INT ||
                  value.kind == K_BOOL || value.kind == K_COMPLEX;
    if (index_is_whole_mask(self, keys)) {
        if (number) return index_set_masked(vm, self, keys->items[0], value);
        if (array_is_contiguous(self.array)) return set_by_mask(vm, self, keys->items[0], value);
    }
    if (set_at_once(vm, self, keys, value, number)) return ST_OK;
    Status st = index_select(vm, self.array, keys, &s);
    if (st == ST_OK) {
        if (s.advanced_count) st = set_selected(vm, &s, value);
        else if (s.all_ints) st = set_number(vm, &s.view, value);
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
    } else if (value.kind == K_SCALAR && (DType)value.aux == array->dtype) {
        s = scalar_of(value);
    } else if (is_array_like(value)) {
        return ST_NOTIMPL;
    } else {
        Status st = element_from(vm, value, array->dtype, &s);
        if (st != ST_OK) return st;
    }
    return array_put_element(vm, array, offset, s);
}

Status array_put_element(Vm *vm, Array *array, int64_t offset, Scalar s) {
    if (graph_is_distributed(vm, array->storage) || graph_is_away(vm, array->storage)) {
        View one;
        view_set(&one, array->storage, offset, array->dtype, 0, NULL, NULL);
        return array_fill(vm, &one, array->dtype, s);
    }
    bool is_there = graph_fetch(vm, array->storage, "an element of it is assigned there");
    char *base = is_there ? graph_write(vm, array->storage) : NULL;
    if (!base) return ST_ERROR;
    dtype_store(array->dtype, base + offset, s);
    return ST_OK;
}

Status array_setitem(Vm *vm, Value self, Value key, Value value) {
    Keys keys;
    Status held = array_stand_in(vm, &value);
    if (held != ST_OK) return held;
    const Value *items = key.kind == K_TUPLE ? key.tuple->items : &key;
    int count = key.kind == K_TUPLE ? (int)key.tuple->len : key.kind == K_ELLIPSIS && self.array->ndim == 0 ? 0 : 1;
    Status st = array_set_element(vm, self.array, items, count, value);
    if (st != ST_NOTIMPL) return st;
    st = array_check_writeable(vm, self.array, "assignment destination");
    if (st != ST_OK) return st;
    st = index_keys(vm, key, &keys);
    if (st == ST_OK) st = set_keys(vm, self, &keys, value);
    index_keys_free(vm, &keys);
    return st;
}
