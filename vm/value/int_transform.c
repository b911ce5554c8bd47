// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Products of very long magnitudes, as products of polynomials whose coefficients are pieces of 20 bits. They are
// computed by transforms modulo the prime 2^64 - 2^32 + 1 (Pollard, "The Fast Fourier Transform in a Finite Field",
// 1971), for which reduction takes no division: 2^64 is 2^32 - 1, and 2^96 is -1.

#include "vm/value/int_long.h"

enum {
    PIECE_BITS = 20,
    PIECES = INT_DIGIT_BITS / PIECE_BITS,
    NEAR = 1 << 12
}; // NEAR: elements of a transform that stays in the cache
#define PRIME  0xffffffff00000001u
#define EXCESS 0xffffffffu          // 2^64 modulo the prime
#define ROOT   1753635133440165772u // 7^((p - 1) / 2^32), of order 2^32

static uint64_t add_mod(uint64_t a, uint64_t b) {
    uint64_t rest = PRIME - b;
    return a >= rest ? a - rest : a + b;
}

static uint64_t sub_mod(uint64_t a, uint64_t b) {
    return a >= b ? a - b : a + (PRIME - b);
}

static uint64_t mul_mod(uint64_t a, uint64_t b) {
    U128 product = (U128)a * b;
    uint64_t low = (uint64_t)product, high = (uint64_t)(product >> 64), top = high >> 32;
    uint64_t rest = low - top, middle = (high & EXCESS) * EXCESS;
    if (low < top) rest -= EXCESS;
    uint64_t sum = rest + middle;
    if (sum < middle) sum += EXCESS;
    return sum >= PRIME ? sum - PRIME : sum;
}

static uint64_t power_of(uint64_t base, uint64_t exponent) {
    uint64_t result = 1;
    for (; exponent; exponent >>= 1, base = mul_mod(base, base))
        if (exponent & 1) result = mul_mod(result, base);
    return result;
}

// roots[h + j] = w^j for w of order 2 h, for each power of two h below n.
static void make_roots(uint64_t *roots, size_t n) {
    uint64_t w = power_of(ROOT, ((uint64_t)1 << 32) / n);
    size_t half = n / 2;
    roots[half] = 1;
    for (size_t j = 1; j < half; j++) roots[half + j] = mul_mod(roots[half + j - 1], w);
    for (size_t h = half / 2; h > 0; h /= 2)
        for (size_t j = 0; j < h; j++) roots[h + j] = roots[2 * h + 2 * j];
}

static void fold(uint64_t *x, size_t n, const uint64_t *roots) {
    size_t half = n / 2;
    for (size_t j = 0; j < half; j++) {
        uint64_t u = x[j], v = x[j + half];
        x[j] = add_mod(u, v);
        x[j + half] = mul_mod(sub_mod(u, v), roots[half + j]);
    }
}

// Computes the inverse of `fold`, times two: w^-j is -w^(half - j).
static void unfold(uint64_t *x, size_t n, const uint64_t *roots) {
    size_t half = n / 2;
    uint64_t first = x[0];
    x[0] = add_mod(first, x[half]);
    x[half] = sub_mod(first, x[half]);
    for (size_t j = 1; j < half; j++) {
        uint64_t u = x[j], t = mul_mod(x[j + half], roots[n - j]);
        x[j] = sub_mod(u, t);
        x[j + half] = add_mod(u, t);
    }
}

// Transforms x. The result is in bit-reversed order, which `backward` takes.
static Status forward(Vm *vm, uint64_t *x, size_t n, const uint64_t *roots) {
    if (n > NEAR) {
        if (vm_poll(vm) != ST_OK) return ST_ERROR;
        fold(x, n, roots);
        if (forward(vm, x, n / 2, roots) != ST_OK) return ST_ERROR;
        return forward(vm, x + n / 2, n / 2, roots);
    }
    for (size_t size = n; size > 1; size /= 2)
        for (size_t at = 0; at < n; at += size) fold(x + at, size, roots);
    return ST_OK;
}

static Status backward(Vm *vm, uint64_t *x, size_t n, const uint64_t *roots) {
    if (n > NEAR) {
        if (vm_poll(vm) != ST_OK) return ST_ERROR;
        if (backward(vm, x, n / 2, roots) != ST_OK) return ST_ERROR;
        if (backward(vm, x + n / 2, n / 2, roots) != ST_OK) return ST_ERROR;
        unfold(x, n, roots);
        return ST_OK;
    }
    for (size_t size = 2; size <= n; size *= 2)
        for (size_t at = 0; at < n; at += size) unfold(x + at, size, roots);
    return ST_OK;
}

static void take_apart(const uint64_t *digits, size_t n, uint64_t *x, size_t size) {
    for (size_t i = 0; i < n; i++)
        for (int p = 0; p < PIECES; p++)
            x[PIECES * i + (size_t)p] = digits[i] >> PIECE_BITS * p & ((1 << PIECE_BITS) - 1);
    for (size_t i = PIECES * n; i < size; i++) x[i] = 0;
}

// Converts coefficients, which are multiplied by `size`, to digits.
static void put_together(const uint64_t *x, size_t size, size_t digits, uint64_t *out) {
    uint64_t part = power_of(size, PRIME - 2);
    U128 sum = 0;
    for (size_t i = 0; i < digits; i++) {
        for (int p = 0; p < PIECES; p++)
            sum += (U128)mul_mod(x[PIECES * i + (size_t)p], part) << PIECE_BITS * p;
        out[i] = (uint64_t)sum & INT_DIGIT_MASK;
        sum >>= INT_DIGIT_BITS;
    }
}

Status long_transform_mul(Vm *vm, const uint64_t *a, const uint64_t *b, int n, uint64_t *out) {
    size_t digits = (size_t)n, size = NEAR;
    while (size < 2 * PIECES * digits) size *= 2;
    size_t count = (a == b ? 2 : 3) * size;
    uint64_t *x = long_room(vm, count);
    if (!x) return ST_ERROR;
    uint64_t *roots = x + size, *y = a == b ? x : roots + size;
    make_roots(roots, size);
    take_apart(a, digits, x, size);
    Status st = forward(vm, x, size, roots);
    if (st == ST_OK && a != b) {
        take_apart(b, digits, y, size);
        st = forward(vm, y, size, roots);
    }
    for (size_t i = 0; st == ST_OK && i < size; i++) x[i] = mul_mod(x[i], y[i]);
    if (st == ST_OK) st = backward(vm, x, size, roots);
    if (st == ST_OK) put_together(x, size, 2 * digits, out);
    long_free(vm, x, count);
    return st;
}
