// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arguments of scans, and of reductions of pieces of an axis.

#ifndef NACRE_BACKENDS_GRID_TEXT_SCAN_H
#define NACRE_BACKENDS_GRID_TEXT_SCAN_H

typedef struct GridScan {
    GridView from, to;                     // first elements of the rows
    int64_t from_stride, to_stride, length, rows;
    int64_t chunks, each;                  // chunks of a row, elements of a chunk; or `chunks`: pieces of a row
    int64_t places;                        // offset of the pieces' beginnings
    int64_t phase;                         // of scan_product.cl
} GridScan;

#endif
