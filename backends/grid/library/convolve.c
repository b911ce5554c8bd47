// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Convolution on a device: a work item computes each sum, in the same order as the host.

#include "backends/grid/library.h"
#include "backends/grid/text/convolve.h"

#include "grid_text_convolve.h"
#include "grid_text_convolve_h.h"

static bool form(const Dialect *dialect, const Kernel *k, GridForm *form) {
    form->part[0] = (uint8_t)k->result.view.dtype;
    return grid_has_type(dialect, k->result.view.dtype) && k->args[0].view.dtype == k->result.view.dtype &&
           k->args[1].view.dtype == k->result.view.dtype;
}

static const char *const *text(const Dialect *dialect, const GridForm *form, Buf *out) {
    static const char *const names[] = {"nacre_convolve", NULL};
    const DType type = form->part[0];
    grid_define_numbers(dialect, &type, 1, AOP_MULTIPLY, false, out);
    grid_define_type(dialect, "T", type, out);
    grid_define_number("SIZE", (int64_t)dtype_size(type), out);
    grid_define_zero(dialect, "ZERO", type, out);
    grid_define_access(dialect, "T", type, out);
    grid_define_sum(dialect, "added", "multiplied", type, out);
    buf_puts(out, GRID_TEXT_CONVOLVE_H GRID_TEXT_CONVOLVE);
    return names;
}

static void run(GridRun *run) {
    const Kernel *k = run->kernel;
    const View *a = &k->args[0].view, *v = &k->args[1].view;
    const GridSlide g = {.a = a->offset, .v = v->offset, .to = k->result.view.offset, .n = a->shape[0], .m = v->shape[0],
                         .v_stride = v->strides[0], .first = k->attrs.step, .count = k->result.view.shape[0]};
    void *const memories[] = {k->args[0].base, k->args[1].base, k->result.base};
    grid_step(run, 0, (GridSize){(size_t)g.count, 1}, (GridArguments){memories, 3, &g, sizeof g});
}

const GridRow grid_CONVOLVE = {.form = form, .text = text, .run = run};
