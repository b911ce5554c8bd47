// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arguments of the steps around factorisations by a vendor's library. The library stores matrices by columns: operands
// are copied to columns before, and blocks of results are copied back to rows.

#ifndef NACRE_BACKENDS_GRID_TEXT_DECOMPOSE_H
#define NACRE_BACKENDS_GRID_TEXT_DECOMPOSE_H

#define GRID_DECOMPOSE_DIMS 8
#define GRID_DECOMPOSE_LANES 64 // lanes of a group that computes a sum

typedef struct GridDecomposeSide {
    int64_t offset, row, col, steps[GRID_DECOMPOSE_DIMS]; // bytes
} GridDecomposeSide;

typedef struct GridDecompose {
    int64_t rows, cols, count; // of a block; number of matrices
    int64_t lead, step;        // elements from a column of the copies to the next, and from a matrix to the next
    int64_t down, across;      // elements in the copy from an element of the block to the next row, and column
    int64_t to;                // bytes from where a result begins to the block
    int64_t is_triangle, is_conjugated, is_identity; // the block has zeros below the diagonal; is conjugated; is I
    int64_t is_hermitian, is_upper; // the operand is Hermitian: only its lower, or upper, triangle is read
    int64_t looks_by, reported; // GRID_LOOKS_…: what NaN and infinities are recorded for; bits of `state` to report
    int64_t ndim, extent[GRID_DECOMPOSE_DIMS];
    GridDecomposeSide a, x; // operand and result
} GridDecompose;

// looks_by: NaN and infinities are recorded for nothing; for each matrix; for each column, and then for all columns.
#define GRID_LOOKS_NOT 0
#define GRID_LOOKS_MATRIX 1
#define GRID_LOOKS_COLUMN 2

// Least squares of a (m x n) and `sides` columns of b, by k singular values.
typedef struct GridLeast {
    int64_t m, n, k, sides;
    double rcond;
    int64_t x, to; // offsets of the result, and of the part that a function writes: bytes
    GridDecomposeSide a;
    int64_t is_wide;     // the copy that was factored is the transpose of a
} GridLeast;

#endif
