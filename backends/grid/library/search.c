// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Searches in a sorted row on a device: a work item for each.

#include "backends/grid/library.h"
#include "backends/grid/text/search.h"

#include "grid_text_search.h"
#include "grid_text_search_h.h"

static bool search_of(const Kernel *k, GridSearch *g) {
    const View *row = &k->args[0].view;
    g->row = row->offset;
    g->stride = row->strides[0];
    g->length = row->shape[0];
    g->count = view_size(&k->args[1].view);
    g->right = k->attrs.right;
    g->sort = grid_key_sort(row->dtype);
    return grid_view(&k->args[1].view, &g->wanted) && grid_view(&k->result.view, &g->to);
}

static bool form(const Dialect *dialect, const Kernel *k, GridForm *form) {
    GridSearch g;
    (void)dialect;
    form->part[0] = grid_key_type(k->args[0].view.dtype);
    return k->args[0].view.dtype == k->args[1].view.dtype && search_of(k, &g);
}

static const char *const *text(const Dialect *dialect, const GridForm *form, Buf *out) {
    static const char *const names[] = {"nacre_search", NULL};
    (void)dialect;
    grid_define_keys(form->part[0], out);
    buf_puts(out, GRID_TEXT_SEARCH_H GRID_TEXT_SEARCH);
    return names;
}

static void run(GridRun *run) {
    const Kernel *k = run->kernel;
    GridSearch g;
    search_of(k, &g);
    void *const memories[] = {k->args[0].base, k->args[1].base, k->result.base};
    grid_step(run, 0, (GridSize){(size_t)g.count, 1}, (GridArguments){memories, 3, &g, sizeof g});
}

const GridRow grid_SEARCHSORTED = {.form = form, .text = text, .run = run};
