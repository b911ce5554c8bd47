// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// argmax and argmin on a device.

#include "backends/grid/library.h"
#include "backends/grid/text/extreme.h"

#include "grid_text_extreme.h"
#include "grid_text_extreme_group.h"
#include "grid_text_extreme_h.h"
#include "grid_text_extreme_item.h"

enum { LANES = 128 };

static bool extreme_of(const Kernel *k, GridExtreme *g) {
    const View *in = &k->args[0].view;
    const int axis = grid_axis(k);
    View rest;
    grid_rest(in, k->attrs.axes, &rest);
    g->stride = in->strides[axis];
    g->length = in->shape[axis];
    g->rows = view_size(&rest);
    g->sort = grid_key_sort(in->dtype);
    g->is_least = k->library == AOP_ARGMIN;
    return grid_view(&rest, &g->from) && grid_view(&k->result.view, &g->to);
}

// Returns whether the lanes of a group share a row: a long row that is contiguous, or one of too few to keep a device
// busy.
static bool is_by_group(const GridExtreme *g, size_t size) {
    enum { SHORT = 128, MANY = 1 << 10 };
    return g->length >= SHORT && (g->stride == (int64_t)size || g->rows < MANY);
}

static bool form(const Dialect *dialect, const Kernel *k, GridForm *form) {
    GridExtreme g;
    const DType type = k->args[0].view.dtype;
    (void)dialect;
    if (!extreme_of(k, &g)) return false;
    form->part[0] = grid_key_type(type);
    form->part[1] = is_by_group(&g, dtype_size(type));
    return true;
}

static const char *const *text(const Dialect *dialect, const GridForm *form, Buf *out) {
    static const char *const names[] = {"nacre_extreme", "nacre_extreme_join", NULL};
    (void)dialect;
    grid_define_keys(form->part[0], out);
    buf_puts(out, GRID_TEXT_EXTREME_H GRID_TEXT_EXTREME);
    buf_puts(out, form->part[1] ? GRID_TEXT_EXTREME_GROUP : GRID_TEXT_EXTREME_ITEM);
    return names;
}

// Cuts rows into parts of at least `least` elements, as many as keep a device busy: `most` in all.
static void cut(GridExtreme *g, int64_t least, int64_t most) {
    g->parts = g->length / least < most / g->rows ? g->length / least : most / g->rows;
    if (g->parts < 1) g->parts = 1;
    g->each = (g->length + g->parts - 1) / g->parts;
    g->parts = (g->length + g->each - 1) / g->each;
}

static void run(GridRun *run) {
    enum { ITEM_LEAST = 128, ITEMS = 1 << 16, GROUP_LEAST = 16 * LANES, GROUPS = 1 << 11 };
    const Kernel *k = run->kernel;
    const bool by_group = run->program->key.form.part[1];
    GridExtreme g;
    extreme_of(k, &g);
    if (g.rows == 0 || g.length == 0) return;
    if (by_group) cut(&g, GROUP_LEAST, GROUPS);
    else cut(&g, ITEM_LEAST, ITEMS);
    void *parts = g.parts > 1 ? grid_scratch(run, (size_t)(g.parts * g.rows) * sizeof(int64_t)) : NULL;
    void *const memories[] = {k->args[0].base, k->result.base, parts};
    const GridArguments arguments = {memories, 3, &g, sizeof g};
    const GridSize rows = {(size_t)g.rows, 1}, all = {(size_t)g.rows, (size_t)g.parts};
    if (by_group) {
        grid_step_groups(run, 0, (GridSize){all.rows, all.items}, LANES, arguments);
        if (g.parts > 1) grid_step_groups(run, 1, (GridSize){1, all.items}, LANES, arguments);
        return;
    }
    grid_step(run, 0, all, arguments);
    if (g.parts > 1) grid_step(run, 1, rows, arguments);
}

const GridRow grid_ARGMAX = {.form = form, .text = text, .run = run};
const GridRow grid_ARGMIN = {.form = form, .text = text, .run = run};
