// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Sorting on a device.

#include "backends/grid/order.h"

#include "grid_text_order.h"
#include "grid_text_order_h.h"

enum { BEGIN, COUNT, MOVE, SUMS };
enum { BLOCK = 16 * GRID_LANES, DIGITS = 256, VARIED_BYTES = 16 };

size_t grid_index_bytes(int64_t count) {
    return count > UINT32_MAX ? sizeof(uint64_t) : sizeof(uint32_t);
}

void grid_order_text(DType type, size_t index_bytes, Buf *out) {
    grid_counts_text(out);
    grid_define_keys(type, out);
    grid_define_number("INDEX_BYTES", (int64_t)index_bytes, out);
    buf_puts(out, GRID_TEXT_ORDER_H GRID_TEXT_ORDER);
}

bool grid_order_take(GridRun *run, GridSorting *s, DType type, size_t index_bytes, int64_t count, int64_t length) {
    *s = (GridSorting){.g = {.count = count, .length = length, .blocks = (count + BLOCK - 1) / BLOCK,
                             .sort = grid_key_sort(type), .has_indices = index_bytes > 0}};
    for (int i = 0; i < 2; i++) {
        s->items[i] = grid_scratch(run, (size_t)count * dtype_size(type));
        s->indices[i] = index_bytes ? grid_scratch(run, (size_t)count * index_bytes) : NULL;
    }
    s->varied = grid_scratch(run, VARIED_BYTES);
    return grid_tally_take(run, &s->tally, DIGITS * s->g.blocks);
}

void grid_order_again(GridSorting *s, int64_t count, int64_t length) {
    s->g.count = count;
    s->g.length = length;
    s->g.blocks = (count + BLOCK - 1) / BLOCK;
    s->tally.count = DIGITS * s->g.blocks;
}

// Returns the bytes of the last row's number, which are the passes that rows need.
static int row_passes(const GridOrder *g) {
    int passes = 0;
    for (int64_t last = g->count / g->length - 1; last > 0; last >>= 8) passes++;
    return passes;
}

void grid_order_sort(GridRun *run, GridSorting *s, void *from, const GridView *view, int key_bytes) {
    const int passes = key_bytes + row_passes(&s->g);
    const GridSize blocks = {(size_t)s->g.blocks, 1};
    void *const begin[] = {from, s->items[0], s->varied};
    void *const all[] = {s->items[0], s->items[1], s->indices[0], s->indices[1], s->tally.counts, s->varied};
    s->g.key_bytes = key_bytes;
    const GridOrderView g = {*view, s->g};
    grid_clear(run, s->varied, VARIED_BYTES);
    grid_step_groups(run, BEGIN, blocks, GRID_LANES, (GridArguments){begin, 3, &g, sizeof g});
    for (s->g.pass = 0; s->g.pass < passes; s->g.pass++) {
        const GridArguments arguments = {all, 6, &s->g, sizeof s->g};
        grid_step_groups(run, COUNT, blocks, GRID_LANES, arguments);
        grid_tally_sum(run, SUMS, &s->tally);
        grid_step_groups(run, MOVE, blocks, GRID_LANES, arguments);
    }
}
