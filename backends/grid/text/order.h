// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arguments of sorting.

#ifndef NACRE_BACKENDS_GRID_TEXT_ORDER_H
#define NACRE_BACKENDS_GRID_TEXT_ORDER_H

// Rows of `length` elements, one behind the other: `count` elements in `blocks` of the groups. Pass number `pass` sorts by
// 8 bits: first those of the keys, of `key_bytes`, then those of the rows' numbers.
typedef struct GridOrder {
    int64_t count, length, blocks, pass, key_bytes;
    int64_t sort, has_indices; // of keys (keys.cl); indices go along
} GridOrder;

typedef struct GridOrderView {
    GridView view; // rows along the last dimension
    GridOrder order;
} GridOrderView;

#endif
