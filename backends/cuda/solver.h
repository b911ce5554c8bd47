// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// cuSOLVER, opened at run time if it is found: factorisations of dense matrices. Prototypes are our own, as those of
// the driver are. Matrices are column-major, as in LAPACK; parameters type… are ids of element types.

#ifndef NACRE_BACKENDS_CUDA_SOLVER_H
#define NACRE_BACKENDS_CUDA_SOLVER_H

#include "backends/cuda/driver.h"
#include "backends/grid/machine.h"

// Generic functions take a workspace on the device and one on the host, whose sizes their `_size` function returns.
#define CUDA_SOLVER_SIZES size_t *on_device, size_t *on_host
#define CUDA_SOLVER_SPACE void *device, size_t device_bytes, void *host, size_t host_bytes, int *info

#define CUDA_SOLVER(X)                                                                                                   \
    X(property, cusolverGetProperty, (int which, int *value))                                                            \
    X(create, cusolverDnCreate, (void **handle))                                                                         \
    X(destroy, cusolverDnDestroy, (void *handle))                                                                        \
    X(set_stream, cusolverDnSetStream, (void *handle, void *stream))                                                     \
    X(params_create, cusolverDnCreateParams, (void **params))                                                            \
    X(params_destroy, cusolverDnDestroyParams, (void *params))                                                           \
    X(syevj_create, cusolverDnCreateSyevjInfo, (void **options))                                                         \
    X(syevj_destroy, cusolverDnDestroySyevjInfo, (void *options))                                                        \
    X(gesvdj_create, cusolverDnCreateGesvdjInfo, (void **options))                                                       \
    X(gesvdj_destroy, cusolverDnDestroyGesvdjInfo, (void *options))                                                      \
    X(getrf_size, cusolverDnXgetrf_bufferSize,                                                                           \
      (void *handle, void *params, int64_t m, int64_t n, int type_a, const void *a, int64_t lda, int type,               \
       CUDA_SOLVER_SIZES))                                                                                               \
    X(getrf, cusolverDnXgetrf,                                                                                           \
      (void *handle, void *params, int64_t m, int64_t n, int type_a, void *a, int64_t lda, int64_t *pivots, int type,    \
       CUDA_SOLVER_SPACE))                                                                                               \
    X(getrs, cusolverDnXgetrs,                                                                                           \
      (void *handle, void *params, int op, int64_t n, int64_t sides, int type_a, const void *a, int64_t lda,             \
       const int64_t *pivots, int type_b, void *b, int64_t ldb, int *info))                                              \
    X(potrf_size, cusolverDnXpotrf_bufferSize,                                                                           \
      (void *handle, void *params, int triangle, int64_t n, int type_a, const void *a, int64_t lda, int type,            \
       CUDA_SOLVER_SIZES))                                                                                               \
    X(potrf, cusolverDnXpotrf,                                                                                           \
      (void *handle, void *params, int triangle, int64_t n, int type_a, void *a, int64_t lda, int type,                  \
       CUDA_SOLVER_SPACE))                                                                                               \
    X(geqrf_size, cusolverDnXgeqrf_bufferSize,                                                                           \
      (void *handle, void *params, int64_t m, int64_t n, int type_a, const void *a, int64_t lda, int type_tau,           \
       const void *tau, int type, CUDA_SOLVER_SIZES))                                                                    \
    X(geqrf, cusolverDnXgeqrf,                                                                                           \
      (void *handle, void *params, int64_t m, int64_t n, int type_a, void *a, int64_t lda, int type_tau, void *tau,      \
       int type, CUDA_SOLVER_SPACE))                                                                                     \
    X(syevd_size, cusolverDnXsyevd_bufferSize,                                                                           \
      (void *handle, void *params, int job, int triangle, int64_t n, int type_a, const void *a, int64_t lda, int type_w, \
       const void *w, int type, CUDA_SOLVER_SIZES))                                                                      \
    X(syevd, cusolverDnXsyevd,                                                                                           \
      (void *handle, void *params, int job, int triangle, int64_t n, int type_a, void *a, int64_t lda, int type_w,       \
       void *w, int type, CUDA_SOLVER_SPACE))                                                                            \
    X(gesvd_size, cusolverDnXgesvd_bufferSize,                                                                           \
      (void *handle, void *params, signed char job_u, signed char job_vt, int64_t m, int64_t n, int type_a,              \
       const void *a, int64_t lda, int type_s, const void *s, int type_u, const void *u, int64_t ldu, int type_vt,       \
       const void *vt, int64_t ldvt, int type, CUDA_SOLVER_SIZES))                                                       \
    X(gesvd, cusolverDnXgesvd,                                                                                           \
      (void *handle, void *params, signed char job_u, signed char job_vt, int64_t m, int64_t n, int type_a, void *a,     \
       int64_t lda, int type_s, void *s, int type_u, void *u, int64_t ldu, int type_vt, void *vt, int64_t ldvt,          \
       int type, CUDA_SOLVER_SPACE))
// Pairs of functions for float64 and for complex128; the workspace is counted in elements.
#define CUDA_SOLVER_TYPED(X)                                                                                      \
    X(orgqr_size, cusolverDnDorgqr_bufferSize, cusolverDnZungqr_bufferSize,                                       \
      (void *handle, int m, int n, int k, const void *a, int lda, const void *tau, int *length))                  \
    X(orgqr, cusolverDnDorgqr, cusolverDnZungqr,                                                                  \
      (void *handle, int m, int n, int k, void *a, int lda, const void *tau, void *work, int length, int *info))  \
    X(syevj_size, cusolverDnDsyevjBatched_bufferSize, cusolverDnZheevjBatched_bufferSize,                         \
      (void *handle, int job, int triangle, int n, const void *a, int lda, const double *w, int *length,          \
       void *options, int count))                                                                                 \
    X(syevj, cusolverDnDsyevjBatched, cusolverDnZheevjBatched,                                                    \
      (void *handle, int job, int triangle, int n, void *a, int lda, double *w, void *work, int length,           \
       int *info, void *options, int count))                                                                      \
    X(gesvdj_size, cusolverDnDgesvdjBatched_bufferSize, cusolverDnZgesvdjBatched_bufferSize,                      \
      (void *handle, int job, int m, int n, const void *a, int lda, const double *s, const void *u, int ldu,      \
       const void *v, int ldv, int *length, void *options, int count))                                            \
    X(gesvdj, cusolverDnDgesvdjBatched, cusolverDnZgesvdjBatched,                                                 \
      (void *handle, int job, int m, int n, void *a, int lda, double *s, void *u, int ldu, void *v, int ldv,      \
       void *work, int length, int *info, void *options, int count))
// Functions that exist since CUDA 12.6.
#define CUDA_SOLVER_OPTIONAL(X)                                                                                          \
    X(geev_size, cusolverDnXgeev_bufferSize,                                                                             \
      (void *handle, void *params, int job_left, int job_right, int64_t n, int type_a, const void *a, int64_t lda,       \
       int type_w, const void *w, int type_vl, const void *vl, int64_t ldvl, int type_vr, const void *vr, int64_t ldvr,  \
       int type, CUDA_SOLVER_SIZES))                                                                                     \
    X(geev, cusolverDnXgeev,                                                                                             \
      (void *handle, void *params, int job_left, int job_right, int64_t n, int type_a, void *a, int64_t lda, int type_w, \
       void *w, int type_vl, void *vl, int64_t ldvl, int type_vr, void *vr, int64_t ldvr, int type, CUDA_SOLVER_SPACE))

#define CUDA_MEMBER(member, symbol, parameters) int(*member) parameters;
#define CUDA_TYPED_MEMBER(member, real, complex, parameters) int(*member[2]) parameters;
typedef struct CudaSolver {
    bool is_tried; // the library is searched for only once
    void *library, *handle;
    void *params, *syevj_options, *gesvdj_options; // default options
    CUDA_SOLVER(CUDA_MEMBER)
    CUDA_SOLVER_TYPED(CUDA_TYPED_MEMBER) // for float64, for complex128
    CUDA_SOLVER_OPTIONAL(CUDA_MEMBER)    // NULL if the library lacks them
} CudaSolver;
#undef CUDA_TYPED_MEMBER
#undef CUDA_MEMBER

// The stream that work is enqueued in, and where its memory comes from.
typedef struct CudaSolverPlace {
    const CudaDriver *driver;
    void *stream;
    GridPool *pool;
    Mem *mem;
} CudaSolverPlace;

// Opens cuSOLVER. False: no version works with the driver. The context is current.
bool cuda_solver_open(CudaSolver *solver, int driver_number);
void cuda_solver_close(CudaSolver *solver); // it need not be open
bool cuda_solver_has(const CudaSolver *solver, GridSolveKind kind); // false also if it is not open
// As GridDriver.solve.
bool cuda_solver_run(const CudaSolver *solver, const CudaSolverPlace *place, const GridSolve *what);
// Appends a line for `nacre info`.
void cuda_solver_describe(int driver_number, Buf *out);

#endif
