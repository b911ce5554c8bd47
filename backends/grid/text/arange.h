// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arguments of arithmetic sequences.

#ifndef NACRE_BACKENDS_GRID_TEXT_ARANGE_H
#define NACRE_BACKENDS_GRID_TEXT_ARANGE_H

typedef struct GridSequence {
    int64_t offset, stride, count;
    int64_t first, second; // the bytes of elements of the type T
} GridSequence;

#endif
