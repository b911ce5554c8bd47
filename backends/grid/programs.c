// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Programs by grid.

#include "backends/grid/programs.h"

#include <string.h>

bool grid_programs_open(GridPrograms *programs, Mem *mem, const GridCompiler *compiler, void *device) {
    *programs = (GridPrograms){.compiler = compiler, .device = device};
    programs->places = mem_zalloc(mem, GRID_PROGRAMS * sizeof *programs->places);
    return programs->places;
}

static void empty(GridPrograms *programs, GridProgram *p) {
    if (p->used) programs->compiler->release(programs->device, p);
    memset(p, 0, sizeof *p);
}

void grid_programs_close(GridPrograms *programs, Mem *mem) {
    if (!programs->places) return;
    for (int i = 0; i < GRID_PROGRAMS; i++) empty(programs, &programs->places[i]);
    mem_free(mem, programs->places, GRID_PROGRAMS * sizeof *programs->places);
}

// The place of a grid, or the one that was not asked for the longest.
static GridProgram *place_of(GridPrograms *programs, const Grid *grid) {
    GridProgram *oldest = &programs->places[0];
    for (int i = 0; i < GRID_PROGRAMS; i++) {
        GridProgram *p = &programs->places[i];
        if (p->used && memcmp(&p->grid, grid, sizeof *grid) == 0) return p;
        if (p->used < oldest->used) oldest = p;
    }
    return oldest;
}

const GridProgram *grid_program(GridPrograms *programs, const Grid *grid) {
    GridProgram *p = place_of(programs, grid);
    bool known = p->used && memcmp(&p->grid, grid, sizeof *grid) == 0;
    if (!known) {
        empty(programs, p);
        p->grid = *grid;
        p->used = ++programs->asked;
        if (!programs->compiler->compile(programs->device, p)) {
            empty(programs, p);
            p->grid = *grid; // so that nobody tries again
        }
    }
    p->used = ++programs->asked;
    return p->code ? p : NULL;
}
