// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// A sparse matrix in compressed rows times a vector.
//
// Floor: bytes = 12 * nnz + 20 * m; flops = 2 * nnz; span = 12 * nnz + 20 * m.
#include "kernel.h"

void spmv(int64_t m, int64_t nnz, const uint32_t rows[restrict m + 1],
          const uint32_t cols[restrict nnz], const double vals[restrict nnz],
          const double x[restrict], double y[restrict m]) {
#pragma omp parallel for schedule(static) if (nnz > 4 * LARGE)
    for (int64_t i = 0; i < m; i++) {
        double sum = 0;
        for (int64_t k = rows[i]; k < rows[i + 1]; k++) sum += vals[k] * x[cols[k]];
        y[i] = sum;
    }
}
