// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// How the bases of an RNA pair best, row by row from below: an element that is done offers all to
// its right what it and the row under it make together, so the inner loop goes along rows.
//
// Floor: bytes = 4 * n * n; flops = n * n * n / 6; span = 2 * n * n.
#include "kernel.h"

static inline int32_t larger(int32_t a, int32_t b) {
    return a > b ? a : b;
}

// Row i, given those below it; `best` of them are all zeros at first.
static void row(int64_t n, int64_t i, const int32_t *restrict seq, int32_t table[n][n]) {
    int32_t *restrict here = table[i];
    const int32_t *restrict under = i + 1 < n ? table[i + 1] : NULL;
    for (int64_t j = i + 1; j < n; j++) {
        int32_t best = larger(here[j], here[j - 1]);
        bool pair = i < j - 1 && seq[i] + seq[j] == 3;
        best = larger(larger(best, under[j]), under[j - 1] + pair);
        here[j] = best;
        if (j + 1 >= n) continue;
        const int32_t *restrict beyond = table[j + 1];
#pragma omp simd
        for (int64_t k = j + 1; k < n; k++) here[k] = larger(here[k], best + beyond[k]);
    }
}

void nussinov(int64_t n, const int32_t seq[restrict n], int32_t table[restrict n][n]) {
    memset(table, 0, n * n * sizeof table[0][0]);
    for (int64_t i = n - 1; i >= 0; i--) row(n, i, seq, table);
}
