// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The plain cases of take() and put(); anything else is ST_DEFER, for numpy/_selecting.ncr.

#include "vm/array/array.h"
#include "vm/array/methods.h"
#include "vm/value/seq.h"
#include "vm/value/str.h"

static bool are_ints(const Value *items, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (items[i].kind != K_INT) return false;
    return true;
}

// Places, one at least: int64, or ints in a list. ST_DEFER: anything else.
static Status places_of(Vm *vm, Value given, Value *out) {
    if (given.kind == K_LIST && given.list->len > 0 && are_ints(given.list->items, given.list->len))
        return array_from(vm, given, DT_INT64, out);
    bool plain = given.kind == K_ARRAY && given.array->dtype == DT_INT64 && given.array->ndim > 0 &&
                 array_size(given.array) > 0;
    if (plain) *out = retain(given);
    return plain ? ST_OK : ST_DEFER;
}

static bool is_raise_mode(Value mode) {
    return mode.kind == K_STR && str_is(mode.str, "raise");
}

// a[:, …, places], with so many axes in front.
static Status take_behind(Vm *vm, Value a, int front, Value places, Value *out) {
    Value all, key;
    if (front == 0) return array_getitem(vm, a, places, out);
    Status st = slice_new(vm, V_NONE, V_NONE, V_NONE, &all);
    if (st != ST_OK) return st;
    Value items[NDIM_MAX];
    for (int d = 0; d < front; d++) items[d] = all;
    items[front] = places;
    st = tuple_of(vm, items, (size_t)front + 1, &key);
    release(vm, all);
    if (st != ST_OK) return st;
    st = array_getitem(vm, a, key, out);
    release(vm, key);
    return st;
}

Status array_m_take(Vm *vm, const Value *args, Value *out) { // a, indices, axis, out, mode
    Value a = args[0], axis = args[2], places, row;
    bool plain = a.kind == K_ARRAY && args[3].kind == K_NONE && is_raise_mode(args[4]) && a.array->ndim > 0 &&
                 array_size(a.array) > 0;
    int64_t ndim = plain ? a.array->ndim : 0, at = axis.kind == K_INT ? axis.i : 0;
    if (at < 0) at += ndim;
    if (!plain || (axis.kind != K_NONE && axis.kind != K_INT) || at < 0 || at >= ndim) return ST_DEFER;
    Status st = places_of(vm, args[1], &places);
    if (st != ST_OK) return st;
    st = axis.kind == K_NONE ? array_ravel_ordered(vm, a, false, ORDER_C, &row) : ST_OK;
    if (st == ST_OK) {
        st = take_behind(vm, axis.kind == K_NONE ? row : a, (int)at, places, out);
        if (axis.kind == K_NONE) release(vm, row);
    }
    release(vm, places);
    return st;
}

// Values of an array's type for so many places. ST_DEFER: they would have to be repeated, or cast.
static Status values_for(Vm *vm, Value given, Value a, Value places, Value *out) {
    DType type = a.array->dtype;
    bool number = (given.kind == K_FLOAT && type == DT_FLOAT64) ||
                  (given.kind == K_INT && (type == DT_FLOAT64 || type == DT_INT64));
    *out = retain(given);
    if (number) return ST_OK;
    if (given.kind == K_LIST) {
        release(vm, *out);
        Status st = array_from(vm, given, type, out);
        if (st != ST_OK) return st;
    }
    bool plain = out->kind == K_ARRAY && out->array->dtype == type && out->array->ndim == 1 &&
                 out->array->storage != a.array->storage && array_size(out->array) == array_size(places.array);
    if (plain) return ST_OK;
    release(vm, *out);
    return ST_DEFER;
}

// Of places of which one does not exist those in front of it are written: in the language, as nothing is here.
static Status put(Vm *vm, Value row, Value places, Value values) {
    Status st = array_setitem(vm, row, places, values);
    if (st != ST_ERROR || !vm_error_is(vm, EXC_IndexError)) return st;
    vm_clear_error(vm);
    return ST_DEFER;
}

Status array_m_put(Vm *vm, const Value *args, Value *out) { // a, indices, values, mode
    Value a = args[0], places, values, row;
    if (a.kind != K_ARRAY || a.array->readonly || a.array->ndim == 0 || !array_is_contiguous(a.array) ||
        !is_raise_mode(args[3]))
        return ST_DEFER;
    Status st = places_of(vm, args[1], &places);
    if (st != ST_OK) return st;
    st = places.array->ndim == 1 ? values_for(vm, args[2], a, places, &values) : ST_DEFER;
    if (st == ST_OK) {
        st = array_ravel_ordered(vm, a, false, ORDER_C, &row);
        if (st == ST_OK) {
            st = put(vm, row, places, values);
            release(vm, row);
        }
        release(vm, values);
    }
    release(vm, places);
    *out = V_NONE;
    return st;
}
