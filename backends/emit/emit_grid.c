// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Renders kernels for devices (grids).

#include "backends/emit/emit_grid_text.h"

#include <stdio.h>

#include "backends/emit/emit_numbers.h"

// --- Arguments ---------------------------------------------------------------------------------

static void put_number(const GridText *t, const char *name, int i, uint8_t type) {
    const char *spelled = type == DT_FLOAT16 ? t->dialect->types[DT_FLOAT64] : t->dialect->types[type];
    if (grid_is_complex(type))
        buf_printf(t->out, "    double %s%d[2];\n", name, i);
    else
        buf_printf(t->out, "    union { %s v; int64_t word; } %s%d;\n", spelled, name, i);
}

void grid_put_number_value(const GridText *t, const char *name, int i, uint8_t type) {
    if (grid_is_complex(type))
        buf_printf(t->out, "%s(g.%s%d[0], g.%s%d[1])", type == DT_COMPLEX64 ? "pair_c64" : "pair_c128", name, i, name,
                   i);
    else
        buf_printf(t->out, "(%s)g.%s%d.v", t->dialect->types[type], name, i);
}

static void put_numbers(const GridText *t) {
    const Grid *g = t->grid;
    int accesses = grid_accesses(g);
    buf_printf(t->out, "typedef struct {\n    int64_t extent[%d], offset[%d], stride[%d][%d];\n",
               g->ndim, accesses, accesses, g->ndim);
    for (int i = 0; i < g->form.param_count; i++) put_number(t, "p", i, g->form.param_types[i]);
    for (int i = 0; i < g->form.param_count; i++)
        if (grid_has_inverse(g, i)) put_number(t, "q", i, g->form.param_types[i]);
    for (int r = 0; r < g->reduction_count; r++) put_number(t, "first", r, g->store_types[r]);
    buf_puts(t->out, "    int64_t results, count, each, parts, joins;\n} Numbers;\n");
}

static void put_constant(const GridText *t, const char *name, int i) {
    buf_printf(t->out, "    const %s %s%d = ", t->dialect->types[t->grid->form.param_types[i]], name, i);
    grid_put_number_value(t, name, i, t->grid->form.param_types[i]);
    buf_puts(t->out, ";\n");
}

void grid_put_head(const GridText *t, const char *name) {
    const GridWords *w = t->dialect->grid;
    buf_printf(t->out, "%s %s(", w->bound, name);
    for (int a = 0; a < grid_accesses(t->grid); a++)
        buf_printf(t->out, "%s char *m%d, ", w->global, a);
    for (int r = 0; r < t->grid->reduction_count; r++)
        buf_printf(t->out, "%s %s *part%d, ", w->global, grid_store_type(t, r), r);
    buf_printf(t->out, "%s uint32_t *flags, const Numbers g) {\n", w->global);
    for (int i = 0; i < t->grid->form.param_count; i++) {
        put_constant(t, "p", i);
        if (grid_has_inverse(t->grid, i)) put_constant(t, "q", i);
    }
}

// --- Addresses -----------------------------------------------------------------------------------

void grid_put_zero(const GridText *t, DType type) {
    buf_puts(t->out, type == DT_COMPLEX64 ? "pair_c64(0, 0)" : type == DT_COMPLEX128 ? "pair_c128(0, 0)" : "0");
}

// Writes the computation of indices "k3", … from a linear index over the dimensions in the set.
void grid_put_indexes(const GridText *t, const char *number, AxisSet dims) {
    int first = 0;
    while (first < GRID_DIMS && !(dims >> first & 1)) first++;
    for (int d = t->grid->ndim - 1; d >= 0; d--) {
        if (!(dims >> d & 1)) continue;
        if (d == first)
            buf_printf(t->out, "    const int64_t k%d = %s;\n", d, number);
        else if (t->grid->narrow) // 64-bit division is slow on devices
            buf_printf(t->out, "    const int64_t k%d = (uint32_t)%s %% (uint32_t)g.extent[%d];\n"
                       "    %s = (uint32_t)%s / (uint32_t)g.extent[%d];\n", d, number, d, number, number, d);
        else
            buf_printf(t->out,
                       "    const int64_t k%d = %s %% g.extent[%d];\n    %s /= g.extent[%d];\n", d,
                       number, d, number, d);
    }
}

// Writes an access's address: `base`, or its offset, plus strides times indices.
void grid_put_address(const GridText *t, const char *name, const char *base, int access,
                        AxisSet dims) {
    if (base)
        buf_printf(t->out, "    const int64_t %s%d = %s%d", name, access, base, access);
    else
        buf_printf(t->out, "    const int64_t %s%d = g.offset[%d]", name, access, access);
    for (int d = 0; d < t->grid->ndim; d++)
        if (dims >> d & 1) buf_printf(t->out, " + k%d * g.stride[%d][%d]", d, access, d);
    buf_puts(t->out, ";\n");
}

// l = l + data[k] * x[indices[k]]
static void put_line_step(const GridText *t, int load, DType type) {
    const char *value = t->dialect->types[type];
    const char *word = dtype_is_inexact(type) ? value : "uint64_t"; // integers wrap
    const char *data = dtype_kind(type) == DK_COMPLEX ? "data + 2 * k" : "(data + k)";
    const char *x = dtype_kind(type) == DK_COMPLEX ? "x + 2 * indices[k]" : "(x + indices[k])";
    buf_printf(t->out, "        const %s a = ", value);
    emit_load(type, data, t->out);
    buf_printf(t->out, ", b = ");
    emit_load(type, x, t->out);
    if (dtype_kind(type) == DK_COMPLEX)
        buf_printf(t->out, ";\n        l%d = l%d + nc_mul_c(a, b);\n", load, load);
    else
        buf_printf(t->out, ";\n        l%d = (%s)((%s)l%d + (%s)a * (%s)b);\n", load, value, word, load, word, word);
}

// Writes a computed load: the product of line number `line` of a compressed matrix with a vector.
static void put_lines(const GridText *t, int load, const char *line) {
    const uint8_t *types = &t->grid->form.load_types[load];
    const DType type = (DType)types[0];
    const char *global = t->dialect->grid->global, *index = t->dialect->types[types[1]];
    const char *const names[LINE_LOADS] = {"indptr", "indices", "data", "x"};
    buf_printf(t->out, "    %s l%d = ", t->dialect->types[type], load);
    grid_put_zero(t, type);
    buf_puts(t->out, ";\n    {\n");
    for (int i = 0; i < LINE_LOADS; i++) {
        const char *pointed = i < 2 ? index : emit_memory_type(t->dialect, type);
        buf_printf(t->out, "    const %s %s *const %s = (const %s %s *)(m%d + g.offset[%d]);\n", global, pointed,
                   names[i], global, pointed, load + i, load + i);
    }
    buf_printf(t->out, "    for (int64_t k = indptr[%s], high = indptr[%s + 1]; k < high; k++) {\n", line, line);
    put_line_step(t, load, type);
    buf_puts(t->out, "    }\n    }\n");
}

void grid_put_loads(const GridText *t, const char *base) {
    const Form *f = &t->grid->form;
    const char *global = t->dialect->grid->global;
    for (int i = 0; i < f->load_count; i++) {
        if (f->motions[i] == MOTION_LINES) put_lines(t, i, t->grid->reduction_count ? "k0" : "i");
        if (f->motions[i] >= MOTION_LINES) continue;
        const char *type =
            f->motions[i] == MOTION_STRIDED ? "char" : emit_memory_type(t->dialect, (DType)f->load_types[i]);
        buf_printf(t->out, "    const %s %s *const a%d = (const %s %s *)(m%d + %s%d);\n", global,
                   type, i, global, type, i, base, i);
        if (f->motions[i] == MOTION_STRIDED)
            buf_printf(t->out, "    const int64_t s%d = g.stride[%d][%d];\n", i, i,
                       t->grid->ndim - 1);
    }
}

// --- Values --------------------------------------------------------------------------------------

static void behind_instr(const Behind *behind, int i, Buf *out) {
    const GridText *t = (const GridText *)behind;
    const FormInstr *in = &t->grid->form.code[i];
    char result[NAME_BYTES], names[2][NAME_BYTES];
    if (t->turn == TURN_GUARDED && t->guards.guard[i])
        buf_printf(out, "        bad |= !isfinite(v%d);\n", i);
    if (!t->grid->tells[i] || (t->turn == TURN_GUARDED && t->guards.later[i])) return;
    for (int a = 0; a < 2; a++) emit_value_name(names[a], in->args[a] < 0 ? 0 : in->args[a]);
    emit_value_name(result, KERN_FIRST_CODE + i);
    const GridTold told = {(OpId)in->op, (DType)in->from, (DType)in->type, result,
                           {names[0], in->args[1] < 0 ? NULL : names[1]}, t->grid->sites[i]};
    emit_flags(&told, out);
}

void grid_put_values(const GridText *text, GridTurn turn) {
    GridText t = *text;
    t.turn = turn;
    // The second turn is rare, so plain divisions keep its text short.
    if (turn == TURN_ALL && t.guards.put_off) t.behind.inverses = 0;
    emit_values(t.dialect, &t.grid->form, &t.behind, t.out);
}

void grid_put_code(const GridText *text, GridTurn turn) {
    GridText t = *text;
    t.turn = turn;
    if (turn == TURN_ALL && t.guards.put_off) t.behind.inverses = 0;
    emit_code(t.dialect, &t.grid->form, &t.behind, t.out);
}

// Stores results number `first` and later. In elementwise kernels the value of a work item's element number u is in
// r0[u] …; in reductions it is the instruction's variable.
void grid_put_stores(const GridText *t, int first, const char *base) {
    enum { PLACE = 160 };
    const Grid *g = t->grid;
    const char *global = t->dialect->grid->global;
    for (int s = first; s < g->store_count; s++) {
        char value[NAME_BYTES], place[PLACE];
        const char *type = emit_memory_type(t->dialect, (DType)g->store_types[s]);
        int access = g->form.load_count + s;
        if (g->reduction_count) emit_value_name(value, g->store_values[s]);
        else snprintf(value, sizeof value, "r%d[u]", s);
        if (g->store_motions[s] == MOTION_UNIT && !g->reduction_count)
            snprintf(place, sizeof place, "((%s %s *)(m%d + %s%d) + %si)", global, type, access, base, access,
                     grid_is_complex(g->store_types[s]) ? "2 * " : "");
        else
            snprintf(place, sizeof place, "(%s %s *)(m%d + %s%d + i * g.stride[%d][%d])", global, type, access, base,
                     access, access, g->ndim - 1);
        buf_puts(t->out, "        ");
        emit_store((DType)g->store_types[s], place, value, t->out);
    }
}

// --- Elementwise -----------------------------------------------------------------------------------

// Opens the loop over a work item's elements. Instead of an element beyond the row's end, the item repeats its first
// one: another item's could already be overwritten by its result.
static void open_elements(const GridText *t, bool unrolled) {
    const Grid *g = t->grid;
    if (g->each > 1) buf_puts(t->out, unrolled ? "    #pragma unroll\n" : "    #pragma unroll 1\n");
    buf_printf(t->out, "    for (int u = 0; u < %d; u++) {\n    const int64_t next = first + u * (int64_t)%s;\n"
               "    const int64_t i = next < g.extent[%d] ? next : first;\n", g->each, t->dialect->grid->width, g->ndim - 1);
}

// Computes all elements of a work item into r0 … before any is stored. So their loads can overlap in time, and can be
// repeated for flags even if results overwrite operands.
static void put_elements(const GridText *t, GridTurn turn) {
    const Grid *g = t->grid;
    // The second turn is rare, and would cost registers if it were unrolled.
    const bool again = turn == TURN_ALL && t->guards.put_off;
    open_elements(t, !again);
    grid_put_loads(t, "b");
    grid_put_values(t, turn);
    for (int s = 0; s < g->store_count && !again; s++) {
        char value[NAME_BYTES];
        emit_value_name(value, g->store_values[s]);
        buf_printf(t->out, "        r%d[u] = %s;\n", s, value);
    }
    buf_puts(t->out, "    }\n");
}

static void put_elementwise(const GridText *t) {
    const Grid *g = t->grid;
    const GridWords *w = t->dialect->grid;
    AxisSet rows = axes_below(g->ndim - 1);
    grid_put_head(t, GRID_NAME);
    if (g->each > 1)
        buf_printf(t->out, "    const int64_t first = (int64_t)%s * (%d * (int64_t)%s) + %s;\n", w->group, g->each, w->width,
                   w->lane);
    else
        buf_printf(t->out, "    const int64_t first = %s;\n", w->item[0]);
    buf_printf(t->out, "    int64_t row = %s;\n    if (first >= g.extent[%d] || row >= 1", w->item[1], g->ndim - 1);
    for (int d = 0; d < g->ndim - 1; d++) buf_printf(t->out, " * g.extent[%d]", d);
    buf_puts(t->out, ") return;\n");
    grid_put_indexes(t, "row", rows);
    for (int a = 0; a < grid_accesses(g); a++) grid_put_address(t, "b", NULL, a, rows);
    for (int s = 0; s < g->store_count; s++) buf_printf(t->out, "    %s r%d[%d];\n", grid_store_type(t, s), s, g->each);
    if (t->guards.put_off) {
        buf_puts(t->out, "    int bad = 0;\n");
        put_elements(t, TURN_GUARDED);
        buf_puts(t->out, "    if (bad) {\n");
        put_elements(t, TURN_ALL);
        buf_puts(t->out, "    }\n");
    } else {
        put_elements(t, TURN_ALL);
    }
    open_elements(t, true);
    buf_puts(t->out, "    if (i != next) continue;\n");
    grid_put_stores(t, 0, "b");
    buf_puts(t->out, "    }\n}\n");
}

// --- The helpers of the dialect that a kernel needs --------------------------------------------------

static void find_needs(const Grid *g, Needs *needs) {
    const Form *f = &g->form;
    for (int i = 0; i < f->load_count; i++) needs_type(needs, f->load_types[i]);
    for (int i = 0; i < f->param_count; i++) needs_type(needs, f->param_types[i]);
    for (int i = 0; i < f->code_count; i++)
        needs_op(needs, (OpId)f->code[i].op, f->code[i].from, f->code[i].type, g->tells[i]);
    for (int s = 0; s < g->store_count; s++) needs_type(needs, g->store_types[s]);
    for (int r = 0; r < g->reduction_count; r++)
        needs_op(needs, (OpId)g->ops[r], g->store_types[r], g->store_types[r], g->op_tells[r]);
}

static void put_prelude(const GridText *t) {
    Needs needs = {0};
    find_needs(t->grid, &needs);
    buf_puts(t->out, t->dialect->prelude);
    needs_put(&needs, t->dialect, t->out);
    if (t->behind.inverses) buf_puts(t->out, t->dialect->grid->over);
}

void emit_grid(const Dialect *d, const Grid *grid, Buf *out) {
    const uint32_t inverses = grid->inverses[0] | (uint32_t)grid->inverses[1] << 8;
    GridText t = {.behind = {behind_instr, inverses}, .dialect = d, .grid = grid, .out = out};
    grid_find_guards(grid, &t.guards);
    put_prelude(&t);
    put_numbers(&t);
    if (grid->rows > 1) {
        grid_put_rows(&t);
        return;
    }
    if (!grid->reduction_count) {
        put_elementwise(&t);
        return;
    }
    grid_put_reduction(&t);
    grid_put_join(&t);
}
