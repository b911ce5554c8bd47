// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Contraction of two arrays along labelled axes, as in numpy.einsum: reshaped without copies to
// matrix products, or stacks of them.

#include <string.h>

#include "vm/array/array.h"

enum {
    ANY_ROWS = 1024,  // maximum size of operands that are multiplied row by row in any layout
    ROW_LEAST = 16,   // minimum length of a row worth a product of its own
};

// Position of a result axis in each operand: -1 if absent.
typedef struct Axis {
    int of[2];
} Axis;

static int place_in(Term term, char letter) {
    const char *found = memchr(term.letters, letter, (size_t)term.count);
    return found ? (int)(found - term.letters) : -1;
}

static bool has_repeats(Term term) {
    for (int d = 0; d < term.count; d++)
        if (place_in(term, term.letters[d]) != d) return true;
    return false;
}

static Axis axis_named_by(const Term *terms, char letter) {
    return (Axis){{place_in(terms[0], letter), place_in(terms[1], letter)}};
}

// Finds the only label that both operands have and the result lacks; *found 0: none. False: there are several, or one
// that only one operand has.
static bool summed_letter(const Term *terms, Term result, char *found) {
    *found = 0;
    for (int i = 0; i < 2; i++)
        for (int d = 0; d < terms[i].count; d++) {
            char letter = terms[i].letters[d];
            if (place_in(result, letter) >= 0 || letter == *found) continue;
            if (*found || place_in(terms[1 - i], letter) < 0) return false;
            *found = letter;
        }
    return true;
}

static bool joins(const View *view, int d) {
    return view->strides[d] == view->strides[d + 1] * view->shape[d + 1];
}

static void join(View *view, char *names, int d) {
    int behind = --view->ndim - d - 1;
    view->shape[d] *= view->shape[d + 1];
    view->strides[d] = view->strides[d + 1];
    memmove(&view->shape[d + 1], &view->shape[d + 2], (size_t)behind * sizeof *view->shape);
    memmove(&view->strides[d + 1], &view->strides[d + 2], (size_t)behind * sizeof *view->strides);
    memmove(&names[d + 1], &names[d + 2], (size_t)behind);
}

// Joins summed axes that are adjacent in the memory of both operands.
static void join_summed(View *from, char (*names)[NDIM_MAX], Term result) {
    for (int d = 0; d + 1 < from[0].ndim;) {
        int e = place_in((Term){names[1], from[1].ndim}, names[0][d]);
        bool summed = place_in(result, names[0][d]) < 0 && place_in(result, names[0][d + 1]) < 0;
        bool same = summed && e >= 0 && e + 1 < from[1].ndim && names[1][e + 1] == names[0][d + 1] &&
                    from[0].shape[d] == from[1].shape[e] && from[0].shape[d + 1] == from[1].shape[e + 1];
        if (same && joins(&from[0], d) && joins(&from[1], e)) {
            join(&from[0], names[0], d);
            join(&from[1], names[1], e);
        } else {
            d++;
        }
    }
}

static void put_axis(View *view, const View *from, int axis) {
    view->shape[view->ndim] = axis < 0 ? 1 : from->shape[axis];
    view->strides[view->ndim++] = axis < 0 ? 0 : from->strides[axis];
}

// Orders the result's axes: shared ones in the first operand's memory order, then at most one of
// the first alone, then one of the second alone. A missing one has extent 1.
static bool order_axes(const Term *terms, Term result, Axis *axes, int *stacked) {
    const Axis none = {{-1, -1}};
    Axis alone[2] = {none, none};
    int kind = 0; // of the last axis: 0 shared, 1 first operand, 2 second
    *stacked = 0;
    for (int d = 0; d < result.count; d++) {
        Axis axis = axis_named_by(terms, result.letters[d]);
        int now = axis.of[1] < 0 ? 1 : axis.of[0] < 0 ? 2 : 0;
        if ((axis.of[0] < 0 && axis.of[1] < 0) || now < kind || (now && now == kind)) return false;
        if (!now && *stacked > 0 && axis.of[0] < axes[*stacked - 1].of[0]) return false;
        if (now) alone[now - 1] = axis;
        else axes[(*stacked)++] = axis;
        kind = now;
    }
    axes[*stacked] = alone[0];
    axes[*stacked + 1] = alone[1];
    return true;
}

// Returns whether a matrix product pays: products of rows that are strided or very short are faster elementwise.
static bool is_worth_it(const View *a, const View *b) {
    int last = a->ndim - 1;
    int64_t depth = a->shape[last], size = (int64_t)dtype_size(a->dtype);
    bool rows = a->ndim > 2 && a->shape[last - 1] == 1 && b->shape[last] == 1;
    if (!rows || view_size(a) <= ANY_ROWS) return true;
    return depth >= ROW_LEAST && a->strides[last] == size && b->strides[last - 1] == size;
}

static bool matrices_of(const View *from, const Axis *axes, int stacked, Axis summed, View *to) {
    for (int i = 0; i < 2; i++) {
        to[i] = from[i];
        to[i].ndim = 0;
        for (int d = 0; d < stacked; d++) put_axis(&to[i], &from[i], axes[d].of[i]);
        if (i == 1) put_axis(&to[i], &from[i], summed.of[i]);
        put_axis(&to[i], &from[i], axes[stacked + i].of[i]);
        if (i == 0) put_axis(&to[i], &from[i], summed.of[i]);
    }
    for (int d = 0; d < stacked; d++)
        if (to[0].shape[d] != to[1].shape[d]) return false;
    return to[0].shape[stacked + 1] == to[1].shape[stacked] && view_size(&to[0]) > 0 && view_size(&to[1]) > 0 &&
           is_worth_it(&to[0], &to[1]);
}

Status array_contract(Vm *vm, const Value *arrays, const Term *given, Term result, const char *called, Value *out) {
    View from[2], matrices[2];
    char names[2][NDIM_MAX], letter;
    Axis axes[NDIM_MAX + 2];
    int64_t shape[NDIM_MAX];
    int stacked;
    for (int i = 0; i < 2; i++) {
        if (given[i].count != arrays[i].array->ndim || has_repeats(given[i])) return ST_NOTIMPL;
        array_view(arrays[i].array, &from[i]);
        memcpy(names[i], given[i].letters, (size_t)given[i].count);
    }
    join_summed(from, names, result);
    const Term terms[2] = {{names[0], from[0].ndim}, {names[1], from[1].ndim}};
    if (!summed_letter(terms, result, &letter) || has_repeats(result) || !order_axes(terms, result, axes, &stacked))
        return ST_NOTIMPL;
    if (stacked + 2 > NDIM_MAX) return ST_NOTIMPL;
    // without a summed axis it is an outer product, which only pays for few elements
    if (!letter && view_size(&from[0]) * view_size(&from[1]) > ANY_ROWS) return ST_NOTIMPL;
    if (!matrices_of(from, axes, stacked, axis_named_by(terms, letter), matrices)) return ST_NOTIMPL;
    for (int d = 0; d < result.count; d++) {
        Axis axis = axis_named_by(terms, result.letters[d]);
        shape[d] = axis.of[0] >= 0 ? from[0].shape[axis.of[0]] : from[1].shape[axis.of[1]];
    }
    return array_product(vm, &matrices[0], &matrices[1], result.count, shape, called, out);
}
