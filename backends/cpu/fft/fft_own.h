// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Fourier transforms without a library: what there is where FFTW is not. Computed in doubles, also for floats.
// A plan is not changed by its use, so that several threads may use it, each with memory of its own.

#ifndef NACRE_BACKENDS_CPU_FFT_FFT_OWN_H
#define NACRE_BACKENDS_CPU_FFT_FFT_OWN_H

#include <stddef.h>

#include "backends/cpu/fft/fft.h"

typedef struct FftOwn FftOwn;

FftOwn *fft_own_new(const FftRows *rows); // NULL: no memory
void fft_own_free(FftOwn *plan);          // NULL is fine
size_t fft_own_scratch(const FftRows *rows); // bytes that a thread lends it
void fft_own_execute(const FftOwn *plan, const void *in, void *out, void *scratch);

#endif
