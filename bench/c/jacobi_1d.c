// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Jacobi's iteration on a line. A tile of it goes through several steps at once in the first cache,
// with as many elements more on either side as become wrong on the way; tiles go from one array to
// another, so that none sees what its neighbours write.
//
// Floor: bytes = 32 * n; flops = 6 * (steps - 1) * n; span = 16 * n.
#include "kernel.h"

enum { TILE = 1600, STEPS = 16, ROOM = TILE + 4 * STEPS };

static void smooth(int64_t n, const double *restrict from, double *restrict to) {
#pragma omp simd
    for (int64_t i = 1; i < n - 1; i++) to[i] = 0.33333 * (from[i - 1] + from[i] + from[i + 1]);
}

// Takes [lo, hi) from `old` through some steps to `new`; B gets what the last one came from.
static void tile(int64_t n, int64_t steps, int64_t lo, int64_t hi, const double *restrict old,
                 double *restrict new, double *restrict b) {
    double here[ROOM], there[ROOM];
    int64_t from = most(0, lo - 2 * steps), to = least(n, hi + 2 * steps), size = to - from;
    memcpy(here, old + from, size * sizeof *here);
    // The ends of the line never change; those of a tile are among what becomes wrong.
    there[0] = from ? here[0] : b[0], there[size - 1] = to < n ? here[size - 1] : b[n - 1];
    for (int64_t t = 0; t < steps; t++) {
        smooth(size, here, there);
        smooth(size, there, here);
    }
    memcpy(new + lo, here + (lo - from), (hi - lo) * sizeof *here);
    int64_t first = most(lo, 1), last = least(hi, n - 1);
    memcpy(b + first, there + (first - from), (last - first) * sizeof *here);
}

void jacobi_1d(int64_t steps, int64_t n, double *restrict a, double *restrict b,
               double *restrict room) {
    double *old = a, *new = room;
    for (int64_t done = 0; done < steps - 1;) {
        int64_t now = least(STEPS, steps - 1 - done);
#pragma omp parallel for schedule(static) if (n > LARGE)
        for (int64_t lo = 0; lo < n; lo += TILE) tile(n, now, lo, least(n, lo + TILE), old, new, b);
        double *swap = old;
        old = new, new = swap, done += now;
    }
    if (old != a) memcpy(a, old, n * sizeof *a);
}
