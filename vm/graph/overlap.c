// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Exact overlap of two views. The bytes of a view are at offset + sum of stride * index + a byte of
// the element. Two views share a byte if a sum of non-negative terms c[i] * x[i], x[i] <= most[i],
// equals the difference of their offsets: a bounded linear Diophantine equation. The search goes
// term by term, largest coefficient first. The remainder must be divisible by the gcd of the other
// coefficients and within their reach, which leaves an arithmetic progression of candidates for
// each x[i].

#include "vm/graph/overlap.h"

enum { TERMS_MAX = 2 * NDIM_MAX + 2, POLL_STEPS = 1 << 16 };

typedef struct Equation {
    int count;
    int64_t c[TERMS_MAX], most[TERMS_MAX];
    int64_t divisor[TERMS_MAX], reach[TERMS_MAX]; // gcd and maximum of the terms from i on
    int64_t steps, steps_most;                    // -1: unlimited
} Equation;

static void add_term(Equation *e, int64_t c, int64_t most) {
    int at = e->count;
    if (c == 0 || most <= 0) return;
    for (; at > 0 && e->c[at - 1] < c; at--) {
        e->c[at] = e->c[at - 1];
        e->most[at] = e->most[at - 1];
    }
    e->c[at] = c;
    e->most[at] = most;
    e->count++;
}

static void add_view(Equation *e, const View *view) {
    for (int d = 0; d < view->ndim; d++) {
        int64_t stride = view->strides[d];
        add_term(e, stride < 0 ? -stride : stride, view->shape[d] - 1);
    }
    add_term(e, 1, (int64_t)dtype_size(view->dtype) - 1);
}

static int64_t divisor_of(int64_t a, int64_t b) {
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

// Finds the least x >= 0 with c * x = sum modulo g, and the step between such x; false: none. 0 <=
// sum, and c is reduced modulo g, so products fit: g is at most an array's size.
static bool least_of(int64_t c, int64_t sum, int64_t g, int64_t *x, int64_t *step) {
    int64_t r0 = g, r1 = c % g, t0 = 0, t1 = 1;
    while (r1) { // extended Euclidean algorithm
        int64_t q = r0 / r1, r = r0 - q * r1, t = t0 - q * t1;
        r0 = r1, r1 = r;
        t0 = t1, t1 = t;
    }
    if (sum % r0) return false;
    *step = g / r0;
    __int128 least = (__int128)(sum / r0 % *step) * t0 % *step;
    *x = (int64_t)(least < 0 ? least + *step : least);
    return true;
}

// Searches a solution of the terms from i on for `sum`. ST_OK: one exists; ST_STOP: none; ST_ERROR: interrupted;
// ST_DEFER: too much work.
static Status search(Vm *vm, Equation *e, int i, int64_t sum) {
    if (sum == 0) return ST_OK;
    if (i == e->count || sum > e->reach[i] || sum % e->divisor[i]) return ST_STOP;
    int64_t c = e->c[i], high = sum / c < e->most[i] ? sum / c : e->most[i];
    if (i + 1 == e->count) return sum / c <= e->most[i] ? ST_OK : ST_STOP;
    int64_t rest = e->reach[i + 1], low = sum > rest ? (sum - rest + c - 1) / c : 0, x, step;
    if (!least_of(c, sum, e->divisor[i + 1], &x, &step)) return ST_STOP;
    if (x < low) x += (low - x + step - 1) / step * step;
    for (; x <= high; x += step) {
        if (e->steps_most >= 0 && e->steps >= e->steps_most) return ST_DEFER;
        if (++e->steps % POLL_STEPS == 0 && vm_poll(vm) != ST_OK) return ST_ERROR;
        Status st = search(vm, e, i + 1, sum - c * x);
        if (st != ST_STOP) return st;
    }
    return ST_STOP;
}

Status views_share(Vm *vm, const View *a, const View *b, int64_t most, bool *shares) {
    int64_t low[2], high[2];
    *shares = false;
    if (!view_extent(a, &low[0], &high[0]) || !view_extent(b, &low[1], &high[1])) return ST_OK;
    if (a->storage != b->storage || high[0] < low[1] || high[1] < low[0]) return ST_OK;
    *shares = true;
    if (most == 0) return ST_OK;
    // equation: a's lowest byte plus x steps = b's highest byte minus y steps
    Equation e = {.steps_most = most};
    add_view(&e, a);
    add_view(&e, b);
    int64_t divisor = 0, reach = 0;
    for (int i = e.count - 1; i >= 0; i--) {
        e.divisor[i] = divisor = divisor_of(divisor, e.c[i]);
        e.reach[i] = reach += e.c[i] * e.most[i];
    }
    Status st = search(vm, &e, 0, high[1] - low[0]);
    *shares = st == ST_OK;
    return st == ST_DEFER ? ST_STOP : st == ST_STOP ? ST_OK : st;
}
