// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arguments of argmax and argmin.

#ifndef NACRE_BACKENDS_GRID_TEXT_EXTREME_H
#define NACRE_BACKENDS_GRID_TEXT_EXTREME_H

typedef struct GridExtreme {
    GridView from, to;            // the rows' beginnings, the results
    int64_t stride, length, rows; // of a row
    int64_t parts, each;          // of a row, elements of each
    int64_t sort, is_least;       // of keys (keys.cl); the smallest is wanted
} GridExtreme;

#endif
