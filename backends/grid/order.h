// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Sorts on a device, for operations that sort and for those that group equal elements (text/order.cl). An operation
// that uses this puts grid_order_text in front of its own text, and GRID_ORDER_NAMES first among its functions.

#ifndef NACRE_BACKENDS_GRID_ORDER_H
#define NACRE_BACKENDS_GRID_ORDER_H

#include "backends/grid/counts.h"
#include "backends/grid/text/order.h"

#define GRID_ORDER_NAMES "nacre_order_begin", "nacre_order_count", "nacre_order_move", GRID_COUNT_NAMES
enum { GRID_ORDER_FUNCTIONS = 6 };

// Elements and their indices are in one of two memories; is_second() of the text computes in which from `varied`.
// Indices count the elements of all rows, one row after the other.
typedef struct GridSorting {
    void *items[2], *indices[2], *varied;
    GridTally tally;
    GridOrder g; // g.pass: after sorting, the number of passes
} GridSorting;

// Returns the bytes of an index of `count` elements.
size_t grid_index_bytes(int64_t count);
void grid_order_text(DType type, size_t index_bytes, Buf *out); // the same for all types of one grid_key_type()
// Takes the memory for `count` elements, at least one, in rows of `length`; index_bytes 0: no indices. False: none
// left.
bool grid_order_take(GridRun *run, GridSorting *sorting, DType type, size_t index_bytes, int64_t count, int64_t length);
// Prepares the memory for other elements, at most as many as it was taken for.
void grid_order_again(GridSorting *sorting, int64_t count, int64_t length);
// Sorts the elements of a view by the lowest `key_bytes` bytes of their keys. `from` may be items[0].
void grid_order_sort(GridRun *run, GridSorting *sorting, void *from, const GridView *view, int key_bytes);

#endif
