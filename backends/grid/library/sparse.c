// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Products of compressed matrices on a device. (A product of a matrix stored by rows with a vector is a loop:
// KernLines.)

#include "backends/grid/library/product.h"
#include "backends/grid/text/sparse.h"

#include "grid_text_sparse.h"
#include "grid_text_sparse_h.h"

enum { LINES, COUNT, STARTS, PLACE, ORDER, GATHER };

static void sparse_of(const Kernel *k, GridSparse *g) {
    const View *to = &k->result.view;
    *g = (GridSparse){.lines = k->args[0].view.shape[0] - 1, .rows = to->shape[0],
                      .width = to->ndim == 2 ? to->shape[1] : 1, .room = k->args[1].view.shape[0],
                      .indptr = k->args[0].view.offset, .indices = k->args[1].view.offset,
                      .data = k->args[2].view.offset, .x = k->args[3].view.offset, .to = to->offset};
}

// The product of a matrix stored by columns numbers entries and columns in 32 bits, which limits their count.
static bool form(const Dialect *dialect, const Kernel *k, GridForm *form) {
    GridSparse g;
    sparse_of(k, &g);
    form->part[0] = (uint8_t)k->result.view.dtype;
    form->part[1] = (uint8_t)k->args[0].view.dtype;
    if (!product_has_type(dialect, k->result.view.dtype)) return false;
    return !k->attrs.right || (g.room < INT32_MAX && g.lines < INT32_MAX);
}

static const char *const *text(const Dialect *dialect, const GridForm *form, Buf *out) {
    static const char *const names[] = {"nacre_lines", "nacre_count", "nacre_starts", "nacre_place",
                                        "nacre_order", "nacre_gather", NULL};
    product_define_number(dialect, form->part[0], out);
    grid_define_type(dialect, "I", form->part[1], out);
    buf_puts(out, GRID_TEXT_SPARSE_H GRID_TEXT_SPARSE);
    return names;
}

static void step(GridRun *run, int function, int64_t items, void *const *memories, int count, const GridSparse *g) {
    grid_step(run, function, (GridSize){(size_t)items, 1}, (GridArguments){memories, count, g, sizeof *g});
}

static void run_columns(GridRun *run, const GridSparse *g) {
    const Kernel *k = run->kernel;
    void *indptr = k->args[0].base, *indices = k->args[1].base;
    const size_t word = sizeof(uint32_t), starts_bytes = (size_t)(g->rows + 1) * word;
    void *starts = grid_scratch(run, starts_bytes), *next = grid_scratch(run, starts_bytes);
    void *columns = grid_scratch(run, (size_t)g->room * word), *entries = grid_scratch(run, (size_t)g->room * word);
    grid_clear(run, starts, starts_bytes);
    step(run, COUNT, g->room, (void *const[]){indptr, indices, starts, columns}, 4, g);
    grid_step_groups(run, STARTS, (GridSize){1, 1}, GRID_SPARSE_LANES,
                     (GridArguments){(void *const[]){starts, next}, 2, g, sizeof *g});
    step(run, PLACE, g->room, (void *const[]){indptr, indices, next, entries}, 4, g);
    step(run, ORDER, g->rows, (void *const[]){starts, entries}, 2, g);
    step(run, GATHER, g->rows * g->width,
         (void *const[]){starts, entries, columns, k->args[2].base, k->args[3].base, k->result.base}, 6, g);
}

static void run(GridRun *run) {
    const Kernel *k = run->kernel;
    GridSparse g;
    sparse_of(k, &g);
    if (g.rows * g.width == 0) return;
    if (k->attrs.right) run_columns(run, &g);
    else
        step(run, LINES, g.rows * g.width,
             (void *const[]){k->args[0].base, k->args[1].base, k->args[2].base, k->args[3].base, k->result.base}, 5, &g);
}

const GridRow grid_SPARSE_PRODUCT = {.form = form, .text = text, .run = run};
