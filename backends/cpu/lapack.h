// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// LAPACK's drivers for doubles, found by name at the first use of one. Matrices lie in columns,
// integers have 32 bits, and the lengths of texts follow the last argument, as gfortran wants it.
// LAPACK ends the process over arguments that it does not like: extents are checked before.

#ifndef NACRE_BACKENDS_CPU_LAPACK_H
#define NACRE_BACKENDS_CPU_LAPACK_H

#include "backends/cpu/linalg.h"

typedef const char *Letter;

typedef struct Lapack {
    void (*geqrf)(const int *m, const int *n, double *a, const int *lda, double *tau, double *work,
                  const int *lwork, int *info);
    void (*orgqr)(const int *m, const int *n, const int *k, double *a, const int *lda,
                  const double *tau, double *work, const int *lwork, int *info);
    void (*syevd)(Letter jobz, Letter uplo, const int *n, double *a, const int *lda, double *w,
                  double *work, const int *lwork, int *iwork, const int *liwork, int *info, size_t,
                  size_t);
    void (*gesdd)(Letter jobz, const int *m, const int *n, double *a, const int *lda, double *s,
                  double *u, const int *ldu, double *vt, const int *ldvt, double *work,
                  const int *lwork, int *iwork, int *info, size_t);
    void (*gelsd)(const int *m, const int *n, const int *nrhs, double *a, const int *lda, double *b,
                  const int *ldb, double *s, const double *rcond, int *rank, double *work,
                  const int *lwork, int *iwork, int *info);
} Lapack;

// NULL: there is none.
const Lapack *lapack_open(void);
void lapack_describe(Buf *out);

// Whether LAPACK is there and the extents fit its integers; sets FLAG_ABSENT or FLAG_FAILED.
bool lapack_usable(const View *matrix, uint32_t *flags);
// What a query of work's size answered, in elements; 0: LAPACK's integers cannot say it.
static inline int lapack_length(double answer) {
    return answer < INT32_MAX ? (int)answer : 0;
}

// Around calls for matrices of such an extent: how many threads BLIS takes. See blis_begin.
int lapack_begin(const Cpu *cpu, int64_t extent);

#endif
