// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Simple cases of take() and put(); anything else is ST_DEFER, for numpy/_selecting.ncr.

#include "vm/array/array.h"
#include "vm/array/methods.h"
#include "vm/value/seq.h"
#include "vm/value/str.h"

static bool are_ints(const Value *items, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (items[i].kind != K_INT) return false;
    return true;
}

// Converts non-empty indices, an int64 array or a list of ints, to an array. ST_DEFER: anything else.
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

// Computes a[:, …, places], with `front` axes before `places`.
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

// Takes elements along the axis; if it is None, from all elements in C order.
static Status take_along(Vm *vm, Value a, Value axis, int at, Value places, Value *out) {
    Value row;
    if (axis.kind != K_NONE) return take_behind(vm, a, at, places, out);
    Status st = array_ravel_ordered(vm, a, false, ORDER_C, &row);
    if (st != ST_OK) return st;
    st = array_getitem(vm, row, places, out);
    release(vm, row);
    return st;
}

Status array_take_true(Vm *vm, Value a, Value mask, Value axis, Value *out) {
    return take_behind(vm, a, (int)(axis.i < 0 ? axis.i + a.array->ndim : axis.i), mask, out);
}

// Takes one index along an axis: an element, or a copy of the sub-array.
static Status take_one(Vm *vm, Value a, int front, Value place, Value *out) {
    Value view;
    Status st = take_behind(vm, a, front, place, &view);
    if (st != ST_OK || view.kind != K_ARRAY) {
        *out = view;
        return st;
    }
    st = array_copy(vm, view, view.array->dtype, out);
    release(vm, view);
    return st;
}

Status array_m_take(Vm *vm, const Value *args, Value *out) { // a, indices, axis, out, mode
    Value a = args[0], axis = args[2], places;
    bool plain = a.kind == K_ARRAY && args[3].kind == K_NONE && is_raise_mode(args[4]) && a.array->ndim > 0 &&
                 array_size(a.array) > 0;
    int64_t ndim = plain ? a.array->ndim : 0, at = axis.kind == K_INT ? axis.i : 0;
    if (at < 0) at += ndim;
    if (!plain || (axis.kind != K_NONE && axis.kind != K_INT) || at < 0 || at >= ndim) return ST_DEFER;
    if (args[1].kind == K_INT && (axis.kind == K_INT || ndim == 1)) return take_one(vm, a, (int)at, args[1], out);
    Status st = places_of(vm, args[1], &places);
    if (st != ST_OK) return st;
    st = take_along(vm, a, axis, (int)at, places, out);
    release(vm, places);
    return st;
}

// --- repeat: a count for each ----------------------------------------------------------------------

// Computes the source index of each result element, as int64. ST_DEFER: counts are negative, overflow, or sum to 0.
static Status repeated_places(Vm *vm, Value counts, int64_t n, Value *out) {
    const char *at_counts = array_fetch(vm, counts.array, "counts of repeat are added up there");
    const int64_t *count = (const int64_t *)(const void *)at_counts;
    int64_t total = 0;
    if (!count) return ST_ERROR;
    for (int64_t i = 0; i < n; i++)
        if (count[i] < 0 || __builtin_add_overflow(total, count[i], &total)) return ST_DEFER;
    if (total == 0) return ST_DEFER;
    Status st = array_new(vm, DT_INT64, 1, &total, ROOM_PLACED, out);
    if (st != ST_OK) return st;
    int64_t *at = (int64_t *)(void *)graph_write(vm, out->array->storage);
    if (!at) {
        release(vm, *out);
        return ST_ERROR;
    }
    count = (const int64_t *)(const void *)array_read(vm, counts.array);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < count[i]; j++) *at++ = i;
    return ST_OK;
}

Status array_repeat_each(Vm *vm, Value a, Value given, Value axis, Value *out) {
    Value counts, places;
    bool plain = a.kind == K_ARRAY && a.array->ndim > 0 && (axis.kind == K_NONE || axis.kind == K_INT);
    int64_t ndim = plain ? a.array->ndim : 0, at = axis.kind == K_INT ? axis.i : 0;
    if (at < 0) at += ndim;
    if (!plain || at < 0 || at >= ndim) return ST_DEFER;
    Status st = places_of(vm, given, &counts);
    if (st != ST_OK) return st;
    int64_t n = axis.kind == K_NONE ? array_size(a.array) : array_shape(a.array)[at];
    bool fit = counts.array->ndim == 1 && array_size(counts.array) == n && array_is_contiguous(counts.array);
    st = fit ? repeated_places(vm, counts, n, &places) : ST_DEFER;
    release(vm, counts);
    if (st != ST_OK) return st;
    st = take_along(vm, a, axis, (int)at, places, out);
    release(vm, places);
    return st;
}

// --- put -------------------------------------------------------------------------------------------

// Converts values to an array with one element of the array's type per index, or leaves a number. ST_DEFER: they would
// have to be repeated or cast.
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

// Writes the values. If an index is out of range, nothing is written, but NumPy writes the elements before
// it: ST_DEFER, so that the prelude does.
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
