// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arguments of packing and unpacking bits: rows of contiguous matrices.

#ifndef NACRE_BACKENDS_GRID_TEXT_BITS_H
#define NACRE_BACKENDS_GRID_TEXT_BITS_H

typedef struct GridBits {
    int64_t from, to;            // offsets
    int64_t rows, truths, bytes; // rows; truth values of a row, and its bytes
    int64_t right;               // the first truth value is the lowest bit
} GridBits;

#endif
