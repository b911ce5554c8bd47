// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arguments of sorting short rows.

#ifndef NACRE_BACKENDS_GRID_TEXT_SORT_FEW_H
#define NACRE_BACKENDS_GRID_TEXT_SORT_FEW_H

typedef struct GridFew {
    GridView from, to; // rows along the last dimension
    int64_t count, length, sort, is_places;
} GridFew;

#endif
