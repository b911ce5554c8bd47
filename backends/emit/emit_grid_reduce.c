// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Renders reductions for devices.

#include <stdio.h>

#include "backends/emit/emit_grid_text.h"

// acc = acc op value, recording flags if `tells`.
static void put_combine_as(const GridText *t, int r, const char *acc, const char *value, bool tells) {
    const Grid *g = t->grid;
    const OpId op = (OpId)g->ops[r];
    const DType type = g->sums[r] == SUM_WIDE ? DT_FLOAT32 : (DType)g->store_types[r];
    buf_printf(t->out, "        {\n        %s met_value;\n", grid_store_type(t, r));
    emit_expression(t->dialect, op, type, type, "met_value", (const char *const[]){acc, value, NULL}, t->out);
    if (tells) emit_flags(&(GridTold){op, type, type, "met_value", {acc, value}, g->op_sites[r]}, t->out);
    buf_printf(t->out, "        %s = met_value;\n        }\n", acc);
}

static void put_combine(const GridText *t, int r, const char *acc, const char *value) {
    put_combine_as(t, r, acc, value, t->grid->op_tells[r]);
}

// Returns the neutral element that a lane's accumulator starts with: combining it with any element, -0.0 included,
// gives the element, so that no test for the first element is needed. NULL: the lane has to test.
static const char *neutral(const Grid *g, int r) {
    const DType type = (DType)g->store_types[r];
    if (g->serial || dtype_kind(type) == DK_COMPLEX || (g->ops[r] != AOP_ADD && g->ops[r] != AOP_MULTIPLY)) return NULL;
    if (g->ops[r] == AOP_MULTIPLY) return "1";
    return dtype_kind(type) == DK_FLOAT ? "-0.0f" : "0";
}

static void put_place(const GridText *t, int r, char *place, size_t size) {
    const char *global = t->dialect->grid->global;
    int access = t->grid->form.load_count + r;
    snprintf(place, size, "(%s %s *)(m%d + c%d)", global, emit_memory_type(t->dialect, (DType)t->grid->store_types[r]),
             access, access);
}

// Writes the initial value of a result.
static void put_begin(const GridText *t, int r) {
    enum { PLACE = 160 };
    char place[PLACE];
    put_place(t, r, place, sizeof place);
    if (t->grid->begun[r])
        emit_load((DType)t->grid->store_types[r], place, t->out);
    else
        grid_put_number_value(t, "first", r, t->grid->store_types[r]);
}

static bool has_begin(const Grid *g, int r) {
    return g->begun[r] || g->has_first[r];
}

// Writes the initial values of a serial reduction's accumulators: in order, the first element is combined into them.
static void put_serial_begin(const GridText *t) {
    const Grid *g = t->grid;
    for (int r = 0; r < g->reduction_count; r++) {
        if (!has_begin(g, r)) continue;
        buf_printf(t->out, "    acc%d = ", r);
        put_begin(t, r);
        buf_puts(t->out, ";\n");
    }
}

// Writes the loop over a lane's elements, with the flag checks of a turn.
static void put_turn(const GridText *t, GridTurn turn) {
    const Grid *g = t->grid;
    bool is_guarded = turn == TURN_GUARDED;
    buf_printf(t->out, "    %sfor (int64_t at = piece * g.each + lane; at < end; at += %d) {\n"
               "    int64_t rest = at;\n    const int64_t i = 0;\n    (void)rest, (void)i;\n",
               g->store_count == g->reduction_count ? "_Pragma(\"unroll 4\") " : "", g->lanes);
    grid_put_indexes(t, "rest", g->reduced);
    for (int a = 0; a < grid_accesses(g); a++) grid_put_address(t, "b", "c", a, g->reduced);
    grid_put_loads(t, "b");
    grid_put_values(t, turn);
    grid_put_stores(t, g->reduction_count, "b");
    for (int r = 0; r < g->reduction_count; r++) {
        char acc[NAME_BYTES], value[NAME_BYTES];
        snprintf(acc, sizeof acc, "acc%d", r);
        emit_value_name(value, g->store_values[r]);
        bool has = (g->serial && has_begin(g, r)) || neutral(g, r);
        if (!has) buf_puts(t->out, "        if (has)\n");
        put_combine_as(t, r, acc, value, g->op_tells[r] && !(is_guarded && grid_shows_operands(g, r)));
        if (!has) buf_printf(t->out, "        else acc%d = %s;\n", r, value);
    }
    buf_puts(t->out, "    has = 1;\n    }\n");
}

static void put_beginnings(const GridText *t) {
    const Grid *g = t->grid;
    buf_puts(t->out, "    has = 0;\n");
    for (int r = 0; r < g->reduction_count; r++) {
        buf_printf(t->out, "    acc%d = ", r);
        if (neutral(g, r)) buf_puts(t->out, neutral(g, r));
        else grid_put_zero(t, (DType)g->store_types[r]);
        buf_puts(t->out, ";\n");
    }
    if (g->serial) put_serial_begin(t);
}

static void put_lane(const GridText *t) {
    const Grid *g = t->grid;
    buf_puts(t->out, "    int64_t end = (piece + 1) * g.each;\n    if (end > g.count) end = g.count;\n    if (idle) end = 0;\n");
    put_beginnings(t);
    if (!t->guards.put_off) {
        put_turn(t, TURN_ALL);
        return;
    }
    buf_puts(t->out, "    int bad = 0;\n");
    put_turn(t, TURN_GUARDED);
    for (int r = 0; r < g->reduction_count; r++)
        if (grid_shows_operands(g, r)) buf_printf(t->out, "    bad |= !isfinite(acc%d);\n", r);
    buf_puts(t->out, "    if (bad) {\n");
    put_beginnings(t);
    put_turn(t, TURN_ALL);
    buf_puts(t->out, "    }\n");
}

// Combines the accumulators of a group's lanes as a binary tree; every lane has the result then.
static void put_meeting(const GridText *t) {
    const Grid *g = t->grid;
    const GridWords *w = t->dialect->grid;
    if (g->lanes == 1) return;
    for (int r = 0; r < g->reduction_count; r++)
        buf_printf(t->out, "    x%d[slot] = acc%d;\n", r, r);
    buf_printf(t->out,
               "    there[slot] = has;\n    %s;\n"
               "    for (int half_of = %d; half_of > 0; half_of /= 2) {\n"
               "    if (lane < half_of && there[slot + half_of]) {\n",
               w->barrier, g->lanes / 2);
    for (int r = 0; r < g->reduction_count; r++) {
        char acc[32], value[32];
        snprintf(acc, sizeof acc, "x%d[slot]", r);
        snprintf(value, sizeof value, "x%d[slot + half_of]", r);
        put_combine(t, r, acc, value);
    }
    buf_printf(t->out, "    }\n    %s;\n    }\n", w->barrier);
    for (int r = 0; r < g->reduction_count; r++) buf_printf(t->out, "    acc%d = x%d[slot - lane];\n", r, r);
}

// Writes the number of a group among all. A group beyond `bound` is idle, but reaches every barrier of its block; a
// single work item beyond it returns.
static void put_group_number(const GridText *t, const char *bound) {
    const Grid *g = t->grid;
    const GridWords *w = t->dialect->grid;
    if (g->beside > 1)
        buf_printf(t->out,
                   "    const int64_t own = (int64_t)%s * %d + %s;\n    const int idle = own >= %s;\n"
                   "    const int64_t lane = %s, group = idle ? 0 : own;\n    const int slot = %s * %d + lane;\n",
                   w->group, g->beside, w->side, bound, w->lane, w->side, g->lanes);
    else
        buf_printf(t->out, "    const int64_t lane = %s, group = %s;\n    const int idle = 0, slot = lane;\n    (void)slot;\n",
                   g->lanes > 1 ? w->lane : "0", g->lanes > 1 ? w->group : w->item[0]);
    if (g->lanes == 1) buf_printf(t->out, "    if (group >= %s) return;\n", bound);
}

// Opens a function of a reduction, for groups or single work items that are numbered below `bound`.
static void put_group(const GridText *t, const char *name, const char *bound) {
    const Grid *g = t->grid;
    const GridWords *w = t->dialect->grid;
    grid_put_head(t, name);
    for (int r = 0; r < g->reduction_count && g->lanes > 1; r++)
        buf_printf(t->out, "    %s %s x%d[%d];\n", w->local, grid_store_type(t, r), r, g->lanes * g->beside);
    if (g->lanes > 1) buf_printf(t->out, "    %s uint8_t there[%d];\n", w->local, g->lanes * g->beside);
    put_group_number(t, bound);
    for (int r = 0; r < g->reduction_count; r++) {
        buf_printf(t->out, "    %s acc%d = ", grid_store_type(t, r), r);
        grid_put_zero(t, (DType)g->store_types[r]);
        buf_puts(t->out, ";\n");
    }
    buf_puts(t->out, "    uint8_t has = 0;\n");
}

// Writes the check whether an accumulator in float overflows when it is rounded to a half.
static void put_rounding(const GridText *t, int r) {
    if (t->grid->sums[r] == SUM_WIDE && t->grid->op_tells[r])
        buf_printf(t->out, "    if (isfinite(acc%d) && fabs(acc%d) >= 65520.0f) MEET(flags, %d, 2u);\n", r, r,
                   t->grid->op_sites[r]);
}

// Combines a result with its initial value, and stores it.
static void put_result(const GridText *t, int r) {
    enum { PLACE = 160 };
    const Grid *g = t->grid;
    char acc[NAME_BYTES], place[PLACE];
    snprintf(acc, sizeof acc, "acc%d", r);
    put_place(t, r, place, sizeof place);
    if (has_begin(g, r) && !g->serial) {
        buf_printf(t->out, "    {\n    %s begin = ", grid_store_type(t, r));
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
void grid_put_reduction(const GridText *t) {
    const Grid *g = t->grid;
    AxisSet kept = axes_below(g->ndim) & ~g->reduced;
    put_group(t, GRID_NAME, "g.results * g.parts");
    buf_printf(t->out, "    const int64_t piece = group %s;\n    int64_t place = group %s;\n    (void)place;\n",
               g->lanes > 1 ? "% g.parts" : "/ g.results", g->lanes > 1 ? "/ g.parts" : "% g.results");
    buf_puts(t->out, "    const int64_t part = place * g.parts + piece;\n");
    grid_put_indexes(t, "place", kept);
    for (int a = 0; a < grid_accesses(g); a++) grid_put_address(t, "c", NULL, a, kept);
    put_lane(t);
    put_meeting(t);
    buf_puts(t->out, "    if (idle) return;\n    if (lane == 0 && g.joins) {\n");
    for (int r = 0; r < g->reduction_count; r++)
        buf_printf(t->out, "    part%d[part] = acc%d;\n", r, r);
    buf_puts(t->out, "    } else if (lane == 0) {\n");
    for (int r = 0; r < g->reduction_count; r++) put_result(t, r);
    buf_puts(t->out, "    }\n}\n");
}

void grid_put_join(const GridText *t) {
    const Grid *g = t->grid;
    AxisSet kept = axes_below(g->ndim) & ~g->reduced;
    put_group(t, GRID_JOIN, "g.results");
    buf_puts(t->out, "    int64_t place = group;\n    (void)place;\n");
    grid_put_indexes(t, "place", kept);
    for (int r = 0; r < g->reduction_count; r++) grid_put_address(t, "c", NULL, g->form.load_count + r, kept);
    buf_printf(t->out, "    for (int64_t k = lane; k < (idle ? 0 : g.parts); k += %d) {\n", g->lanes);
    for (int r = 0; r < g->reduction_count; r++) {
        char acc[NAME_BYTES], next[NAME_BYTES];
        snprintf(acc, sizeof acc, "acc%d", r);
        snprintf(next, sizeof next, "next%d", r);
        buf_printf(t->out, "    const %s next%d = part%d[group * g.parts + k];\n    if (has)\n",
                   grid_store_type(t, r), r, r);
        put_combine(t, r, acc, next);
        buf_printf(t->out, "    else acc%d = next%d;\n", r, r);
    }
    buf_puts(t->out, "    has = 1;\n    }\n");
    put_meeting(t);
    buf_puts(t->out, "    if (lane == 0 && !idle) {\n");
    for (int r = 0; r < g->reduction_count; r++) put_result(t, r);
    buf_puts(t->out, "    }\n}\n");
}
