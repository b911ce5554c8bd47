// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Plans for rows of Fourier transforms: FFTW's, looked up by name when a plan is first used, or own
// ones if FFTW is missing (fft_own.h).
//
// FFTW has one planner per process: a lock is held while plans are made and destroyed. A host that
// plans with the same library must not do so while a VM plans. Several threads may execute rows at
// the same time.

#ifndef NACRE_BACKENDS_CPU_FFT_FFT_H
#define NACRE_BACKENDS_CPU_FFT_FFT_H

#include <stdbool.h>
#include <stdint.h>

#include "lang/support/buf.h"

typedef enum FftKind {
    FFT_FORWARD, // complex to complex
    FFT_INVERSE,
    FFT_HALVED,  // real to the first half of the complex result
    FFT_RESTORED // first half of a complex result to real; destroys its input
} FftKind;

// Shape of a plan: rows of contiguous elements.
typedef struct FftRows {
    FftKind kind;
    bool narrow;             // single precision
    int64_t points, count;   // points of a row; number of rows
    int64_t in_row, out_row; // elements between rows; ignored for a single row
} FftRows;

typedef struct FftPlan {
    FftRows rows;
    void *plan; // FFTW's or an FftOwn; NULL: free entry
    uint64_t used;
} FftPlan;

// A cache of plans, to be used by one thread at a time.
enum { FFT_PLANS = 16 };
typedef struct FftPlans {
    FftPlan kept[FFT_PLANS];
    uint64_t calls;
} FftPlans;

bool fft_open(void); // false: FFTW is missing, plans use own code
// Returns the required alignment of rows, in bytes.
int64_t fft_alignment(void);
// Returns a plan, which stays valid until the next but one is requested. NULL: out of memory.
const FftPlan *fft_plan(FftPlans *plans, const FftRows *rows);
// Returns the bytes of scratch memory (aligned for doubles) that fft_execute needs.
size_t fft_scratch(const FftRows *rows);
// Transforms the plan's rows. `in` and `out` must differ.
void fft_execute(const FftPlan *plan, void *in, void *out, void *scratch);
// Frees plans that take much memory, except the last one.
void fft_trim(FftPlans *plans);
void fft_close(FftPlans *plans);
void fft_describe(Buf *out);

#endif
