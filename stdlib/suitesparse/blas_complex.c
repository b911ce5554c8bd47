// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Dense kernels for complex numbers. A complex product is computed as four real ones: packing the operands separates
// their real and imaginary parts.

#include <math.h>

#include "stdlib/suitesparse/blas.h"
#include "stdlib/suitesparse/guard.h"

enum { BAND = 2 * ROWS_MOST };

// Packs rows [0, m) of `a` as pack_rows does, the real and the imaginary parts separately.
static void pack_parts(const TileKernel *kernel, long m, long depth, ComplexMatrix a, double *re, double *im) {
    const double sign = a.conj ? -1 : 1;
    for (long l = 0; l < depth; l++, re += kernel->rows, im += kernel->rows)
        for (long i = 0; i < kernel->rows; i++) {
            Complex x = i < m ? a.data[i * a.row + l * a.column] : 0;
            re[i] = creal(x);
            im[i] = sign * cimag(x);
        }
}

static void pack_right(int columns, long n, long depth, ComplexMatrix b, double *re, double *im) {
    const double sign = b.conj ? -1 : 1;
    for (long l = 0; l < depth; l++, re += columns, im += columns)
        for (long j = 0; j < columns; j++) {
            Complex x = j < n ? b.data[l * b.row + j * b.column] : 0;
            re[j] = creal(x);
            im[j] = sign * cimag(x);
        }
}

static void put_tile(int rows, long m, long n, Complex alpha, const double *re, const double *im, Complex *c, ptrdiff_t stride,
                     bool add) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < m; i++) {
            Complex x = alpha * __builtin_complex(re[i + j * rows], im[i + j * rows]), *to = &c[i + j * stride];
            *to = add ? *to + x : x;
        }
}

// Multiplies a band of packed rows by all columns of b.
static void times_columns(const TileKernel *kernel, long m, long n, long depth, Complex alpha, const double *are,
                          const double *aim, ComplexMatrix b, Complex *c, ptrdiff_t stride, bool add) {
    double bre[COLUMNS_MOST * DEPTH], bim[COLUMNS_MOST * DEPTH], re[ROWS_MOST * COLUMNS_MOST], im[ROWS_MOST * COLUMNS_MOST];
    const int rows = kernel->rows, columns = kernel->columns;
    for (long j = 0; j < n; j += columns) {
        long width = n - j < columns ? n - j : columns;
        ComplexMatrix right = {b.data + j * b.column, b.row, b.column, b.conj};
        pack_right(columns, width, depth, right, bre, bim);
        for (long i = 0; i < m; i += rows) {
            kernel->run(depth, are + i * depth, bre, columns, 1, 1, re, rows, false);
            kernel->run(depth, aim + i * depth, bim, columns, 1, -1, re, rows, true);
            kernel->run(depth, are + i * depth, bim, columns, 1, 1, im, rows, false);
            kernel->run(depth, aim + i * depth, bre, columns, 1, 1, im, rows, true);
            put_tile(rows, m - i < rows ? m - i : rows, width, alpha, re, im, c + i + j * stride, stride, add);
        }
    }
}

void multiply_complex(long m, long n, long depth, Complex alpha, ComplexMatrix a, ComplexMatrix b, Complex *c,
                      ptrdiff_t stride, bool add) {
    double re[BAND * DEPTH], im[BAND * DEPTH];
    TileKernel kernel = tile_kernel();
    for (long j = 0; depth <= 0 && !add && j < n; j++)
        for (long i = 0; i < m; i++) c[i + j * stride] = 0;
    for (long l = 0; l < depth; l += DEPTH) {
        long part = depth - l < DEPTH ? depth - l : DEPTH;
        ComplexMatrix right = {b.data + l * b.row, b.row, b.column, b.conj};
        for (long i = 0; i < m; i += BAND) {
            long band = m - i < BAND ? m - i : BAND;
            guard_look();
            for (long r = 0; r < band; r += kernel.rows) {
                ComplexMatrix left = {a.data + (i + r) * a.row + l * a.column, a.row, a.column, a.conj};
                pack_parts(&kernel, band - r < kernel.rows ? band - r : kernel.rows, part, left, re + r * part, im + r * part);
            }
            times_columns(&kernel, band, n, part, alpha, re, im, right, c + i, stride, add || l > 0);
        }
    }
}

#define T Complex
#define NAME(x) z##x
#define RANK zherk_
#define OUTER zgeru_
#define MatrixOf ComplexMatrix
#define multiply_of multiply_complex
#define real_of creal
#define conj_value conj

static ComplexMatrix of(const Complex *data, ptrdiff_t row, ptrdiff_t column, bool conj) {
    return (ComplexMatrix){data, row, column, conj};
}
static Complex conj_of(ComplexMatrix a, Complex x) {
    return a.conj ? conj(x) : x;
}
static bool conj_asked(ComplexMatrix a) {
    return a.conj;
}

// Solves like SolveFn: x = x * inverse of the triangle.
static void solve_rows(long m, int n, const Complex *triangle, Complex *x, ptrdiff_t stride) {
    for (int j = 0; j < n; j++) {
        Complex *to = x + j * stride;
        for (int l = 0; l < j; l++) {
            Complex by = triangle[j * SOLVE + l], *from = x + l * stride;
            for (long i = 0; i < m; i++) to[i] -= from[i] * by;
        }
        for (long i = 0; i < m; i++) to[i] *= triangle[j * SOLVE + j];
    }
}

static void dots_of(long m, int columns, const Complex *a, ptrdiff_t stride, bool conjugate, const Complex *x, ptrdiff_t step,
                    Complex *sums) {
    for (int k = 0; k < columns; k++) {
        Complex sum = 0;
        for (long i = 0; i < m; i++) sum += conj_of((ComplexMatrix){.conj = conjugate}, a[i + k * stride]) * x[i * step];
        sums[k] = sum;
    }
}

#include "stdlib/suitesparse/blas_template.h"
