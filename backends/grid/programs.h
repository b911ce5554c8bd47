// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// A device's programs by grid, of which those last asked for are kept.

#ifndef NACRE_BACKENDS_GRID_PROGRAMS_H
#define NACRE_BACKENDS_GRID_PROGRAMS_H

#include "backends/emit/emit_grid.h"
#include "lang/support/mem.h"

enum { GRID_PROGRAMS = 256 };

// Code for one grid. `code` NULL: the device's compiler would not have it.
typedef struct GridProgram {
    Grid grid;
    uint64_t used; // when it was last asked for; 0: an empty place
    void *module, *code, *join; // the device's: a module, GRID_NAME in it, and GRID_JOIN where there are reductions
} GridProgram;

typedef struct GridCompiler {
    bool (*compile)(void *device, GridProgram *program); // fills in the device's part, also in part when it fails
    void (*release)(void *device, GridProgram *program); // of that; work under way keeps what it needs
} GridCompiler;

typedef struct GridPrograms {
    const GridCompiler *compiler;
    void *device;
    uint64_t asked;
    GridProgram *places; // GRID_PROGRAMS of them
} GridPrograms;

bool grid_programs_open(GridPrograms *programs, Mem *mem, const GridCompiler *compiler, void *device); // false: no memory
void grid_programs_close(GridPrograms *programs, Mem *mem); // also what was not opened
// The program of a grid, compiled where it is not kept. NULL: the device's compiler would not have it.
const GridProgram *grid_program(GridPrograms *programs, const Grid *grid);

#endif
