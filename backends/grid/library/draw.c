// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Draws of bit generators on a device. The draws of a linear congruential generator are dealt out to the work items in
// turn, so that neighbours write neighbouring elements: each work item jumps to its first draw, and then over the draws
// of the others. A work item of Philox computes a block of draws from a counter.

#include "backends/grid/library.h"
#include "backends/grid/text/draw.h"
#include "vm/kernel/draws.h"

#include "grid_text_draw.h"
#include "grid_text_draw_h.h"

enum { KIND, TYPE }; // parts of the form
_Static_assert(sizeof((GridDraw){0}.words) == DRAW_WORDS * sizeof(uint64_t), "the words of a state");

static bool form(const Dialect *dialect, const Kernel *k, GridForm *form) {
    form->part[KIND] = k->attrs.part;
    form->part[TYPE] = (uint8_t)k->result.view.dtype;
    return draws_can_jump((BitsKind)k->attrs.part) && grid_has_type(dialect, k->result.view.dtype);
}

static const char *const *text(const Dialect *dialect, const GridForm *form, Buf *out) {
    static const char *const names[] = {"nacre_draw", NULL};
    const DType type = form->part[TYPE];
    grid_define_type(dialect, "T", type, out);
    grid_define_number("IS_REAL", dtype_kind(type) == DK_FLOAT, out);
    grid_define_number("IS_HALF", dtype_size(type) < sizeof(uint64_t), out);
    grid_define_number("IS_PHILOX", form->part[KIND] == BITS_PHILOX, out);
    grid_define_number("IS_DXSM", form->part[KIND] == BITS_PCG64DXSM, out);
    buf_puts(out, GRID_TEXT_DRAW_H GRID_TEXT_DRAW);
    return names;
}

static void put_jump(PcgJump jump, uint64_t to[4]) {
    pcg_put_word(to, jump.a);
    pcg_put_word(to + 2, jump.c);
}

static void cut_pcg(GridDraw *g, BitsKind kind, int64_t draws) {
    const PcgJump one = pcg_one(kind, g->words);
    const int64_t most = (int64_t)1 << GRID_DRAW_JUMPS;
    PcgJump jump = one;
    g->items = draws < most ? draws : most;
    put_jump(pcg_jump(one, (uint64_t)g->items), g->stride);
    for (int i = 0; i < GRID_DRAW_JUMPS; i++) {
        put_jump(jump, g->jumps[i]);
        jump = (PcgJump){jump.a * jump.a, jump.c * (jump.a + 1)};
    }
    // PCG64 steps before a draw, not after it
    if (kind == BITS_PCG64) pcg_put_word(g->words, one.a * pcg_word(g->words) + one.c);
}

static void run(GridRun *run) {
    const Kernel *k = run->kernel;
    const View *to = &k->result.view;
    GridDraw g = {.offset = to->offset, .count = to->shape[0]};
    const int64_t draws = dtype_size(to->dtype) < sizeof(uint64_t) ? (g.count + 1) / 2 : g.count;
    for (int i = 0; i < DRAW_WORDS; i++) g.words[i] = k->args[i].scalar.u;
    if (k->attrs.part == BITS_PHILOX) g.items = (draws + PHILOX_BLOCK - 1) / PHILOX_BLOCK;
    else cut_pcg(&g, (BitsKind)k->attrs.part, draws);
    void *const memories[] = {k->result.base};
    grid_step(run, 0, (GridSize){(size_t)g.items, 1}, (GridArguments){memories, 1, &g, sizeof g});
}

const GridRow grid_DRAW = {.form = form, .text = text, .run = run};
