// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Programs by grid, of which those last asked for are kept.

#include <string.h>

#include "backends/opencl/opencl.h"

// Results are those of the host's: no sums of products in one step, divisions to the last bit.
#define BUILD_OPTIONS "-w -cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt"
#define BUILD_PLAINLY "-w -cl-std=CL1.2" // for devices that cannot promise that of float32

static void release_program(Program *p) {
    if (p->code) clReleaseKernel(p->code);
    if (p->join) clReleaseKernel(p->join);
    if (p->program) clReleaseProgram(p->program);
    memset(p, 0, sizeof *p);
}

void programs_free(OpenCl *cl) {
    for (int i = 0; i < PROGRAMS; i++) release_program(&cl->programs[i]);
}

static bool build(OpenCl *cl, Program *p) {
    Buf text;
    buf_init(&text, &cl->vm->mem);
    emit_grid(&dialect_opencl, &p->grid, &text);
    const char *source = text.data;
    size_t length = text.len;
    if (!text.failed)
        p->program = clCreateProgramWithSource(cl->context, 1, &source, &length, NULL);
    buf_free(&text);
    if (!p->program) return false;
    if (clBuildProgram(p->program, 1, &cl->device, BUILD_OPTIONS, NULL, NULL) != CL_SUCCESS &&
        clBuildProgram(p->program, 1, &cl->device, BUILD_PLAINLY, NULL, NULL) != CL_SUCCESS)
        return false;
    p->code = clCreateKernel(p->program, GRID_NAME, NULL);
    if (p->grid.reduction_count) p->join = clCreateKernel(p->program, GRID_JOIN, NULL);
    return p->code && (p->join || !p->grid.reduction_count);
}

// The place of a grid, or the one that was not asked for the longest.
static Program *place_of(OpenCl *cl, const Grid *grid) {
    Program *oldest = &cl->programs[0];
    for (int i = 0; i < PROGRAMS; i++) {
        Program *p = &cl->programs[i];
        if (p->used && memcmp(&p->grid, grid, sizeof *grid) == 0) return p;
        if (p->used < oldest->used) oldest = p;
    }
    return oldest;
}

bool program_grid(const OpenCl *cl, const Kernel *kernel, Grid *grid) {
    if (!grid_of(&dialect_opencl, kernel, grid)) return false;
    int memories = grid->form.load_count + grid->store_count + grid->reduction_count + 1;
    return (size_t)grid_numbers(grid) * sizeof(int64_t) + (size_t)memories * sizeof(cl_mem) <=
           cl->argument_bytes;
}

const Program *program_for(OpenCl *cl, const Kernel *kernel) {
    Grid grid;
    if (!program_grid(cl, kernel, &grid)) return NULL;
    Program *p = place_of(cl, &grid);
    bool known = p->used && memcmp(&p->grid, &grid, sizeof grid) == 0;
    if (!known) {
        release_program(p); // work under way keeps what it needs of it
        p->grid = grid;
        if (!build(cl, p)) {
            release_program(p);
            p->grid = grid; // so that nobody tries again
        }
    }
    p->used = ++cl->asked;
    return p->code ? p : NULL;
}
