// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The dense kernels under SuiteSparse (stdlib/suitesparse/blas.h) against sums written out, for sizes around those of
// their tiles, every transposition, side and triangle.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stdlib/suitesparse/blas.h"

enum { STRIDE = 260, SIZE = STRIDE * STRIDE, TRIALS = 150 };

static unsigned long seed = 1;
static double number(void) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) / 0x1p53 - 0.5;
}
static int below(int n) {
    return (int)((number() + 0.5) * n);
}

// The largest difference that was seen, or NaN.
static double worst;
static void compare(Complex difference) {
    double size = cabs(difference);
    if (!(size <= worst)) worst = size;
}

#define T double
#define BLAS(f) d##f##_
#define LETTER "d"
#define RANK dsyrk_
#define OUTER dger_
#define RANDOM number()
#define NAME(f) f##_d
#include "tests/sparse/kernels_template.h"
#define T Complex
#define BLAS(f) z##f##_
#define LETTER "z"
#define RANK zherk_
#define OUTER zgeru_
#define RANDOM (number() + I * number())
#define NAME(f) f##_z
#include "tests/sparse/kernels_template.h"

int main(void) {
    bool real = check_d(), complex_numbers = check_z();
    return real && complex_numbers ? 0 : 1;
}
