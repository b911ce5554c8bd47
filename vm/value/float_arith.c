// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arithmetic of floats as Python defines it: floored division, powers that leave the reals,
// rounding to decimal places, hashes that agree with those of equal ints.

#include "vm/value/float_arith.h"

#include <math.h>

#include "vm/value/class.h"
#include "vm/value/float_text.h"
#include "vm/value/int.h"
#include "vm/value/seq.h"
#include "vm/value/str.h"

// --- Errors -------------------------------------------------------------------------------------

static Status zero_division(Vm *vm, const char *text) {
    return vm_raise(vm, EXC_ZeroDivisionError, "%s", text);
}

// Raises the C library's error as CPython does: OverflowError(34, 'Numerical result out of range').
static Status raise_out_of_range(Vm *vm) {
    enum { ERANGE_NUMBER = 34 };
    Str *text = str_text(vm, "Numerical result out of range");
    if (!text) return vm_no_memory(vm);
    Value items[2] = {v_int(ERANGE_NUMBER), v_obj(text)}, args, exc;
    if (tuple_steal(vm, items, 2, &args) != ST_OK) return ST_ERROR;
    Status st = exc_new(vm, vm->exceptions[EXC_OverflowError], args, &exc);
    release(vm, args);
    if (st == ST_OK) replace(vm, &vm->error, exc);
    return ST_ERROR;
}

// --- Division -----------------------------------------------------------------------------------

double float_mod(double a, double b) {
    double mod = fmod(a, b);
    if (mod == 0) return copysign(0.0, b);
    return (b < 0) != (mod < 0) ? mod + b : mod;
}

// Computes the floor of the quotient, and the remainder, so that quotient * b + remainder is as near to a as can be.
static void floor_divide(double a, double b, double *quotient, double *remainder) {
    double mod = fmod(a, b);
    double div = (a - mod) / b; // an integer, up to rounding
    if (mod == 0) {
        mod = copysign(0.0, b);
    } else if ((b < 0) != (mod < 0)) {
        mod += b;
        div -= 1.0;
    }
    if (div == 0) {
        div = copysign(0.0, a / b);
    } else {
        double whole = floor(div);
        div = div - whole > 0.5 ? whole + 1.0 : whole;
    }
    *quotient = div;
    *remainder = mod;
}

Status float_divmod(Vm *vm, double a, double b, double *quotient, double *remainder) {
    if (b == 0) return zero_division(vm, "float divmod()");
    floor_divide(a, b, quotient, remainder);
    return ST_OK;
}

static Status divmod_pair(Vm *vm, double a, double b, Value *out) {
    double quotient, remainder;
    if (float_divmod(vm, a, b, &quotient, &remainder) != ST_OK) return ST_ERROR;
    return tuple_of(vm, (Value[]){v_float(quotient), v_float(remainder)}, 2, out);
}

// --- Powers -------------------------------------------------------------------------------------

static Status float_power(Vm *vm, double a, double b, Value *out) {
    if (a == 0 && b < 0 && isfinite(b))
        return zero_division(vm, "0.0 cannot be raised to a negative power");
    if (a < 0 && isfinite(a) && isfinite(b) && b != floor(b)) {
        Pair power;
        Status st = complex_power(vm, (Pair){a, 0.0}, (Pair){b, 0.0}, &power);
        return st == ST_OK ? complex_out(vm, power.re, power.im, out) : st;
    }
    double power = a == 1 || b == 0 ? 1.0 : pow(a, b); // also where the other one is nan
    if (isinf(power) && isfinite(a) && isfinite(b)) return raise_out_of_range(vm);
    *out = v_float(power);
    return ST_OK;
}

Status float_binary(Vm *vm, BinaryOp op, double a, double b, Value *out) {
    double quotient, remainder;
    switch (op) {
    case BIN_ADD: *out = v_float(a + b); return ST_OK;
    case BIN_SUB: *out = v_float(a - b); return ST_OK;
    case BIN_MUL: *out = v_float(a * b); return ST_OK;
    case BIN_DIV:
        if (b == 0) return zero_division(vm, "float division by zero");
        *out = v_float(a / b);
        return ST_OK;
    case BIN_FLOORDIV:
        if (b == 0) return zero_division(vm, "float floor division by zero");
        floor_divide(a, b, &quotient, &remainder);
        *out = v_float(quotient);
        return ST_OK;
    case BIN_MOD:
        if (b == 0) return zero_division(vm, "float modulo");
        *out = v_float(float_mod(a, b));
        return ST_OK;
    case BIN_POW: return float_power(vm, a, b, out);
    case BIN_DIVMOD: return divmod_pair(vm, a, b, out);
    default: return ST_NOTIMPL;
    }
}

// --- Rounding -----------------------------------------------------------------------------------

// With more places than ROUND_MAX a double has no digits to round; with fewer than ROUND_MIN it rounds to zero.
enum { ROUND_MAX = 323, ROUND_MIN = -308 };

static Status round_places(Vm *vm, double d, int64_t places, Value *out) {
    if (d == 0 || !isfinite(d) || places > ROUND_MAX) {
        *out = v_float(d);
        return ST_OK;
    }
    FloatDigits digits = {.count = 0};
    if (places >= ROUND_MIN) float_digits_places(fabs(d), places, &digits);
    double rounded = float_from_decimal(digits.text, (size_t)digits.count,
                                        (int64_t)digits.point - digits.count);
    if (isinf(rounded))
        return vm_raise(vm, EXC_OverflowError, "rounded value too large to represent");
    *out = v_float(copysign(rounded, d));
    return ST_OK;
}

Status float_round(Vm *vm, double d, bool has_digits, int64_t digits, Value *out) {
    if (has_digits) return round_places(vm, d, digits, out);
    double whole = round(d);
    if (fabs(d - whole) == 0.5) whole = 2.0 * round(d / 2.0); // a tie: to even
    return int_from_double(vm, whole, out);
}

// --- Hash ---------------------------------------------------------------------------------------

int64_t float_hash(double d) {
    enum { MODULUS_BITS = 61, HASH_INF = 314159 };
    const uint64_t modulus = ((uint64_t)1 << MODULUS_BITS) - 1;
    if (isnan(d)) return 0;
    if (isinf(d)) return d > 0 ? HASH_INF : -HASH_INF;
    FloatParts parts = float_parts(d);
    // significand * 2^exponent modulo 2^61 - 1, where multiplying by 2 is a rotation.
    int rotate = parts.exponent % MODULUS_BITS;
    if (rotate < 0) rotate += MODULUS_BITS;
    uint64_t m = parts.significand;
    uint64_t hash = (m << rotate & modulus) | m >> (MODULUS_BITS - rotate);
    int64_t result = d < 0 ? -(int64_t)hash : (int64_t)hash;
    return result == -1 ? -2 : result;
}
