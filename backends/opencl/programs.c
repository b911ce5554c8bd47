// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Compiling programs.

#include "backends/opencl/opencl.h"

// Results are those of the host's: no sums of products in one step, divisions to the last bit.
#define BUILD_OPTIONS "-w -cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt"
#define BUILD_PLAINLY "-w -cl-std=CL1.2" // for devices that cannot promise that of float32

static void release_program(void *device, GridProgram *p) {
    (void)device;
    if (p->code) clReleaseKernel(p->code);
    if (p->join) clReleaseKernel(p->join);
    if (p->module) clReleaseProgram(p->module);
}

static bool compile(void *device, GridProgram *p) {
    OpenCl *cl = device;
    Buf text;
    buf_init(&text, &cl->vm->mem);
    emit_grid(&dialect_opencl, &p->grid, &text);
    const char *source = text.data;
    size_t length = text.len;
    if (!text.failed) p->module = clCreateProgramWithSource(cl->context, 1, &source, &length, NULL);
    buf_free(&text);
    if (!p->module) return false;
    if (clBuildProgram(p->module, 1, &cl->device, BUILD_OPTIONS, NULL, NULL) != CL_SUCCESS &&
        clBuildProgram(p->module, 1, &cl->device, BUILD_PLAINLY, NULL, NULL) != CL_SUCCESS)
        return false;
    p->code = clCreateKernel(p->module, GRID_NAME, NULL);
    if (p->grid.reduction_count) p->join = clCreateKernel(p->module, GRID_JOIN, NULL);
    return p->code && (p->join || !p->grid.reduction_count);
}

const GridCompiler opencl_compiler = {compile, release_program};

bool opencl_grid(const OpenCl *cl, const Kernel *kernel, Grid *grid) {
    if (!grid_of(&dialect_opencl, kernel, grid)) return false;
    int memories = grid->form.load_count + grid->store_count + grid->reduction_count + 1;
    return (size_t)grid_numbers(grid) * sizeof(int64_t) + (size_t)memories * sizeof(cl_mem) <= cl->argument_bytes;
}
