// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Functions of the C library that compilers know to call for vectors.
#ifndef BENCH_C_VECTORS_H
#define BENCH_C_VECTORS_H

#include <math.h>

#pragma omp declare simd notinbranch
double sin(double);
#pragma omp declare simd notinbranch
double cos(double);
#pragma omp declare simd notinbranch
double atan2(double, double);
#pragma omp declare simd notinbranch
float expf(float);

#endif
