// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Plans for rows of Fourier transforms: FFTW's, which is found by name at the first use of a plan, or, where
// that is not there, own ones (fft_own.h).
//
// FFTW's planner is one for the process: a lock is held while plans are made and destroyed. A host
// that plans with the same library while a VM runs has to do so where no VM plans. Rows may be
// executed by several threads at a time.

#ifndef NACRE_BACKENDS_CPU_FFT_FFT_H
#define NACRE_BACKENDS_CPU_FFT_FFT_H

#include <stdbool.h>
#include <stdint.h>

#include "lang/support/buf.h"

typedef enum FftKind {
    FFT_FORWARD, // complex to complex
    FFT_INVERSE,
    FFT_HALVED,  // real to the first half of what is complex
    FFT_RESTORED // such a half to real; spoils its input
} FftKind;

// What a plan is good for: rows whose elements lie side by side.
typedef struct FftRows {
    FftKind kind;
    bool narrow;             // of floats, not doubles
    int64_t points, count;   // of a row; of rows
    int64_t in_row, out_row; // elements from one row to the next; a single one: no matter
} FftRows;

typedef struct FftPlan {
    FftRows rows;
    void *plan; // FFTW's or an FftOwn; NULL: this place is free
    uint64_t used;
} FftPlan;

// Plans that are kept. They belong to one thread at a time.
enum { FFT_PLANS = 16 };
typedef struct FftPlans {
    FftPlan kept[FFT_PLANS];
    uint64_t calls;
} FftPlans;

bool fft_open(void); // false: FFTW is not there, plans are own ones
// What addresses of rows have to be multiples of.
int64_t fft_alignment(void);
// A plan that stays until the one after the next is asked for; NULL: no memory.
const FftPlan *fft_plan(FftPlans *plans, const FftRows *rows);
// Bytes (aligned for doubles) that a thread lends to fft_execute.
size_t fft_scratch(const FftRows *rows);
// Addresses are different ones.
void fft_execute(const FftPlan *plan, void *in, void *out, void *scratch);
// Lets plans go that take much memory, but for the last one.
void fft_trim(FftPlans *plans);
void fft_close(FftPlans *plans);
void fft_describe(Buf *out);

#endif
