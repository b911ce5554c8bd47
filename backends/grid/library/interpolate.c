// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Linear interpolation on a device: a work item for each value.

#include "backends/grid/library.h"
#include "backends/grid/text/interpolate.h"

#include "grid_text_interpolate.h"
#include "grid_text_interpolate_h.h"

static bool form(const Dialect *dialect, const Kernel *k, GridForm *form) {
    (void)form;
    return grid_has_type(dialect, DT_FLOAT64) && k->result.view.dtype == DT_FLOAT64;
}

static const char *const *text(const Dialect *dialect, const GridForm *form, Buf *out) {
    static const char *const names[] = {"nacre_interpolate", NULL};
    (void)dialect, (void)form;
    buf_puts(out, GRID_TEXT_INTERPOLATE_H GRID_TEXT_INTERPOLATE);
    return names;
}

static void run(GridRun *run) {
    const Kernel *k = run->kernel;
    const View *x = &k->args[0].view, *xp = &k->args[1].view, *fp = &k->args[2].view, *to = &k->result.view;
    const GridLines g = {.x = x->offset, .xp = xp->offset, .fp = fp->offset, .to = to->offset, .x_stride = x->strides[0],
                         .xp_stride = xp->strides[0], .fp_stride = fp->strides[0], .to_stride = to->strides[0],
                         .count = x->shape[0], .points = xp->shape[0]};
    void *const memories[] = {k->args[0].base, k->args[1].base, k->args[2].base, k->result.base};
    grid_step(run, 0, (GridSize){(size_t)g.count, 1}, (GridArguments){memories, 4, &g, sizeof g});
}

const GridRow grid_INTERPOLATE = {.form = form, .text = text, .run = run};
