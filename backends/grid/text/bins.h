// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arguments of counting in bins: offsets and strides of rows.

#ifndef NACRE_BACKENDS_GRID_TEXT_BINS_H
#define NACRE_BACKENDS_GRID_TEXT_BINS_H

// Elements of a block: a histogram's weights are summed block by block.
#define GRID_BIN_BLOCK 65536

typedef struct GridBins {
    int64_t from, from_stride, edges, edges_stride, weights, weights_stride, to, to_stride;
    int64_t bins;
    int64_t begin, end, each; // range of elements, and elements per group
} GridBins;

#endif
