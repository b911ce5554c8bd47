// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// A clipped array and another one in a linear combination. A result that will not stay in the
// caches goes past them, from a buffer that does.
//
// Floor: bytes = 24 * n; flops = 0; span = 24 * n.
#include "kernel.h"

enum { PIECE = 1024 };

static void piece(int64_t n, const int64_t *restrict x, const int64_t *restrict y, int64_t a,
                  int64_t b, int64_t c, int64_t *restrict out) {
#pragma omp simd
    for (int64_t i = 0; i < n; i++) {
        int64_t t = x[i] < 2 ? 2 : x[i];
        out[i] = (t > 10 ? 10 : t) * a + y[i] * b + c;
    }
}

void compute(int64_t n, int64_t a, int64_t b, int64_t c, const int64_t x[restrict n],
             const int64_t y[restrict n], int64_t out[restrict n]) {
    bool past = n > PAST_CACHES && (uintptr_t)out % 32 == 0;
#pragma omp parallel for schedule(static) if (n > LARGE)
    for (int64_t i = 0; i < n; i += PIECE) {
        _Alignas(32) int64_t room[PIECE];
        int64_t size = least(PIECE, n - i);
        piece(size, x + i, y + i, a, b, c, past ? room : out + i);
        if (past) store_past(out + i, room, size);
    }
}
