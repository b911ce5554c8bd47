// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arguments of scatters that combine.

#ifndef NACRE_BACKENDS_GRID_TEXT_PUT_COMBINE_H
#define NACRE_BACKENDS_GRID_TEXT_PUT_COMBINE_H

typedef struct GridPutCombine {
    GridPut put;
    GridOrder order;
} GridPutCombine;

#endif
