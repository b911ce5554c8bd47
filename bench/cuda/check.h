// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Errors and time, for programs that are written by hand in CUDA. Each prints seconds of a step, and a sum of its result.

#ifndef BENCH_CUDA_CHECK_H
#define BENCH_CUDA_CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

// cudaSuccess and its like in cuBLAS and cuSPARSE are 0.
#define CHECK(CALL)                                                                                                    \
    do {                                                                                                               \
        int status_ = (int)(CALL);                                                                                     \
        if (status_ != 0) {                                                                                            \
            fprintf(stderr, "%s:%d: %s: error %d\n", __FILE__, __LINE__, #CALL, status_);                              \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

// Seconds, once the device has done all that was asked of it.
static double now(void) {
    struct timespec t;
    CHECK(cudaDeviceSynchronize());
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double *doubles(size_t count) {
    void *memory = NULL;
    CHECK(cudaMalloc(&memory, count * sizeof(double)));
    CHECK(cudaMemset(memory, 0, count * sizeof(double)));
    return (double *)memory;
}

static double *copied(const double *from, size_t count) {
    double *to = doubles(count);
    CHECK(cudaMemcpy(to, from, count * sizeof(double), cudaMemcpyHostToDevice));
    return to;
}

// The sum of squares, or of the elements themselves.
static double sum_of(const double *on_device, size_t count, int squares) {
    double *all = (double *)malloc(count * sizeof(double)), sum = 0;
    CHECK(cudaMemcpy(all, on_device, count * sizeof(double), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < count; i++) sum += squares ? all[i] * all[i] : all[i];
    free(all);
    return sum;
}

#endif
