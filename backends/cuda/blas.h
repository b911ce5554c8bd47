// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// cuBLAS, opened at run time if it is found: large matrix products. Prototypes are our own; every function returns 0 if
// it succeeds.

#ifndef NACRE_BACKENDS_CUDA_BLAS_H
#define NACRE_BACKENDS_CUDA_BLAS_H

#include "backends/grid/machine.h"

// C = alpha * op(A) @ op(B) + beta * C for matrices stored by columns, where op may transpose; and the same for stacks
// of matrices.
typedef int CudaBlasGemm(void *handle, int op_a, int op_b, int m, int n, int k, const void *alpha, const void *a,
                         int a_lead, const void *b, int b_lead, const void *beta, void *c, int c_lead);
typedef int CudaBlasGemms(void *handle, int op_a, int op_b, int m, int n, int k, const void *alpha, const void *a,
                          int a_lead, long long a_step, const void *b, int b_lead, long long b_step, const void *beta,
                          void *c, int c_lead, long long c_step, int count);

typedef struct CudaBlas {
    bool is_tried; // the library is searched for only once
    void *library, *handle;
    int (*property)(int which, int *value); // 0: the major number of its version, 1: the minor one
    int (*create)(void **handle);
    int (*destroy)(void *handle);
    int (*set_stream)(void *handle, void *stream);
    CudaBlasGemm *gemm[DT_COUNT]; // by type; NULL: no routine for the type
    CudaBlasGemms *gemms[DT_COUNT];
} CudaBlas;

// Opens cuBLAS. False: no version fits the driver. The context is current.
bool cuda_blas_open(CudaBlas *blas, int driver_number);
void cuda_blas_close(CudaBlas *blas); // it need not be open
// Enqueues the product in the stream. False: it was not enqueued.
bool cuda_blas_gemm(const CudaBlas *blas, void *stream, const GridGemm *gemm);
// Appends a line for `nacre info`.
void cuda_blas_describe(int driver_number, Buf *out);

#endif
