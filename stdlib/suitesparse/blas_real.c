// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Dense kernels for real numbers.

#include <math.h>

#include "stdlib/suitesparse/blas.h"

#define T double
#define NAME(x) d##x
#define RANK dsyrk_
#define OUTER dger_
#define MatrixOf Matrix
#define multiply_of multiply

static Matrix of(const double *data, ptrdiff_t row, ptrdiff_t column, bool conj) {
    (void)conj;
    return (Matrix){data, row, column};
}
static double conj_of(Matrix a, double x) {
    (void)a;
    return x;
}
static bool conj_asked(Matrix a) {
    (void)a;
    return false;
}
static double conj_value(double x) {
    return x;
}
static double real_of(double x) {
    return x;
}
static void solve_rows(long m, int n, const double *triangle, double *x, ptrdiff_t stride) {
    tile_kernel().solve(m, n, triangle, x, stride);
}

typedef double Four __attribute__((vector_size(32), aligned(8), may_alias));

// Writes the dot products of up to four columns with x to `sums`. Each sum is kept in four SIMD lanes, if x is
// contiguous.
static void dots_of(long m, int columns, const double *a, ptrdiff_t stride, bool conj, const double *x, ptrdiff_t step,
                    double *sums) {
    Four parts[4] = {0};
    long whole = step == 1 ? m & ~3L : 0;
    (void)conj;
    if (columns == 4) {
        for (long i = 0; i < whole; i += 4) {
            Four at = *(const Four *)(x + i);
            for (int k = 0; k < 4; k++) parts[k] += *(const Four *)(a + i + k * stride) * at;
        }
    } else {
        for (int k = 0; k < columns; k++)
            for (long i = 0; i < whole; i += 4) parts[k] += *(const Four *)(a + i + k * stride) * *(const Four *)(x + i);
    }
    for (int k = 0; k < columns; k++) {
        sums[k] = (parts[k][0] + parts[k][1]) + (parts[k][2] + parts[k][3]);
        for (long i = whole; i < m; i++) sums[k] += a[i + k * stride] * x[i * step];
    }
}

#include "stdlib/suitesparse/blas_template.h"
