// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// All shortest ways, by square tiles: for each tile on the diagonal, itself, then its row and its
// column, then all others, which take four rows by sixteen columns in registers through the whole
// tile. The matrix is copied to one whose side is a multiple of the tile's.
//
// Floor: bytes = 8 * n * n; flops = n * n * n; span = 4 * n * n.
#include "kernel.h"

enum { TILE = 64, ROWS = 4, COLUMNS = 16, FAR = 1 << 29 };

// c = min(c, a + b) element by element, where a, b and c may be the same tile.
static void alike(int64_t side, int32_t *c, const int32_t *a, const int32_t *b) {
    for (int64_t k = 0; k < TILE; k++)
        for (int64_t i = 0; i < TILE; i++) {
            int32_t x = a[i * side + k];
#pragma omp simd
            for (int64_t j = 0; j < TILE; j++) {
                int32_t way = x + b[k * side + j], old = c[i * side + j];
                c[i * side + j] = way < old ? way : old;
            }
        }
}

static void apart(int64_t side, int32_t *restrict c, const int32_t *restrict a,
                  const int32_t *restrict b) {
    for (int64_t i = 0; i < TILE; i += ROWS)
        for (int64_t j = 0; j < TILE; j += COLUMNS) {
            int32_t best[ROWS][COLUMNS];
            for (int s = 0; s < ROWS; s++) memcpy(best[s], c + (i + s) * side + j, sizeof best[s]);
            for (int64_t k = 0; k < TILE; k++) {
#pragma GCC unroll 4
                for (int s = 0; s < ROWS; s++) {
                    int32_t x = a[(i + s) * side + k];
#pragma GCC unroll 16
                    for (int t = 0; t < COLUMNS; t++) {
                        int32_t way = x + b[k * side + j + t];
                        best[s][t] = way < best[s][t] ? way : best[s][t];
                    }
                }
            }
            for (int s = 0; s < ROWS; s++) memcpy(c + (i + s) * side + j, best[s], sizeof best[s]);
        }
}

void floyd_warshall(int64_t n, int64_t side, int32_t path[restrict n][n], int32_t *restrict room) {
#define AT(i, j) (room + (i)*side + (j))
#pragma omp parallel if (n * n > LARGE)
    {
#pragma omp for schedule(static)
        for (int64_t i = 0; i < side; i++)
            for (int64_t j = 0; j < side; j++) *AT(i, j) = i < n && j < n ? path[i][j] : FAR;
        for (int64_t k = 0; k < side; k += TILE) {
#pragma omp single
            alike(side, AT(k, k), AT(k, k), AT(k, k));
#pragma omp for schedule(static)
            for (int64_t i = 0; i < side; i += TILE) {
                if (i == k) continue;
                alike(side, AT(i, k), AT(i, k), AT(k, k));
                alike(side, AT(k, i), AT(k, k), AT(k, i));
            }
#pragma omp for schedule(static)
            for (int64_t i = 0; i < side; i += TILE)
                for (int64_t j = 0; j < side; j += TILE)
                    if (i != k && j != k) apart(side, AT(i, j), AT(i, k), AT(k, j));
        }
#pragma omp for schedule(static)
        for (int64_t i = 0; i < n; i++) memcpy(path[i], AT(i, 0), n * sizeof path[i][0]);
    }
#undef AT
}
