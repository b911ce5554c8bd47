// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// sort and argsort on a device. A partition is a sorted row, too.

#include "backends/grid/order.h"
#include "backends/grid/text/sort.h"

#include "grid_text_sort.h"
#include "grid_text_sort_h.h"

enum { TYPE, INDEX_BYTES }; // parts of the form

// The axis last.
static bool rows_of(const View *view, int axis, GridView *out) {
    View rows;
    grid_rest(view, axis_bit(axis), &rows);
    rows.shape[rows.ndim] = view->shape[axis];
    rows.strides[rows.ndim++] = view->strides[axis];
    return grid_view(&rows, out);
}

static bool form(const Dialect *dialect, const Kernel *k, GridForm *form) {
    const View *in = &k->args[0].view;
    GridView view;
    (void)dialect;
    *form = (GridForm){.op = AOP_SORT, .part = {[TYPE] = grid_key_type(in->dtype)}}; // argsort has the same program
    form->part[INDEX_BYTES] = (uint8_t)grid_index_bytes(view_size(in));
    return rows_of(in, grid_axis(k), &view) && rows_of(&k->result.view, grid_axis(k), &view);
}

static const char *const *text(const Dialect *dialect, const GridForm *form, Buf *out) {
    static const char *const names[] = {GRID_ORDER_NAMES, "nacre_sort_end", NULL};
    (void)dialect;
    grid_order_text(form->part[TYPE], form->part[INDEX_BYTES], out);
    buf_puts(out, GRID_TEXT_SORT_H GRID_TEXT_SORT);
    return names;
}

static void run(GridRun *run) {
    const Kernel *k = run->kernel;
    const View *in = &k->args[0].view;
    const int64_t count = view_size(in), length = in->shape[grid_axis(k)];
    const bool is_places = k->library == AOP_ARGSORT;
    const size_t index_bytes = is_places || count > length ? run->program->key.form.part[INDEX_BYTES] : 0;
    GridSorting s;
    GridSorted g = {.is_places = is_places};
    if (count == 0 || !grid_order_take(run, &s, in->dtype, index_bytes, count, length)) return;
    rows_of(in, grid_axis(k), &g.view);
    grid_order_sort(run, &s, k->args[0].base, &g.view, grid_key_bytes(in->dtype));
    rows_of(&k->result.view, grid_axis(k), &g.view);
    g.order = s.g;
    void *const memories[] = {s.items[0], s.items[1], s.indices[0], s.indices[1], s.varied, k->result.base};
    grid_step(run, GRID_ORDER_FUNCTIONS, (GridSize){(size_t)count, 1}, (GridArguments){memories, 6, &g, sizeof g});
}

const GridRow grid_SORT = {.form = form, .text = text, .run = run};
const GridRow grid_ARGSORT = {.form = form, .text = text, .run = run};
