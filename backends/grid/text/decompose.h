// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arguments of what is done around factorisations by a vendor's library, which take matrices in columns: copies of
// operands are made so, and blocks of results are copied from there to where they belong, in rows.

#ifndef NACRE_BACKENDS_GRID_TEXT_DECOMPOSE_H
#define NACRE_BACKENDS_GRID_TEXT_DECOMPOSE_H

#define GRID_DECOMPOSE_DIMS 8
#define GRID_DECOMPOSE_LANES 64 // of a group that makes a sum

typedef struct GridDecomposeSide {
    int64_t offset, row, col, steps[GRID_DECOMPOSE_DIMS]; // bytes
} GridDecomposeSide;

typedef struct GridDecompose {
    int64_t rows, cols, count; // of a block; how many matrices there are
    int64_t lead, step;        // elements from a column of the copies to the next, and from a matrix to the next
    int64_t down, across;      // elements of a copy from an element of the block to the one below it, and beside it
    int64_t to;                // bytes from where a result begins to the block
    int64_t is_triangle, is_conjugated, is_identity; // of the block: zeros below the diagonal; conjugates; ones on it
    int64_t is_hermitian, is_upper; // of an operand: one of its triangles is read for both
    int64_t looks_by, reported; // GRID_LOOKS_…: for what NaN and infinity of operands are recorded; bits to report
    int64_t ndim, extent[GRID_DECOMPOSE_DIMS];
    GridDecomposeSide a, x; // operand and result
} GridDecompose;

// looks_by: nothing, each matrix, each column and then all of them.
#define GRID_LOOKS_NOT 0
#define GRID_LOOKS_MATRIX 1
#define GRID_LOOKS_COLUMN 2

// Least squares of a (m x n) and `sides` columns of b, by k singular values.
typedef struct GridLeast {
    int64_t m, n, k, sides;
    double rcond;
    int64_t x, to; // where the result begins, and what a function writes of it: bytes
    GridDecomposeSide a;
    int64_t is_wide;     // the copy that was factored is the transpose of a
} GridLeast;

#endif
