// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Selection by masks on a device.

#include "backends/grid/counts.h"
#include "backends/grid/text/select.h"

#include "grid_text_select.h"
#include "grid_text_select_answer.h"
#include "grid_text_select_h.h"
#include "grid_text_select_move.h"

enum { BLOCK = 16 * GRID_LANES };                  // mask elements of a group
enum { COUNT, MOVE, SUMS, ANSWER_BY = MOVE };      // the functions
enum { COMPRESSES, EXPANDS, LISTS, ANSWERS };      // part[0]
enum { HOW_MANY, ANY, ALL };                       // part[1] of ANSWERS; otherwise an element's size

// The operands of the four operations.
typedef struct Selection {
    const KernArg *mask, *from;
    GridSelect g;
} Selection;

static int kind_of(OpId op) {
    return op == AOP_COMPRESS ? COMPRESSES : op == AOP_EXPAND ? EXPANDS : op == AOP_NONZERO ? LISTS : ANSWERS;
}

static Selection selection_of(const Kernel *k) {
    const int kind = kind_of(k->library);
    Selection s = {.mask = &k->args[kind == COMPRESSES], .from = &k->args[kind == EXPANDS]};
    const View *mask = &s.mask->view;
    s.g = (GridSelect){.mask = mask->offset, .from = s.from->view.offset, .to = k->result.view.offset, .count = view_size(mask)};
    s.g.room = kind == EXPANDS ? view_size(&s.from->view) : kind == ANSWERS ? 0 : k->result.view.shape[0];
    if (kind != LISTS) return s;
    s.g.ndim = mask->ndim;
    for (int d = 0; d < mask->ndim; d++) s.g.extent[d] = mask->shape[d];
    s.g.first = k->attrs.step;
    s.g.mask += k->attrs.step;
    if (k->attrs.points) s.g.count = k->attrs.points;
    return s;
}

static bool form(const Dialect *dialect, const Kernel *k, GridForm *form) {
    const OpId question = k->attrs.combine;
    (void)dialect;
    form->part[0] = (uint8_t)kind_of(k->library);
    form->part[1] = (uint8_t)dtype_size(k->result.view.dtype);
    if (form->part[0] == ANSWERS)
        form->part[1] = question == AOP_LOGICAL_OR ? ANY : question == AOP_LOGICAL_AND ? ALL : HOW_MANY;
    return form->part[0] != LISTS || k->args[0].view.ndim <= GRID_VIEW_DIMS;
}

static const char *const *text(const Dialect *dialect, const GridForm *form, Buf *out) {
    static const char *const names[] = {"nacre_select_count", "nacre_select_move", GRID_COUNT_NAMES, NULL};
    static const char *const answers[] = {"nacre_select_count", "nacre_select_answer", NULL};
    (void)dialect;
    bool is_answer = form->part[0] == ANSWERS;
    if (is_answer) grid_define_number("ANSWER", form->part[1], out);
    else grid_define_number("SELECT_OP", form->part[0], out);
    if (!is_answer) grid_define_word("T", form->part[1], out);
    grid_counts_text(out);
    buf_puts(out, GRID_TEXT_SELECT_H GRID_TEXT_SELECT);
    buf_puts(out, is_answer ? GRID_TEXT_SELECT_ANSWER : GRID_TEXT_SELECT_MOVE);
    return is_answer ? answers : names;
}

static GridSize blocks_of(const Selection *s) {
    return (GridSize){(size_t)(s->g.count + BLOCK - 1) / BLOCK, 1};
}

static void run(GridRun *run) {
    const Kernel *k = run->kernel;
    const Selection s = selection_of(k);
    const GridSize blocks = blocks_of(&s);
    GridTally tally;
    if (s.g.count == 0 || s.g.room == 0) return;
    if (!grid_tally_take(run, &tally, (int64_t)blocks.items)) return;
    void *const memories[] = {s.mask->base, tally.counts, s.from->base, k->result.base};
    grid_step_groups(run, COUNT, blocks, GRID_LANES, (GridArguments){memories, 2, &s.g, sizeof s.g});
    grid_tally_sum(run, SUMS, &tally);
    grid_step_groups(run, MOVE, blocks, GRID_LANES, (GridArguments){memories, 4, &s.g, sizeof s.g});
}

static void run_answer(GridRun *run) {
    const Kernel *k = run->kernel;
    Selection s = selection_of(k);
    const GridSize blocks = blocks_of(&s), one = {1, 1};
    void *counts = grid_scratch(run, blocks.items * sizeof(int64_t));
    void *const memories[] = {s.mask->base, counts, k->result.base};
    s.g.room = (int64_t)blocks.items;
    grid_step_groups(run, COUNT, blocks, GRID_LANES, (GridArguments){memories, 2, &s.g, sizeof s.g});
    grid_step_groups(run, ANSWER_BY, one, GRID_LANES, (GridArguments){&memories[1], 2, &s.g, sizeof s.g});
}

const GridRow grid_COMPRESS = {.form = form, .text = text, .run = run};
const GridRow grid_EXPAND = {.form = form, .text = text, .run = run};
const GridRow grid_NONZERO = {.form = form, .text = text, .run = run};
const GridRow grid_COUNT_TRUE = {.form = form, .text = text, .run = run_answer};
