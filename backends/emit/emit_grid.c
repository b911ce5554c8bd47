// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Renders kernels for devices (grids).

#include "backends/emit/emit_grid.h"

#include <stdio.h>

typedef struct Text {
    Behind behind; // must be first: `behind_instr` receives its address
    const Dialect *dialect;
    const Grid *grid;
    Buf *out;
} Text;

static int access_count(const Grid *g) {
    return g->form.load_count + g->store_count;
}

static const char *store_type(const Text *t, int s) {
    return t->dialect->types[t->grid->store_types[s]];
}

static bool is_complex(uint8_t type) {
    return dtype_kind((DType)type) == DK_COMPLEX;
}

// --- Arguments ---------------------------------------------------------------------------------

static void put_number(const Text *t, const char *name, int i, uint8_t type) {
    const char *spelled = type == DT_FLOAT16 ? t->dialect->types[DT_FLOAT64] : t->dialect->types[type];
    if (is_complex(type))
        buf_printf(t->out, "    double %s%d[2];\n", name, i);
    else
        buf_printf(t->out, "    union { %s v; int64_t word; } %s%d;\n", spelled, name, i);
}

static void put_number_value(const Text *t, const char *name, int i, uint8_t type) {
    if (is_complex(type))
        buf_printf(t->out, "%s(g.%s%d[0], g.%s%d[1])", type == DT_COMPLEX64 ? "pair_c64" : "pair_c128", name, i, name, i);
    else
        buf_printf(t->out, "(%s)g.%s%d.v", t->dialect->types[type], name, i);
}

static void put_numbers(const Text *t) {
    const Grid *g = t->grid;
    int accesses = access_count(g);
    buf_printf(t->out, "typedef struct {\n    int64_t extent[%d], offset[%d], stride[%d][%d];\n",
               g->ndim, accesses, accesses, g->ndim);
    for (int i = 0; i < g->form.param_count; i++) put_number(t, "p", i, g->form.param_types[i]);
    for (int r = 0; r < g->reduction_count; r++) put_number(t, "first", r, g->store_types[r]);
    buf_puts(t->out, "    int64_t results, count, each, parts, joins;\n} Numbers;\n");
}

static void put_head(const Text *t, const char *name) {
    const GridWords *w = t->dialect->grid;
    buf_printf(t->out, "%s %s(", w->kernel, name);
    for (int a = 0; a < access_count(t->grid); a++)
        buf_printf(t->out, "%s char *m%d, ", w->global, a);
    for (int r = 0; r < t->grid->reduction_count; r++)
        buf_printf(t->out, "%s %s *part%d, ", w->global, store_type(t, r), r);
    buf_printf(t->out, "%s uint32_t *flags, const Numbers g) {\n", w->global);
    for (int i = 0; i < t->grid->form.param_count; i++) {
        buf_printf(t->out, "    const %s p%d = ", t->dialect->types[t->grid->form.param_types[i]], i);
        put_number_value(t, "p", i, t->grid->form.param_types[i]);
        buf_puts(t->out, ";\n");
    }
}

// --- Addresses -----------------------------------------------------------------------------------

static void put_zero(const Text *t, DType type) {
    buf_puts(t->out, type == DT_COMPLEX64 ? "pair_c64(0, 0)" : type == DT_COMPLEX128 ? "pair_c128(0, 0)" : "0");
}

// Computes indices "k3", … from a linear index over the dimensions in the set.
static void put_indexes(const Text *t, const char *number, AxisSet dims) {
    int first = 0;
    while (first < GRID_DIMS && !(dims >> first & 1)) first++;
    for (int d = t->grid->ndim - 1; d >= 0; d--) {
        if (!(dims >> d & 1)) continue;
        if (d == first)
            buf_printf(t->out, "    const int64_t k%d = %s;\n", d, number);
        else
            buf_printf(t->out,
                       "    const int64_t k%d = %s %% g.extent[%d];\n    %s /= g.extent[%d];\n", d,
                       number, d, number, d);
    }
}

// Writes an access's address: `base`, or its offset, plus strides times indices.
static void put_address(const Text *t, const char *name, const char *base, int access,
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
static void put_line_step(const Text *t, int load, DType type) {
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

// The product of line number `line` of a compressed matrix with a vector: a computed load.
static void put_lines(const Text *t, int load, const char *line) {
    const uint8_t *types = &t->grid->form.load_types[load];
    const DType type = (DType)types[0];
    const char *global = t->dialect->grid->global, *index = t->dialect->types[types[1]];
    const char *const names[LINE_LOADS] = {"indptr", "indices", "data", "x"};
    buf_printf(t->out, "    %s l%d = ", t->dialect->types[type], load);
    put_zero(t, type);
    buf_puts(t->out, ";\n    {\n");
    for (int i = 0; i < LINE_LOADS; i++) {
        const char *pointed = i < 2 ? index : emit_memory_type(t->dialect, type);
        buf_printf(t->out, "    const %s %s *const %s = (const %s %s *)(m%d + g.offset[%d]);\n", global, pointed, names[i],
                   global, pointed, load + i, load + i);
    }
    buf_printf(t->out, "    for (int64_t k = indptr[%s], high = indptr[%s + 1]; k < high; k++) {\n", line, line);
    put_line_step(t, load, type);
    buf_puts(t->out, "    }\n    }\n");
}

static void put_loads(const Text *t, const char *base) {
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
    const Text *t = (const Text *)behind;
    const FormInstr *in = &t->grid->form.code[i];
    char result[NAME_BYTES], names[2][NAME_BYTES];
    if (!t->grid->tells[i]) return;
    for (int a = 0; a < 2; a++) emit_value_name(names[a], in->args[a] < 0 ? 0 : in->args[a]);
    emit_value_name(result, KERN_FIRST_CODE + i);
    const GridTold told = {(OpId)in->op, (DType)in->from, (DType)in->type, result,
                           {names[0], in->args[1] < 0 ? NULL : names[1]}, t->grid->sites[i]};
    emit_flags(&told, out);
}

static void put_stores(const Text *t, int first, const char *base) {
    enum { PLACE = 160 };
    const Grid *g = t->grid;
    const char *global = t->dialect->grid->global;
    for (int s = first; s < g->store_count; s++) {
        char value[NAME_BYTES], place[PLACE];
        const char *type = emit_memory_type(t->dialect, (DType)g->store_types[s]);
        int access = g->form.load_count + s;
        emit_value_name(value, g->store_values[s]);
        if (g->store_motions[s] == MOTION_UNIT && !g->reduction_count)
            snprintf(place, sizeof place, "((%s %s *)(m%d + %s%d) + %si)", global, type, access, base, access,
                     is_complex(g->store_types[s]) ? "2 * " : "");
        else
            snprintf(place, sizeof place, "(%s %s *)(m%d + %s%d + i * g.stride[%d][%d])", global, type, access, base,
                     access, access, g->ndim - 1);
        buf_puts(t->out, "        ");
        emit_store((DType)g->store_types[s], place, value, t->out);
    }
}

// --- Elementwise -----------------------------------------------------------------------------------

static void put_elementwise(const Text *t) {
    const Grid *g = t->grid;
    AxisSet rows = axes_below(g->ndim - 1);
    put_head(t, GRID_NAME);
    buf_printf(t->out, "    const int64_t i = %s;\n    int64_t row = %s;\n    if (i >= g.extent[%d] || row >= 1",
               t->dialect->grid->item[0], t->dialect->grid->item[1], g->ndim - 1);
    for (int d = 0; d < g->ndim - 1; d++) buf_printf(t->out, " * g.extent[%d]", d);
    buf_puts(t->out, ") return;\n");
    put_indexes(t, "row", rows);
    for (int a = 0; a < access_count(g); a++) put_address(t, "b", NULL, a, rows);
    put_loads(t, "b");
    emit_values(t->dialect, &g->form, &t->behind, t->out);
    put_stores(t, 0, "b");
    buf_puts(t->out, "}\n");
}

// --- Reductions ----------------------------------------------------------------------------------

// acc = acc op value, recording flags.
static void put_combine(const Text *t, int r, const char *acc, const char *value) {
    const Grid *g = t->grid;
    const OpId op = (OpId)g->ops[r];
    const DType type = g->sums[r] == SUM_WIDE ? DT_FLOAT32 : (DType)g->store_types[r];
    buf_printf(t->out, "        {\n        %s met_value;\n", store_type(t, r));
    emit_expression(t->dialect, op, type, type, "met_value", (const char *const[]){acc, value, NULL}, t->out);
    if (g->op_tells[r]) emit_flags(&(GridTold){op, type, type, "met_value", {acc, value}, g->op_sites[r]}, t->out);
    buf_printf(t->out, "        %s = met_value;\n        }\n", acc);
}

static void put_place(const Text *t, int r, char *place, size_t size) {
    const char *global = t->dialect->grid->global;
    int access = t->grid->form.load_count + r;
    snprintf(place, size, "(%s %s *)(m%d + c%d)", global, emit_memory_type(t->dialect, (DType)t->grid->store_types[r]),
             access, access);
}

// What a result begins with.
static void put_begin(const Text *t, int r) {
    enum { PLACE = 160 };
    char place[PLACE];
    put_place(t, r, place, sizeof place);
    if (t->grid->begun[r])
        emit_load((DType)t->grid->store_types[r], place, t->out);
    else
        put_number_value(t, "first", r, t->grid->store_types[r]);
}

static bool has_begin(const Grid *g, int r) {
    return g->begun[r] || g->has_first[r];
}

// In order, each result is made from what it begins with on.
static void put_serial_begin(const Text *t) {
    const Grid *g = t->grid;
    for (int r = 0; r < g->reduction_count; r++) {
        if (!has_begin(g, r)) continue;
        buf_printf(t->out, "    acc%d = ", r);
        put_begin(t, r);
        buf_puts(t->out, ";\n");
    }
}

static void put_lane(const Text *t) {
    const Grid *g = t->grid;
    buf_printf(t->out,
               "    int64_t end = (piece + 1) * g.each;\n"
               "    if (end > g.count) end = g.count;\n"
               "    for (int64_t at = piece * g.each + lane; at < end; at += %d) {\n"
               "    int64_t rest = at;\n    const int64_t i = 0;\n    (void)rest, (void)i;\n",
               g->lanes);
    put_indexes(t, "rest", g->reduced);
    for (int a = 0; a < access_count(g); a++) put_address(t, "b", "c", a, g->reduced);
    put_loads(t, "b");
    emit_values(t->dialect, &g->form, &t->behind, t->out);
    put_stores(t, g->reduction_count, "b");
    for (int r = 0; r < g->reduction_count; r++) {
        char acc[NAME_BYTES], value[NAME_BYTES];
        snprintf(acc, sizeof acc, "acc%d", r);
        emit_value_name(value, g->store_values[r]);
        bool has = g->serial && has_begin(g, r);
        if (!has) buf_puts(t->out, "        if (has)\n");
        put_combine(t, r, acc, value);
        if (!has) buf_printf(t->out, "        else acc%d = %s;\n", r, value);
    }
    buf_puts(t->out, "    has = 1;\n    }\n");
}

// Combines the lanes of a group as a binary tree; the first lane has the result.
static void put_meeting(const Text *t) {
    const Grid *g = t->grid;
    const GridWords *w = t->dialect->grid;
    if (g->lanes == 1) return;
    for (int r = 0; r < g->reduction_count; r++)
        buf_printf(t->out, "    x%d[lane] = acc%d;\n", r, r);
    buf_printf(t->out,
               "    there[lane] = has;\n    %s;\n"
               "    for (int half_of = %d; half_of > 0; half_of /= 2) {\n"
               "    if (lane < half_of && there[lane + half_of]) {\n",
               w->barrier, g->lanes / 2);
    for (int r = 0; r < g->reduction_count; r++) {
        char acc[32], value[32];
        snprintf(acc, sizeof acc, "x%d[lane]", r);
        snprintf(value, sizeof value, "x%d[lane + half_of]", r);
        put_combine(t, r, acc, value);
    }
    buf_printf(t->out, "    }\n    %s;\n    }\n", w->barrier);
    for (int r = 0; r < g->reduction_count; r++) buf_printf(t->out, "    acc%d = x%d[0];\n", r, r);
}

// Opens a function of a reduction: the number of a group, or work item, below `bound` if it is not a group's.
static void put_group(const Text *t, const char *name, const char *bound) {
    const Grid *g = t->grid;
    const GridWords *w = t->dialect->grid;
    put_head(t, name);
    for (int r = 0; r < g->reduction_count && g->lanes > 1; r++)
        buf_printf(t->out, "    %s %s x%d[%d];\n", w->local, store_type(t, r), r, g->lanes);
    if (g->lanes > 1) buf_printf(t->out, "    %s uint8_t there[%d];\n", w->local, g->lanes);
    buf_printf(t->out, "    const int64_t lane = %s, group = %s;\n", g->lanes > 1 ? w->lane : "0",
               g->lanes > 1 ? w->group : w->item[0]);
    if (g->lanes == 1) buf_printf(t->out, "    if (group >= %s) return;\n", bound);
    for (int r = 0; r < g->reduction_count; r++) {
        buf_printf(t->out, "    %s acc%d = ", store_type(t, r), r);
        put_zero(t, (DType)g->store_types[r]);
        buf_puts(t->out, ";\n");
    }
    buf_puts(t->out, "    uint8_t has = 0;\n");
}

// A float that no half has: its rounding overflows.
static void put_rounding(const Text *t, int r) {
    if (t->grid->sums[r] == SUM_WIDE && t->grid->op_tells[r])
        buf_printf(t->out, "    if (isfinite(acc%d) && fabs(acc%d) >= 65520.0f) MEET(flags, %d, 2u);\n", r, r,
                   t->grid->op_sites[r]);
}

// Stores a result, with what it begins with.
static void put_result(const Text *t, int r) {
    enum { PLACE = 160 };
    const Grid *g = t->grid;
    char acc[NAME_BYTES], place[PLACE];
    snprintf(acc, sizeof acc, "acc%d", r);
    put_place(t, r, place, sizeof place);
    if (has_begin(g, r) && !g->serial) {
        buf_printf(t->out, "    {\n    %s begin = ", store_type(t, r));
        put_begin(t, r);
        buf_puts(t->out, ";\n    if (has)\n");
        put_combine(t, r, "begin", acc);
        buf_printf(t->out, "    acc%d = begin;\n    }\n", r);
    }
    put_rounding(t, r);
    buf_puts(t->out, "    ");
    emit_store((DType)g->store_types[r], place, acc, t->out);
}

// With one work item per result, consecutive items compute consecutive results, so that loads are coalesced.
static void put_reduction(const Text *t) {
    const Grid *g = t->grid;
    AxisSet kept = axes_below(g->ndim) & ~g->reduced;
    put_group(t, GRID_NAME, "g.results * g.parts");
    buf_printf(t->out, "    const int64_t piece = group %s;\n    int64_t place = group %s;\n    (void)place;\n",
               g->lanes > 1 ? "% g.parts" : "/ g.results", g->lanes > 1 ? "/ g.parts" : "% g.results");
    buf_puts(t->out, "    const int64_t part = place * g.parts + piece;\n");
    put_indexes(t, "place", kept);
    for (int a = 0; a < access_count(g); a++) put_address(t, "c", NULL, a, kept);
    if (g->serial) put_serial_begin(t);
    put_lane(t);
    put_meeting(t);
    buf_puts(t->out, "    if (lane == 0 && g.joins) {\n");
    for (int r = 0; r < g->reduction_count; r++)
        buf_printf(t->out, "    part%d[part] = acc%d;\n", r, r);
    buf_puts(t->out, "    } else if (lane == 0) {\n");
    for (int r = 0; r < g->reduction_count; r++) put_result(t, r);
    buf_puts(t->out, "    }\n}\n");
}

static void put_join(const Text *t) {
    const Grid *g = t->grid;
    AxisSet kept = axes_below(g->ndim) & ~g->reduced;
    put_group(t, GRID_JOIN, "g.results");
    buf_puts(t->out, "    int64_t place = group;\n    (void)place;\n");
    put_indexes(t, "place", kept);
    for (int r = 0; r < g->reduction_count; r++) put_address(t, "c", NULL, g->form.load_count + r, kept);
    buf_printf(t->out, "    for (int64_t k = lane; k < g.parts; k += %d) {\n", g->lanes);
    for (int r = 0; r < g->reduction_count; r++) {
        char acc[NAME_BYTES], next[NAME_BYTES];
        snprintf(acc, sizeof acc, "acc%d", r);
        snprintf(next, sizeof next, "next%d", r);
        buf_printf(t->out, "    const %s next%d = part%d[group * g.parts + k];\n    if (has)\n", store_type(t, r), r,
                   r);
        put_combine(t, r, acc, next);
        buf_printf(t->out, "    else acc%d = next%d;\n", r, r);
    }
    buf_puts(t->out, "    has = 1;\n    }\n");
    put_meeting(t);
    buf_puts(t->out, "    if (lane == 0) {\n");
    for (int r = 0; r < g->reduction_count; r++) put_result(t, r);
    buf_puts(t->out, "    }\n}\n");
}

// --- The text that a kernel needs of its dialect -----------------------------------------------------

typedef struct Needs {
    bool half, complex, functions, flags, more_flags;
} Needs;

static void need_type(Needs *needs, uint8_t type) {
    needs->half |= type == DT_FLOAT16;
    needs->complex |= is_complex(type);
}

// Those complex operations that are arithmetic.
static bool is_arithmetic(OpId op) {
    switch (op) {
    case AOP_ADD:
    case AOP_SUBTRACT:
    case AOP_MULTIPLY:
    case AOP_DIVIDE:
    case AOP_ABSOLUTE:
    case AOP_SIGN:
    case AOP_CONJUGATE:
    case AOP_SQUARE:
    case AOP_RECIPROCAL:
    case AOP_RINT:
    case AOP_CAST: return true;
    default: return op_info[op].effects == EFFECT_PURE;
    }
}

static void need_op(Needs *needs, OpId op, uint8_t from, uint8_t type, bool tells) {
    need_type(needs, from);
    need_type(needs, type);
    if (!is_complex(from)) return;
    needs->functions |= !is_arithmetic(op);
    needs->flags |= tells && op != AOP_CAST;
    needs->more_flags |= tells && !is_arithmetic(op);
}

static void find_needs(const Grid *g, Needs *needs) {
    const Form *f = &g->form;
    for (int i = 0; i < f->load_count; i++) need_type(needs, f->load_types[i]);
    for (int i = 0; i < f->param_count; i++) need_type(needs, f->param_types[i]);
    for (int i = 0; i < f->code_count; i++)
        need_op(needs, (OpId)f->code[i].op, f->code[i].from, f->code[i].type, g->tells[i]);
    for (int s = 0; s < g->store_count; s++) need_type(needs, g->store_types[s]);
    for (int r = 0; r < g->reduction_count; r++)
        need_op(needs, (OpId)g->ops[r], g->store_types[r], g->store_types[r], g->op_tells[r]);
}

// Compilers take longer for a long text, so half floats and complex numbers are only in those that use them.
static void put_prelude(const Text *t) {
    const GridWords *w = t->dialect->grid;
    Needs needs = {0};
    find_needs(t->grid, &needs);
    buf_puts(t->out, t->dialect->prelude);
    if (needs.half) buf_puts(t->out, w->half);
    if (needs.complex) buf_puts(t->out, w->complex);
    if (needs.functions) buf_puts(t->out, w->complex_functions);
    if (needs.flags) buf_puts(t->out, w->complex_flags);
    if (needs.more_flags) buf_puts(t->out, w->complex_more_flags);
}

void emit_grid(const Dialect *d, const Grid *grid, Buf *out) {
    const Text t = {.behind = {behind_instr}, .dialect = d, .grid = grid, .out = out};
    put_prelude(&t);
    put_numbers(&t);
    if (!grid->reduction_count) {
        put_elementwise(&t);
        return;
    }
    put_reduction(&t);
    put_join(&t);
}
