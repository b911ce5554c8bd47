// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Householder reflections for SPQR, real and complex. The functions have LAPACK's names and meaning, but handle only
// the cases that SPQR uses: reflections from the left, in forward order, with the vectors stored by columns.

#include <float.h>
#include <math.h>

#include "stdlib/suitesparse/blas.h"

#define T double
#define NAME(x) d##x
#define LOCAL(x) x##_real
#define MatrixOf Matrix
#define multiply_of multiply
#define OUTER dger_
#define CONJ(x) (x)
#define REAL(x) (x)
#define IMAG(x) 0.0
static Matrix adjoint_real(const double *a, ptrdiff_t stride) {
    return (Matrix){a, stride, 1};
}
static Matrix plain_real(const double *a, ptrdiff_t stride) {
    return (Matrix){a, 1, stride};
}
#include "stdlib/suitesparse/reflect_template.h"
#undef T
#undef NAME
#undef LOCAL
#undef MatrixOf
#undef multiply_of
#undef OUTER
#undef CONJ
#undef REAL
#undef IMAG

#define T Complex
#define NAME(x) z##x
#define LOCAL(x) x##_complex
#define MatrixOf ComplexMatrix
#define multiply_of multiply_complex
#define OUTER zgeru_
#define CONJ conj
#define REAL creal
#define IMAG cimag
static ComplexMatrix adjoint_complex(const Complex *a, ptrdiff_t stride) {
    return (ComplexMatrix){a, stride, 1, true};
}
static ComplexMatrix plain_complex(const Complex *a, ptrdiff_t stride) {
    return (ComplexMatrix){a, 1, stride, false};
}
#include "stdlib/suitesparse/reflect_template.h"

double dnrm2_(const int *n, const double *x, const int *incx) {
    return norm_real(*n, x, *incx);
}
double dznrm2_(const int *n, const Complex *x, const int *incx) {
    return norm_complex(*n, x, *incx);
}
