// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Dense kernels under SuiteSparse's factorisations, for its many small blocks: a general BLAS is up to 25 times slower
// there, as it packs both operands and starts threads for blocks of some 20 columns. They have BLAS's names and
// meaning, and only the cases that SuiteSparse asks for; they are linked into the plug-in and seen by nobody else.
// One thread. Matrices are stored by columns.

#ifndef NACRE_STDLIB_SUITESPARSE_BLAS_H
#define NACRE_STDLIB_SUITESPARSE_BLAS_H

#include <complex.h>
#include <stdbool.h>
#include <stddef.h>

typedef double complex Complex;

enum {
    ROWS_MOST = 24,   // of a tile
    COLUMNS_MOST = 8, // likewise
    DEPTH = 112,      // of what is packed at a time
    SOLVE = 16,       // most columns of a triangle that is solved in one go
};

// A matrix whose element (i, j) is at data[i * row + j * column]: transposed, it is the same with the two exchanged.
typedef struct Matrix {
    const double *data;
    ptrdiff_t row, column;
} Matrix;
typedef struct ComplexMatrix {
    const Complex *data;
    ptrdiff_t row, column;
    bool conj; // its elements are conjugate
} ComplexMatrix;

// Writes to the tile c (`rows` × `columns` of the kernel, `stride` between columns), or adds to it, alpha * a * b. `a` is
// packed, `rows` elements for each of `depth`; b's element (l, j) is b[l * row + j * column].
typedef void (*TileFn)(long depth, const double *a, const double *b, ptrdiff_t row, ptrdiff_t column, double alpha, double *c,
                       ptrdiff_t stride, bool add);
// x = x * inverse of an upper triangle of n <= SOLVE columns: element (l, j) is triangle[j * SOLVE + l], and on the
// diagonal are reciprocals. x is m × n.
typedef void (*SolveFn)(long m, int n, const double *triangle, double *x, ptrdiff_t stride);

typedef struct TileKernel {
    TileFn run;
    SolveFn solve;
    int rows, columns;
} TileKernel;

// The best for this processor.
TileKernel tile_kernel(void);

// c += alpha * a * b, or c = alpha * a * b if not `add`; c is m × n, `stride` between columns.
void multiply(long m, long n, long depth, double alpha, Matrix a, Matrix b, double *c, ptrdiff_t stride, bool add);
void multiply_complex(long m, long n, long depth, Complex alpha, ComplexMatrix a, ComplexMatrix b, Complex *c,
                      ptrdiff_t stride, bool add);

static inline bool letter_is(const char *given, char upper) {
    return *given == upper || *given == upper + 32;
}
// Whether BLAS's letter asks for a transposed operand ('C' is one of real numbers).
static inline bool is_trans(const char *trans) {
    return !letter_is(trans, 'N');
}

// The routines, for `P` (d, z) of numbers `T`; `RANK` is the name of C = alpha A A' + beta C, `OUTER` of A += alpha x y'.
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

// LAPACK's on Householder reflections (reflect.c), from the left, forwards, vectors by columns.
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
