// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arguments of products of compressed matrices. All arrays are contiguous; offsets are in bytes.

#ifndef NACRE_BACKENDS_GRID_TEXT_SPARSE_H
#define NACRE_BACKENDS_GRID_TEXT_SPARSE_H

#define GRID_SPARSE_LANES 256 // lanes of the group that adds up counts

typedef struct GridSparse {
    int64_t lines, rows, width, room; // rows or columns of the matrix; the result's rows and columns; most entries
    int64_t indptr, indices, data, x, to;
} GridSparse;

#endif
