// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Fourier transforms without a library, used if FFTW is missing. Computed in doubles, also for
// floats. A plan is immutable in use, so several threads may share it, each with its own scratch
// memory.

#ifndef NACRE_BACKENDS_CPU_FFT_FFT_OWN_H
#define NACRE_BACKENDS_CPU_FFT_FFT_OWN_H

#include <stddef.h>

#include "backends/cpu/fft/fft.h"

typedef struct FftOwn FftOwn;

FftOwn *fft_own_new(const FftRows *rows); // NULL: out of memory
void fft_own_free(FftOwn *plan);          // accepts NULL
size_t fft_own_scratch(const FftRows *rows); // scratch bytes per thread
void fft_own_execute(const FftOwn *plan, const void *in, void *out, void *scratch);

#endif
