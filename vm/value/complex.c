// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Complex numbers: making, arithmetic, powers, absolute value, hash.

#include <math.h>

#include "vm/value/float_arith.h"
#include "vm/value/object.h"

Complex *complex_new(Vm *vm, double re, double im) {
    Complex *complex = obj_new(vm, K_COMPLEX, sizeof *complex);
    if (!complex) return NULL;
    complex->re = re;
    complex->im = im;
    return complex;
}

Status complex_out(Vm *vm, double re, double im, Value *out) {
    Complex *complex = complex_new(vm, re, im);
    if (!complex) return vm_no_memory(vm);
    *out = v_obj(complex);
    return ST_OK;
}

static Status pair_out(Vm *vm, Pair p, Value *out) {
    return complex_out(vm, p.re, p.im, out);
}

static Pair multiply(Pair a, Pair b) {
    return (Pair){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

// Robert L. Smith's division: scaled by the larger part of the divisor, so that nothing overflows
// on the way.
static Pair divide(Pair a, Pair b) {
    if (fabs(b.re) >= fabs(b.im)) {
        double ratio = b.im / b.re, scale = b.re + b.im * ratio;
        return (Pair){(a.re + a.im * ratio) / scale, (a.im - a.re * ratio) / scale};
    }
    if (fabs(b.im) >= fabs(b.re)) {
        double ratio = b.re / b.im, scale = b.re * ratio + b.im;
        return (Pair){(a.re * ratio + a.im) / scale, (a.im * ratio - a.re) / scale};
    }
    return (Pair){NAN, NAN}; // a part of b is nan
}

// --- Powers -------------------------------------------------------------------------------------

static Pair positive_whole_power(Pair x, long n) {
    Pair result = {1.0, 0.0};
    for (long mask = 1; n >= mask; mask <<= 1, x = multiply(x, x))
        if (n & mask) result = multiply(result, x);
    return result;
}

static Pair whole_power(Pair x, long n) {
    if (n > 0) return positive_whole_power(x, n);
    return divide((Pair){1.0, 0.0}, positive_whole_power(x, -n));
}

// Computes a^b in polar form; false: the angle is infinite, and has no cosine.
static bool polar_power(Pair a, Pair b, Pair *out) {
    double size = hypot(a.re, a.im), angle = atan2(a.im, a.re);
    double length = pow(size, b.re), phase = angle * b.re;
    if (b.im != 0) {
        length /= exp(angle * b.im);
        phase += b.im * log(size);
    }
    *out = (Pair){length * cos(phase), length * sin(phase)};
    return !isinf(phase);
}

static bool small_whole(Pair p) {
    enum { WHOLE_POWERS = 100 };
    return p.im == 0 && p.re == floor(p.re) && fabs(p.re) <= WHOLE_POWERS;
}

static bool finite_pair(Pair p) {
    return isfinite(p.re) && isfinite(p.im);
}

Status complex_power(Vm *vm, Pair a, Pair b, Pair *out) {
    bool base_zero = a.re == 0 && a.im == 0;
    if (b.re == 0 && b.im == 0) {
        *out = (Pair){1.0, 0.0};
        return ST_OK;
    }
    Pair power = {0.0, 0.0};
    bool defined = !base_zero || !(b.im != 0 || b.re < 0);
    if (defined && small_whole(b)) {
        power = whole_power(a, (long)b.re);
    } else if (!base_zero) {
        defined = polar_power(a, b, &power);
    }
    if (!defined)
        return vm_raise(vm, EXC_ZeroDivisionError, "0.0 to a negative or complex power");
    if (isinf(power.re) || isinf(power.im))
        return vm_raise(vm, EXC_OverflowError, "complex exponentiation");
    *out = power;
    return ST_OK;
}

static Status power_out(Vm *vm, Pair a, Pair b, Value *out) {
    Pair power;
    Status st = complex_power(vm, a, b, &power);
    return st == ST_OK ? pair_out(vm, power, out) : st;
}

Status complex_binary(Vm *vm, BinaryOp op, Pair a, Pair b, Value *out) {
    switch (op) {
    case BIN_ADD: return complex_out(vm, a.re + b.re, a.im + b.im, out);
    case BIN_SUB: return complex_out(vm, a.re - b.re, a.im - b.im, out);
    case BIN_MUL: return pair_out(vm, multiply(a, b), out);
    case BIN_DIV:
        if (b.re == 0 && b.im == 0)
            return vm_raise(vm, EXC_ZeroDivisionError, "complex division by zero");
        return pair_out(vm, divide(a, b), out);
    case BIN_POW: return power_out(vm, a, b, out);
    default: return ST_NOTIMPL;
    }
}

Status complex_abs(Vm *vm, Pair a, double *out) {
    double size = hypot(a.re, a.im); // infinite if a part is, even when the other is nan
    if (isinf(size) && finite_pair(a))
        return vm_raise(vm, EXC_OverflowError, "absolute value too large");
    *out = size;
    return ST_OK;
}

int64_t complex_hash(Pair a) {
    const uint64_t factor = 1000003;
    uint64_t hash = (uint64_t)float_hash(a.re) + factor * (uint64_t)float_hash(a.im);
    return hash == UINT64_MAX ? -2 : (int64_t)hash;
}
