// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arguments of factorisations of stacks of matrices. They happen in a copy, n by `row` elements for each matrix: the
// matrix, then its right-hand sides.

#ifndef NACRE_BACKENDS_GRID_TEXT_LINEAR_H
#define NACRE_BACKENDS_GRID_TEXT_LINEAR_H

#define GRID_LINEAR_DIMS 8
#define GRID_LINEAR_LANES 256 // of a group that factors a panel, at most

typedef struct GridLinearSide {
    int64_t offset, row, col, steps[GRID_LINEAR_DIMS]; // bytes
} GridLinearSide;

typedef struct GridLinear {
    int64_t n, row, sides, count;          // count: of the matrices
    int64_t at, width, left, cols;         // diagonal block; columns that a step works on
    int64_t lanes, is_upper, or_nan, is_given; // is_given: there are right-hand sides; otherwise the identity
    int64_t ndim, extent[GRID_LINEAR_DIMS];
    GridLinearSide a, b, x; // operands and result
} GridLinear;

#endif
