// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What the files of the OpenCL plug-in share.

#ifndef NACRE_BACKENDS_OPENCL_OPENCL_H
#define NACRE_BACKENDS_OPENCL_OPENCL_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "backends/emit/emit_grid.h"
#include "vm/plugin/backend.h"
#include "vm/value/vm.h"

enum { PROGRAMS = 128, MARKS = 256 };

// Code for one grid. `code` NULL: the device's compiler would not have it.
typedef struct Program {
    Grid grid;
    uint64_t used; // when it was last asked for; 0: an empty place
    cl_program program;
    cl_kernel code, join;
} Program;

typedef struct OpenCl {
    Vm *vm;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue; // in order
    cl_mem flags;           // KERN_SITES of them
    size_t argument_bytes;
    bool broken; // something that was enqueued failed
    cl_event marks[MARKS]; // behind what was posted last, by event; NULL: there is none
    cl_uint units;
    Event posted, finished;
    uint64_t asked;
    Program *programs; // PROGRAMS of them
} OpenCl;

// devices.c. The first device with float64; false: there is none.
bool opencl_find(cl_device_id *device);
void opencl_describe(Buf *out);

// plugin.c. Sends all that has been enqueued on its way; the event happens when it is done.
Event opencl_post(OpenCl *cl);

// programs.c
// What a kernel is for the device. False: it cannot be said in its words, or has too many operands.
bool program_grid(const OpenCl *cl, const Kernel *kernel, Grid *grid);
// Its program, which is made where it is not kept. NULL: the device's compiler would not have it.
const Program *program_for(OpenCl *cl, const Kernel *kernel);
void programs_free(OpenCl *cl);

// launch.c
Support opencl_supports(void *ctx, const Kernel *kernel);
bool opencl_build(Vm *vm, void *ctx, const Kernel *kernel, void **built);
size_t opencl_workspace(void *ctx, const Kernel *kernel);
bool opencl_launch(void *ctx, const Kernel *kernel, void *built, uint32_t *flags, Event *event);

#endif
