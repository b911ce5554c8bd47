// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arguments of sorting.

#ifndef NACRE_BACKENDS_GRID_TEXT_ORDER_H
#define NACRE_BACKENDS_GRID_TEXT_ORDER_H

// Rows of `length` elements, one after the other: `count` elements in all, cut into `blocks`, one for each group. A
// pass sorts by 8 bits: the first `key_bytes` passes by those of the keys, later ones by those of the rows' numbers.
typedef struct GridOrder {
    int64_t count, length, blocks, pass, key_bytes;
    int64_t sort, has_indices; // KEY_… of keys.cl; indices are sorted along with the elements
} GridOrder;

typedef struct GridOrderView {
    GridView view; // rows along the last dimension
    GridOrder order;
} GridOrderView;

#endif
