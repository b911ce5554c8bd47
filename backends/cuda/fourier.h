// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// cuFFT, opened at run time if it is found: large Fourier transforms, except those from complex to real numbers, which
// would overwrite their operand. Prototypes are our own; every function returns 0 if it succeeds.

#ifndef NACRE_BACKENDS_CUDA_FOURIER_H
#define NACRE_BACKENDS_CUDA_FOURIER_H

#include "backends/grid/machine.h"

// A plan is a number. Points of a row are `step` elements apart, rows `apart` elements; `embed` must not be NULL.
#define CUDA_FOURIER(X)                                                                                                \
    X(property, cufftGetProperty, (int which, int *value))                                                             \
    X(create, cufftCreate, (int *plan))                                                                                \
    X(destroy, cufftDestroy, (int plan))                                                                               \
    X(set_allocation, cufftSetAutoAllocation, (int plan, int automatic))                                               \
    X(make, cufftMakePlanMany64,                                                                                       \
      (int plan, int rank, long long *points, long long *in_embed, long long in_step, long long in_apart,              \
       long long *out_embed, long long out_step, long long out_apart, int kind, long long rows, size_t *bytes))        \
    X(set_stream, cufftSetStream, (int plan, void *stream))                                                            \
    X(set_work, cufftSetWorkArea, (int plan, void *memory))                                                            \
    X(run_floats, cufftExecC2C, (int plan, void *in, void *out, int sign))                                             \
    X(run_doubles, cufftExecZ2Z, (int plan, void *in, void *out, int sign))                                            \
    X(run_real_floats, cufftExecR2C, (int plan, void *in, void *out))                                                  \
    X(run_real_doubles, cufftExecD2Z, (int plan, void *in, void *out))

enum { CUDA_FOURIER_PLANS = 16 };

// A plan: the transform that it is for, its number, and when it was last used. All zeros: none.
typedef struct CudaFourierPlan {
    int64_t points, rows, in_step, in_apart, out_step, out_apart;
    DType type;
    bool is_real;
    int number;
    size_t bytes; // of working memory
    uint64_t used;
} CudaFourierPlan;

typedef struct CudaFourier {
    bool is_tried; // the library is searched for only once
    void *library;
#define X(name, symbol, parameters) int (*name) parameters;
    CUDA_FOURIER(X)
#undef X
    CudaFourierPlan plans[CUDA_FOURIER_PLANS];
    uint64_t uses;
} CudaFourier;

// Opens cuFFT. False: no version fits the driver.
bool cuda_fourier_open(CudaFourier *fourier, int driver_number);
void cuda_fourier_close(CudaFourier *fourier); // it need not be open; the context is current
// Enqueues the transforms in the stream, with working memory of the pool. False: they were not enqueued, and nothing
// was written.
bool cuda_fourier_run(CudaFourier *fourier, void *stream, GridPool *pool, const GridTransform *transform);
// Appends a line for `nacre info`.
void cuda_fourier_describe(int driver_number, Buf *out);

#endif
