// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arithmetic sequences on a device.

#include "backends/grid/library.h"
#include "backends/grid/text/arange.h"

#include "grid_text_arange.h"
#include "grid_text_arange_h.h"

static bool form(const Dialect *dialect, const Kernel *k, GridForm *form) {
    (void)dialect;
    form->part[0] = (uint8_t)k->result.view.dtype;
    return dtype_kind(k->result.view.dtype) != DK_COMPLEX && k->result.view.dtype != DT_FLOAT16;
}

static DType steps_in(DType type) {
    DKind kind = dtype_kind(type);
    return kind == DK_INT || kind == DK_UINT || kind == DK_BOOL ? DT_UINT64 : type;
}

static const char *const *text(const Dialect *dialect, const GridForm *form, Buf *out) {
    static const char *const names[] = {"nacre_arange", NULL};
    grid_define_type(dialect, "T", form->part[0], out);
    grid_define_type(dialect, "U", steps_in(form->part[0]), out);
    buf_puts(out, GRID_TEXT_ARANGE_H GRID_TEXT_ARANGE);
    return names;
}

static void run(GridRun *run) {
    const Kernel *k = run->kernel;
    const View *to = &k->result.view;
    const GridSequence g = {.offset = to->offset, .stride = to->strides[0], .count = to->shape[0],
                            .first = grid_word(to->dtype, k->args[0].scalar),
                            .second = grid_word(to->dtype, k->args[1].scalar)};
    void *const memories[] = {k->result.base};
    grid_step(run, 0, (GridSize){(size_t)g.count, 1}, (GridArguments){memories, 1, &g, sizeof g});
}

const GridRow grid_ARANGE = {.form = form, .text = text, .run = run};
