// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Operators of NumPy scalars. Common cases are computed here, with the types, warnings and errors
// of arrays; rarer ones become 0-dimensional array operations.

#include <math.h>

#include "vm/array/array.h"
#include "vm/array/scalar_arith.h"
#include "vm/value/num.h"

typedef __int128 Wide; // holds any 64-bit integer, signed or not

typedef struct Number {
    DType type;        // type of a strong number
    Strength strength;
    Wide i;            // integers and bool
    double f;          // floats
    bool is_float;
} Number;

static bool number_of(Value v, Number *n) {
    *n = (Number){.type = DT_NONE, .strength = strength_of(v)};
    switch (v.kind) {
    case K_BOOL:
        n->type = DT_BOOL;
        n->i = v.i;
        return true;
    case K_INT: n->i = v.i; return true;
    case K_FLOAT:
        n->is_float = true;
        n->f = v.f;
        return true;
    case K_SCALAR:
        n->type = (DType)v.aux;
        n->is_float = dtype_kind(n->type) == DK_FLOAT;
        if (n->is_float) n->f = v.f;
        else n->i = dtype_kind(n->type) == DK_UINT ? (Wide)(uint64_t)v.i : (Wide)v.i;
        return true;
    default: return false;
    }
}

// Returns the common type of two numbers, at least one of which is strong.
static DType common_type(const Number *a, const Number *b) {
    if (a->type != DT_NONE && b->type != DT_NONE) return dtype_promote(a->type, b->type);
    return a->type == DT_NONE ? dtype_with_weak(b->type, a->strength)
                              : dtype_with_weak(a->type, b->strength);
}

// --- Integers ----------------------------------------------------------------------------------

static bool fits(DType type, Wide i) {
    return i <= (Wide)dtype_max(type) && i >= (dtype_kind(type) == DK_INT ? dtype_min(type) : 0);
}

// Wraps an integer result to the type. Arrays wrap silently, scalars warn.
static Status wrapped(Vm *vm, DType type, Wide r, const char *name, Value *out) {
    Scalar s = dtype_convert(DT_INT64, type, (Scalar){.u = (uint64_t)r});
    *out = v_scalar(type, s);
    return fits(type, r) ? ST_OK : vm_float_error(vm, FLOAT_OVERFLOW, "scalar ", name);
}

static Wide shifted(DType type, Wide i, Wide by, bool left) {
    bool inside = by >= 0 && by < (Wide)(8 * dtype_size(type));
    if (left) return inside ? (Wide)((uint64_t)i << by) : 0;
    return inside ? i >> by : i < 0 ? -1 : 0;
}

static Status integer_op(Vm *vm, BinaryOp op, DType type, Wide i, Wide j, Value *out) {
    Wide r;
    switch (op) {
    case BIN_ADD: return wrapped(vm, type, i + j, "add", out);
    case BIN_SUB: return wrapped(vm, type, i - j, "subtract", out);
    case BIN_MUL:
        if (__builtin_mul_overflow(i, j, &r)) return ST_NOTIMPL;
        return wrapped(vm, type, r, "multiply", out);
    case BIN_AND: r = i & j; break;
    case BIN_OR: r = i | j; break;
    case BIN_XOR: r = i ^ j; break;
    case BIN_LSHIFT:
    case BIN_RSHIFT: r = shifted(type, i, j, op == BIN_LSHIFT); break;
    case BIN_FLOORDIV:
    case BIN_MOD:
        if (j == 0 || j == -1) return ST_NOTIMPL;
        r = op == BIN_MOD ? i % j : i / j;
        if (i % j != 0 && (i < 0) != (j < 0)) r += op == BIN_MOD ? j : -1;
        break;
    default: return ST_NOTIMPL;
    }
    *out = v_scalar(type, dtype_convert(DT_INT64, type, (Scalar){.u = (uint64_t)r}));
    return ST_OK;
}

static Status truth_op(BinaryOp op, Wide i, Wide j, Value *out) {
    int64_t r;
    switch (op) {
    case BIN_AND: r = i & j; break;
    case BIN_OR: r = i | j; break;
    case BIN_XOR: r = i ^ j; break;
    default: return ST_NOTIMPL;
    }
    *out = v_scalar(DT_BOOL, (Scalar){.i = r});
    return ST_OK;
}

// --- Floats ------------------------------------------------------------------------------------

static double smallest_normal(DType type) {
    return type == DT_FLOAT16 ? 0x1p-14 : type == DT_FLOAT32 ? 0x1p-126 : 0x1p-1022;
}

// Rounds a number to a float type. False: it became infinite, which the array path reports.
static bool as_float(const Number *n, DType type, double *out) {
    double wide = n->is_float ? n->f : (double)n->i;
    *out = type == DT_FLOAT64 ? wide : dtype_convert(DT_FLOAT64, type, (Scalar){.f = wide}).f;
    return isfinite(*out) || !isfinite(wide);
}

// Derives float flags of r = a op b without reading the hardware. Loss of digits in a subnormal
// result cannot be detected (ST_NOTIMPL).
static Status check_result(Vm *vm, BinaryOp op, DType type, double a, double b, double r) {
    static const char *const names[] = {[BIN_ADD] = "add", [BIN_SUB] = "subtract",
                                        [BIN_MUL] = "multiply", [BIN_DIV] = "divide",
                                        [BIN_POW] = "power"};
    if (isfinite(r)) {
        bool tiny = fabs(r) < smallest_normal(type) && op != BIN_ADD && op != BIN_SUB;
        bool ignored = vm->float_errors.action[FLOAT_UNDERFLOW] == FLOAT_IGNORE;
        return tiny && !ignored ? ST_NOTIMPL : ST_OK;
    }
    if (isnan(r))
        return isnan(a) || isnan(b) ? ST_OK
                                    : vm_float_error(vm, FLOAT_INVALID, "scalar ", names[op]);
    if (!isfinite(a) || !isfinite(b)) return ST_OK;
    bool pole = (op == BIN_DIV && b == 0) || (op == BIN_POW && a == 0);
    return vm_float_error(vm, pole ? FLOAT_DIVIDE : FLOAT_OVERFLOW, "scalar ", names[op]);
}

// Computes in double, and rounds to the type. That is correct for narrower types, since double has more
// than twice their digits; except for powers. `own`: the type is an operand's; otherwise errors are not
// worded as scalar errors.
static Status float_op(Vm *vm, BinaryOp op, DType type, bool own, double a, double b, Value *out) {
    double r;
    switch (op) {
    case BIN_ADD: r = a + b; break;
    case BIN_SUB: r = a - b; break;
    case BIN_MUL: r = a * b; break;
    case BIN_DIV: r = a / b; break;
    case BIN_POW:
        if (type != DT_FLOAT64) return ST_NOTIMPL;
        r = pow(a, b);
        break;
    default: return ST_NOTIMPL;
    }
    if (type != DT_FLOAT64) r = dtype_convert(DT_FLOAT64, type, (Scalar){.f = r}).f;
    if (!own && !isfinite(r)) return ST_NOTIMPL;
    Status st = check_result(vm, op, type, a, b, r);
    if (st == ST_OK) *out = v_scalar(type, (Scalar){.f = r});
    return st;
}

// --- Complex numbers ---------------------------------------------------------------------------

// Converts an operand to complex128. False for float16 and float32: combined with these, Python's complex
// numbers are complex64.
static bool as_pair(Value v, Scalar *out) {
    Number n;
    if (v.kind == K_COMPLEX || (v.kind == K_COMPLEX_SCALAR && v.obj->aux == DT_COMPLEX128)) {
        *out = (Scalar){.re = v.complex->re, .im = v.complex->im};
        return true;
    }
    out->im = 0;
    return number_of(v, &n) && n.type != DT_FLOAT16 && n.type != DT_FLOAT32 &&
           as_float(&n, DT_FLOAT64, &out->re);
}

static bool pair_op(BinaryOp op, Scalar a, Scalar b, Scalar *r) {
    switch (op) {
    case BIN_ADD: *r = (Scalar){.re = a.re + b.re, .im = a.im + b.im}; break;
    case BIN_SUB: *r = (Scalar){.re = a.re - b.re, .im = a.im - b.im}; break;
    case BIN_MUL:
        *r = (Scalar){.re = a.re * b.re - a.im * b.im, .im = a.re * b.im + a.im * b.re};
        break;
    default: return false;
    }
    return isfinite(r->re) && isfinite(r->im); // otherwise there may be a warning
}

static Status complex_op(Vm *vm, BinaryOp op, Value a, Value b, Value *out) {
    Scalar x, y, r;
    bool numbers = (is_numpy_scalar(a) || is_number(a)) && (is_numpy_scalar(b) || is_number(b));
    if (numbers && (op == BIN_FLOORDIV || op == BIN_MOD || op == BIN_DIVMOD)) return ST_NOTIMPL;
    if (as_pair(a, &x) && as_pair(b, &y) && pair_op(op, x, y, &r))
        return scalar_out(vm, DT_COMPLEX128, r, out);
    return array_binary(vm, op, false, a, b, out);
}

// --- Operators ---------------------------------------------------------------------------------

static Status number_op(Vm *vm, BinaryOp op, const Number *a, const Number *b, Value *out) {
    double x, y;
    DType type = common_type(a, b);
    bool own = type == a->type || type == b->type;
    if (op == BIN_DIV && dtype_kind(type) != DK_FLOAT) type = DT_FLOAT64;
    if (dtype_kind(type) == DK_FLOAT) {
        if (!as_float(a, type, &x) || !as_float(b, type, &y)) return ST_NOTIMPL;
        return float_op(vm, op, type, own, x, y, out);
    }
    if (type == DT_BOOL) return truth_op(op, a->i, b->i, out);
    if (!fits(type, a->i) || !fits(type, b->i)) return ST_NOTIMPL;
    return integer_op(vm, op, type, a->i, b->i, out);
}

static bool is_items(Value v) {
    return v.kind == K_LIST || v.kind == K_TUPLE;
}

Status scalar_binary(Vm *vm, BinaryOp op, bool in_place, Value a, Value b, Value *out) {
    Number x, y;
    Status st = ST_NOTIMPL;
    (void)in_place;
    // list * number repeats the list
    if (op == BIN_MUL && (is_items(a) || is_items(b))) return ST_NOTIMPL;
    if (number_of(a, &x) && number_of(b, &y)) st = number_op(vm, op, &x, &y, out);
    else if ((a.kind == K_COMPLEX_SCALAR || b.kind == K_COMPLEX_SCALAR || a.kind == K_COMPLEX ||
              b.kind == K_COMPLEX) && a.kind != K_ARRAY && b.kind != K_ARRAY)
        return complex_op(vm, op, a, b, out);
    return st == ST_NOTIMPL ? array_binary(vm, op, false, a, b, out) : st;
}

static bool holds(CompareOp op, double x, double y) {
    switch (op) {
    case CMP_LT: return x < y;
    case CMP_LE: return x <= y;
    case CMP_EQ: return x == y;
    case CMP_NE: return x != y;
    case CMP_GT: return x > y;
    default: return x >= y;
    }
}

Status scalar_compare(Vm *vm, CompareOp op, Value a, Value b, Value *out) {
    Number x, y;
    double f = 0, g = 0;
    bool numbers = number_of(a, &x) && number_of(b, &y);
    if (!numbers) {
        bool comparable = b.kind == K_ARRAY || is_numpy_scalar(b) || is_number(b) || is_array_like(b);
        if ((op == CMP_EQ || op == CMP_NE) && !comparable) return ST_NOTIMPL;
        return array_compare(vm, op, a, b, out);
    }
    if (x.is_float || y.is_float) {
        DType type = common_type(&x, &y);
        if (!as_float(&x, type, &f) || !as_float(&y, type, &g))
            return array_compare(vm, op, a, b, out);
    } else {
        f = x.i < y.i ? -1 : x.i > y.i;
    }
    *out = v_scalar(DT_BOOL, (Scalar){.i = holds(op, f, g)});
    return ST_OK;
}

static Status float_unary(UnaryOp op, const Number *n, Value *out) {
    double r = n->f;
    switch (op) {
    case UN_NEG: r = -r; break;
    case UN_POS: break;
    case UN_ABS: r = fabs(r); break;
    default: return ST_NOTIMPL;
    }
    *out = v_scalar(n->type, (Scalar){.f = r});
    return ST_OK;
}

static Status integer_unary(Vm *vm, UnaryOp op, const Number *n, Value *out) {
    switch (op) {
    case UN_NEG:
        if (dtype_kind(n->type) == DK_INT) return wrapped(vm, n->type, -n->i, "negative", out);
        return ST_NOTIMPL;
    case UN_POS: return wrapped(vm, n->type, n->i, "positive", out);
    case UN_ABS: return wrapped(vm, n->type, n->i < 0 ? -n->i : n->i, "absolute", out);
    case UN_INVERT:
        if (dtype_kind(n->type) == DK_INT) return wrapped(vm, n->type, ~n->i, "invert", out);
        return ST_NOTIMPL;
    default: return ST_NOTIMPL;
    }
}

Status scalar_unary(Vm *vm, UnaryOp op, Value a, Value *out) {
    Number n;
    Status st = ST_NOTIMPL;
    if (number_of(a, &n) && n.is_float) st = float_unary(op, &n, out);
    else if (number_of(a, &n) && n.type != DT_BOOL) st = integer_unary(vm, op, &n, out);
    if (st != ST_NOTIMPL) return st;
    bool minus = op == UN_NEG && dtype_kind(scalar_dtype(a)) == DK_UINT && n.i != 0;
    if (minus && vm_float_error(vm, FLOAT_OVERFLOW, "scalar ", "negative") != ST_OK) return ST_ERROR;
    return array_unary(vm, op, a, out);
}
