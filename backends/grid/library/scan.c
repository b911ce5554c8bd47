// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Scans, and reductions of pieces of an axis, on a device. If the operation is associative (sums of floats nearly are),
// parts of a row are combined in parallel. The cuts depend on the shape alone.

#include "backends/grid/library.h"
#include "backends/grid/text/scan.h"

#include "grid_text_pieces_group.h"
#include "grid_text_pieces_item.h"
#include "grid_text_scan.h"
#include "grid_text_scan_group.h"
#include "grid_text_scan_h.h"
#include "grid_text_scan_item.h"
#include "grid_text_scan_product.h"
#include "grid_text_scan_tile.h"
#include "grid_text_scan_wide.h"

enum { LANES = 128, TILE = 8 * LANES }; // TILE: a multiple of the text's tiles
enum { SUMS, JOIN, SCAN, AGAIN };                                          // the functions of a scan
enum { FROM, TYPE, COMBINE, BY_GROUP, TELLS, IS_ASSOCIATIVE, IS_PRODUCT }; // parts of the form

static OpId op_of(const Kernel *k) {
    return k->library == AOP_CUMSUM || k->library == AOP_CUMPROD ? op_info[k->library].combine : k->attrs.combine;
}

// Returns whether parts of a row may be combined in parallel. Products of floats may not: a part's product may overflow
// where the row's is 0 (scan_product.cl handles long rows). Sums of half floats may not, except in pieces, since they
// are rounded at every element.
static bool is_associative(const Kernel *k, OpId op, DType type) {
    if (op == AOP_MULTIPLY && dtype_is_inexact(type)) return false;
    if (type == DT_FLOAT16 && k->library != AOP_REDUCEAT && op_info[op].effects == EFFECT_FPE) return false;
    switch (op) {
    case AOP_ADD:
    case AOP_MULTIPLY:
    case AOP_MAXIMUM:
    case AOP_MINIMUM:
    case AOP_FMAX:
    case AOP_FMIN:
    case AOP_LOGICAL_AND:
    case AOP_LOGICAL_OR:
    case AOP_LOGICAL_XOR:
    case AOP_BITWISE_AND:
    case AOP_BITWISE_OR:
    case AOP_BITWISE_XOR:
    case AOP_GCD: return true;
    default: return false;
    }
}

static bool scan_of(const Kernel *k, GridScan *g) {
    const View *in = &k->args[0].view, *out = &k->result.view;
    const int axis = grid_axis(k);
    View from, to;
    grid_rest(in, k->attrs.axes, &from);
    grid_rest(out, k->attrs.axes, &to);
    *g = (GridScan){.from_stride = in->strides[axis], .to_stride = out->strides[axis], .length = in->shape[axis],
                    .rows = view_size(&from), .chunks = out->shape[axis]};
    if (k->library == AOP_REDUCEAT) g->places = k->args[1].view.offset;
    return grid_view(&from, &g->from) && grid_view(&to, &g->to);
}

// Returns whether the lanes of a group share a row: a long row that is contiguous, or one of few.
static bool is_by_group(const Kernel *k, const GridScan *g) {
    enum { SHORT = 64, MANY = 1 << 10 };
    const int64_t along = k->library == AOP_REDUCEAT ? g->length / (g->chunks ? g->chunks : 1) : g->length;
    return along >= SHORT && (g->from_stride == (int64_t)dtype_size(k->args[0].view.dtype) || g->rows < MANY);
}

// Returns whether scan_product.cl computes the scan: products of floats along long rows. A row may have to be computed
// again, so the result must not overwrite the operand.
static bool is_product(const Kernel *k, OpId op, DType type, const GridScan *g) {
    enum { LONG = 4 * TILE };
    if (op != AOP_MULTIPLY || (type != DT_FLOAT32 && type != DT_FLOAT64) || k->library == AOP_REDUCEAT) return false;
    return g->length >= LONG && is_by_group(k, g) && k->args[0].view.storage != k->result.view.storage;
}

static bool form(const Dialect *dialect, const Kernel *k, GridForm *form) {
    GridScan g;
    const DType from = k->args[0].view.dtype, type = k->result.view.dtype;
    const OpId op = op_of(k);
    DType loop, result;
    if (!grid_has_type(dialect, from) || !grid_can_combine(dialect, op, type) || !scan_of(k, &g)) return false;
    if (!op_types(op, type, &loop, &result) || loop != type || result != type) return false;
    if (cast_can_tell(from, type) && k->flags) return false;
    form->part[FROM] = (uint8_t)from;
    form->part[TYPE] = (uint8_t)type;
    form->part[COMBINE] = (uint8_t)op;
    form->part[IS_ASSOCIATIVE] = is_associative(k, op, type);
    form->part[BY_GROUP] = form->part[IS_ASSOCIATIVE] && is_by_group(k, &g);
    form->part[IS_PRODUCT] = is_product(k, op, type, &g);
    form->part[TELLS] = grid_combine_tells(k, op, type);
    return true;
}

static void put_types(const Dialect *dialect, const GridForm *form, Buf *out) {
    const DType from = form->part[FROM], type = form->part[TYPE], types[] = {from, type};
    const OpId op = form->part[COMBINE];
    // half floats of a piece are added up as floats, and the sum is rounded once
    const DType computed = form->op == AOP_REDUCEAT && type == DT_FLOAT16 && op == AOP_ADD ? DT_FLOAT32 : type;
    grid_define_numbers(dialect, types, 2, op, form->part[TELLS], out);
    grid_define_type(dialect, "T", type, out);
    grid_define_access(dialect, "F", from, out);
    grid_define_access(dialect, "T", type, out);
    grid_define_cast(dialect, "to_T", from, type, out);
    grid_define_op(dialect, "combine", op, computed, computed, out);
    grid_define_check(dialect, "check", op, computed, computed, form->part[TELLS], out);
    buf_puts(out, GRID_TEXT_SCAN_H GRID_TEXT_SCAN);
    grid_define_number("EACH", dtype_size(type) > sizeof(double) ? 4 : 8, out);
    if (form->part[BY_GROUP]) buf_puts(out, GRID_TEXT_SCAN_TILE);
}

static const char *const *product_text(const Dialect *dialect, const GridForm *form, Buf *out) {
    static const char *const names[] = {"nacre_product_sums", "nacre_product_join", "nacre_product_scan", "nacre_product_again",
                                        NULL};
    const DType from = form->part[FROM], type = form->part[TYPE], types[] = {from, type};
    const bool is_double = type == DT_FLOAT64;
    grid_define_numbers(dialect, types, 2, AOP_MULTIPLY, form->part[TELLS], out);
    grid_define_type(dialect, "V", type, out);
    grid_define_access(dialect, "F", from, out);
    grid_define_access(dialect, "V", type, out);
    grid_define_cast(dialect, "to_V", from, type, out);
    grid_define_op(dialect, "times", AOP_MULTIPLY, type, type, out);
    grid_define_check(dialect, "check_told", AOP_MULTIPLY, type, type, form->part[TELLS], out);
    grid_define_number("IS_DOUBLE", is_double, out);
    grid_define_number("EACH", is_double ? 4 : 8, out);
    buf_puts(out, is_double ? "#define LEAST 2.2250738585072014e-308\n" : "#define LEAST 1.1754943508222875e-38\n");
    buf_puts(out, GRID_TEXT_SCAN_H GRID_TEXT_SCAN_WIDE GRID_TEXT_SCAN GRID_TEXT_SCAN_TILE GRID_TEXT_SCAN_PRODUCT);
    return names;
}

static const char *const *text(const Dialect *dialect, const GridForm *form, Buf *out) {
    static const char *const names[] = {"nacre_scan_sums", "nacre_scan_join", "nacre_scan", NULL};
    if (form->part[IS_PRODUCT]) return product_text(dialect, form, out);
    put_types(dialect, form, out);
    buf_puts(out, form->part[BY_GROUP] ? GRID_TEXT_SCAN_GROUP : GRID_TEXT_SCAN_ITEM);
    return names;
}

// Cuts rows into chunks of a multiple of `least` elements, as many as keep a device busy: about `most` in all.
static void cut(GridScan *g, int64_t least, int64_t most) {
    int64_t chunks = g->length / least < most / g->rows ? g->length / least : most / g->rows;
    if (chunks < 1) chunks = 1;
    g->each = (g->length + chunks - 1) / chunks;
    if (chunks > 1) g->each = (g->each + least - 1) / least * least;
    g->chunks = (g->length + g->each - 1) / g->each;
}

enum { ITEM_LEAST = 64, ITEMS = 1 << 16, GROUPS = 1 << 11 };

static void run_product(GridRun *run, GridScan *g) {
    const Kernel *k = run->kernel;
    void *const from = k->args[0].base, *const to = k->result.base;
    cut(g, TILE, GROUPS);
    void *const sums = grid_scratch(run, (size_t)(g->chunks * g->rows) * 2 * sizeof(double));
    void *const marks = grid_scratch(run, (size_t)g->rows * sizeof(uint32_t));
    void *const places = grid_scratch(run, (size_t)g->rows * sizeof(int64_t));
    const GridSize chunks = {(size_t)g->chunks, (size_t)g->rows}, one = {1, chunks.rows}, rows = {chunks.rows, 1};
    grid_clear(run, marks, (size_t)g->rows * sizeof(uint32_t));
    for (g->phase = 0; g->phase < 2; g->phase++) {
        void *const of_sums[] = {from, to, sums, marks, places}, *const joined[] = {sums, marks};
        void *const all[] = {from, to, sums, marks, places, run->flags}, *const again[] = {from, to, marks, places, run->flags};
        if (g->chunks > 1) grid_step_groups(run, SUMS, chunks, LANES, (GridArguments){of_sums, 5, g, sizeof *g});
        if (g->chunks > 1) grid_step_groups(run, JOIN, one, LANES, (GridArguments){joined, 2, g, sizeof *g});
        grid_step_groups(run, SCAN, chunks, LANES, (GridArguments){all, 6, g, sizeof *g});
        if (!g->phase) grid_step(run, AGAIN, rows, (GridArguments){again, 5, g, sizeof *g});
    }
}

static void run(GridRun *run) {
    const Kernel *k = run->kernel;
    const uint8_t *part = run->program->key.form.part;
    GridScan g;
    scan_of(k, &g);
    if (g.rows == 0 || g.length == 0) return;
    if (part[IS_PRODUCT]) {
        run_product(run, &g);
        return;
    }
    if (part[BY_GROUP]) cut(&g, TILE, GROUPS);
    else cut(&g, part[IS_ASSOCIATIVE] ? ITEM_LEAST : g.length, ITEMS);
    void *sums = g.chunks > 1 ? grid_scratch(run, (size_t)(g.chunks * g.rows) * 2 * sizeof(double)) : NULL;
    void *const memories[] = {k->args[0].base, k->result.base, sums, run->flags}, *const of_sums[] = {k->args[0].base, sums};
    const GridArguments all = {memories, 4, &g, sizeof g}, first = {of_sums, 2, &g, sizeof g},
                        join = {&of_sums[1], 1, &g, sizeof g};
    const GridSize chunks = {(size_t)g.chunks, (size_t)g.rows}, items = {(size_t)g.rows, (size_t)g.chunks};
    if (part[BY_GROUP]) {
        if (sums) grid_step_groups(run, SUMS, chunks, LANES, first);
        if (sums) grid_step_groups(run, JOIN, (GridSize){1, chunks.rows}, LANES, join);
        grid_step_groups(run, SCAN, chunks, LANES, all);
        return;
    }
    if (sums) grid_step(run, SUMS, items, first);
    if (sums) grid_step(run, JOIN, (GridSize){items.items, 1}, join);
    grid_step(run, SCAN, items, all);
}

// --- Pieces ------------------------------------------------------------------------------------------------

static const char *const *pieces_text(const Dialect *dialect, const GridForm *form, Buf *out) {
    static const char *const names[] = {"nacre_pieces", NULL};
    put_types(dialect, form, out);
    buf_puts(out, form->part[BY_GROUP] ? GRID_TEXT_PIECES_GROUP : GRID_TEXT_PIECES_ITEM);
    return names;
}

static void run_pieces(GridRun *run) {
    const Kernel *k = run->kernel;
    GridScan g;
    scan_of(k, &g);
    void *const memories[] = {k->args[0].base, k->args[1].base, k->result.base, run->flags};
    const GridArguments all = {memories, 4, &g, sizeof g};
    if (run->program->key.form.part[BY_GROUP])
        grid_step_groups(run, 0, (GridSize){(size_t)g.chunks, (size_t)g.rows}, LANES, all);
    else
        grid_step(run, 0, (GridSize){(size_t)g.rows, (size_t)g.chunks}, all);
}

const GridRow grid_CUMSUM = {.form = form, .text = text, .run = run, .tells = true};
const GridRow grid_CUMPROD = {.form = form, .text = text, .run = run, .tells = true};
const GridRow grid_ACCUMULATE = {.form = form, .text = text, .run = run, .tells = true};
const GridRow grid_REDUCEAT = {.form = form, .text = pieces_text, .run = run_pieces, .tells = true};
