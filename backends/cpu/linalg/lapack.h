// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// LAPACK's drivers for double and double complex, looked up by name on first use. Matrices are
// column-major, integers have 32 bits, and string lengths follow the last argument, as gfortran
// passes them. LAPACK ends the process on invalid arguments, so extents are checked before.

#ifndef NACRE_BACKENDS_CPU_LINALG_LAPACK_H
#define NACRE_BACKENDS_CPU_LINALG_LAPACK_H

#include "backends/cpu/linalg/linalg.h"
#include "backends/cpu/long_call.h"

typedef const char *Letter;

// Elements are declared as double, whether complex or not. Functions with the same arguments for
// both come in pairs, indexed by parts_of minus one.
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

// Returns LAPACK's functions, which the first call looks up. NULL: not available.
const Lapack *lapack_open(void);
void lapack_describe(Buf *out);

// Returns whether LAPACK is available and the extents fit its integers; sets FLAG_ABSENT or
// FLAG_FAILED.
bool lapack_usable(const View *matrix, uint32_t *flags);
// Decodes the result of a workspace query, in elements; 0: LAPACK's integers cannot express the length.
static inline int lapack_length(double answer) {
    return answer < INT32_MAX ? (int)answer : 0;
}
static inline int at_least_one(int n) {
    return n > 1 ? n : 1;
}

// Brackets calls for matrices of this extent: chooses BLIS's number of threads, one if the VM's threads already
// share a stack (`shared`). The result is for blis_end.
int lapack_begin(const Cpu *cpu, int64_t extent, bool shared);
bool lapack_is_wide(const Cpu *cpu, int64_t extent, bool shared);

// Runs run(problem), as a long call if `call` is given (see long_call_run). False: interrupted.
static inline bool lapack_run(const Cpu *cpu, LongCall *call, LongFn run, void *problem, size_t size, uint32_t *flags) {
    if (call) return long_call_run(cpu, call, run, problem, size, flags);
    run(problem);
    return true;
}

// Returns the work of a call (long_call.h) in multiplications: rows * cols * depth, times a `weight` that makes the
// work comparable to that of a matrix product.
// Complex calls return 0 and stay on this thread: another thread takes twice as long, since BLIS
// has its 1m method only in the thread that called it first.
static inline double lapack_work(const View *matrix, double weight, double rows, double cols, double depth) {
    return parts_of(matrix) == 1 ? weight * rows * cols * depth : 0;
}

#endif
