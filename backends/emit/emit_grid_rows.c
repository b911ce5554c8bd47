// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Renders stencils for devices: a work item computes elements of several consecutive rows, so that elements that
// several of these rows read are loaded once, into registers. All loads come before the first store.

#include <stdio.h>

#include "backends/emit/emit_grid_text.h"

enum { PLACE = 224 };

// The rows that a leader (Grid.leaders) and its followers read, relative to the leader's: first <= 0 <= last.
typedef struct Window {
    int first, last;
} Window;

static Window window_of(const Grid *g, int leader) {
    Window w = {0, 0};
    for (int i = 0; i < g->form.load_count; i++) {
        if (g->leaders[i] != leader) continue;
        if (g->shifts[i] < w.first) w.first = g->shifts[i];
        if (g->shifts[i] > w.last) w.last = g->shifts[i];
    }
    return w;
}

// Writes into `place` the address of the element in column i, in the row whose distance from the work item's first row
// is the expression `row`.
static void put_place(const GridText *t, int access, uint8_t type, uint8_t motion, const char *row, char *place) {
    const Grid *g = t->grid;
    const char *spelled = emit_memory_type(t->dialect, (DType)type), *global = t->dialect->grid->global;
    char column[64];
    snprintf(column, sizeof column, " + i * g.stride[%d][%d]", access, g->ndim - 1);
    if (motion == MOTION_UNIT)
        snprintf(place, PLACE, "((%s %s *)(m%d + b%d + (%s) * g.stride[%d][%d]) + %si)", global, spelled, access, access, row,
                 access, g->ndim - 2, grid_is_complex(type) ? "2 * " : "");
    else
        snprintf(place, PLACE, "(%s %s *)(m%d + b%d + (%s) * g.stride[%d][%d]%s)", global, spelled, access, access, row,
                 access, g->ndim - 2, motion == MOTION_NONE ? "" : column);
}

static void put_load(const GridText *t, int load, const char *row) {
    const Form *f = &t->grid->form;
    char place[PLACE];
    put_place(t, load, f->load_types[load], f->motions[load], row, place);
    emit_load((DType)f->load_types[load], place, t->out);
}

static const char *load_type(const GridText *t, int load) {
    return t->dialect->types[t->grid->form.load_types[load]];
}

static void put_windows(const GridText *t) {
    const Grid *g = t->grid;
    for (int i = 0; i < g->form.load_count; i++) {
        if (g->leaders[i] != i) continue;
        const Window w = window_of(g, i);
        const int count = g->rows + w.last - w.first;
        char row[32];
        snprintf(row, sizeof row, "u + %d", w.first);
        buf_printf(t->out, "    %s w%d[%d];\n    #pragma unroll\n    for (int u = 0; u < %d; u++) w%d[u] = ", load_type(t, i), i,
                   count, count, i);
        put_load(t, i, row);
        buf_puts(t->out, ";\n");
    }
}

static void put_results(const GridText *t) {
    for (int s = 0; s < t->grid->store_count; s++) {
        char value[NAME_BYTES];
        emit_value_name(value, t->grid->store_values[s]);
        buf_printf(t->out, "        r%d[u] = %s;\n", s, value);
    }
}

static void put_store(const GridText *t, int s, const char *value) {
    const Grid *g = t->grid;
    char place[PLACE];
    put_place(t, g->form.load_count + s, g->store_types[s], g->store_motions[s], "u", place);
    buf_puts(t->out, "        ");
    emit_store((DType)g->store_types[s], place, value, t->out);
}

// Writes the code that loads the windows and computes all rows from them, without storing.
static void put_together(const GridText *t) {
    const Grid *g = t->grid;
    put_windows(t);
    buf_printf(t->out, "    #pragma unroll\n    for (int u = 0; u < %d; u++) {\n", g->rows);
    for (int i = 0; i < g->form.load_count; i++)
        buf_printf(t->out, "        const %s l%d = w%d[u + %d];\n", load_type(t, i), i, g->leaders[i],
                   g->shifts[i] - window_of(g, g->leaders[i]).first);
    grid_put_code(t, TURN_GUARDED);
    put_results(t);
    buf_puts(t->out, "    }\n");
}

static void put_stores(const GridText *t) {
    const Grid *g = t->grid;
    buf_printf(t->out, "    #pragma unroll\n    for (int u = 0; u < %d; u++) {\n", g->rows);
    for (int s = 0; s < g->store_count; s++) {
        char value[NAME_BYTES];
        snprintf(value, sizeof value, "r%d[u]", s);
        put_store(t, s, value);
    }
    buf_puts(t->out, "    }\n");
}

// Writes the loop that computes and stores row by row with all flag checks: for the last rows, and for a work item
// whose guards failed. This is rare and long, so the loop is not unrolled, which would cost the common path registers.
// An operand's element that a result overwrites is read by its own row alone.
static void put_one_by_one(const GridText *t) {
    const Grid *g = t->grid;
    buf_printf(t->out, "    #pragma unroll 1\n    for (int u = 0; u < %d && u < left; u++) {\n", g->rows);
    for (int i = 0; i < g->form.load_count; i++) {
        buf_printf(t->out, "        const %s l%d = ", load_type(t, i), i);
        put_load(t, i, "u");
        buf_puts(t->out, ";\n");
    }
    grid_put_code(t, TURN_ALL);
    for (int s = 0; s < g->store_count; s++) {
        char value[NAME_BYTES];
        emit_value_name(value, g->store_values[s]);
        put_store(t, s, value);
    }
    buf_puts(t->out, "    }\n");
}

// Writes the number of the tile of rows; in 32 bits if possible, since 64-bit division is slow on devices.
static void put_tile(const GridText *t, int down) {
    buf_puts(t->out, down == 0 ? "outer" : t->grid->narrow ? "(int64_t)((uint32_t)outer % (uint32_t)tiles)" : "outer % tiles");
}

void grid_put_rows(const GridText *t) {
    const Grid *g = t->grid;
    const GridWords *w = t->dialect->grid;
    const int last = g->ndim - 1, down = g->ndim - 2;
    grid_put_head(t, GRID_NAME);
    buf_printf(t->out, "    const int64_t i = %s, tiles = (g.extent[%d] + %d) / %d;\n    int64_t outer = %s;\n"
               "    if (i >= g.extent[%d] || outer >= tiles", w->item[0], down, g->rows - 1, g->rows, w->item[1], last);
    for (int d = 0; d < down; d++) buf_printf(t->out, " * g.extent[%d]", d);
    buf_printf(t->out, ") return;\n    const int64_t k%d = ", down);
    put_tile(t, down);
    buf_printf(t->out, " * %d, left = g.extent[%d] - k%d;\n", g->rows, down, down);
    if (down > 0) buf_puts(t->out, g->narrow ? "    outer = (uint32_t)outer / (uint32_t)tiles;\n" : "    outer /= tiles;\n");
    grid_put_indexes(t, "outer", axes_below(down));
    for (int a = 0; a < grid_accesses(g); a++) grid_put_address(t, "b", NULL, a, axes_below(last));
    for (int s = 0; s < g->store_count; s++) buf_printf(t->out, "    %s r%d[%d];\n", grid_store_type(t, s), s, g->rows);
    buf_printf(t->out, "    int bad = left < %d;\n    if (!bad) {\n", g->rows);
    put_together(t);
    buf_puts(t->out, "    if (!bad) {\n");
    put_stores(t);
    buf_puts(t->out, "    return;\n    }\n    }\n");
    put_one_by_one(t);
    buf_puts(t->out, "}\n");
}
