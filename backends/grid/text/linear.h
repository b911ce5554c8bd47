// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arguments of factorisations of stacks of matrices. A factorisation works on a copy, of n by `row` elements for each
// matrix: the matrix, and to the right of it its right-hand sides.

#ifndef NACRE_BACKENDS_GRID_TEXT_LINEAR_H
#define NACRE_BACKENDS_GRID_TEXT_LINEAR_H

#define GRID_LINEAR_DIMS 8
#define GRID_LINEAR_LANES 256 // the most lanes of a group that factors a panel

typedef struct GridLinearSide {
    int64_t offset, row, col, steps[GRID_LINEAR_DIMS]; // bytes
} GridLinearSide;

typedef struct GridLinear {
    int64_t n, row, sides, count;          // sides: right-hand sides of a matrix; count: matrices
    int64_t at, width, left, cols;         // diagonal block; columns (of nacre_below: rows) that a step works on
    int64_t lanes, is_upper, or_nan, is_given; // is_given: right-hand sides are b, not the identity; of nacre_det: det
    int64_t ndim, extent[GRID_LINEAR_DIMS];
    GridLinearSide a, b, x; // operands and result
} GridLinear;

#endif
