// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// sort and argsort on a device. Partitions are sorted completely.

#include "backends/grid/order.h"
#include "backends/grid/text/sort.h"
#include "backends/grid/text/sort_few.h"

#include "grid_text_sort.h"
#include "grid_text_sort_few.h"
#include "grid_text_sort_few_h.h"
#include "grid_text_sort_h.h"

enum { TYPE, INDEX_BYTES }; // parts of the form; INDEX_BYTES is 0 for few elements (is_few)
enum { FEW, COPY };          // functions of the text for few elements

// Describes a view with `axis` as its last dimension. False: it has too many dimensions.
static bool rows_of(const View *view, int axis, GridView *out) {
    View rows;
    grid_rest(view, axis_bit(axis), &rows);
    rows.shape[rows.ndim] = view->shape[axis];
    rows.strides[rows.ndim++] = view->strides[axis];
    return grid_view(&rows, out);
}

// Returns whether comparing each element of a row with all others is cheaper than the passes of a radix sort.
static bool is_few(const Kernel *k) {
    enum { SHORT = 64, SMALL = 1 << 10 };
    const View *in = &k->args[0].view;
    return in->shape[grid_axis(k)] <= SHORT || view_size(in) <= SMALL;
}

static bool form(const Dialect *dialect, const Kernel *k, GridForm *form) {
    const View *in = &k->args[0].view;
    GridView view;
    (void)dialect;
    *form = (GridForm){.op = AOP_SORT, .part = {[TYPE] = grid_key_type(in->dtype)}}; // argsort has the same program
    form->part[INDEX_BYTES] = is_few(k) ? 0 : (uint8_t)grid_index_bytes(view_size(in));
    return rows_of(in, grid_axis(k), &view) && rows_of(&k->result.view, grid_axis(k), &view);
}

static const char *const *text(const Dialect *dialect, const GridForm *form, Buf *out) {
    static const char *const names[] = {GRID_ORDER_NAMES, "nacre_sort_end", NULL};
    static const char *const few[] = {"nacre_sort_few", "nacre_sort_copy", NULL};
    (void)dialect;
    if (!form->part[INDEX_BYTES]) {
        grid_define_keys(form->part[TYPE], out);
        buf_puts(out, GRID_TEXT_SORT_FEW_H GRID_TEXT_SORT_FEW);
        return few;
    }
    grid_order_text(form->part[TYPE], form->part[INDEX_BYTES], out);
    buf_puts(out, GRID_TEXT_SORT_H GRID_TEXT_SORT);
    return names;
}

// Sorts few elements; through scratch memory if rows are sorted in place.
static void run_few(GridRun *run) {
    const Kernel *k = run->kernel;
    const View *in = &k->args[0].view;
    const int axis = grid_axis(k);
    const bool in_place = k->args[0].base == k->result.base;
    const size_t size = dtype_size(k->result.view.dtype);
    GridFew g = {.count = view_size(in), .length = in->shape[axis], .sort = grid_key_sort(in->dtype),
                 .is_places = k->library == AOP_ARGSORT};
    void *made = in_place ? grid_scratch(run, (size_t)g.count * size) : k->result.base;
    void *const memories[] = {k->args[0].base, made}, *const copies[] = {made, k->result.base};
    const GridSize items = {(size_t)g.count, 1};
    rows_of(in, axis, &g.from);
    rows_of(&k->result.view, axis, &g.to);
    if (in_place) g.to = (GridView){.ndim = 1, .extent = {g.count}, .stride = {(int64_t)size}};
    grid_step(run, FEW, items, (GridArguments){memories, 2, &g, sizeof g});
    if (!in_place) return;
    rows_of(&k->result.view, axis, &g.to);
    grid_step(run, COPY, items, (GridArguments){copies, 2, &g, sizeof g});
}

static void run(GridRun *run) {
    const Kernel *k = run->kernel;
    const View *in = &k->args[0].view;
    const int64_t count = view_size(in), length = in->shape[grid_axis(k)];
    const bool is_places = k->library == AOP_ARGSORT;
    const size_t index_bytes = is_places || count > length ? run->program->key.form.part[INDEX_BYTES] : 0;
    GridSorting s;
    GridSorted g = {.is_places = is_places};
    if (count == 0) return;
    if (!run->program->key.form.part[INDEX_BYTES]) {
        run_few(run);
        return;
    }
    if (!grid_order_take(run, &s, in->dtype, index_bytes, count, length)) return;
    rows_of(in, grid_axis(k), &g.view);
    grid_order_sort(run, &s, k->args[0].base, &g.view, grid_key_bytes(in->dtype));
    rows_of(&k->result.view, grid_axis(k), &g.view);
    g.order = s.g;
    void *const memories[] = {s.items[0], s.items[1], s.indices[0], s.indices[1], s.varied, k->result.base};
    grid_step(run, GRID_ORDER_FUNCTIONS, (GridSize){(size_t)count, 1}, (GridArguments){memories, 6, &g, sizeof g});
}

const GridRow grid_SORT = {.form = form, .text = text, .run = run};
const GridRow grid_ARGSORT = {.form = form, .text = text, .run = run};
