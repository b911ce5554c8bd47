// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arguments of scans, and of reductions of pieces of an axis.

#ifndef NACRE_BACKENDS_GRID_TEXT_SCAN_H
#define NACRE_BACKENDS_GRID_TEXT_SCAN_H

typedef struct GridScan {
    GridView from, to;                     // the rows' beginnings
    int64_t from_stride, to_stride, length, rows;
    int64_t chunks, each;                  // of a row, elements of each; or pieces of a row
    int64_t places;                        // offset of the pieces' beginnings
    int64_t phase;                         // of products of floats
} GridScan;

#endif
