// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Products of long magnitudes: by columns where one is short, by halves and Karatsuba's identity
//   (a1 x + a0) (b1 x + b0) = z2 x^2 + (z2 + z0 - (a0 - a1) (b0 - b1)) x + z0
// above that, and by transforms modulo a prime (int_transform.c) where they are very long.

#include <string.h>

#include "vm/value/int_digits.h"
#include "vm/value/int_long.h"

enum { KARATSUBA = 40, POLL_DIGITS = 512 }; // digits of the shorter factor

uint64_t *long_room(Vm *vm, size_t count) {
    uint64_t *digits = mem_alloc(&vm->mem, count * sizeof *digits);
    if (!digits) vm_no_memory(vm);
    return digits;
}

void long_free(Vm *vm, uint64_t *digits, size_t count) {
    mem_free(&vm->mem, digits, count * sizeof *digits);
}

static void short_mul(const uint64_t *a, const uint64_t *b, int n, uint64_t *out) {
    if (a == b)
        digits_square(a, n, out);
    else
        digits_mul(a, n, b, n, out);
}

// Computes out[0 .. n-1] = |a - b|, where b may be one digit shorter than a's n; returns whether a < b.
static bool distance(const uint64_t *a, int n, const uint64_t *b, int bn, uint64_t *out) {
    int an = n, short_b = bn;
    while (an > 0 && a[an - 1] == 0) an--;
    while (short_b > 0 && b[short_b - 1] == 0) short_b--;
    memset(out, 0, (size_t)n * sizeof *out);
    bool less = digits_compare(a, an, b, short_b) < 0;
    if (less)
        digits_sub(b, short_b, a, an, out);
    else
        digits_sub(a, an, b, short_b, out);
    return less;
}

// Returns how many digits of scratch memory equal_mul needs: four halves per recursion, and their carries.
static size_t karatsuba_room(int n) {
    return 4 * (size_t)n + 256;
}

static Status equal_mul(Vm *vm, const uint64_t *a, const uint64_t *b, int n, uint64_t *out,
                        uint64_t *room) {
    if (n <= KARATSUBA) {
        short_mul(a, b, n, out);
        return ST_OK;
    }
    if (n >= POLL_DIGITS && vm_poll(vm) != ST_OK) return ST_ERROR;
    if (n >= LONG_TRANSFORM && n <= LONG_TRANSFORM_MOST)
        return long_transform_mul(vm, a, b, n, out);
    int low = (n + 1) / 2, high = n - low;
    uint64_t *middle = room + 2 * low + 1, *next = middle + 2 * low;
    bool minus = distance(a, low, a + low, high, room);
    if (a != b) minus ^= distance(b, low, b + low, high, room + low);
    Status st = equal_mul(vm, room, a == b ? room : room + low, low, middle, next);
    if (st == ST_OK) st = equal_mul(vm, a, b, low, out, next);
    if (st == ST_OK) st = equal_mul(vm, a + low, b + low, high, out + 2 * low, next);
    if (st != ST_OK) return st;
    room[2 * low] = digits_add(out, 2 * low, out + 2 * low, 2 * high, room);
    if (a == b || !minus)
        digits_sub(room, 2 * low + 1, middle, 2 * low, room);
    else
        room[2 * low] += digits_add(room, 2 * low, middle, 2 * low, room);
    digits_add(out + low, 2 * n - low, room, 2 * low + 1, out + low);
    return ST_OK;
}

// Multiplies a longer a in pieces as long as b.
static Status by_pieces(Vm *vm, const uint64_t *a, int an, const uint64_t *b, int bn, uint64_t *out,
                        uint64_t *room) {
    uint64_t *product = room;
    room += 2 * bn;
    memset(out, 0, (size_t)(an + bn) * sizeof *out);
    for (int at = 0; at < an; at += bn) {
        int n = an - at < bn ? an - at : bn;
        if (n == bn) {
            if (equal_mul(vm, a + at, b, bn, product, room) != ST_OK) return ST_ERROR;
        } else if (long_mul(vm, b, bn, a + at, n, product) != ST_OK) {
            return ST_ERROR;
        }
        digits_add(out + at, n + bn, product, n + bn, out + at); // no carry: `out` is still zero above
    }
    return ST_OK;
}

// Multiplies by columns, for which b is short enough; a long a is taken in pieces, for interrupts.
static Status thin_mul(Vm *vm, const uint64_t *a, int an, const uint64_t *b, int bn,
                       uint64_t *out) {
    enum { PIECE = 1 << 14 };
    if (an <= PIECE) {
        if (a == b && an == bn)
            digits_square(a, an, out);
        else
            digits_mul(a, an, b, bn, out);
        return ST_OK;
    }
    uint64_t carried[DIGITS_MUL_MAX] = {0};
    for (int at = 0; at < an; at += PIECE) {
        int n = an - at < PIECE ? an - at : PIECE;
        if (vm_poll(vm) != ST_OK) return ST_ERROR;
        if (n < bn)
            digits_mul(b, bn, a + at, n, out + at);
        else
            digits_mul(a + at, n, b, bn, out + at);
        digits_add(out + at, n + bn, carried, bn, out + at);
        memcpy(carried, out + at + n, (size_t)bn * sizeof *carried);
    }
    return ST_OK;
}

Status long_mul(Vm *vm, const uint64_t *a, int an, const uint64_t *b, int bn, uint64_t *out) {
    if (an < bn) return long_mul(vm, b, bn, a, an, out);
    if (bn <= KARATSUBA) return thin_mul(vm, a, an, b, bn, out);
    size_t count = karatsuba_room(bn) + (an > bn ? 2 * (size_t)bn : 0);
    uint64_t *room = long_room(vm, count);
    if (!room) return ST_ERROR;
    Status st =
        an == bn ? equal_mul(vm, a, b, an, out, room) : by_pieces(vm, a, an, b, bn, out, room);
    long_free(vm, room, count);
    return st;
}
