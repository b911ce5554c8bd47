// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arguments of scatters whose places are sorted.

#ifndef NACRE_BACKENDS_GRID_TEXT_PUT_ORDER_H
#define NACRE_BACKENDS_GRID_TEXT_PUT_ORDER_H

typedef struct GridPutOrder {
    GridPut put;
    GridOrder order;
} GridPutOrder;

#endif
