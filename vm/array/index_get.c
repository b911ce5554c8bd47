// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Reading by a key.

#include <string.h>

#include "vm/array/index.h"
#include "vm/array/walk.h"

static Status get_selected(Vm *vm, const Selection *s, Value *out) {
    Walk w;
    View dense;
    Value made;
    Status st = index_walk(vm, s, &w);
    if (st == ST_OK) st = index_check(vm, s, &w);
    if (st == ST_OK)
        st = array_new(vm, w.result.dtype, w.result.ndim, w.result.shape, ROOM_PLACED, &made);
    if (st != ST_OK) return st;
    array_view(made.array, &dense);
    st = index_move(vm, s, &w, &dense, true, NULL);
    if (st == ST_OK) *out = made;
    else release(vm, made);
    return st;
}

Node *index_row_node(Vm *vm, OpId op, Array *row, const Keys *keys) {
    Array *indexes = keys->items[0].array;
    if (keys->count != 1 || keys->items[0].kind != K_ARRAY || row->ndim != 1) return NULL;
    if (indexes->dtype != DT_INT64 || indexes->ndim == 0 || !array_is_contiguous(indexes)) return NULL;
    Node *node = graph_node(vm, op);
    if (!node) return NULL;
    if (op == AOP_TAKE) node_input_array(node, row);
    node_input_array(node, indexes);
    node->attrs.loop = row->dtype;
    node->attrs.raw = true;
    return node;
}

// Gathers a few elements of a row by int64 indices. False: not applicable, nothing has happened.
static bool get_at_once(Vm *vm, Value self, const Keys *keys, Value *out, Status *st) {
    Node *node = index_row_node(vm, AOP_TAKE, self.array, keys);
    if (!node) return false;
    Array *key = keys->items[0].array;
    Value made;
    *st = array_new(vm, self.array->dtype, key->ndim, array_shape(key), ROOM_PLACED, &made);
    if (*st != ST_OK) {
        graph_discard(vm, node);
        return true;
    }
    node_output_array(node, made.array);
    bool done = graph_try(vm, node);
    if (done) *out = made;
    else release(vm, made);
    return done;
}

static Status element(Vm *vm, const View *view, Value *out) {
    const char *at = graph_read_element(vm, view->storage, view->offset, dtype_size(view->dtype));
    if (!at) return ST_ERROR;
    return scalar_out(vm, view->dtype, dtype_load(view->dtype, at), out);
}

static Status copy_in_place(Vm *vm, Value *array) {
    Value copy;
    Status st = array_copy(vm, *array, array->array->dtype, &copy);
    release(vm, *array);
    if (st == ST_OK) *array = copy;
    return st;
}

static Status get_keys(Vm *vm, Value self, const Keys *keys, Value *out) {
    Selection s;
    Status st;
    if (index_is_whole_mask(self, keys)) return index_get_masked(vm, self, keys->items[0], out);
    if (get_at_once(vm, self, keys, out, &st)) return st;
    st = index_select(vm, self.array, keys, &s);
    if (st == ST_OK) {
        if (s.advanced_count) st = get_selected(vm, &s, out);
        else if (s.all_ints) st = element(vm, &s.view, out);
        else st = array_of_view(vm, &s.view, self, out);
        if (st == ST_OK && s.copies && out->kind == K_ARRAY && !s.advanced_count)
            st = copy_in_place(vm, out);
    }
    index_selection_free(vm, &s);
    return st;
}

Status array_element_at(Vm *vm, Array *array, int64_t i, Value *out) {
    const char *at = graph_read_element(vm, array->storage, array_offset_of(array, i), dtype_size(array->dtype));
    if (!at) return ST_ERROR;
    return scalar_out(vm, array->dtype, dtype_load(array->dtype, at), out);
}

Status array_get_element(Vm *vm, Array *array, const Value *indexes, int count, Value *out) {
    int64_t offset;
    if (!index_element(array, indexes, count, &offset)) return ST_NOTIMPL;
    const char *at = graph_read_element(vm, array->storage, offset, dtype_size(array->dtype));
    if (!at) return ST_ERROR;
    if (array->dtype == DT_FLOAT64) {
        double d;
        memcpy(&d, at, sizeof d);
        *out = v_scalar(DT_FLOAT64, (Scalar){.f = d});
    } else {
        return scalar_out(vm, array->dtype, dtype_load(array->dtype, at), out);
    }
    return ST_OK;
}

// Makes a view of a row. ST_NOTIMPL: the key is no index within the first dimension.
static Status row_at(Vm *vm, Value self, Value key, Value *out) {
    Array *array = self.array;
    if (key.kind != K_INT || array->ndim < 2) return ST_NOTIMPL;
    const int64_t *shape = array_shape(array), *strides = array_strides(array);
    const int64_t i = key.i < 0 ? key.i + shape[0] : key.i;
    if (i < 0 || i >= shape[0]) return ST_NOTIMPL;
    View view;
    view_set(&view, array->storage, array->offset + i * strides[0], array->dtype, array->ndim - 1, shape + 1, strides + 1);
    return array_of_view(vm, &view, self, out);
}

Status array_getitem(Vm *vm, Value self, Value key, Value *out) {
    Keys keys;
    const Value *items = key.kind == K_TUPLE ? key.tuple->items : &key;
    int count = key.kind == K_TUPLE ? (int)key.tuple->len : 1;
    Status st = array_get_element(vm, self.array, items, count, out);
    if (st == ST_NOTIMPL) st = row_at(vm, self, key, out);
    if (st != ST_NOTIMPL) return st;
    st = index_keys(vm, key, &keys);
    if (st == ST_OK) st = get_keys(vm, self, &keys, out);
    index_keys_free(vm, &keys);
    return st;
}
