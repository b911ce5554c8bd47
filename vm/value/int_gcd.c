// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Greatest common divisors of long magnitudes by Lehmer's algorithm: several steps of Euclid's algorithm on the top 62
// bits are applied to the full numbers in one pass (Knuth, The Art of Computer Programming, volume 2, 4.5.2,
// algorithm L; the condition for the quotients to be those of the full numbers is Collins').

#include <string.h>

#include "vm/value/int_digits.h"
#include "vm/value/int_long.h"

enum { TOP_BITS = 62, POLL_DIGITS = 1 << 14 };

// x becomes a x + b y, and y becomes c x + d y.
typedef struct Cofactors {
    int64_t a, b, c, d;
} Cofactors;

static int trailing_zeros(U128 n) {
    return (uint64_t)n ? __builtin_ctzll((uint64_t)n) : 64 + __builtin_ctzll((uint64_t)(n >> 64));
}

uint64_t gcd64(uint64_t a, uint64_t b) {
    if (a == 0 || b == 0) return a | b;
    int shift = __builtin_ctzll(a | b);
    a >>= __builtin_ctzll(a);
    while (b) {
        b >>= __builtin_ctzll(b);
        uint64_t less = a < b ? a : b;
        b = a < b ? b - a : a - b;
        a = less;
    }
    return a << shift;
}

static uint64_t top_bits(uint64_t high, uint64_t low, int shift) {
    return (uint64_t)(((U128)high << INT_DIGIT_BITS | low) >> shift);
}

// Makes Euclid's steps on the top bits, as long as the quotients are those of the full numbers; false: no step at all.
static bool find_cofactors(const uint64_t *x, int xn, const uint64_t *y, int yn, Cofactors *found) {
    int bits = 64 - __builtin_clzll(x[xn - 1]) + INT_DIGIT_BITS,
        shift = bits > TOP_BITS ? bits - TOP_BITS : 0;
    int64_t u = (int64_t)top_bits(x[xn - 1], x[xn - 2], shift);
    int64_t v = (int64_t)top_bits(yn == xn ? y[xn - 1] : 0, yn >= xn - 1 ? y[xn - 2] : 0, shift);
    int64_t a = 1, b = 0, c = 0, d = 1;
    int steps = 0;
    for (; v != c; steps++) {
        int64_t q = (u + (a - 1)) / (v - c), next = b + q * d, rest = u - q * v;
        if (next > rest) break;
        u = v;
        v = rest;
        rest = a + q * c;
        a = d;
        b = c;
        c = next;
        d = rest;
    }
    *found = steps & 1 ? (Cofactors){-b, a, d, -c} : (Cofactors){a, -b, -c, d};
    return steps > 0;
}

static int without_zeros(const uint64_t *digits, int n) {
    while (n > 0 && digits[n - 1] == 0) n--;
    return n;
}

static void combine(uint64_t *x, uint64_t *y, int n, Cofactors f) {
    I128 first = 0, second = 0;
    for (int i = 0; i < n; i++) {
        int64_t u = (int64_t)x[i], v = (int64_t)y[i];
        first += (I128)f.a * u + (I128)f.b * v;
        second += (I128)f.c * u + (I128)f.d * v;
        x[i] = (uint64_t)first & INT_DIGIT_MASK;
        y[i] = (uint64_t)second & INT_DIGIT_MASK;
        first >>= INT_DIGIT_BITS;
        second >>= INT_DIGIT_BITS;
    }
}

// x, y = y, x % y
static Status divide(Vm *vm, uint64_t *x, int *xn, uint64_t *y, int *yn) {
    uint64_t *rest = long_room(vm, (size_t)*yn);
    if (!rest) return ST_ERROR;
    Status st = long_div(vm, x, *xn, y, *yn, NULL, rest);
    int n = *yn;
    if (st == ST_OK) {
        memcpy(x, y, (size_t)n * sizeof *x);
        memcpy(y, rest, (size_t)n * sizeof *y);
        *xn = n;
        *yn = without_zeros(y, n);
    }
    long_free(vm, rest, (size_t)n);
    return st;
}

// GCD of two ints of 120 bits by shifts and differences (Stein, 1967).
static U128 short_gcd(U128 a, U128 b) {
    if (a == 0 || b == 0) return a | b;
    int shift = trailing_zeros(a | b);
    a >>= trailing_zeros(a);
    while (b) {
        b >>= trailing_zeros(b);
        U128 less = a < b ? a : b;
        b = a < b ? b - a : a - b;
        a = less;
        if (!(a >> 64) && !(b >> 64)) return (U128)gcd64((uint64_t)a, (uint64_t)b) << shift;
    }
    return a << shift;
}

Status long_gcd(Vm *vm, uint64_t *x, int xn, uint64_t *y, int yn, int *used) {
    for (int64_t work = 0; xn > 2 && yn > 1; work += xn) {
        if (work >= POLL_DIGITS) {
            work = 0;
            if (vm_poll(vm) != ST_OK) return ST_ERROR;
        }
        Cofactors f;
        if (!find_cofactors(x, xn, y, yn, &f)) {
            if (divide(vm, x, &xn, y, &yn) != ST_OK) return ST_ERROR;
            continue;
        }
        for (int i = yn; i < xn; i++) y[i] = 0;
        combine(x, y, xn, f);
        xn = without_zeros(x, xn);
        yn = without_zeros(y, xn);
    }
    if (yn == 1 && xn > 1) {
        x[0] = digits_div1(x, xn, y[0], NULL);
        xn = 1;
    }
    if (yn > 0) {
        U128 a = x[0] | (xn > 1 ? (U128)x[1] << INT_DIGIT_BITS : 0);
        U128 found = short_gcd(a, y[0] | (yn > 1 ? (U128)y[1] << INT_DIGIT_BITS : 0));
        x[0] = (uint64_t)found & INT_DIGIT_MASK;
        x[1] = (uint64_t)(found >> INT_DIGIT_BITS);
        xn = 2;
    }
    *used = xn; // zeros on top do no harm
    return ST_OK;
}
