// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Products of small dense matrices, by tiles whose sums stay in registers. The left operand is packed: its columns are
// far apart in a factor, so that each would need a page of its own. The right one is read in place.

#include <string.h>

#include "stdlib/suitesparse/blas.h"
#include "stdlib/suitesparse/guard.h"

// Defines the kernel for a tile of WIDTH * VECTORS rows and COLUMNS columns.
#define TILE(NAME, TARGET, WIDTH, VECTORS, COLUMNS)                                                                      \
    typedef double Lanes_##NAME __attribute__((vector_size(WIDTH * 8), aligned(8), may_alias));                          \
    TARGET static void NAME(long depth, const double *a, const double *b, ptrdiff_t row, ptrdiff_t column, double alpha, \
                            double *c, ptrdiff_t stride, bool add) {                                                     \
        Lanes_##NAME sums[COLUMNS][VECTORS] = {0};                                                                       \
        for (long l = 0; l < depth; l++, a += (WIDTH) * (VECTORS), b += row) {                                           \
            Lanes_##NAME left[VECTORS];                                                                                  \
            _Pragma("GCC unroll 8") for (int v = 0; v < (VECTORS); v++)                                                  \
                left[v] = ((const Lanes_##NAME *)a)[v];                                                                  \
            _Pragma("GCC unroll 8") for (int j = 0; j < (COLUMNS); j++)                                                  \
                _Pragma("GCC unroll 8") for (int v = 0; v < (VECTORS); v++)                                              \
                    sums[j][v] += left[v] * b[j * column];                                                               \
        }                                                                                                                \
        _Pragma("GCC unroll 8") for (int j = 0; j < (COLUMNS); j++) {                                                    \
            Lanes_##NAME *to = (Lanes_##NAME *)(c + j * stride);                                                         \
            _Pragma("GCC unroll 8") for (int v = 0; v < (VECTORS); v++)                                                  \
                to[v] = add ? to[v] + alpha * sums[j][v] : alpha * sums[j][v];                                           \
        }                                                                                                                \
    }

// Defines a SolveFn. Each SIMD vector holds WIDTH rows; the last one is padded.
#define SOLVE_ROWS(NAME, TARGET, WIDTH)                                                                                  \
    TARGET static void solve_##NAME(long m, int n, const double *triangle, double *x, ptrdiff_t stride) {                \
        for (long i = 0; i < m; i += (WIDTH)) {                                                                          \
            Lanes_##NAME at[SOLVE];                                                                                      \
            size_t bytes = (size_t)(m - i < (WIDTH) ? m - i : (WIDTH)) * sizeof(double);                                 \
            for (int j = 0; j < n; j++) {                                                                                \
                Lanes_##NAME sum = {0};                                                                                  \
                if (bytes == sizeof sum) sum = *(const Lanes_##NAME *)(x + i + j * stride);                              \
                else memcpy(&sum, x + i + j * stride, bytes);                                                            \
                const double *column = triangle + j * SOLVE;                                                             \
                for (int l = 0; l < j; l++) sum -= at[l] * column[l];                                                    \
                at[j] = sum * column[j];                                                                                 \
            }                                                                                                            \
            for (int j = 0; j < n; j++) memcpy(x + i + j * stride, &at[j], bytes);                                       \
        }                                                                                                                \
    }

#if defined(__x86_64__)
TILE(tile_avx512, __attribute__((target("avx512f"))), 8, 3, 8)
SOLVE_ROWS(tile_avx512, __attribute__((target("avx512f"))), 8)
TILE(tile_avx2, __attribute__((target("avx2,fma"))), 4, 3, 4)
SOLVE_ROWS(tile_avx2, __attribute__((target("avx2,fma"))), 4)
#endif
TILE(tile_any, , 2, 2, 4)
SOLVE_ROWS(tile_any, , 2)

TileKernel tile_kernel(void) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) return (TileKernel){tile_avx512, solve_tile_avx512, 24, 8};
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return (TileKernel){tile_avx2, solve_tile_avx2, 12, 4};
#endif
    return (TileKernel){tile_any, solve_tile_any, 4, 4};
}

// Packs rows [0, m) of `a`, padded with zeros to a whole tile.
static void pack_rows(const TileKernel *kernel, long m, long depth, Matrix a, double *to) {
    const int rows = kernel->rows;
    for (long l = 0; l < depth; l++, to += rows) {
        const double *from = a.data + l * a.column;
        if (a.row == 1) memcpy(to, from, (size_t)m * sizeof *to);
        else
            for (long i = 0; i < m; i++) to[i] = from[i * a.row];
        if (m < rows) memset(to + m, 0, (size_t)(rows - m) * sizeof *to);
    }
}

// Packs a right operand that has fewer columns than the kernel's tile, padded with zeros.
static Matrix pack_columns(int columns, long n, long depth, Matrix b, double *to) {
    Matrix packed = {to, columns, 1};
    for (long l = 0; l < depth; l++, to += columns)
        for (long j = 0; j < columns; j++) to[j] = j < n ? b.data[l * b.row + j * b.column] : 0;
    return packed;
}

// Computes an incomplete tile at the edge by way of a whole one.
static void edge(const TileKernel *kernel, long m, long n, long depth, double alpha, const double *a, Matrix b, double *c,
                 ptrdiff_t stride, bool add) {
    double tile[ROWS_MOST * COLUMNS_MOST];
    kernel->run(depth, a, b.data, b.row, b.column, alpha, tile, kernel->rows, false);
    for (long j = 0; j < n; j++) {
        const double *from = tile + j * kernel->rows;
        double *to = c + j * stride;
        if (add)
            for (long i = 0; i < m; i++) to[i] += from[i];
        else memcpy(to, from, (size_t)m * sizeof *to);
    }
}

// Multiplies packed rows of the left operand (some tiles of them) by all columns of b.
static void times_columns(const TileKernel *kernel, long m, long n, long depth, double alpha, const double *packed, Matrix b,
                          double *c, ptrdiff_t stride, bool add) {
    double filled[COLUMNS_MOST * DEPTH];
    for (long j = 0; j < n; j += kernel->columns) {
        long columns = n - j < kernel->columns ? n - j : kernel->columns;
        Matrix right = {b.data + j * b.column, b.row, b.column};
        if (columns < kernel->columns) right = pack_columns(kernel->columns, columns, depth, right, filled);
        for (long i = 0; i < m; i += kernel->rows) {
            long rows = m - i < kernel->rows ? m - i : kernel->rows;
            const double *left = packed + i * depth;
            double *to = c + i + j * stride;
            if (rows == kernel->rows && columns == kernel->columns)
                kernel->run(depth, left, right.data, right.row, right.column, alpha, to, stride, add);
            else edge(kernel, rows, columns, depth, alpha, left, right, to, stride, add);
        }
    }
}

void multiply(long m, long n, long depth, double alpha, Matrix a, Matrix b, double *c, ptrdiff_t stride, bool add) {
    enum { BAND = 3 * ROWS_MOST }; // rows that are packed at a time: their panel stays in the second-level cache
    double packed[BAND * DEPTH];
    TileKernel kernel = tile_kernel();
    if (depth <= 0 && !add)
        for (long j = 0; j < n; j++) memset(c + j * stride, 0, (size_t)m * sizeof *c);
    for (long l = 0; l < depth; l += DEPTH) {
        long part = depth - l < DEPTH ? depth - l : DEPTH;
        Matrix right = {b.data + l * b.row, b.row, b.column};
        for (long i = 0; i < m; i += BAND) {
            long band = m - i < BAND ? m - i : BAND;
            guard_look();
            for (long r = 0; r < band; r += kernel.rows) {
                Matrix left = {a.data + (i + r) * a.row + l * a.column, a.row, a.column};
                pack_rows(&kernel, band - r < kernel.rows ? band - r : kernel.rows, part, left, packed + r * part);
            }
            times_columns(&kernel, band, n, part, alpha, packed, right, c + i, stride, add || l > 0);
        }
    }
}
