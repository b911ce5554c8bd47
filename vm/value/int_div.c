// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Quotients of long magnitudes. Shorter ones are computed by Knuth's algorithm D, longer ones by recursive halving, so
// that most of the work is products (Burnikel and Ziegler, "Fast Recursive Division", 1998; Brent and Zimmermann,
// "Modern Computer Arithmetic", algorithm 1.8).

#include <string.h>

#include "vm/value/int_digits.h"
#include "vm/value/int_long.h"

enum { HALVE = 60, POLL_PRODUCTS = 1 << 14 };

typedef struct Division {
    Vm *vm;
    uint64_t *product; // room for as many digits as the divisor has, and two
} Division;

// Computes a[0 .. n-1] -= b[0 .. bn-1], n >= bn; returns 1 if the result is below zero, and wraps, else 0.
static uint64_t take_from(uint64_t *a, int n, const uint64_t *b, int bn) {
    uint64_t borrow = 0;
    for (int i = 0; i < n && (i < bn || borrow); i++) {
        uint64_t difference = a[i] - (i < bn ? b[i] : 0) - borrow;
        a[i] = difference & INT_DIGIT_MASK;
        borrow = difference >> 63;
    }
    return borrow;
}

static void one_less(uint64_t *q, int n, uint64_t *above) {
    const uint64_t one = 1;
    *above -= take_from(q, n, &one, 1);
}

// The functions below divide a[0 .. n+m-1] by b[0 .. n-1], whose top bit is set. They store the quotient in
// q[0 .. m-1], its digit above these (0 or 1) in *above, and leave the remainder in a[0 .. n-1].

static Status divide_short(Division *d, uint64_t *q, uint64_t *a, const uint64_t *b, int n, int m,
                           uint64_t *above) {
    *above = digits_compare(a + m, n, b, n) >= 0;
    if (*above) take_from(a + m, n, b, n);
    for (int j = m - 1, work = 0; j >= 0; j--) {
        q[j] = digits_div_step(a + j, b, n);
        work += n;
        if (work < POLL_PRODUCTS) continue;
        work = 0;
        if (vm_poll(d->vm) != ST_OK) return ST_ERROR;
    }
    return ST_OK;
}

static Status divide_halves(Division *d, uint64_t *q, uint64_t *a, const uint64_t *b, int n, int m,
                            uint64_t *above);

// Divides a[k ..] by b without its lowest k digits, for m digits of quotient. Then subtracts the product of the
// quotient and those k digits from the remainder, and corrects the quotient.
static Status divide_top(Division *d, uint64_t *q, uint64_t *a, const uint64_t *b, int n, int m,
                         int k, uint64_t *above) {
    uint64_t high;
    if (divide_halves(d, q, a + k, b + k, n - k, m, &high) != ST_OK) return ST_ERROR;
    if (long_mul(d->vm, q, m, b, k, d->product) != ST_OK) return ST_ERROR;
    uint64_t below = take_from(a, n, d->product, m + k);
    if (high) below += take_from(a + m, n - m, b, k);
    while (below) {
        one_less(q, m, &high);
        below -= digits_add(a, n, b, n, a);
    }
    *above = high;
    return ST_OK;
}

static Status divide_halves(Division *d, uint64_t *q, uint64_t *a, const uint64_t *b, int n, int m,
                            uint64_t *above) {
    if (m < HALVE || n < HALVE) return divide_short(d, q, a, b, n, m, above);
    if (n > m) return divide_top(d, q, a, b, n, m, n - m, above);
    if (n < m) { // n digits of the quotient at a time
        int first = m % n ? m % n : n;
        uint64_t none;
        Status st = divide_halves(d, q + m - first, a + m - first, b, n, first, above);
        for (int at = m - first - n; st == ST_OK && at >= 0; at -= n)
            st = divide_halves(d, q + at, a + at, b, n, n, &none);
        return st;
    }
    int k = m / 2;
    uint64_t none;
    Status st = divide_top(d, q + k, a + k, b, n, m - k, k, above);
    return st == ST_OK ? divide_top(d, q, a, b, n, k, k, &none) : st;
}

Status long_div(Vm *vm, const uint64_t *a, int an, const uint64_t *b, int bn, uint64_t *quotient,
                uint64_t *remainder) {
    size_t whole = (size_t)an + 1, count = whole + 2 * (size_t)bn + 2 + (size_t)(an - bn + 1);
    uint64_t *room = long_room(vm, count), above = 0;
    if (!room) return ST_ERROR;
    uint64_t *u = room, *v = u + whole, *q = v + bn;
    Division d = {vm, q + (an - bn + 1)};
    int shift = __builtin_clzll(b[bn - 1]) - (64 - INT_DIGIT_BITS);
    u[an] = digits_shift_up(a, an, shift, u);
    digits_shift_up(b, bn, shift, v);
    Status st = divide_halves(&d, q, u, v, bn, an - bn + 1, &above);
    if (st == ST_OK) digits_shift_down(u, bn, shift, remainder);
    if (st == ST_OK && quotient) memcpy(quotient, q, (size_t)(an - bn + 1) * sizeof *q);
    long_free(vm, room, count);
    return st;
}
