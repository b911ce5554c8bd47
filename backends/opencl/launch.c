// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Running kernels on the device.

#include "backends/opencl/opencl.h"
#include "vm/kernel/host_op.h"

// What a launch is made of.
typedef struct Launch {
    OpenCl *cl;
    const GridProgram *program;
    GridCall call;
    void *parts[KERN_STORES]; // each a cl_mem
    bool failed;
} Launch;

Support opencl_supports(void *ctx, const Kernel *kernel) {
    OpenCl *cl = ctx;
    Kernel own;
    Grid grid;
    bool can = grid_may_run(cl->vm, kernel);
    if (can && kernel->library == AOP_HOST)
        can = host_op_way(kernel->attrs.host, "opencl") >= 0;
    else if (can)
        can = kernel->library == AOP_NONE && opencl_grid(cl, grid_kernel(kernel, &own), &grid);
    return can ? SUPPORT_YES : SUPPORT_NO;
}

bool opencl_build(Vm *vm, void *ctx, const Kernel *kernel, void **built) {
    OpenCl *cl = ctx;
    Kernel own;
    Grid grid;
    (void)vm;
    if (kernel->library != AOP_NONE) return true;
    const GridProgram *program =
        opencl_grid(cl, grid_kernel(kernel, &own), &grid) ? grid_program(&cl->programs, &grid) : NULL;
    *built = (void *)(uintptr_t)program;
    return program;
}

size_t opencl_workspace(void *ctx, const Kernel *kernel) {
    (void)ctx, (void)kernel;
    return 0;
}

// --- Work items ----------------------------------------------------------------------------------

static void set(Launch *l, cl_kernel code, cl_uint *number, size_t size, const void *value) {
    l->failed |= clSetKernelArg(code, (*number)++, size, value) != CL_SUCCESS;
}

static void set_arguments(Launch *l, cl_kernel code) {
    const Kernel *k = l->call.kernel;
    cl_uint number = 0;
    for (int a = 0; a < grid_access_count(k); a++) {
        cl_mem memory = (cl_mem)grid_access(k, a)->base;
        set(l, code, &number, sizeof memory, &memory);
    }
    for (int r = 0; r < k->reduction_count; r++) set(l, code, &number, sizeof l->parts[r], &l->parts[r]);
    set(l, code, &number, sizeof l->cl->flags, &l->cl->flags);
    set(l, code, &number, (size_t)grid_numbers(l->call.grid) * sizeof(int64_t), l->call.numbers);
}

static size_t round_up(size_t count, size_t to) {
    return (count + to - 1) / to * to;
}

// In groups of a few sizes, since drivers compile the code anew for each size of a group, and one that is
// left to the driver would depend on the extents.
static void enqueue(Launch *l, cl_kernel code, GridSize size, size_t lanes) {
    enum { GROUP = 64 };
    GridSize group = lanes > 1 ? (GridSize){lanes, 1} : grid_group(size, GROUP);
    if (size.items == 0) return;
    size_t local[2] = {group.items, group.rows};
    size_t global[2] = {lanes > 1 ? size.items * lanes : round_up(size.items, local[0]), round_up(size.rows, local[1])};
    set_arguments(l, code);
    l->failed |= clEnqueueNDRangeKernel(l->cl->queue, code, 2, NULL, global, local, 0, NULL, NULL) != CL_SUCCESS;
}

// --- Reductions ----------------------------------------------------------------------------------

static void run_joined(Launch *l) {
    if (!grid_take_parts(&l->cl->pool, &l->call, l->parts)) {
        l->failed = true;
        return;
    }
    enqueue(l, l->program->code, grid_size(&l->call), l->call.grid->lanes);
    enqueue(l, l->program->join, grid_join_size(&l->call), l->call.grid->lanes);
    grid_give_parts(&l->cl->pool, &l->call, l->parts);
}

static void run(Launch *l) {
    if (l->call.kernel->reduction_count && l->call.parts > 1)
        run_joined(l);
    else
        enqueue(l, l->program->code, grid_size(&l->call), l->call.grid->lanes);
}

// --- The whole -----------------------------------------------------------------------------------

// A function of the host puts what it does behind what is in the queue.
static bool launch_host(OpenCl *cl, const Kernel *k, uint32_t *flags, Event *event) {
    const HostCall call = {.backend = "opencl", .kernel = k, .threads = 1, .queue = cl->queue};
    if (!host_op_run(&call)) *flags |= FLAG_FAILED;
    *event = opencl_post(cl);
    return true;
}

// Enqueues the read of the kernel's flags. The kernel is enqueued already, so a failure here cannot undo it.
static void read_flags(Launch *l, uint32_t *flags, size_t bytes) {
    if (clEnqueueReadBuffer(l->cl->queue, l->cl->flags, CL_FALSE, 0, bytes, flags, 0, NULL, NULL) != CL_SUCCESS)
        l->cl->broken = true;
}

bool opencl_launch(void *ctx, const Kernel *kernel, void *built, uint32_t *flags, Event *event) {
    OpenCl *cl = ctx;
    Kernel own;
    const cl_uint none = 0;
    if (kernel->library == AOP_HOST) return launch_host(cl, kernel, flags, event);
    Launch l = {.cl = cl, .program = built, .failed = cl->broken};
    size_t bytes = (size_t)kernel->site_count * sizeof *flags;
    bool tells = l.program->grid.tells_any;
    grid_call(&l.call, &dialect_opencl, grid_kernel(kernel, &own), &l.program->grid);
    if (tells && !l.failed)
        l.failed |= clEnqueueFillBuffer(cl->queue, cl->flags, &none, sizeof none, 0, bytes, 0, NULL, NULL) != CL_SUCCESS;
    if (!l.failed) run(&l);
    if (tells && !l.failed) read_flags(&l, flags, bytes);
    *event = opencl_post(cl);
    return !l.failed;
}
