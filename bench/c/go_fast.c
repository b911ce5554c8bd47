// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The sum of tanh over the diagonal, then the whole matrix plus it. A result that will not stay in
// the caches goes past them, from a buffer that does.
//
// Floor: bytes = 16 * n * n; flops = n * n; span = 16 * n * n.
#include "kernel.h"

enum { PIECE = 1024 };

void go_fast(int64_t n, const double a[restrict n][n], double out[restrict n][n]) {
    double trace = 0;
    for (int64_t i = 0; i < n; i++) trace += tanh(a[i][i]);
    int64_t total = n * n;
    const double *from = a[0];
    double *to = out[0];
    bool past = total > PAST_CACHES && (uintptr_t)to % 32 == 0;
#pragma omp parallel for schedule(static) if (total > LARGE)
    for (int64_t i = 0; i < total; i += PIECE) {
        _Alignas(32) double room[PIECE];
        int64_t size = least(PIECE, total - i);
        double *here = past ? room : to + i;
        for (int64_t k = 0; k < size; k++) here[k] = from[i + k] + trace;
        if (past) store_past(to + i, room, size);
    }
}
