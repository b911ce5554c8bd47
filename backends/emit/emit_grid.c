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

// --- Arguments ---------------------------------------------------------------------------------

static void put_numbers(const Text *t) {
    const Grid *g = t->grid;
    int accesses = access_count(g);
    buf_printf(t->out, "typedef struct {\n    int64_t extent[%d], offset[%d], stride[%d][%d];\n",
               g->ndim, accesses, accesses, g->ndim);
    for (int i = 0; i < g->form.param_count; i++)
        buf_printf(t->out, "    union { %s v; int64_t word; } p%d;\n",
                   t->dialect->types[g->form.param_types[i]], i);
    for (int r = 0; r < g->reduction_count; r++)
        buf_printf(t->out, "    union { %s v; int64_t word; } first%d;\n", store_type(t, r), r);
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
    for (int i = 0; i < t->grid->form.param_count; i++)
        buf_printf(t->out, "    const %s p%d = g.p%d.v;\n",
                   t->dialect->types[t->grid->form.param_types[i]], i, i);
}

// --- Addresses -----------------------------------------------------------------------------------

// Computes indices "k3", … from a linear index over the dimensions in the set.
static void put_indexes(const Text *t, const char *number, uint32_t dims) {
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
                        uint32_t dims) {
    if (base)
        buf_printf(t->out, "    const int64_t %s%d = %s%d", name, access, base, access);
    else
        buf_printf(t->out, "    const int64_t %s%d = g.offset[%d]", name, access, access);
    for (int d = 0; d < t->grid->ndim; d++)
        if (dims >> d & 1) buf_printf(t->out, " + k%d * g.stride[%d][%d]", d, access, d);
    buf_puts(t->out, ";\n");
}

// The product of line number `line` of a compressed matrix with a vector: a computed load.
static void put_lines(const Text *t, int load, const char *line) {
    const uint8_t *types = &t->grid->form.load_types[load];
    const char *global = t->dialect->grid->global, *value = t->dialect->types[types[0]], *index = t->dialect->types[types[1]];
    const char *const names[LINE_LOADS] = {"indptr", "indices", "data", "x"};
    const char *word = dtype_kind((DType)types[0]) == DK_FLOAT ? value : "uint64_t"; // integers wrap
    buf_printf(t->out, "    %s l%d = 0;\n    {\n", value, load);
    for (int i = 0; i < LINE_LOADS; i++)
        buf_printf(t->out, "    const %s %s *const %s = (const %s %s *)(m%d + g.offset[%d]);\n", global, i < 2 ? index : value,
                   names[i], global, i < 2 ? index : value, load + i, load + i);
    buf_printf(t->out, "    for (int64_t k = indptr[%s], high = indptr[%s + 1]; k < high; k++)\n", line, line);
    buf_printf(t->out, "        l%d = (%s)((%s)l%d + (%s)data[k] * (%s)x[indices[k]]);\n    }\n", load, value, word, load, word,
               word);
}

static void put_loads(const Text *t, const char *base) {
    const Form *f = &t->grid->form;
    const char *global = t->dialect->grid->global;
    for (int i = 0; i < f->load_count; i++) {
        if (f->motions[i] == MOTION_LINES) put_lines(t, i, t->grid->reduction_count ? "k0" : "i");
        if (f->motions[i] >= MOTION_LINES) continue;
        const char *type =
            f->motions[i] == MOTION_STRIDED ? "char" : t->dialect->types[f->load_types[i]];
        buf_printf(t->out, "    const %s %s *const a%d = (const %s %s *)(m%d + %s%d);\n", global,
                   type, i, global, type, i, base, i);
        if (f->motions[i] == MOTION_STRIDED)
            buf_printf(t->out, "    const int64_t s%d = g.stride[%d][%d];\n", i, i,
                       t->grid->ndim - 1);
    }
}

// --- Values --------------------------------------------------------------------------------------

// Tests operands for a pole: there, an infinite result of finite operands is a division by zero,
// not an overflow.
static void put_pole(OpId op, const char *const names[2], Buf *out) {
    switch (op) {
    case AOP_DIVIDE: buf_printf(out, "%s == 0", names[1]); break;
    case AOP_POWER:
    case AOP_FLOAT_POWER:
    case AOP_RECIPROCAL:
    case AOP_LOG:
    case AOP_LOG2:
    case AOP_LOG10: buf_printf(out, "%s == 0", names[0]); break;
    case AOP_FLOOR_DIVIDE:
    case AOP_REMAINDER: buf_printf(out, "%s == 0", names[1]); break;
    default: buf_puts(out, "0"); break;
    }
}

// Bits as in Flag: 1 division, 2 overflow, 8 invalid.
static void put_check(OpId op, const char *result, const char *const names[2], int count, int site,
                      Buf *out) {
    buf_printf(out, "        if (!isfinite(%s)) {\n            const uint32_t met = isnan(%s) ? (",
               result, result);
    for (int a = 0; a < count; a++) buf_printf(out, "%sisnan(%s)", a ? " || " : "", names[a]);
    buf_puts(out, " ? 0u : 8u) : (");
    for (int a = 0; a < count; a++) buf_printf(out, "%sisfinite(%s)", a ? " && " : "", names[a]);
    buf_puts(out, ") ? (");
    put_pole(op, names, out);
    buf_printf(out, " ? 1u : 2u) : 0u;\n            if (met) MEET(flags, %d, met);\n        }\n",
               site);
}

// Tests for a float outside the integer range that the conversion uses: 32 bits for narrow signed
// types, otherwise 64.
static void put_cast_check(const Text *t, const FormInstr *in, const char *operand, int site) {
    DType type = (DType)in->type;
    const char *low = ">= -9223372036854775808.0", *high = "< 9223372036854775808.0";
    if (dtype_kind(type) == DK_UINT)
        high = "< 18446744073709551616.0";
    else if (dtype_size(type) <= 4)
        low = "> -2147483649.0", high = "< 2147483648.0";
    buf_printf(t->out, "        if (!(%s %s && %s %s)) MEET(flags, %d, 8u);\n", operand, low,
               operand, high, site);
}

static void behind_instr(const Behind *behind, int i, Buf *out) {
    const Text *t = (const Text *)behind;
    const FormInstr *in = &t->grid->form.code[i];
    char result[NAME_BYTES], names[2][NAME_BYTES];
    const char *both[2] = {names[0], names[1]};
    bool from_float = dtype_kind((DType)in->from) == DK_FLOAT;
    if (!t->grid->tells[i]) return;
    int count = in->args[1] >= 0 ? 2 : 1;
    for (int a = 0; a < count; a++) emit_value_name(names[a], in->args[a]);
    emit_value_name(result, KERN_FIRST_CODE + i);
    if (dtype_kind((DType)in->type) == DK_FLOAT && from_float)
        put_check((OpId)in->op, result, both, count, t->grid->sites[i], out);
    else if (in->op == AOP_CAST && from_float && in->type != DT_BOOL)
        put_cast_check(t, in, names[0], t->grid->sites[i]);
}

static void put_stores(const Text *t, int first, const char *base) {
    const Grid *g = t->grid;
    const char *global = t->dialect->grid->global;
    for (int s = first; s < g->store_count; s++) {
        char value[NAME_BYTES];
        int access = g->form.load_count + s;
        emit_value_name(value, g->store_values[s]);
        if (g->store_motions[s] == MOTION_UNIT && !g->reduction_count)
            buf_printf(t->out, "        ((%s %s *)(m%d + %s%d))[i] = %s;\n", global,
                       store_type(t, s), access, base, access, value);
        else
            buf_printf(t->out, "        *(%s %s *)(m%d + %s%d + i * g.stride[%d][%d]) = %s;\n",
                       global, store_type(t, s), access, base, access, access, g->ndim - 1, value);
    }
}

// --- Elementwise -----------------------------------------------------------------------------------

static void put_elementwise(const Text *t) {
    const Grid *g = t->grid;
    uint32_t rows = (1u << (g->ndim - 1)) - 1;
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
static void put_combine(const Text *t, int r, const char *acc, const char *value, bool tells) {
    const Grid *g = t->grid;
    DType type = (DType)g->store_types[r];
    buf_printf(t->out, "        {\n        %s met_value;\n", store_type(t, r));
    emit_expression(t->dialect, (OpId)g->ops[r], type, type, "met_value",
                    (const char *const[]){acc, value, NULL}, t->out);
    if (tells && g->tells_any && dtype_kind(type) == DK_FLOAT)
        put_check((OpId)g->ops[r], "met_value", (const char *const[]){acc, value}, 2,
                  g->op_sites[r], t->out);
    buf_printf(t->out, "        %s = met_value;\n        }\n", acc);
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
        buf_puts(t->out, "        if (has)\n");
        put_combine(t, r, acc, value, true);
        buf_printf(t->out, "        else acc%d = %s;\n", r, value);
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
        put_combine(t, r, acc, value, true);
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
    for (int r = 0; r < g->reduction_count; r++)
        buf_printf(t->out, "    %s acc%d = 0;\n", store_type(t, r), r);
    buf_puts(t->out, "    uint8_t has = 0;\n");
}

// Stores a result, with what it begins with.
static void put_result(const Text *t, int r) {
    const Grid *g = t->grid;
    const char *type = store_type(t, r), *global = t->dialect->grid->global;
    int access = g->form.load_count + r;
    char acc[NAME_BYTES];
    snprintf(acc, sizeof acc, "acc%d", r);
    buf_printf(t->out, "    {\n    %s %s *const to = (%s %s *)(m%d + c%d);\n", global, type, global, type, access,
               access);
    if (g->begun[r] || g->has_first[r]) {
        if (g->begun[r])
            buf_printf(t->out, "    %s begin = *to;\n", type);
        else
            buf_printf(t->out, "    %s begin = g.first%d.v;\n", type, r);
        put_combine(t, r, "begin", acc, true);
        buf_printf(t->out, "    acc%d = begin;\n", r);
    }
    buf_printf(t->out, "    *to = acc%d;\n    }\n", r);
}

// With one work item per result, consecutive items compute consecutive results, so that loads are coalesced.
static void put_reduction(const Text *t) {
    const Grid *g = t->grid;
    uint32_t kept = ((1u << g->ndim) - 1) & ~g->reduced;
    put_group(t, GRID_NAME, "g.results * g.parts");
    buf_printf(t->out, "    const int64_t piece = group %s;\n    int64_t place = group %s;\n    (void)place;\n",
               g->lanes > 1 ? "% g.parts" : "/ g.results", g->lanes > 1 ? "/ g.parts" : "% g.results");
    buf_puts(t->out, "    const int64_t part = place * g.parts + piece;\n");
    put_indexes(t, "place", kept);
    for (int a = 0; a < access_count(g); a++) put_address(t, "c", NULL, a, kept);
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
    uint32_t kept = ((1u << g->ndim) - 1) & ~g->reduced;
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
        put_combine(t, r, acc, next, true);
        buf_printf(t->out, "    else acc%d = next%d;\n", r, r);
    }
    buf_puts(t->out, "    has = 1;\n    }\n");
    put_meeting(t);
    buf_puts(t->out, "    if (lane == 0) {\n");
    for (int r = 0; r < g->reduction_count; r++) put_result(t, r);
    buf_puts(t->out, "    }\n}\n");
}

void emit_grid(const Dialect *d, const Grid *grid, Buf *out) {
    const Text t = {.behind = {behind_instr}, .dialect = d, .grid = grid, .out = out};
    buf_puts(out, d->prelude);
    put_numbers(&t);
    if (!grid->reduction_count) {
        put_elementwise(&t);
        return;
    }
    put_reduction(&t);
    put_join(&t);
}
