// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Dense kernels for SuiteSparse's factorisations and their many small blocks. A general BLAS is up to 25 times slower
// there: it packs both operands, and starts threads for blocks of some 20 columns. The functions have BLAS's names and
// meaning, but handle only the cases that SuiteSparse uses. They are linked into the plug-in and not exported. They run
// on the calling thread. Matrices are column-major.

#ifndef NACRE_STDLIB_SUITESPARSE_BLAS_H
#define NACRE_STDLIB_SUITESPARSE_BLAS_H

#include <complex.h>
#include <stdbool.h>
#include <stddef.h>

typedef double complex Complex;

enum {
    ROWS_MOST = 24,   // most rows of a tile
    COLUMNS_MOST = 8, // most columns of a tile
    DEPTH = 112,      // most columns of A (rows of B) that are packed at a time
    SOLVE = 16,       // most columns of a triangle that is solved without splitting it
};

// A matrix whose element (i, j) is at data[i * row + j * column]. Exchanging the two strides transposes it.
typedef struct Matrix {
    const double *data;
    ptrdiff_t row, column;
} Matrix;
typedef struct ComplexMatrix {
    const Complex *data;
    ptrdiff_t row, column;
    bool conj; // elements are conjugated when they are read
} ComplexMatrix;

// Computes alpha * a * b for one tile c of the kernel's rows × columns, `stride` apart by columns. Adds to c if `add`,
// else overwrites it. `a` is packed: `rows` elements for each of `depth`. Element (l, j) of b is b[l * row + j *
// column].
typedef void (*TileFn)(long depth, const double *a, const double *b, ptrdiff_t row, ptrdiff_t column, double alpha, double *c,
                       ptrdiff_t stride, bool add);
// Multiplies the m × n matrix x in place by the inverse of an upper triangle of n <= SOLVE columns, from the right.
// Element (l, j) of the triangle is triangle[j * SOLVE + l]; its diagonal holds reciprocals.
typedef void (*SolveFn)(long m, int n, const double *triangle, double *x, ptrdiff_t stride);

typedef struct TileKernel {
    TileFn run;
    SolveFn solve;
    int rows, columns;
} TileKernel;

// Returns the fastest kernel that this processor supports.
TileKernel tile_kernel(void);

// Computes c += alpha * a * b, or c = alpha * a * b if not `add`. c is m × n; its columns are `stride` apart.
void multiply(long m, long n, long depth, double alpha, Matrix a, Matrix b, double *c, ptrdiff_t stride, bool add);
void multiply_complex(long m, long n, long depth, Complex alpha, ComplexMatrix a, ComplexMatrix b, Complex *c,
                      ptrdiff_t stride, bool add);

static inline bool letter_is(const char *given, char upper) {
    return *given == upper || *given == upper + 32;
}
// Returns whether BLAS's letter `trans` asks for a transposed operand. 'C' counts, too: for real numbers it is the same
// as 'T'.
static inline bool is_trans(const char *trans) {
    return !letter_is(trans, 'N');
}

// Declares the routines for numbers of type `T` with the prefix `P` (d or z). `RANK` is the name of the routine for C =
// alpha A A' + beta C, `OUTER` of that for A += alpha x y'.
#define BLAS_OF(P, T, RANK, OUTER)                                                                                          \
    void P##gemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const T *alpha,         \
                  const T *a, const int *lda, const T *b, const int *ldb, const T *beta, T *c, const int *ldc);             \
    void RANK(const char *uplo, const char *trans, const int *n, const int *k, const double *alpha, const T *a,             \
              const int *lda, const double *beta, T *c, const int *ldc);                                                    \
    void P##trsm_(const char *side, const char *uplo, const char *trans, const char *diag, const int *m, const int *n,      \
                  const T *alpha, const T *a, const int *lda, T *b, const int *ldb);                                        \
    void P##potrf_(const char *uplo, const int *n, T *a, const int *lda, int *info);                                        \
    void P##gemv_(const char *trans, const int *m, const int *n, const T *alpha, const T *a, const int *lda, const T *x,    \
                  const int *incx, const T *beta, T *y, const int *incy);                                                   \
    void P##trsv_(const char *uplo, const char *trans, const char *diag, const int *n, const T *a, const int *lda, T *x,    \
                  const int *incx);                                                                                         \
    void OUTER(const int *m, const int *n, const T *alpha, const T *x, const int *incx, const T *y, const int *incy, T *a,  \
               const int *lda);

// Declares LAPACK's routines for Householder reflections (reflect.c): applied from the left, in forward order, with the
// vectors stored by columns.
#define REFLECTIONS_OF(P, T)                                                                                                \
    void P##larfg_(const int *n, T *alpha, T *x, const int *incx, T *tau);                                                  \
    void P##larf_(const char *side, const int *m, const int *n, const T *v, const int *incv, const T *tau, T *c,            \
                  const int *ldc, T *room);                                                                                 \
    void P##larft_(const char *direct, const char *storev, const int *m, const int *k, const T *v, const int *ldv,          \
                   const T *tau, T *t, const int *ldt);                                                                     \
    void P##larfb_(const char *side, const char *trans, const char *direct, const char *storev, const int *m, const int *n, \
                   const int *k, const T *v, const int *ldv, const T *t, const int *ldt, T *c, const int *ldc, T *room,     \
                   const int *ldroom);
double dnrm2_(const int *n, const double *x, const int *incx);
double dznrm2_(const int *n, const Complex *x, const int *incx);

BLAS_OF(d, double, dsyrk_, dger_)
BLAS_OF(z, Complex, zherk_, zgeru_)
REFLECTIONS_OF(d, double)
REFLECTIONS_OF(z, Complex)

#endif
