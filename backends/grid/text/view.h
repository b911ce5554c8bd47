// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Operands of library operations, as both device texts and the host's code declare them.

#ifndef NACRE_BACKENDS_GRID_TEXT_VIEW_H
#define NACRE_BACKENDS_GRID_TEXT_VIEW_H

#define GRID_VIEW_DIMS 8

// Element number i, in C order, is at offset + sum of index[d] * stride[d] bytes. A view of no dimension has ndim 0.
typedef struct GridView {
    int64_t offset, ndim, extent[GRID_VIEW_DIMS], stride[GRID_VIEW_DIMS];
} GridView;

#endif
