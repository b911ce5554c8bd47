// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Scatter on a device.

#include "backends/grid/order.h"
#include "backends/grid/text/put.h"
#include "backends/grid/text/put_order.h"

#include "grid_text_put.h"
#include "grid_text_put_combine.h"
#include "grid_text_put_few.h"
#include "grid_text_put_h.h"
#include "grid_text_put_order_h.h"
#include "grid_text_put_plain.h"
#include "grid_text_put_sorted.h"
#include "grid_text_put_table.h"

enum { CLAIM, PUT };                                          // the functions of plain scatters
enum { NUMBERS = GRID_ORDER_FUNCTIONS, COMBINE, REFUSE, CLAIM_SORTED = COMBINE, PUT_SORTED }; // of scatters that sort
enum { TYPE, OP, LOOP, RESULT, NUMBER_TYPE, INDEX_BYTES, TELLS, CAST_TELLS, REFUSES, MANNER }; // parts of the form

// How plain scatters find the last index that writes each place: by a table of all places, by comparing each index with
// all, by sorting.
typedef enum Manner { BY_TABLE, BY_FEW, BY_ORDER } Manner;

// The places that indices can select: the lowest one's offset, the bytes between places, and their number.
typedef struct Span {
    int64_t lowest, unit, count;
} Span;

static int64_t common_divisor(int64_t a, int64_t b) {
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static Span span_of(const View *one, AxisSet axes) {
    Span span = {0, 0, 1};
    int64_t highest = 0;
    for (int d = 0; d < one->ndim; d++) {
        int64_t stride = one->strides[d], last = one->shape[d] > 0 ? (one->shape[d] - 1) * stride : 0;
        if (!(axes >> d & 1)) continue;
        span.unit = common_divisor(stride < 0 ? -stride : stride, span.unit);
        *(last < 0 ? &span.lowest : &highest) += last;
    }
    if (span.unit == 0) span.unit = 1;
    span.count = (highest - span.lowest) / span.unit + 1;
    return span;
}

static bool put_of(const Kernel *k, GridPut *g, Span *span) {
    const View *one = &k->result.view, *at = &k->args[0].view;
    View rest;
    grid_rest(one, k->attrs.axes, &rest);
    *span = span_of(one, k->attrs.axes);
    g->rest = view_size(&rest);
    g->step = k->attrs.step;
    g->lowest = span->lowest;
    g->unit = span->unit;
    g->begin = 0;
    g->end = view_size(at);
    return grid_view(at, &g->at) && grid_view(&rest, &g->one) && grid_view(&k->args[1].view, &g->many);
}

static Manner manner_of(const Span *span, int64_t count) {
    enum { FEW = 1 << 11, SMALL = 1 << 20 };
    if (count <= FEW) return BY_FEW;
    return span->count / 8 > count && span->count > SMALL ? BY_ORDER : BY_TABLE;
}

static void number_form(const Span *span, int64_t count, GridForm *form) {
    form->part[NUMBER_TYPE] = span->count > UINT32_MAX ? DT_UINT64 : DT_UINT32;
    form->part[INDEX_BYTES] = (uint8_t)grid_index_bytes(count);
}

static bool combine_form(const Dialect *dialect, const Kernel *k, const Span *span, int64_t count, GridForm *form) {
    const DType type = k->result.view.dtype, loop = k->attrs.loop;
    const OpId op = k->attrs.combine;
    DType made, result;
    if (!grid_has_type(dialect, type) || !grid_can_combine(dialect, op, loop)) return false;
    if (!op_types(op, loop, &made, &result) || made != loop || k->args[1].view.dtype != loop) return false;
    if (!grid_has_type(dialect, result) || (k->flags && cast_can_tell(type, loop))) return false;
    form->part[TYPE] = (uint8_t)type;
    form->part[LOOP] = (uint8_t)loop;
    form->part[RESULT] = (uint8_t)result;
    number_form(span, count, form);
    form->part[TELLS] = k->flags && op_info[op].effects == EFFECT_FPE && emit_has_flags(op, loop, result);
    form->part[REFUSES] = op_info[op].may_raise && dtype_kind(loop) == DK_INT;
    form->part[CAST_TELLS] = k->flags && cast_can_tell(result, type);
    return true;
}

static bool form(const Dialect *dialect, const Kernel *k, GridForm *form) {
    GridPut g;
    Span span;
    if (!put_of(k, &g, &span)) return false;
    form->part[OP] = (uint8_t)k->attrs.combine;
    if (k->attrs.combine != AOP_NONE) return combine_form(dialect, k, &span, g.end, form);
    form->part[TYPE] = (uint8_t)dtype_size(k->result.view.dtype);
    form->part[MANNER] = manner_of(&span, g.end);
    if (form->part[MANNER] == BY_ORDER) number_form(&span, g.end, form);
    return k->args[1].view.dtype == k->result.view.dtype;
}

static void combine_text(const Dialect *dialect, const GridForm *form, Buf *out) {
    const DType type = form->part[TYPE], loop = form->part[LOOP], result = form->part[RESULT];
    const DType types[] = {type, result, loop};
    grid_define_numbers(dialect, types, 3, form->part[OP], form->part[TELLS], out);
    grid_define_type(dialect, "T", type, out);
    grid_define_type(dialect, "L", loop, out);
    grid_define_type(dialect, "R", result, out);
    grid_define_access(dialect, "T", type, out);
    grid_define_access(dialect, "L", loop, out);
    grid_define_cast(dialect, "to_L", type, loop, out);
    grid_define_cast(dialect, "to_T", result, type, out);
    grid_define_op(dialect, "combine", form->part[OP], loop, result, out);
    grid_define_check(dialect, "check", form->part[OP], loop, result, form->part[TELLS], out);
    grid_define_check(dialect, "check_cast", AOP_CAST, result, type, form->part[CAST_TELLS], out);
    grid_define_number("REFUSES", form->part[REFUSES], out);
    grid_order_text(form->part[NUMBER_TYPE], form->part[INDEX_BYTES], out);
    buf_puts(out, GRID_TEXT_PUT_H GRID_TEXT_PUT GRID_TEXT_PUT_ORDER_H GRID_TEXT_PUT_COMBINE);
}

static const char *const *text(const Dialect *dialect, const GridForm *form, Buf *out) {
    static const char *const plain[] = {"nacre_put_claim", "nacre_put", NULL};
    static const char *const sorted[] = {GRID_ORDER_NAMES, "nacre_put_numbers", "nacre_put_claim", "nacre_put", NULL};
    static const char *const combining[] = {GRID_ORDER_NAMES, "nacre_put_numbers", "nacre_put_combine", "nacre_put_refuse",
                                            NULL};
    const Manner manner = form->part[MANNER];
    if (form->part[OP] != AOP_NONE) {
        combine_text(dialect, form, out);
        return combining;
    }
    grid_define_word("T", form->part[TYPE], out);
    if (manner == BY_ORDER) grid_order_text(form->part[NUMBER_TYPE], form->part[INDEX_BYTES], out);
    buf_puts(out, GRID_TEXT_PUT_H GRID_TEXT_PUT);
    if (manner == BY_ORDER) buf_puts(out, GRID_TEXT_PUT_ORDER_H);
    buf_puts(out, manner == BY_ORDER ? GRID_TEXT_PUT_SORTED : manner == BY_FEW ? GRID_TEXT_PUT_FEW : GRID_TEXT_PUT_TABLE);
    buf_puts(out, GRID_TEXT_PUT_PLAIN);
    return manner == BY_ORDER ? sorted : plain;
}

static void put_winners(GridRun *run, int function, const GridPut *g, void *winners) {
    const Kernel *k = run->kernel;
    void *const memories[] = {k->args[0].base, k->args[1].base, k->result.base, winners};
    grid_step(run, function, (GridSize){(size_t)((g->end - g->begin) * g->rest), 1},
              (GridArguments){memories, 4, g, sizeof *g});
}

// Scatters a limited number of indices at a time, so that 32 bits can number them; later ones overwrite earlier ones.
static void run_table(GridRun *run, GridPut g, const Span *span) {
    const int64_t count = g.end, most = INT32_MAX;
    const size_t bytes = (size_t)span->count * sizeof(uint32_t);
    void *winners = grid_scratch(run, bytes), *const claims[] = {run->kernel->args[0].base, winners};
    for (g.begin = 0; g.begin < count; g.begin = g.end) {
        g.end = count - g.begin < most ? count : g.begin + most;
        grid_clear(run, winners, bytes);
        grid_step(run, CLAIM, (GridSize){(size_t)(g.end - g.begin), 1}, (GridArguments){claims, 2, &g, sizeof g});
        put_winners(run, PUT, &g, winners);
    }
}

static void run_few(GridRun *run, const GridPut *g) {
    void *winners = grid_scratch(run, (size_t)g->end * sizeof(uint32_t)), *const claims[] = {run->kernel->args[0].base, winners};
    grid_step(run, CLAIM, (GridSize){(size_t)g->end, 1}, (GridArguments){claims, 2, g, sizeof *g});
    put_winners(run, PUT, g, winners);
}

static int bytes_of(int64_t last) {
    int bytes = 0;
    for (; last > 0; last >>= 8) bytes++;
    return bytes;
}

// Numbers the indices' places, and sorts the numbers. False: no memory.
static bool sort_numbers(GridRun *run, GridSorting *s, const GridPut *g, const Span *span) {
    const uint8_t *part = run->program->key.form.part;
    const DType type = part[NUMBER_TYPE];
    const GridView all = {.ndim = 1, .extent = {g->end}, .stride = {(int64_t)dtype_size(type)}};
    if (!grid_order_take(run, s, type, part[INDEX_BYTES], g->end, g->end)) return false;
    void *const numbers[] = {run->kernel->args[0].base, s->items[0]};
    grid_step(run, NUMBERS, (GridSize){(size_t)g->end, 1}, (GridArguments){numbers, 2, g, sizeof *g});
    grid_order_sort(run, s, s->items[0], &all, bytes_of(span->count - 1));
    return true;
}

static void run_sorted(GridRun *run, const GridPut *g, const Span *span) {
    GridSorting s;
    void *winners = grid_scratch(run, (size_t)g->end * sizeof(uint32_t));
    if (!sort_numbers(run, &s, g, span)) return;
    const GridPutOrder sorted = {*g, s.g};
    void *const memories[] = {s.items[0], s.items[1], s.indices[0], s.indices[1], s.varied, winners};
    grid_step(run, CLAIM_SORTED, (GridSize){(size_t)g->end, 1}, (GridArguments){memories, 6, &sorted, sizeof sorted});
    put_winners(run, PUT_SORTED, g, winners);
}

static void run_combining(GridRun *run, const GridPut *g, const Span *span) {
    const Kernel *k = run->kernel;
    GridSorting s;
    if (!sort_numbers(run, &s, g, span)) return;
    const GridPutOrder sorted = {*g, s.g};
    void *const memories[] = {s.items[0], s.items[1], s.indices[0], s.indices[1], s.varied, k->args[1].base, k->result.base,
                              run->flags};
    const GridSize size = {(size_t)(g->end * g->rest), 1};
    const GridArguments all = {memories, 8, &sorted, sizeof sorted}, values = {&memories[5], 3, &sorted, sizeof sorted};
    if (run->program->key.form.part[REFUSES]) grid_step(run, REFUSE, size, values);
    grid_step(run, COMBINE, size, all);
}

static void run(GridRun *run) {
    const uint8_t *part = run->program->key.form.part;
    GridPut g;
    Span span;
    put_of(run->kernel, &g, &span);
    if (g.end == 0 || g.rest == 0) return;
    if (part[OP] != AOP_NONE) run_combining(run, &g, &span);
    else if (part[MANNER] == BY_ORDER) run_sorted(run, &g, &span);
    else if (part[MANNER] == BY_FEW) run_few(run, &g);
    else run_table(run, g, &span);
}

const GridRow grid_PUT = {.form = form, .text = text, .run = run, .tells = true};
