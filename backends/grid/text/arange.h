// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arguments of arithmetic sequences.

#ifndef NACRE_BACKENDS_GRID_TEXT_ARANGE_H
#define NACRE_BACKENDS_GRID_TEXT_ARANGE_H

typedef struct GridSequence {
    int64_t offset, stride, count;
    int64_t first[2], second[2]; // the bytes of the parts, of the type T
} GridSequence;

#endif
