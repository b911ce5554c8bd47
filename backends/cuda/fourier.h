// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// cuFFT, opened at run time where it is found: large Fourier transforms, but for those from complex to real numbers,
// which would write into their operand. Prototypes are our own; every function answers 0 if all is well.

#ifndef NACRE_BACKENDS_CUDA_FOURIER_H
#define NACRE_BACKENDS_CUDA_FOURIER_H

#include "backends/grid/machine.h"

// A plan is a number. Points of a row are `step` elements apart, rows are `apart`; `embed` only has to be there.
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

// The transform that a plan is made for, and when it was last used. All zeros: unused.
typedef struct CudaFourierPlan {
    int64_t points, rows, in_step, in_apart, out_step, out_apart;
    DType type;
    bool is_real;
    int number;
    size_t bytes; // of memory to work in
    uint64_t used;
} CudaFourierPlan;

typedef struct CudaFourier {
    bool is_tried; // it is looked for once
    void *library;
#define X(name, symbol, parameters) int (*name) parameters;
    CUDA_FOURIER(X)
#undef X
    CudaFourierPlan plans[CUDA_FOURIER_PLANS];
    uint64_t uses;
} CudaFourier;

// Opens cuFFT. False: no version fits the driver.
bool cuda_fourier_open(CudaFourier *fourier, int driver_number);
void cuda_fourier_close(CudaFourier *fourier); // also one that is not open; the context is current
// Puts the transforms into the stream, with memory of the pool to work in. False: they were not, and nothing was written.
bool cuda_fourier_run(CudaFourier *fourier, void *stream, GridPool *pool, const GridTransform *transform);
// A line for `nacre info`.
void cuda_fourier_describe(int driver_number, Buf *out);

#endif
