// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Running kernels on the device.

#include "backends/opencl/opencl.h"
#include "vm/kernel/host_op.h"

Support opencl_supports(void *ctx, const Kernel *kernel) {
    const OpenCl *cl = ctx;
    bool can = kernel->library == AOP_HOST ? host_op_way(kernel->attrs.host, "opencl") >= 0
                                           : grid_supports(&cl->grid, kernel);
    return can ? SUPPORT_YES : SUPPORT_NO;
}

bool opencl_build(Vm *vm, void *ctx, const Kernel *kernel, void **built) {
    OpenCl *cl = ctx;
    (void)vm;
    if (kernel->library == AOP_HOST) return true;
    const GridProgram *program = grid_build(&cl->grid, kernel);
    *built = (void *)(uintptr_t)program;
    return program;
}

size_t opencl_workspace(void *ctx, const Kernel *kernel) {
    (void)ctx, (void)kernel;
    return 0;
}

// --- Steps ---------------------------------------------------------------------------------------

bool opencl_enqueue(void *device, const GridStep *step) {
    const OpenCl *cl = device;
    cl_kernel code = step->code;
    size_t global[2] = {step->groups[0] * step->group[0], step->groups[1] * step->group[1]};
    bool good = true;
    for (int i = 0; i < step->memory_count; i++)
        good &= clSetKernelArg(code, (cl_uint)i, sizeof(cl_mem), &step->memories[i]) == CL_SUCCESS;
    good = good && (step->bytes == 0 ||
                    clSetKernelArg(code, (cl_uint)step->memory_count, step->bytes, step->numbers) == CL_SUCCESS);
    return good && clEnqueueNDRangeKernel(cl->queue, code, 2, NULL, global, step->group, 0, NULL, NULL) == CL_SUCCESS;
}

// --- Kernels -------------------------------------------------------------------------------------

// Calls a function of the host program, which enqueues its work in the queue.
static bool launch_host(OpenCl *cl, const Kernel *k, uint32_t *flags, Event *event) {
    const HostCall call = {.backend = "opencl", .kernel = k, .threads = 1, .queue = cl->queue};
    if (!host_op_run(&call)) *flags |= FLAG_FAILED;
    *event = opencl_post(cl);
    return true;
}

// Enqueues the read of the kernel's flags. The kernel is enqueued already, so a failure here cannot undo it.
static void read_flags(OpenCl *cl, uint32_t *flags, size_t bytes) {
    if (clEnqueueReadBuffer(cl->queue, cl->flags, CL_FALSE, 0, bytes, flags, 0, NULL, NULL) != CL_SUCCESS)
        cl->broken = true;
}

bool opencl_launch(void *ctx, const Kernel *kernel, void *built, uint32_t *flags, Event *event) {
    OpenCl *cl = ctx;
    const cl_uint none = 0;
    if (kernel->library == AOP_HOST) return launch_host(cl, kernel, flags, event);
    size_t bytes = (size_t)kernel->site_count * sizeof *flags;
    bool tells = grid_tells(built);
    bool good = !cl->broken && (!tells || clEnqueueFillBuffer(cl->queue, cl->flags, &none, sizeof none, 0, bytes, 0, NULL,
                                                              NULL) == CL_SUCCESS);
    good = good && grid_launch(&cl->grid, kernel, built, cl->flags);
    if (tells && good) read_flags(cl, flags, bytes);
    *event = opencl_post(cl);
    return good;
}

bool opencl_items(void *ctx, RegionItems *items) {
    OpenCl *cl = ctx;
    return !cl->broken && grid_items(&cl->grid, items);
}
