// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Module `_numpy_products`: fast paths for plain cases of functions in numpy/_einsum.ncr, _products.ncr and
// _vector_products.ncr. Each function returns NotImplemented for other cases.

#include <string.h>

#include "stdlib/stdlib.h"
#include "vm/array/array.h"
#include "vm/array/methods.h"
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

// --- Vectors and matrices ------------------------------------------------------------------------

static bool is_conjugated(Value v) {
    return dtype_kind(v.array->dtype) == DK_COMPLEX;
}

// vecdot of arrays with the same number of axes and without conjugation. Float errors name it "vecdot".
static Status fn_vecdot(Vm *vm, const Value *args, Value *out) { // x1, x2
    if (!are_alike(args) || is_conjugated(args[0])) return plain(ST_NOTIMPL, out);
    int ndim = args[0].array->ndim;
    if (ndim == 0 || ndim != args[1].array->ndim || ndim > (int)strlen(letters)) return plain(ST_NOTIMPL, out);
    const Term terms[2] = {{letters, ndim}, {letters, ndim}}, result = {letters, ndim - 1};
    return plain(array_contract(vm, args, terms, result, "vecdot", out), out);
}

static Status of_matrix(Vm *vm, const Value *args, const char *first, const char *second, const char *result,
                        Value *out) {
    const Term terms[2] = {{first, (int)strlen(first)}, {second, (int)strlen(second)}};
    if (!are_alike(args)) return plain(ST_NOTIMPL, out);
    return plain(array_contract(vm, args, terms, (Term){result, 1}, NULL, out), out);
}

static Status fn_matvec(Vm *vm, const Value *args, Value *out) { // x1, x2
    return of_matrix(vm, args, "mn", "n", "m", out);
}

static Status fn_vecmat(Vm *vm, const Value *args, Value *out) { // x1, x2
    if (are_alike(args) && is_conjugated(args[0])) return plain(ST_NOTIMPL, out);
    return of_matrix(vm, args, "n", "nm", "m", out);
}

// --- Rows ----------------------------------------------------------------------------------------

static bool are_rows(const Value *arrays) {
    return are_alike(arrays) && !is_conjugated(arrays[0]) && arrays[0].array->ndim == 1 && arrays[1].array->ndim == 1;
}

static Status fn_vdot(Vm *vm, const Value *args, Value *out) { // a, b
    bool fit = are_rows(args) && array_size(args[0].array) == array_size(args[1].array);
    return fit ? array_dot(vm, args[0], args[1], out) : plain(ST_NOTIMPL, out);
}

static bool mode_of(Value mode, int64_t n, int64_t m, int64_t *first, int64_t *count) {
    const char *name = mode.kind == K_STR ? mode.str->data : "";
    *first = 0;
    *count = n + m - 1;
    if (strcmp(name, "valid") == 0) *first = m - 1, *count = n - m + 1;
    else if (strcmp(name, "same") == 0) *first = (m - 1) / 2, *count = n;
    else return strcmp(name, "full") == 0;
    return true;
}

// Makes arrays of one common type from two arguments that are non-empty vectors. ST_NOTIMPL: they are not.
static Status rows_of(Vm *vm, const Value *args, Value *rows) {
    DType type = DT_NONE;
    for (int i = 0; i < 2; i++) {
        bool row = args[i].kind == K_ARRAY || args[i].kind == K_LIST || args[i].kind == K_TUPLE;
        Status st = row ? array_from(vm, args[i], DT_NONE, &rows[i]) : ST_NOTIMPL;
        if (st != ST_OK) return st;
        if (rows[i].array->ndim != 1 || array_size(rows[i].array) == 0) return ST_NOTIMPL;
        type = i ? dtype_promote(type, rows[i].array->dtype) : rows[i].array->dtype;
    }
    for (int i = 0; i < 2; i++) {
        Value same;
        if (rows[i].array->dtype == type) continue;
        Status st = array_from(vm, rows[i], type, &same);
        if (st != ST_OK) return st;
        replace(vm, &rows[i], same);
    }
    return ST_OK;
}

static Status slide(Vm *vm, const Value *args, bool turned, Value *out) {
    Value rows[2] = {V_UNDEF, V_UNDEF};
    int64_t first, count;
    Status st = rows_of(vm, args, rows);
    if (st == ST_OK) {
        int64_t n = array_size(rows[0].array), m = array_size(rows[1].array);
        int longer = turned || n >= m ? 0 : 1;
        bool plain_case = n >= m || !turned;
        if (turned && is_conjugated(rows[0])) plain_case = false;
        if (longer) n = m, m = array_size(rows[0].array);
        if (!plain_case || !mode_of(args[2], n, m, &first, &count)) st = ST_NOTIMPL;
        else st = array_convolve(vm, rows[longer], rows[1 - longer], turned, first, count, out);
    }
    release(vm, rows[0]);
    release(vm, rows[1]);
    return plain(st, out);
}

static Status fn_convolve(Vm *vm, const Value *args, Value *out) { // a, v, mode
    return slide(vm, args, false, out);
}

static Status fn_correlate(Vm *vm, const Value *args, Value *out) { // a, v, mode
    return slide(vm, args, true, out);
}

const NativeDef numpy_products_functions[] = {
    {"vdot", "a, b, /", fn_vdot, NULL, PURE},
    {"convolve", "a, v, mode, /", fn_convolve, NULL, PURE},
    {"correlate", "a, v, mode, /", fn_correlate, NULL, PURE},
    {"einsum", "operands, /", numpy_einsum, NULL, PURE},
    {"vecdot", "x1, x2, /", fn_vecdot, NULL, PURE},
    {"matvec", "x1, x2, /", fn_matvec, NULL, PURE},
    {"vecmat", "x1, x2, /", fn_vecmat, NULL, PURE},
    {0},
};
