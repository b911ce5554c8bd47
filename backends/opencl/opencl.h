// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Shared by the files of the OpenCL plug-in.

#ifndef NACRE_BACKENDS_OPENCL_OPENCL_H
#define NACRE_BACKENDS_OPENCL_OPENCL_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "backends/grid/machine.h"
#include "vm/value/vm.h"

enum { MARKS = 256 };

typedef struct OpenCl {
    Vm *vm;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue; // in order
    cl_mem flags;           // KERN_SITES words
    bool broken; // enqueued work has failed
    cl_event marks[MARKS]; // OpenCL's events of the last posted ones, by number modulo MARKS; NULL: none
    cl_uint units;
    Event posted, finished;
    GridMachine grid; // its memories are cl_mem, modules cl_program, functions cl_kernel
} OpenCl;

// devices.c. Finds the first device with float64; false: there is none.
bool opencl_find(cl_device_id *device);
void opencl_describe(Buf *out);

// plugin.c. Flushes the queue. Returns an event that happens when all work enqueued so far is done.
Event opencl_post(OpenCl *cl);

// programs.c, as GridCompiler
bool opencl_compile(void *device, GridProgram *program, const Buf *text, const char *const *names);
void opencl_release(void *device, GridProgram *program);

// launch.c
bool opencl_enqueue(void *device, const GridStep *step); // as in GridDriver
Support opencl_supports(void *ctx, const Kernel *kernel);
bool opencl_build(Vm *vm, void *ctx, const Kernel *kernel, void **built);
size_t opencl_workspace(void *ctx, const Kernel *kernel);
bool opencl_items(void *ctx, RegionItems *items);
bool opencl_launch(void *ctx, const Kernel *kernel, void *built, uint32_t *flags, Event *event);

#endif
