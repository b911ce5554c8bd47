// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The last axis of a tensor times a matrix, in place, some hundred rows at a time: the products go
// through a buffer that stays in the cache.
//
// Floor: bytes = 16 * nr * nq * np; flops = 2 * nr * nq * np * np; span = 8 * nr * nq * np.
#include "kernel.h"

enum { ROWS = 768 };

void doitgen(int64_t nr, int64_t nq, int64_t np, double *restrict a, const double *restrict c4,
             double *restrict room) {
    for (int64_t from = 0; from < nr * nq; from += ROWS) {
        int64_t rows = least(ROWS, nr * nq - from);
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, np, np, 1, a + from * np, np,
                    c4, np, 0, room, np);
        memcpy(a + from * np, room, rows * np * sizeof *a);
    }
}
