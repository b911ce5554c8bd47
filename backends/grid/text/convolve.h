// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arguments of convolution: of a contiguous row `a` with a row `v`.

#ifndef NACRE_BACKENDS_GRID_TEXT_CONVOLVE_H
#define NACRE_BACKENDS_GRID_TEXT_CONVOLVE_H

typedef struct GridSlide {
    int64_t a, v, to;       // offsets
    int64_t n, m, v_stride; // lengths of a and v
    int64_t first, count;   // number of the first sum; how many sums
} GridSlide;

#endif
