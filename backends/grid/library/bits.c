// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// packbits and unpackbits on a device.

#include "backends/grid/library.h"
#include "backends/grid/text/bits.h"

#include "grid_text_bits.h"
#include "grid_text_bits_h.h"

static bool form(const Dialect *dialect, const Kernel *k, GridForm *form) {
    (void)dialect, (void)form;
    return k->args[0].view.ndim == 2;
}

static const char *const *text(const Dialect *dialect, const GridForm *form, Buf *out) {
    static const char *const names[] = {"nacre_pack", "nacre_unpack", NULL};
    (void)dialect, (void)form;
    buf_puts(out, GRID_TEXT_BITS_H GRID_TEXT_BITS);
    return names;
}

static void run(GridRun *run) {
    const Kernel *k = run->kernel;
    const View *in = &k->args[0].view, *out = &k->result.view;
    const bool unpacks = k->library == AOP_UNPACK_BITS;
    const View *truths = unpacks ? out : in, *bytes = unpacks ? in : out;
    const GridBits g = {.from = in->offset, .to = out->offset, .rows = truths->shape[0], .truths = truths->shape[1],
                        .bytes = bytes->shape[1], .right = k->attrs.right};
    void *const memories[] = {k->args[0].base, k->result.base};
    grid_step(run, unpacks, (GridSize){(size_t)g.bytes, (size_t)g.rows}, (GridArguments){memories, 2, &g, sizeof g});
}

const GridRow grid_PACK_BITS = {.form = form, .text = text, .run = run};
const GridRow grid_UNPACK_BITS = {.form = form, .text = text, .run = run};
