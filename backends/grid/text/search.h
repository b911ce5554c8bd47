// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arguments of searches in a sorted row.

#ifndef NACRE_BACKENDS_GRID_TEXT_SEARCH_H
#define NACRE_BACKENDS_GRID_TEXT_SEARCH_H

typedef struct GridSearch {
    GridView wanted, to;
    int64_t row, stride, length; // the row's offset, stride and length
    int64_t count, right, sort; // sort: KEY_… of keys.cl
} GridSearch;

#endif
