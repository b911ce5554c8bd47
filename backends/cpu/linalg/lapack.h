// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// LAPACK's drivers for double and double complex, found by name at the first use of one. Matrices
// lie in columns, integers have 32 bits, and the lengths of texts follow the last argument, as
// gfortran wants it. LAPACK ends the process over arguments that it does not like: extents are
// checked before.

#ifndef NACRE_BACKENDS_CPU_LINALG_LAPACK_H
#define NACRE_BACKENDS_CPU_LINALG_LAPACK_H

#include "backends/cpu/linalg/linalg.h"
#include "backends/cpu/long_call.h"

typedef const char *Letter;

// Elements are written as doubles, whether they are complex or not. Where arguments do not depend on
// that, there are two functions: by parts_of, less one.
typedef struct Lapack {
    void (*geqrf[2])(const int *m, const int *n, double *a, const int *lda, double *tau,
                     double *work, const int *lwork, int *info);
    void (*orgqr[2])(const int *m, const int *n, const int *k, double *a, const int *lda,
                     const double *tau, double *work, const int *lwork, int *info);
    void (*syevd)(Letter jobz, Letter uplo, const int *n, double *a, const int *lda, double *w,
                  double *work, const int *lwork, int *iwork, const int *liwork, int *info, size_t,
                  size_t);
    void (*heevd)(Letter jobz, Letter uplo, const int *n, double *a, const int *lda, double *w,
                  double *work, const int *lwork, double *rwork, const int *lrwork, int *iwork,
                  const int *liwork, int *info, size_t, size_t);
    void (*dsterf)(const int *n, double *d, double *e, int *info);
    void (*dstedc)(Letter compz, const int *n, double *d, double *e, double *z, const int *ldz,
                   double *work, const int *lwork, int *iwork, const int *liwork, int *info, size_t);
    void (*dgeev)(Letter jobvl, Letter jobvr, const int *n, double *a, const int *lda, double *wr,
                  double *wi, double *vl, const int *ldvl, double *vr, const int *ldvr,
                  double *work, const int *lwork, int *info, size_t, size_t);
    void (*zgeev)(Letter jobvl, Letter jobvr, const int *n, double *a, const int *lda, double *w,
                  double *vl, const int *ldvl, double *vr, const int *ldvr, double *work,
                  const int *lwork, double *rwork, int *info, size_t, size_t);
    void (*dgesdd)(Letter jobz, const int *m, const int *n, double *a, const int *lda, double *s,
                   double *u, const int *ldu, double *vt, const int *ldvt, double *work,
                   const int *lwork, int *iwork, int *info, size_t);
    void (*zgesdd)(Letter jobz, const int *m, const int *n, double *a, const int *lda, double *s,
                   double *u, const int *ldu, double *vt, const int *ldvt, double *work,
                   const int *lwork, double *rwork, int *iwork, int *info, size_t);
    void (*dgelsd)(const int *m, const int *n, const int *nrhs, double *a, const int *lda,
                   double *b, const int *ldb, double *s, const double *rcond, int *rank,
                   double *work, const int *lwork, int *iwork, int *info);
    void (*zgelsd)(const int *m, const int *n, const int *nrhs, double *a, const int *lda,
                   double *b, const int *ldb, double *s, const double *rcond, int *rank,
                   double *work, const int *lwork, double *rwork, int *iwork, int *info);
    void (*zpotrf)(Letter uplo, const int *n, double *a, const int *lda, int *info, size_t);
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
static inline int at_least_one(int n) {
    return n > 1 ? n : 1;
}

// Around calls for matrices of such an extent: how many threads BLIS takes, one where the threads are
// shared out already. See blis_begin.
int lapack_begin(const Cpu *cpu, int64_t extent, bool shared);
bool lapack_is_wide(const Cpu *cpu, int64_t extent, bool shared);

// Does run(problem), in the call if there is one: see long_call_run.
static inline bool lapack_run(const Cpu *cpu, LongCall *call, LongFn run, void *problem, size_t size, uint32_t *flags) {
    if (call) return long_call_run(cpu, call, run, problem, size, flags);
    run(problem);
    return true;
}

// What long_call.h calls the work of a call: `weight` says for how many multiplications of a product one takes. None of
// complex matrices, whose calls stay in this thread: another one takes twice as long, as BLIS has its 1m method only in
// the thread that called it first.
static inline double lapack_work(const View *matrix, double weight, double rows, double cols, double depth) {
    return parts_of(matrix) == 1 ? weight * rows * cols * depth : 0;
}

#endif
