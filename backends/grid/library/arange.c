// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arithmetic sequences on a device.

#include "backends/grid/library.h"
#include "backends/grid/text/arange.h"

#include "grid_text_arange.h"
#include "grid_text_arange_h.h"

static bool form(const Dialect *dialect, const Kernel *k, GridForm *form) {
    form->part[0] = (uint8_t)k->result.view.dtype;
    return grid_has_type(dialect, k->result.view.dtype);
}

// Type of the computation: float16 is rounded at the end.
static DType computed(DType part) {
    return part == DT_FLOAT16 ? DT_FLOAT32 : part;
}

static DType steps_in(DType part) {
    return dtype_is_inexact(part) ? computed(part) : DT_UINT64;
}

static const char *const *text(const Dialect *dialect, const GridForm *form, Buf *out) {
    static const char *const names[] = {"nacre_arange", NULL};
    const DType type = form->part[0], part = dtype_real(type);
    grid_define_numbers(dialect, &part, 1, AOP_ADD, false, out);
    grid_define_type(dialect, "T", computed(part), out);
    grid_define_type(dialect, "U", steps_in(part), out);
    grid_define_number("PARTS", type == part ? 1 : 2, out);
    grid_define_number("SIZE", (int64_t)dtype_size(part), out);
    grid_define_access(dialect, "P", part, out);
    buf_puts(out, GRID_TEXT_ARANGE_H GRID_TEXT_ARANGE);
    return names;
}

static void words_of(DType type, Scalar scalar, int64_t words[2]) {
    const DType part = computed(dtype_real(type));
    const bool is_complex = dtype_kind(type) == DK_COMPLEX;
    words[0] = grid_word(part, is_complex ? (Scalar){.f = scalar.re} : scalar);
    words[1] = grid_word(part, (Scalar){.f = is_complex ? scalar.im : 0});
}

static void run(GridRun *run) {
    const Kernel *k = run->kernel;
    const View *to = &k->result.view;
    GridSequence g = {.offset = to->offset, .stride = to->strides[0], .count = to->shape[0]};
    words_of(to->dtype, k->args[0].scalar, g.first);
    words_of(to->dtype, k->args[1].scalar, g.second);
    void *const memories[] = {k->result.base};
    grid_step(run, 0, (GridSize){(size_t)g.count, 1}, (GridArguments){memories, 1, &g, sizeof g});
}

const GridRow grid_ARANGE = {.form = form, .text = text, .run = run};
