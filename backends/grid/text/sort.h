// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arguments of the last step of sorting, which stores the result.

#ifndef NACRE_BACKENDS_GRID_TEXT_SORT_H
#define NACRE_BACKENDS_GRID_TEXT_SORT_H

typedef struct GridSorted {
    GridView view; // rows along the last dimension
    GridOrder order;
    int64_t is_places; // argsort
} GridSorted;

#endif
