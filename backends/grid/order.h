// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Sorting on a device, for rows that sort and those that bring equal elements together (text/order.cl). The text of a row
// that uses it has that of grid_order_text in front, and GRID_ORDER_NAMES as its first functions.

#ifndef NACRE_BACKENDS_GRID_ORDER_H
#define NACRE_BACKENDS_GRID_ORDER_H

#include "backends/grid/counts.h"
#include "backends/grid/text/order.h"

#define GRID_ORDER_NAMES "nacre_order_begin", "nacre_order_count", "nacre_order_move", GRID_COUNT_NAMES
enum { GRID_ORDER_FUNCTIONS = 6 };

// Elements and their indices are in one of two memories, which `varied` tells (is_second in the text). Indices are in the
// order of all rows.
typedef struct GridSorting {
    void *items[2], *indices[2], *varied;
    GridTally tally;
    GridOrder g; // g.pass: the number of passes, when it has been sorted
} GridSorting;

// Returns the bytes of `count` indices.
size_t grid_index_bytes(int64_t count);
void grid_order_text(DType type, size_t index_bytes, Buf *out); // the same for all types of one grid_key_type()
// Takes the memory for `count` elements (at least one) in rows of `length`; index_bytes 0: no indices. False: there is none.
bool grid_order_take(GridRun *run, GridSorting *sorting, DType type, size_t index_bytes, int64_t count, int64_t length);
// The same memory for other elements, which are not more.
void grid_order_again(GridSorting *sorting, int64_t count, int64_t length);
// Sorts the elements of a view by the lowest bytes of their keys. `from` may be items[0].
void grid_order_sort(GridRun *run, GridSorting *sorting, void *from, const GridView *view, int key_bytes);

#endif
