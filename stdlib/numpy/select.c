// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Functions of module numpy that select elements by masks and indices, and that convert between flat and
// multi-dimensional indices. Cases that are not plain are handled by numpy/_selecting.ncr, _sorting.ncr and
// _walking.ncr.

#include <string.h>

#include "stdlib/numpy/numpy.h"
#include "vm/value/seq.h"

// Finds the items of a list or tuple, borrowed. Returns false if v is neither.
static bool items_of(Value v, const Value **items, size_t *count) {
    if (v.kind != K_LIST && v.kind != K_TUPLE) return false;
    *items = v.kind == K_LIST ? v.list->items : v.tuple->items;
    *count = v.kind == K_LIST ? v.list->len : v.tuple->len;
    return true;
}

static Status fn_compress(Vm *vm, const Value *args, Value *out) { // condition, a, axis, out
    return array_compress(vm, args[1], args[0], args[2], args[3], out);
}

static Status fn_choose(Vm *vm, const Value *args, Value *out) { // a, choices, out, mode
    const Value *choices;
    size_t count;
    bool plain = args[2].kind == K_NONE && items_of(args[1], &choices, &count);
    return plain ? array_choose(vm, args[0], choices, count, args[3], out) : ST_DEFER;
}

static Status fn_place(Vm *vm, const Value *args, Value *out) { // arr, mask, vals
    return array_place(vm, args[0], args[1], args[2], out);
}

static Status fn_putmask(Vm *vm, const Value *args, Value *out) { // a, mask, values
    return array_putmask(vm, args[0], args[1], args[2], out);
}

// copyto of all elements between arrays of one type; the slow path handles the rest.
static Status fn_copyto(Vm *vm, const Value *args, Value *out) { // dst, src, casting, where
    View to;
    bool whole = args[3].kind == K_BOOL && args[3].i;
    bool plain = whole && args[2].kind == K_STR && strcmp(args[2].str->data, "same_kind") == 0 &&
                 args[0].kind == K_ARRAY && args[1].kind == K_ARRAY && args[0].array != args[1].array &&
                 args[0].array->dtype == args[1].array->dtype && !args[0].array->readonly;
    if (!plain) return ST_DEFER;
    array_view(args[0].array, &to);
    *out = V_NONE;
    return array_assign(vm, &to, args[1]);
}

static Status fn_lexsort(Vm *vm, const Value *args, Value *out) { // keys, axis
    const Value *keys;
    size_t count;
    bool last = args[1].kind == K_INT && args[1].i == -1;
    return last && items_of(args[0], &keys, &count) ? array_lexsort(vm, keys, count, out) : ST_DEFER;
}

// Returns whether both arrays are vectors, so that indices along the axis are ordinary indices.
static bool is_row(Value a, Value indices, Value axis) {
    bool rows = a.kind == K_ARRAY && indices.kind == K_ARRAY && a.array->ndim == 1 && indices.array->ndim == 1;
    return rows && dtype_is_integer(indices.array->dtype) && axis.kind == K_INT && (axis.i == 0 || axis.i == -1);
}

static Status fn_take_along_axis(Vm *vm, const Value *args, Value *out) { // arr, indices, axis
    return is_row(args[0], args[1], args[2]) ? array_getitem(vm, args[0], args[1], out) : ST_DEFER;
}

static Status fn_put_along_axis(Vm *vm, const Value *args, Value *out) { // arr, indices, values, axis
    *out = V_NONE;
    return is_row(args[0], args[1], args[3]) ? array_setitem(vm, args[0], args[1], args[2]) : ST_DEFER;
}

// --- Flat indices --------------------------------------------------------------------------------

// A shape with its C-order strides, counted in elements.
typedef struct Grid {
    int ndim;
    int64_t shape[NDIM_MAX], steps[NDIM_MAX], size;
} Grid;

static bool is_c_order(Value order) {
    return order.kind == K_STR && strcmp(order.str->data, "C") == 0;
}

static bool grid_of(Value shape, Value order, Grid *g) {
    const Value *items;
    size_t count;
    if (!is_c_order(order) || !items_of(shape, &items, &count) || count < 1 || count > NDIM_MAX) return false;
    g->ndim = (int)count;
    g->size = 1;
    for (int d = g->ndim - 1; d >= 0; d--) {
        if (items[d].kind != K_INT || items[d].i < 1) return false;
        g->shape[d] = items[d].i;
        g->steps[d] = g->size;
        if (__builtin_mul_overflow(g->size, g->shape[d], &g->size)) return false;
    }
    return true;
}

static bool is_int_array(Value v) {
    return v.kind == K_ARRAY && v.array->dtype == DT_INT64 && v.array->ndim > 0 && array_size(v.array) > 0;
}

static Status by_number(Vm *vm, OpId op, Value a, int64_t number, Value *out) {
    const Value args[2] = {a, v_int(number)};
    return array_apply(vm, op, args, 2, V_UNDEF, DT_NONE, out);
}

static Status index_along(Vm *vm, const Grid *g, Value numbers, int d, Value *out) {
    Value whole, rest;
    Status st = g->steps[d] > 1 ? by_number(vm, AOP_FLOOR_DIVIDE, numbers, g->steps[d], &whole)
                                : array_copy(vm, numbers, DT_INT64, &whole);
    if (st != ST_OK || d == 0) {
        if (st == ST_OK) *out = whole;
        return st;
    }
    st = by_number(vm, AOP_REMAINDER, whole, g->shape[d], &rest);
    release(vm, whole);
    if (st == ST_OK) *out = rest;
    return st;
}

static Status fn_unravel_index(Vm *vm, const Value *args, Value *out) { // indices, shape, order
    Grid g;
    Value parts[NDIM_MAX];
    bool inside = args[0].kind == K_INT;
    if (!grid_of(args[1], args[2], &g) || !(inside || is_int_array(args[0]))) return ST_DEFER;
    Status st = ST_OK;
    if (inside) inside = args[0].i >= 0 && args[0].i < g.size;
    else st = array_is_within(vm, args[0], g.size, &inside);
    if (st != ST_OK || !inside) return st == ST_OK ? ST_DEFER : st;
    int made = 0;
    for (; st == ST_OK && made < g.ndim; made += st == ST_OK) {
        if (args[0].kind == K_INT)
            parts[made] = v_scalar(DT_INT64, (Scalar){.i = args[0].i / g.steps[made] % g.shape[made]});
        else
            st = index_along(vm, &g, args[0], made, &parts[made]);
    }
    if (st == ST_OK) return tuple_steal(vm, parts, (size_t)made, out);
    while (made > 0) release(vm, parts[--made]);
    return st;
}

// Returns the flat index for indices that are ints; -1: they are not, or one is out of range.
static int64_t number_of(const Grid *g, const Value *indexes) {
    int64_t number = 0;
    for (int d = 0; d < g->ndim; d++) {
        if (indexes[d].kind != K_INT || indexes[d].i < 0 || indexes[d].i >= g->shape[d]) return -1;
        number += indexes[d].i * g->steps[d];
    }
    return number;
}

static Status fn_ravel_multi_index(Vm *vm, const Value *args, Value *out) { // multi_index, dims, mode, order
    Grid g;
    const Value *indexes;
    size_t count;
    bool raises = args[2].kind == K_STR && strcmp(args[2].str->data, "raise") == 0;
    bool plain = raises && grid_of(args[1], args[3], &g) && items_of(args[0], &indexes, &count) &&
                 count == (size_t)g.ndim;
    int64_t number = plain ? number_of(&g, indexes) : -1;
    if (number >= 0) {
        *out = v_scalar(DT_INT64, (Scalar){.i = number});
        return ST_OK;
    }
    for (int d = 0; plain && d < g.ndim; d++) plain = is_int_array(indexes[d]);
    if (!plain) return ST_DEFER;
    Value total = V_UNDEF, part, sum;
    Status st = ST_OK;
    for (int d = 0; st == ST_OK && d < g.ndim; d++) {
        bool inside;
        st = array_is_within(vm, indexes[d], g.shape[d], &inside);
        if (st == ST_OK && !inside) st = ST_DEFER;
        if (st == ST_OK) st = by_number(vm, AOP_MULTIPLY, indexes[d], g.steps[d], &part);
        if (st != ST_OK) break;
        if (d == 0) {
            total = part;
            continue;
        }
        const Value terms[2] = {total, part};
        st = array_apply(vm, AOP_ADD, terms, 2, V_UNDEF, DT_NONE, &sum);
        release(vm, part);
        if (st == ST_OK) replace(vm, &total, sum);
    }
    if (st == ST_OK) *out = total;
    else release(vm, total);
    return st;
}

const NativeDef numpy_selection[] = {
    {"compress", "condition, a, axis=None, out=None"
     "\nThe elements along an axis where the condition, a row, is true.\n"
     "\n>>> np.compress([True, False, True], [1, 2, 3])\narray([1, 3])",
     fn_compress, "numpy_compress", PURE},
    {"choose", "a, choices, out=None, mode='raise'"
     "\nFor each number in `a` the element at its place of the choice with that number.\n"
     "\n>>> np.choose([0, 1, 0], [[1, 2, 3], [10, 20, 30]])\narray([ 1, 20,  3])",
     fn_choose, "numpy_choose", PURE},
    {"place", "arr, mask, vals"
     "\nWrites values where the mask is true, in order; too few begin anew.\n"
     "\n>>> a = np.arange(4)\n>>> np.place(a, a > 1, [9])\n>>> a\narray([0, 1, 9, 9])",
     fn_place, "numpy_place", PURE},
    {"putmask", "a, mask, values"
     "\nWrites, where the mask is true, the value that is at the same place; too few begin anew.\n"
     "\n>>> a = np.arange(4)\n>>> np.putmask(a, a > 1, [-1, -2, -3, -4])\n>>> a\n"
     "array([ 0,  1, -3, -4])",
     fn_putmask, "numpy_putmask", PURE},
    {"copyto", "dst, src, casting='same_kind', where=True"
     "\nCopies elements into another array, or those where a condition is true.\n"
     "\n>>> a = np.zeros(3)\n>>> np.copyto(a, [1, 2, 3], where=[True, False, True])\n>>> a\n"
     "array([1., 0., 3.])",
     fn_copyto, "numpy_copyto", PURE},
    {"lexsort", "keys, axis=-1"
     "\nWhere the elements stand when keys sort them, the last one first. Stable.\n"
     "\n>>> np.lexsort(([2, 1, 1], [0, 0, 1]))\narray([1, 0, 2])",
     fn_lexsort, "numpy_lexsort", PURE},
    {"take_along_axis", "arr, indices, axis=-1"
     "\nElements where indexes along an axis say, as argsort makes them.\n"
     "\n>>> a = np.array([[3, 1], [2, 4]])\n>>> np.take_along_axis(a, np.argsort(a, axis=1), axis=1)\n"
     "array([[1, 3],\n       [2, 4]])",
     fn_take_along_axis, "numpy_take_along_axis", PURE},
    {"put_along_axis", "arr, indices, values, axis"
     "\nWrites values where indexes along an axis say.\n"
     "\n>>> a = np.zeros((2, 2), dtype=int)\n>>> np.put_along_axis(a, np.array([[1], [0]]), 7, axis=1)\n>>> a\n"
     "array([[0, 7],\n       [7, 0]])",
     fn_put_along_axis, "numpy_put_along_axis", PURE},
    {"unravel_index", "indices, shape, order='C'"
     "\nThe indexes along each axis of an array of that shape that numbers of elements stand\n"
     "for.\n\n>>> np.unravel_index(7, (3, 4))\n(np.int64(1), np.int64(3))\n"
     ">>> np.unravel_index([1, 6], (2, 4))\n(array([0, 1]), array([1, 2]))",
     fn_unravel_index, "numpy_unravel_index", PURE},
    {"ravel_multi_index", "multi_index, dims, mode='raise', order='C'"
     "\nThe numbers of elements, in C order, that indexes along each axis stand for.\n"
     "\n>>> np.ravel_multi_index(([0, 2], [1, 3]), (3, 4))\narray([ 1, 11])",
     fn_ravel_multi_index, "numpy_ravel_multi_index", PURE},
    {0},
};
