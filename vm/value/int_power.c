// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Powers, modular powers, greatest common divisors and square roots of ints.

#include <math.h>

#include "vm/value/int_long.h"

// --- Powers -------------------------------------------------------------------------------------

static bool small_power(int64_t base, int64_t exponent, int64_t *out) {
    int64_t result = 1;
    for (;;) {
        if (exponent & 1 && __builtin_mul_overflow(result, base, &result)) return false;
        exponent >>= 1;
        if (exponent == 0) break;
        if (__builtin_mul_overflow(base, base, &base)) return false;
    }
    *out = result;
    return true;
}

// Replaces *v by *v times w.
static Status multiply_by(Vm *vm, Value *v, Value w) {
    Value product;
    Status st = vm_poll(vm);
    if (st == ST_OK) st = int_mul(vm, *v, w, &product);
    if (st == ST_OK) replace(vm, v, product);
    return st;
}

// Computes the power from the top bit of the exponent down, so that one factor stays small.
static Status large_power(Vm *vm, Value base, int64_t exponent, Value *out) {
    Value result = retain(base);
    Status st = ST_OK;
    for (int bit = 62 - __builtin_clzll((uint64_t)exponent); bit >= 0 && st == ST_OK; bit--) {
        st = multiply_by(vm, &result, result);
        if (st == ST_OK && exponent >> bit & 1) st = multiply_by(vm, &result, base);
    }
    if (st == ST_OK) {
        *out = result;
    } else {
        release(vm, result);
    }
    return st;
}

static bool is_even(Value v) {
    return v.kind == K_BIGINT ? !(v.big->digits[0] & 1) : !(v.i & 1);
}

Status int_power(Vm *vm, Value base, Value exponent, Value *out) {
    int64_t small;
    if (int_sign(exponent) == 0) {
        *out = v_int(1);
        return ST_OK;
    }
    if (base.kind != K_BIGINT && base.i >= -1 && base.i <= 1) {
        *out = v_int(base.i < 0 && is_even(exponent) ? 1 : base.i);
        return ST_OK;
    }
    if (exponent.kind == K_BIGINT) return vm_no_memory(vm);
    if (base.kind != K_BIGINT && small_power(base.i, exponent.i, &small)) {
        *out = v_int(small);
        return ST_OK;
    }
    int64_t bits;
    if (__builtin_mul_overflow(int_bits(base) - 1, exponent.i, &bits)) return vm_no_memory(vm);
    if (int_check_size(vm, bits) != ST_OK) return ST_ERROR;
    if (base.kind == K_BOOL) base = v_int(base.i);
    return large_power(vm, base, exponent.i, out);
}

// --- Modular powers -----------------------------------------------------------------------------

static uint64_t power_mod64(uint64_t base, uint64_t exponent, uint64_t modulus) {
    uint64_t result = 1 % modulus;
    for (base %= modulus; exponent; exponent >>= 1) {
        if (exponent & 1) result = (uint64_t)((U128)result * base % modulus);
        base = (uint64_t)((U128)base * base % modulus);
    }
    return result;
}

// Computes v modulo a positive modulus, 0 <= result < modulus.
static Status reduce(Vm *vm, Value v, Value modulus, Value *out) {
    return int_divmod(vm, v, modulus, NULL, out);
}

// Computes base^exponent modulo the modulus, for 0 <= base < modulus and exponent >= 0.
static Status power_mod(Vm *vm, Value base, Value exponent, Value modulus, Value *out) {
    if (modulus.kind == K_BIGINT || exponent.kind == K_BIGINT)
        return big_pow_mod(vm, base, exponent, modulus, out);
    uint64_t result = power_mod64((uint64_t)base.i, (uint64_t)exponent.i, (uint64_t)modulus.i);
    *out = v_int((int64_t)result);
    return ST_OK;
}

// Computes the inverse of a modulo the modulus by the extended Euclidean algorithm; false: there is none.
static bool inverse64(int64_t a, int64_t modulus, int64_t *out) {
    I128 r0 = modulus, r1 = a, t0 = 0, t1 = 1;
    while (r1) {
        I128 q = r0 / r1, r = r0 - q * r1, t = t0 - q * t1;
        r0 = r1, r1 = r;
        t0 = t1, t1 = t;
    }
    *out = (int64_t)(t0 < 0 ? t0 + modulus : t0) % modulus;
    return r0 == 1;
}

static Status inverse_of(Vm *vm, Value v, Value modulus, bool *exists, Value *out) {
    int64_t inverse;
    if (modulus.kind == K_BIGINT) return big_inverse(vm, v, modulus, exists, out);
    *exists = inverse64(v.i, modulus.i, &inverse);
    *out = v_int(inverse);
    return ST_OK;
}

// Computes a power with a negative exponent, as that of the inverse.
static Status inverse_power_mod(Vm *vm, Value base, Value exponent, Value modulus, Value *out) {
    Value inverse, positive;
    bool exists = false;
    Status st = inverse_of(vm, base, modulus, &exists, &inverse);
    if (st != ST_OK) return st;
    if (!exists)
        return vm_raise(vm, EXC_ValueError, "base is not invertible for the given modulus");
    st = int_unary(vm, UN_NEG, exponent, &positive);
    if (st == ST_OK) {
        st = power_mod(vm, inverse, positive, modulus, out);
        release(vm, positive);
    }
    release(vm, inverse);
    return st;
}

static Status positive_pow_mod(Vm *vm, Value base, Value exponent, Value modulus, Value *out) {
    Value reduced;
    Status st = reduce(vm, base, modulus, &reduced);
    if (st != ST_OK) return st;
    if (int_sign(exponent) < 0) {
        st = inverse_power_mod(vm, reduced, exponent, modulus, out);
    } else {
        st = power_mod(vm, reduced, exponent, modulus, out);
    }
    release(vm, reduced);
    return st;
}

Status int_pow_mod(Vm *vm, Value base, Value exponent, Value modulus, Value *out) {
    int sign = int_sign(modulus);
    if (sign == 0) return vm_raise(vm, EXC_ValueError, "pow() 3rd argument cannot be 0");
    Value positive, result;
    Status st = int_unary(vm, UN_ABS, modulus, &positive);
    if (st != ST_OK) return st;
    st = positive_pow_mod(vm, base, exponent, positive, &result);
    release(vm, positive);
    if (st != ST_OK || sign > 0 || int_sign(result) == 0) {
        if (st == ST_OK) *out = result;
        return st;
    }
    st = int_add(vm, result, modulus, out); // results have the sign of a negative modulus
    release(vm, result);
    return st;
}

// --- Divisors and roots -------------------------------------------------------------------------

static uint64_t magnitude64(int64_t i) {
    return i < 0 ? -(uint64_t)i : (uint64_t)i;
}

Status int_gcd(Vm *vm, Value a, Value b, Value *out) {
    if (a.kind != K_BIGINT && b.kind != K_BIGINT)
        return int_from_u64(vm, gcd64(magnitude64(a.i), magnitude64(b.i)), out);
    if (int_sign(b) == 0) return int_unary(vm, UN_ABS, a, out);
    if (int_sign(a) == 0) return int_unary(vm, UN_ABS, b, out);
    if (a.kind == K_BIGINT && b.kind == K_BIGINT) return big_binary(vm, BIG_GCD, a, b, out);
    Value big = a.kind == K_BIGINT ? a : b, small = a.kind == K_BIGINT ? b : a, rest;
    Status st = int_divmod(vm, big, small, NULL, &rest);
    if (st != ST_OK) return st;
    return int_from_u64(vm, gcd64(magnitude64(small.i), magnitude64(rest.i)), out);
}

Status int_isqrt(Vm *vm, Value v, Value *out) {
    if (v.kind == K_BIGINT) return big_isqrt(vm, v, out);
    int64_t root = (int64_t)sqrt((double)v.i); // off by one at most
    while ((U128)root * (U128)root > (U128)v.i) root--;
    while ((U128)(root + 1) * (U128)(root + 1) <= (U128)v.i) root++;
    *out = v_int(root);
    return ST_OK;
}
