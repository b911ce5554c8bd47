// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Schoolbook arithmetic on vectors of 60-bit digits.

#include "vm/value/int_digits.h"

#include <stddef.h>
#include <string.h>

#include "vm/value/int.h"

int digits_compare(const uint64_t *a, int an, const uint64_t *b, int bn) {
    if (an != bn) return an > bn ? 1 : -1;
    for (int i = an - 1; i >= 0; i--)
        if (a[i] != b[i]) return a[i] > b[i] ? 1 : -1;
    return 0;
}

uint64_t digits_add(const uint64_t *a, int an, const uint64_t *b, int bn, uint64_t *out) {
    uint64_t carry = 0;
    int i = 0;
    for (; i < bn; i++) {
        uint64_t sum = a[i] + b[i] + carry;
        out[i] = sum & INT_DIGIT_MASK;
        carry = sum >> INT_DIGIT_BITS;
    }
    for (; i < an; i++) {
        uint64_t sum = a[i] + carry;
        out[i] = sum & INT_DIGIT_MASK;
        carry = sum >> INT_DIGIT_BITS;
    }
    return carry;
}

// A borrow shows in bit 63 of the wrapped difference: digits are below 2^60.
void digits_sub(const uint64_t *a, int an, const uint64_t *b, int bn, uint64_t *out) {
    uint64_t borrow = 0;
    int i = 0;
    for (; i < bn; i++) {
        uint64_t difference = a[i] - b[i] - borrow;
        out[i] = difference & INT_DIGIT_MASK;
        borrow = difference >> 63;
    }
    for (; i < an; i++) {
        uint64_t difference = a[i] - borrow;
        out[i] = difference & INT_DIGIT_MASK;
        borrow = difference >> 63;
    }
}

// Multiplies by columns: each digit of the result is the sum of the products of its column, so that carries are
// propagated once per column and not once per product.
void digits_mul(const uint64_t *a, int an, const uint64_t *b, int bn, uint64_t *out) {
    U128 sum = 0;
    for (int column = 0; column < an + bn - 1; column++) {
        int first = column < an ? 0 : column - an + 1; // of b
        int last = column < bn ? column : bn - 1;
        for (int j = first; j <= last; j++) sum += (U128)a[column - j] * b[j];
        out[column] = (uint64_t)sum & INT_DIGIT_MASK;
        sum >>= INT_DIGIT_BITS;
    }
    out[an + bn - 1] = (uint64_t)sum;
}

// Multiplies by columns. The products of a column come in equal pairs, of which one is computed.
void digits_square(const uint64_t *a, int n, uint64_t *out) {
    U128 sum = 0;
    for (int column = 0; column < 2 * n - 1; column++) {
        U128 half = 0;
        int j = column < n ? 0 : column - n + 1;
        for (; 2 * j < column; j++) half += (U128)a[column - j] * a[j];
        sum += 2 * half;
        if (column % 2 == 0) sum += (U128)a[column / 2] * a[column / 2];
        out[column] = (uint64_t)sum & INT_DIGIT_MASK;
        sum >>= INT_DIGIT_BITS;
    }
    out[2 * n - 1] = (uint64_t)sum;
}

uint64_t digits_div1(const uint64_t *a, int an, uint64_t d, uint64_t *quotient) {
    uint64_t rest = 0;
    for (int i = an - 1; i >= 0; i--) {
        U128 part = (U128)rest << INT_DIGIT_BITS | a[i];
        uint64_t q = (uint64_t)(part / d);
        rest = (uint64_t)(part - (U128)q * d);
        if (quotient) quotient[i] = q;
    }
    return rest;
}

uint64_t digits_shift_up(const uint64_t *digits, int n, int shift, uint64_t *out) {
    uint64_t carry = 0;
    for (int i = 0; i < n; i++) {
        U128 wide = (U128)digits[i] << shift | carry;
        out[i] = (uint64_t)wide & INT_DIGIT_MASK;
        carry = (uint64_t)(wide >> INT_DIGIT_BITS);
    }
    return carry;
}

void digits_shift_down(const uint64_t *digits, int n, int shift, uint64_t *out) {
    uint64_t carry = 0;
    for (int i = n - 1; i >= 0; i--) {
        uint64_t digit = digits[i];
        out[i] = digit >> shift | carry;
        carry = shift ? digit << (INT_DIGIT_BITS - shift) & INT_DIGIT_MASK : 0;
    }
}

// Estimates a digit of the quotient from the three top digits of the dividend and the two of the divisor: never too
// small, and too large by at most one (Knuth's algorithm D, step D3).
static uint64_t guess(const uint64_t *top, uint64_t d1, uint64_t d0) {
    U128 two = (U128)top[0] << INT_DIGIT_BITS | top[-1];
    U128 q = top[0] >= d1 ? INT_DIGIT_MASK : two / d1;
    U128 rest = two - q * d1;
    while (rest <= INT_DIGIT_MASK && q * d0 > (rest << INT_DIGIT_BITS | top[-2])) {
        q--;
        rest += d1;
    }
    return (uint64_t)q;
}

// Computes u[0 .. n] -= q * v[0 .. n-1]; returns whether the result is below zero.
static bool subtract_multiple(uint64_t *u, const uint64_t *v, int n, uint64_t q) {
    U128 carry = 0;
    for (int i = 0; i < n; i++) {
        carry += (U128)q * v[i];
        uint64_t difference = u[i] - ((uint64_t)carry & INT_DIGIT_MASK);
        u[i] = difference & INT_DIGIT_MASK;
        carry = (carry >> INT_DIGIT_BITS) + (difference >> 63);
    }
    uint64_t difference = u[n] - (uint64_t)carry;
    u[n] = difference & INT_DIGIT_MASK;
    return difference >> 63;
}

uint64_t digits_div_step(uint64_t *u, const uint64_t *v, int n) {
    uint64_t q = guess(&u[n], v[n - 1], v[n - 2]);
    if (!subtract_multiple(u, v, n, q)) return q;
    u[n] = (u[n] + digits_add(u, n, v, n, u)) & INT_DIGIT_MASK;
    return q - 1;
}

// Knuth, The Art of Computer Programming, volume 2, 4.3.1, algorithm D.
void digits_div(const uint64_t *a, int an, const uint64_t *b, int bn, uint64_t *quotient,
                uint64_t *remainder) {
    uint64_t u[DIGITS_DIV_MAX + 1], v[DIGITS_DIV_MAX + 1];
    int shift = __builtin_clzll(b[bn - 1]) - (64 - INT_DIGIT_BITS);
    u[an] = digits_shift_up(a, an, shift, u);
    digits_shift_up(b, bn, shift, v);
    for (int j = an - bn; j >= 0; j--) {
        uint64_t q = digits_div_step(&u[j], v, bn);
        if (quotient) quotient[j] = q;
    }
    digits_shift_down(u, bn, shift, remainder);
}
