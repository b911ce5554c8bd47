// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Numbers of all kinds together: which arithmetic an operator means, exact comparison, hash.

#include "vm/value/num.h"

#include <math.h>

#include "vm/value/float_arith.h"
#include "vm/value/int.h"
#include "vm/value/seq.h"

// --- Conversions --------------------------------------------------------------------------------

static Status as_double(Vm *vm, Value v, double *out) {
    if (v.kind != K_FLOAT) return int_to_double(vm, v, out);
    *out = v.f;
    return ST_OK;
}

static Status as_pair(Vm *vm, Value v, Pair *out) {
    if (v.kind == K_COMPLEX) {
        *out = (Pair){v.complex->re, v.complex->im};
        return ST_OK;
    }
    out->im = 0.0;
    return as_double(vm, v, &out->re);
}

bool num_as_complex(Value v, double *re, double *im) {
    *im = 0.0;
    switch (v.kind) {
    case K_INT:
    case K_BOOL: *re = (double)v.i; return true;
    case K_FLOAT: *re = v.f; return true;
    case K_COMPLEX:
        *re = v.complex->re;
        *im = v.complex->im;
        return true;
    case K_BIGINT: {
        int64_t exponent;
        double d = int_frexp(v, &exponent);
        *re = exponent > 1024 ? INFINITY : ldexp(d, (int)exponent);
        return isfinite(*re);
    }
    default: return false;
    }
}

// --- Operators ----------------------------------------------------------------------------------

static Status bool_binary(BinaryOp op, Value a, Value b, Value *out) {
    switch (op) {
    case BIN_AND: *out = v_bool(a.i & b.i); return ST_OK;
    case BIN_OR: *out = v_bool(a.i | b.i); return ST_OK;
    case BIN_XOR: *out = v_bool(a.i ^ b.i); return ST_OK;
    default: return ST_NOTIMPL;
    }
}

static Status int_divmod_pair(Vm *vm, Value a, Value b, Value *out) {
    Value items[2];
    if (int_sign(b) == 0)
        return vm_raise(vm, EXC_ZeroDivisionError, "integer division or modulo by zero");
    Status st = int_divmod(vm, a, b, &items[0], &items[1]);
    return st == ST_OK ? tuple_steal(vm, items, 2, out) : st;
}

static Status ints_binary(Vm *vm, BinaryOp op, Value a, Value b, Value *out) {
    if (a.kind == K_BOOL && b.kind == K_BOOL) {
        Status st = bool_binary(op, a, b, out);
        if (st != ST_NOTIMPL) return st;
    }
    if (op == BIN_DIVMOD) return int_divmod_pair(vm, a, b, out);
    return int_binary(vm, op, a, b, out);
}

static bool is_float_op(BinaryOp op) {
    switch (op) {
    case BIN_LSHIFT:
    case BIN_RSHIFT:
    case BIN_AND:
    case BIN_OR:
    case BIN_XOR:
    case BIN_MATMUL: return false;
    default: return true;
    }
}

static bool is_complex_op(BinaryOp op) {
    return is_float_op(op) && op != BIN_FLOORDIV && op != BIN_MOD && op != BIN_DIVMOD;
}

static Status pairs_binary(Vm *vm, BinaryOp op, Value a, Value b, Value *out) {
    Pair x, y;
    if (!is_complex_op(op)) return ST_NOTIMPL;
    Status st = as_pair(vm, a, &x);
    if (st == ST_OK) st = as_pair(vm, b, &y);
    return st == ST_OK ? complex_binary(vm, op, x, y, out) : st;
}

Status num_binary(Vm *vm, BinaryOp op, Value a, Value b, Value *out) {
    if (is_int(a) && is_int(b)) return ints_binary(vm, op, a, b, out);
    if (!is_number(a) || !is_number(b)) return ST_NOTIMPL;
    if (a.kind == K_COMPLEX || b.kind == K_COMPLEX) return pairs_binary(vm, op, a, b, out);
    if (!is_float_op(op)) return ST_NOTIMPL;
    double x, y;
    if (as_double(vm, a, &x) != ST_OK || as_double(vm, b, &y) != ST_OK) return ST_ERROR;
    return float_binary(vm, op, x, y, out);
}

static Status float_unary(UnaryOp op, double d, Value *out) {
    switch (op) {
    case UN_NEG: *out = v_float(-d); return ST_OK;
    case UN_POS: *out = v_float(d); return ST_OK;
    case UN_ABS: *out = v_float(fabs(d)); return ST_OK;
    default: return ST_NOTIMPL;
    }
}

static Status complex_unary(Vm *vm, UnaryOp op, Value a, Value *out) {
    double size;
    const Complex *c = a.complex;
    switch (op) {
    case UN_NEG: return complex_out(vm, -c->re, -c->im, out);
    case UN_POS: *out = retain(a); return ST_OK;
    case UN_ABS:
        if (complex_abs(vm, (Pair){c->re, c->im}, &size) != ST_OK) return ST_ERROR;
        *out = v_float(size);
        return ST_OK;
    default: return ST_NOTIMPL;
    }
}

Status num_unary(Vm *vm, UnaryOp op, Value a, Value *out) {
    if (is_int(a)) return int_unary(vm, op, a, out);
    if (a.kind == K_FLOAT) return float_unary(op, a.f, out);
    return a.kind == K_COMPLEX ? complex_unary(vm, op, a, out) : ST_NOTIMPL;
}

// --- Comparison ---------------------------------------------------------------------------------

enum { UNORDERED = INT_UNORDERED };

static int compare_doubles(double a, double b) {
    if (isnan(a) || isnan(b)) return UNORDERED;
    return (a > b) - (a < b);
}

// Returns -1, 0, 1 or UNORDERED. Exact also between an int and a float. Neither operand is complex.
static int compare_reals(Value a, Value b) {
    if (a.kind == K_FLOAT && b.kind == K_FLOAT) return compare_doubles(a.f, b.f);
    if (b.kind == K_FLOAT) return int_compare_double(a, b.f);
    if (a.kind != K_FLOAT) return int_compare(a, b);
    int order = int_compare_double(b, a.f);
    return order == UNORDERED ? UNORDERED : -order;
}

static bool complex_equals(Value c, Value other) {
    if (other.kind == K_COMPLEX)
        return c.complex->re == other.complex->re && c.complex->im == other.complex->im;
    return c.complex->im == 0 && compare_reals(v_float(c.complex->re), other) == 0;
}

bool num_equal(Value a, Value b) {
    if (a.kind == K_COMPLEX) return complex_equals(a, b);
    if (b.kind == K_COMPLEX) return complex_equals(b, a);
    return compare_reals(a, b) == 0;
}

Status num_compare(Vm *vm, CompareOp op, Value a, Value b, Value *out) {
    (void)vm;
    if (!is_number(a) || !is_number(b)) return ST_NOTIMPL;
    if (op == CMP_EQ || op == CMP_NE) {
        *out = v_bool(num_equal(a, b) == (op == CMP_EQ));
        return ST_OK;
    }
    if (a.kind == K_COMPLEX || b.kind == K_COMPLEX) return ST_NOTIMPL;
    int order = compare_reals(a, b);
    bool holds;
    switch (op) {
    case CMP_LT: holds = order == -1; break;
    case CMP_LE: holds = order <= 0; break;
    case CMP_GT: holds = order == 1; break;
    default: holds = order == 0 || order == 1; break;
    }
    *out = v_bool(holds);
    return ST_OK;
}

int64_t num_hash(Value v) {
    switch (v.kind) {
    case K_FLOAT: return float_hash(v.f);
    case K_COMPLEX: return complex_hash((Pair){v.complex->re, v.complex->im});
    default: return int_hash(v);
    }
}
