// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arguments of interpolation: offsets and strides of rows.

#ifndef NACRE_BACKENDS_GRID_TEXT_INTERPOLATE_H
#define NACRE_BACKENDS_GRID_TEXT_INTERPOLATE_H

typedef struct GridLines {
    int64_t x, xp, fp, to, x_stride, xp_stride, fp_stride, to_stride;
    int64_t count, points;
} GridLines;

#endif
