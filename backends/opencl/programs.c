// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Compiles programs.

#include "backends/opencl/opencl.h"

// Options that keep results equal to the host's: correctly rounded divisions and roots. (The dialect's prelude forbids
// fused multiply-add.)
#define BUILD_OPTIONS "-w -cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt"
#define BUILD_PLAINLY "-w -cl-std=CL1.2" // for devices that cannot round those of float32 correctly

void opencl_release(void *device, GridProgram *p) {
    (void)device;
    for (int i = 0; i < GRID_CODES; i++)
        if (p->codes[i]) clReleaseKernel(p->codes[i]);
    if (p->module) clReleaseProgram(p->module);
}

bool opencl_compile(void *device, GridProgram *p, const Buf *text, const char *const *names) {
    OpenCl *cl = device;
    const char *source = text->data;
    size_t length = text->len;
    p->module = clCreateProgramWithSource(cl->context, 1, &source, &length, NULL);
    if (!p->module) return false;
    if (clBuildProgram(p->module, 1, &cl->device, BUILD_OPTIONS, NULL, NULL) != CL_SUCCESS &&
        clBuildProgram(p->module, 1, &cl->device, BUILD_PLAINLY, NULL, NULL) != CL_SUCCESS)
        return false;
    for (int i = 0; names[i]; i++)
        if (!(p->codes[i] = clCreateKernel(p->module, names[i], NULL))) return false;
    return true;
}
