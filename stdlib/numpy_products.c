// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Module `_numpy_products`: plain cases of what numpy/_einsum.ncr, _products.ncr and _vector_products.ncr do.
// Each function gives NotImplemented for what is not plain.

#include <string.h>

#include "stdlib/stdlib.h"
#include "vm/array/array.h"
#include "vm/value/seq.h"
#include "vm/value/str.h"

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

static Status plain(Status st, Value *out) {
    if (st != ST_NOTIMPL) return st;
    *out = V_NOTIMPLEMENTED;
    return ST_OK;
}

static bool are_alike(const Value *arrays) {
    return arrays[0].kind == K_ARRAY && arrays[1].kind == K_ARRAY && arrays[0].array->dtype == arrays[1].array->dtype;
}

// --- Subscripts ----------------------------------------------------------------------------------

static const char *take_term(const char *at, Term *term) {
    term->letters = at;
    term->count = (int)strspn(at, letters);
    return at + term->count;
}

// "ij,jk->ik", without anything else.
static bool terms_of(const char *text, Term *terms, Term *result) {
    text = take_term(text, &terms[0]);
    if (*text++ != ',') return false;
    text = take_term(text, &terms[1]);
    if (strncmp(text, "->", 2) != 0) return false;
    return *take_term(text + 2, result) == 0;
}

static Status fn_einsum(Vm *vm, const Value *args, Value *out) { // operands
    Term terms[2], result;
    const Value *items = args[0].tuple->items;
    bool pair = args[0].tuple->len == 3 && items[0].kind == K_STR && are_alike(items + 1);
    if (!pair || !terms_of(items[0].str->data, terms, &result)) return plain(ST_NOTIMPL, out);
    return plain(array_contract(vm, items + 1, terms, result, true, out), out);
}

// --- Vectors and matrices ------------------------------------------------------------------------

static bool is_conjugated(Value v) {
    return dtype_kind(v.array->dtype) == DK_COMPLEX;
}

// Rows by rows of arrays that have the same axes. Of single vectors nobody asks for float conditions.
static Status fn_vecdot(Vm *vm, const Value *args, Value *out) { // x1, x2
    if (!are_alike(args) || is_conjugated(args[0])) return plain(ST_NOTIMPL, out);
    int ndim = args[0].array->ndim;
    if (ndim == 0 || ndim != args[1].array->ndim || ndim > (int)strlen(letters)) return plain(ST_NOTIMPL, out);
    const Term terms[2] = {{letters, ndim}, {letters, ndim}}, result = {letters, ndim - 1};
    return plain(array_contract(vm, args, terms, result, ndim == 1, out), out);
}

static Status of_matrix(Vm *vm, const Value *args, const char *first, const char *second, const char *result,
                        Value *out) {
    const Term terms[2] = {{first, (int)strlen(first)}, {second, (int)strlen(second)}};
    if (!are_alike(args)) return plain(ST_NOTIMPL, out);
    return plain(array_contract(vm, args, terms, (Term){result, 1}, false, out), out);
}

static Status fn_matvec(Vm *vm, const Value *args, Value *out) { // x1, x2
    return of_matrix(vm, args, "mn", "n", "m", out);
}

static Status fn_vecmat(Vm *vm, const Value *args, Value *out) { // x1, x2
    if (are_alike(args) && is_conjugated(args[0])) return plain(ST_NOTIMPL, out);
    return of_matrix(vm, args, "n", "nm", "m", out);
}

// --- Rows ----------------------------------------------------------------------------------------

enum { WINDOWS_MOST = 4096 }; // elements of windows that are multiplied as a matrix

static bool are_rows(const Value *arrays) {
    return are_alike(arrays) && !is_conjugated(arrays[0]) && arrays[0].array->ndim == 1 && arrays[1].array->ndim == 1;
}

static Status fn_vdot(Vm *vm, const Value *args, Value *out) { // a, b
    bool fit = are_rows(args) && array_size(args[0].array) == array_size(args[1].array);
    return fit ? array_dot(vm, args[0], args[1], out) : plain(ST_NOTIMPL, out);
}

// Windows of the longer row, which overlap, as rows of a matrix; without those that stand out.
static Status fn_correlate(Vm *vm, const Value *args, Value *out) { // a, v
    View windows, row;
    if (!are_rows(args)) return plain(ST_NOTIMPL, out);
    int64_t n = array_size(args[0].array), m = array_size(args[1].array), count = n - m + 1;
    if (m < 1 || n < m || n > WINDOWS_MOST / m) return plain(ST_NOTIMPL, out);
    array_view(args[0].array, &windows);
    array_view(args[1].array, &row);
    windows.ndim = row.ndim = 2;
    windows.shape[0] = count;
    windows.shape[1] = m;
    windows.strides[1] = windows.strides[0];
    row.shape[1] = 1;
    row.strides[1] = 0;
    return array_product(vm, &windows, &row, 1, &count, true, out);
}

const NativeDef numpy_products_functions[] = {
    {"vdot", "a, b, /", fn_vdot, NULL, PURE},
    {"correlate", "a, v, /", fn_correlate, NULL, PURE},
    {"einsum", "operands, /", fn_einsum, NULL, PURE},
    {"vecdot", "x1, x2, /", fn_vecdot, NULL, PURE},
    {"matvec", "x1, x2, /", fn_matvec, NULL, PURE},
    {"vecmat", "x1, x2, /", fn_vecmat, NULL, PURE},
    {0},
};
