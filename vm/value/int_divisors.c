// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Greatest common divisors, by Lehmer's algorithm (Knuth, The Art of Computer Programming 2, 4.5.2,
// algorithm L; the condition that a quotient is right is Collins's), and square roots, by Newton's steps
// with as many digits as are right by then (Zimmermann, Karatsuba square root, has the bound).

#include <math.h>
#include <string.h>

#include "vm/value/int.h"

enum { POLL_MASK = 0xff };

// Binary: a division takes as long as several of its rounds (Knuth, 4.5.2, algorithm B).
static uint64_t gcd64(uint64_t a, uint64_t b) {
    if (a == 0 || b == 0) return a | b;
    int twos = __builtin_ctzll(a | b);
    a >>= __builtin_ctzll(a);
    while (b) {
        b >>= __builtin_ctzll(b);
        uint64_t less = a < b ? a : b;
        b = a < b ? b - a : a - b;
        a = less;
    }
    return a << twos;
}

static uint64_t magnitude64(int64_t i) {
    return i < 0 ? -(uint64_t)i : (uint64_t)i;
}

// --- Lehmer --------------------------------------------------------------------------------------

// Two magnitudes, a >= b, in one block; `room` digits each.
typedef struct Pair {
    uint64_t *a, *b;
    int an, bn, room;
} Pair;

static int trimmed(const uint64_t *digits, int used) {
    while (used > 0 && digits[used - 1] == 0) used--;
    return used;
}

// Several of Euclid's steps at once: a, b become x a - y b and v b - u a (the other way round after an
// odd number of steps).
typedef struct Steps {
    int64_t x, y, u, v;
    int count;
} Steps;

// The steps that the topmost 60 bits decide.
static Steps steps_of(uint64_t a, uint64_t b) {
    Steps s = {1, 0, 0, 1, 0};
    int64_t p = (int64_t)a, q = (int64_t)b;
    for (; q != s.u; s.count++) {
        int64_t quotient = (p + s.x - 1) / (q - s.u);
        int64_t y = s.y + quotient * s.v, rest = p - quotient * q;
        if (y > rest) break;
        p = q;
        q = rest;
        int64_t x = s.x + quotient * s.u;
        s.x = s.v;
        s.y = s.u;
        s.u = y;
        s.v = x;
    }
    return s;
}

static void take_steps(Pair *pair, const Steps *s) {
    I128 low = 0, high = 0;
    bool odd = s->count & 1;
    uint64_t *a = pair->a, *b = pair->b;
    for (int i = 0; i < pair->an; i++) {
        I128 p = (I128)a[i], q = i < pair->bn ? (I128)b[i] : 0;
        low += odd ? s->x * q - s->y * p : s->x * p - s->y * q;
        high += odd ? s->v * p - s->u * q : s->v * q - s->u * p;
        a[i] = (uint64_t)low & INT_DIGIT_MASK;
        b[i] = (uint64_t)high & INT_DIGIT_MASK;
        low >>= INT_DIGIT_BITS;
        high >>= INT_DIGIT_BITS;
    }
    pair->bn = trimmed(b, pair->an);
    pair->an = trimmed(a, pair->an);
}

// a, b become b, a mod b.
static Status divide(Vm *vm, Pair *pair) {
    Value a, b = V_UNDEF, rest = V_UNDEF;
    Status st = int_from_magnitude(vm, pair->a, pair->an, false, &a);
    if (st == ST_OK) st = int_from_magnitude(vm, pair->b, pair->bn, false, &b);
    if (st == ST_OK) st = int_divmod(vm, a, b, NULL, &rest);
    if (st == ST_OK) {
        uint64_t *was = pair->a;
        IntView view;
        int_view(rest, &view);
        memcpy(was, view.digits, (size_t)view.used * sizeof *was);
        pair->a = pair->b;
        pair->an = pair->bn;
        pair->b = was;
        pair->bn = view.used;
    }
    release(vm, a);
    release(vm, b);
    release(vm, rest);
    return st;
}

static Status reduce(Vm *vm, Pair *pair) {
    for (uint32_t n = 1; pair->bn > 0 && pair->an > 1; n++) {
        if ((n & POLL_MASK) == 0 && vm_poll(vm) != ST_OK) return ST_ERROR;
        int top = pair->an - 1, bits = 64 - __builtin_clzll(pair->a[top]),
            shift = INT_DIGIT_BITS - bits;
        Steps steps = {0};
        if (pair->an - pair->bn <= 1) {
            uint64_t high = pair->bn > top ? pair->b[top] : 0, low = pair->b[top - 1];
            steps = steps_of(pair->a[top] << shift | pair->a[top - 1] >> bits,
                             high << shift | low >> bits);
        }
        if (steps.count > 0)
            take_steps(pair, &steps);
        else if (divide(vm, pair) != ST_OK)
            return ST_ERROR;
    }
    return ST_OK;
}

static Status gcd_long(Vm *vm, Value a, Value b, Value *out) {
    IntView x, y;
    if (int_compare(a, b) < 0) return gcd_long(vm, b, a, out);
    int_view(a, &x);
    int_view(b, &y);
    size_t room = (size_t)x.used + 2, bytes = 2 * room * sizeof(uint64_t);
    uint64_t *block = mem_zalloc(&vm->mem, bytes);
    if (!block) return vm_no_memory(vm);
    Pair pair = {block, block + room, x.used, y.used, (int)room};
    memcpy(pair.a, x.digits, (size_t)x.used * sizeof *block);
    memcpy(pair.b, y.digits, (size_t)y.used * sizeof *block);
    Status st = reduce(vm, &pair);
    if (st == ST_OK && pair.bn > 0) { // of one digit each
        pair.a[0] = gcd64(pair.a[0], pair.b[0]);
        pair.an = 1;
    }
    if (st == ST_OK) st = int_from_magnitude(vm, pair.a, pair.an, false, out);
    mem_free(&vm->mem, block, bytes);
    return st;
}

Status int_gcd(Vm *vm, Value a, Value b, Value *out) {
    if (a.kind != K_BIGINT && b.kind != K_BIGINT)
        return int_from_u64(vm, gcd64(magnitude64(a.i), magnitude64(b.i)), out);
    Value x, y = V_UNDEF;
    if (int_sign(b) == 0) return int_unary(vm, UN_ABS, a, out);
    if (int_sign(a) == 0) return int_unary(vm, UN_ABS, b, out);
    Status st = int_unary(vm, UN_ABS, a, &x);
    if (st == ST_OK) st = int_unary(vm, UN_ABS, b, &y);
    if (st == ST_OK) st = gcd_long(vm, x, y, out);
    release(vm, x);
    release(vm, y);
    return st;
}

// --- Square roots --------------------------------------------------------------------------------

// The root with `known` right bits becomes one with `wanted`: (root << s) / 2 + (v >> t) / root, where
// the shifts are chosen so that both have `wanted` bits.
static Status refine(Vm *vm, Value v, int64_t half, int64_t known, int64_t wanted, Value *root) {
    Value scaled = V_UNDEF, part = V_UNDEF, quotient = V_UNDEF, better;
    Status st = vm_poll(vm);
    if (st == ST_OK) st = int_shift(vm, *root, wanted - known - 1, &scaled);
    if (st == ST_OK) st = int_shift(vm, v, -(2 * half - known - wanted + 1), &part);
    if (st == ST_OK) st = int_divmod(vm, part, *root, &quotient, NULL);
    if (st == ST_OK) st = int_add(vm, scaled, quotient, &better);
    release(vm, scaled);
    release(vm, part);
    release(vm, quotient);
    if (st == ST_OK) replace(vm, root, better);
    return st;
}

// The root that is at most one too large.
static Status near_root(Vm *vm, Value v, Value *root) {
    int64_t half = (int_bits(v) - 1) / 2, wanted = 0;
    *root = v_int(1);
    for (int s = 63 - __builtin_clzll((uint64_t)half); s >= 0; s--) {
        int64_t known = wanted;
        wanted = half >> s;
        if (refine(vm, v, half, known, wanted, root) != ST_OK) return ST_ERROR;
    }
    return ST_OK;
}

static Status long_root(Vm *vm, Value v, Value *out) {
    Value root, square = V_UNDEF, less = V_UNDEF;
    Status st = near_root(vm, v, &root);
    if (st == ST_OK) st = int_mul(vm, root, root, &square);
    if (st == ST_OK && int_compare(square, v) > 0) {
        st = int_sub(vm, root, v_int(1), &less);
        if (st == ST_OK) replace(vm, &root, less);
    }
    release(vm, square);
    if (st == ST_OK)
        *out = root;
    else
        release(vm, root);
    return st;
}

Status int_isqrt(Vm *vm, Value v, Value *out) {
    if (v.kind == K_BIGINT) return long_root(vm, v, out);
    int64_t root = (int64_t)sqrt((double)v.i); // off by one at most
    while ((U128)root * (U128)root > (U128)v.i) root--;
    while ((U128)(root + 1) * (U128)(root + 1) <= (U128)v.i) root++;
    *out = v_int(root);
    return ST_OK;
}
