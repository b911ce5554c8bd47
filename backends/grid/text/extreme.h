// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arguments of argmax and argmin.

#ifndef NACRE_BACKENDS_GRID_TEXT_EXTREME_H
#define NACRE_BACKENDS_GRID_TEXT_EXTREME_H

typedef struct GridExtreme {
    GridView from, to;            // first elements of the rows; results
    int64_t stride, length, rows; // stride and length of a row; number of rows
    int64_t parts, each;          // parts of a row, elements of a part
    int64_t sort, is_least;       // KEY_… of keys.cl; argmin
} GridExtreme;

#endif
