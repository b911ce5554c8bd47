// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What the kernels in C share. Each NAME.c has one function NAME, which takes extents first and
// then arrays in rows, and writes its results into arrays that exist. The line `Floor:` of its
// comment says what no program does without, in terms of the extents: bytes that pass between
// memory and processor, flops (of doubles; two floats count as one), and span, the bytes of the
// arrays that it goes over. The time of the floor is that of its bytes at the speed of a triad over
// as many bytes as the span, or that of its flops at the peak, whichever is longer.
#ifndef BENCH_C_KERNEL_H
#define BENCH_C_KERNEL_H

#include <cblas.h>
#include <immintrin.h>
#include <math.h>
#include <omp.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// Elements from which on a second thread is worth waking.
#define LARGE 8192

// Elements from which on a result does not stay in the caches.
#define PAST_CACHES (1 << 21)

static inline int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}
static inline int64_t most(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static inline double dot(int64_t n, const double *restrict a, const double *restrict b) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

// y += x0 a0 + x1 a1 + x2 a2 + x3 a3, with four rows of a matrix: y is loaded once for all of them.
static inline void add_rows(int64_t n, const double *restrict a, int64_t stride, const double x[4],
                            double *restrict y) {
    const double *a1 = a + stride, *a2 = a1 + stride, *a3 = a2 + stride;
#pragma omp simd
    for (int64_t j = 0; j < n; j++)
        y[j] += x[0] * a[j] + x[1] * a1[j] + x[2] * a2[j] + x[3] * a3[j];
}

// Products of four rows of a matrix and x.
static inline void dot_rows(int64_t n, const double *restrict a, int64_t stride,
                            const double *restrict x, double sums[4]) {
    const double *a1 = a + stride, *a2 = a1 + stride, *a3 = a2 + stride;
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
#pragma omp simd reduction(+ : s0, s1, s2, s3)
    for (int64_t j = 0; j < n; j++) {
        s0 += a[j] * x[j];
        s1 += a1[j] * x[j];
        s2 += a2[j] * x[j];
        s3 += a3[j] * x[j];
    }
    sums[0] = s0, sums[1] = s1, sums[2] = s2, sums[3] = s3;
}

// Stores words past the caches; both places have to be aligned to 32 bytes.
static inline void store_past(void *restrict to, const void *restrict from, int64_t words) {
    int64_t i = 0;
    for (; i + 4 <= words; i += 4)
        _mm256_stream_si256((__m256i *)((int64_t *)to + i),
                            _mm256_load_si256((const __m256i *)((const int64_t *)from + i)));
    for (; i < words; i++) ((int64_t *)to)[i] = ((const int64_t *)from)[i];
}

// Sweeps over the same rows that follow one another at a distance, each in a thread: sweep s is
// done by thread s mod threads, and may come to a row when the sweep before it is far enough ahead.
// So what one sweep has left in the caches the next one finds there.
typedef struct {
    _Alignas(64) _Atomic int64_t done; // rows, counted over all sweeps of a thread
} Wave;

// Waits until at least `wanted` rows are done, and returns how many are. Whoever waits for long
// lets others have the processor.
static inline int64_t wave_wait(Wave *wave, int64_t wanted) {
    int64_t done;
    for (int turns = 0; (done = atomic_load_explicit(&wave->done, memory_order_acquire)) < wanted;)
        if (++turns < 2000)
            _mm_pause();
        else
            sched_yield();
    return done;
}

static inline void wave_tell(Wave *wave, int64_t done) {
    atomic_store_explicit(&wave->done, done, memory_order_release);
}

#endif
