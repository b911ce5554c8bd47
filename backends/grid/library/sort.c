// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// sort and argsort on a device. A partition is a sorted row, too.

#include "backends/grid/order.h"

#include "grid_text_sort.h"

enum { TYPE, INDEX_BYTES, IS_PLACES }; // parts of the form

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
    const int64_t count = view_size(in);
    const bool is_places = k->library == AOP_ARGSORT, has_rows = count > in->shape[grid_axis(k)];
    GridView view;
    (void)dialect;
    form->part[TYPE] = (uint8_t)in->dtype;
    form->part[INDEX_BYTES] = is_places || has_rows ? (uint8_t)grid_index_bytes(count) : 0;
    form->part[IS_PLACES] = is_places;
    return rows_of(in, grid_axis(k), &view) && rows_of(&k->result.view, grid_axis(k), &view);
}

static const char *const *text(const Dialect *dialect, const GridForm *form, Buf *out) {
    static const char *const names[] = {GRID_ORDER_NAMES, "nacre_sort_end", NULL};
    (void)dialect;
    grid_order_text(form->part[TYPE], form->part[INDEX_BYTES], out);
    grid_define_number("IS_PLACES", form->part[IS_PLACES], out);
    buf_puts(out, GRID_TEXT_SORT);
    return names;
}

static void run(GridRun *run) {
    const Kernel *k = run->kernel;
    const View *in = &k->args[0].view;
    const int64_t count = view_size(in);
    const uint8_t *part = run->program->key.form.part;
    GridSorting s;
    GridOrderView g;
    if (count == 0 || !grid_order_take(run, &s, in->dtype, part[INDEX_BYTES], count, in->shape[grid_axis(k)])) return;
    rows_of(in, grid_axis(k), &g.view);
    grid_order_sort(run, &s, k->args[0].base, &g.view, grid_key_bytes(in->dtype));
    rows_of(&k->result.view, grid_axis(k), &g.view);
    g.order = s.g;
    void *const memories[] = {s.items[0], s.items[1], s.indices[0], s.indices[1], s.varied, k->result.base};
    grid_step(run, GRID_ORDER_FUNCTIONS, (GridSize){(size_t)count, 1}, (GridArguments){memories, 6, &g, sizeof g});
}

const GridRow grid_SORT = {.form = form, .text = text, .run = run};
const GridRow grid_ARGSORT = {.form = form, .text = text, .run = run};
