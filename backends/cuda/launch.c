// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Running kernels on the device.

#include "backends/cuda/cuda.h"
#include "vm/kernel/host_op.h"

enum { MEMORIES = GRID_ACCESSES + KERN_STORES + 1 };

// What a launch is made of.
typedef struct Launch {
    Cuda *cuda;
    const GridProgram *program;
    GridCall call;
    void *parts[KERN_STORES];
    CudaPtr flags, memories[MEMORIES];
    void *arguments[MEMORIES + 1];
    bool failed;
} Launch;

Support cuda_supports(void *ctx, const Kernel *kernel) {
    Cuda *c = ctx;
    Kernel own;
    Grid grid;
    bool can = grid_may_run(c->vm, kernel);
    if (can && kernel->library == AOP_HOST)
        can = host_op_way(kernel->attrs.host, "cuda") >= 0;
    else if (can)
        can = kernel->library == AOP_NONE && cuda_grid(grid_kernel(kernel, &own), &grid);
    return can ? SUPPORT_YES : SUPPORT_NO;
}

bool cuda_build(Vm *vm, void *ctx, const Kernel *kernel, void **built) {
    Cuda *c = ctx;
    Kernel own;
    Grid grid;
    (void)vm;
    if (kernel->library != AOP_NONE) return true;
    if (!cuda_grid(grid_kernel(kernel, &own), &grid) || !cuda_enter(c)) return false;
    const GridProgram *program = grid_program(&c->programs, &grid);
    cuda_leave(c);
    *built = (void *)(uintptr_t)program;
    return program;
}

size_t cuda_workspace(void *ctx, const Kernel *kernel) {
    (void)ctx, (void)kernel;
    return 0;
}

// --- Work items ------------------------------------------------------------------------------------

// The driver knows how long each argument is.
static void set_arguments(Launch *l) {
    const Kernel *k = l->call.kernel;
    int count = 0;
    for (int a = 0; a < grid_access_count(k); a++) l->memories[count++] = (CudaPtr)(uintptr_t)grid_access(k, a)->base;
    for (int r = 0; r < k->reduction_count; r++) l->memories[count++] = (CudaPtr)(uintptr_t)l->parts[r];
    l->memories[count++] = l->flags;
    for (int i = 0; i < count; i++) l->arguments[i] = &l->memories[i];
    l->arguments[count] = l->call.numbers;
}

static size_t blocks_of(size_t count, size_t threads) {
    return (count + threads - 1) / threads;
}

static void enqueue(Launch *l, void *code, GridSize size, size_t lanes) {
    enum { THREADS = 256, MOST = 65535 };
    GridSize block = lanes > 1 ? (GridSize){lanes, 1} : grid_group(size, THREADS);
    if (size.items == 0) return;
    size_t x = lanes > 1 ? size.items : blocks_of(size.items, block.items);
    size_t rows = blocks_of(size.rows, block.rows), y = rows < MOST ? rows : MOST, z = blocks_of(rows, y);
    if (x > INT32_MAX || z > MOST) {
        l->failed = true;
        return;
    }
    l->failed |= l->cuda->driver.launch(code, (unsigned)x, (unsigned)y, (unsigned)z, (unsigned)block.items,
                                        (unsigned)block.rows, 1, 0, l->cuda->stream, l->arguments, NULL) != 0;
}

// --- Reductions ------------------------------------------------------------------------------------

static void run_joined(Launch *l) {
    if (!grid_take_parts(&l->cuda->pool, &l->call, l->parts)) {
        l->failed = true;
        return;
    }
    set_arguments(l);
    enqueue(l, l->program->code, grid_size(&l->call), l->call.grid->lanes);
    if (!l->failed) enqueue(l, l->program->join, grid_join_size(&l->call), l->call.grid->lanes);
    grid_give_parts(&l->cuda->pool, &l->call, l->parts);
}

static void run(Launch *l) {
    if (l->call.kernel->reduction_count && l->call.parts > 1) {
        run_joined(l);
        return;
    }
    set_arguments(l);
    enqueue(l, l->program->code, grid_size(&l->call), l->call.grid->lanes);
}

// --- The whole ---------------------------------------------------------------------------------------

// A function of the host puts what it does behind what is in the stream.
static bool launch_host(Cuda *c, const Kernel *k, uint32_t *flags, Event *event) {
    const HostCall call = {.backend = "cuda", .kernel = k, .threads = 1, .queue = c->stream};
    if (!host_op_run(&call)) *flags |= FLAG_FAILED;
    *event = cuda_post(c);
    return true;
}

static bool launch_grid(Cuda *c, const Kernel *kernel, const GridProgram *program, uint32_t *flags, Event *event) {
    Kernel own;
    Launch l = {.cuda = c, .program = program, .flags = c->flags};
    bool tells = program->grid.tells_any;
    grid_call(&l.call, &dialect_cuda, grid_kernel(kernel, &own), &program->grid);
    if (tells) l.flags = cuda_flags_take(c, flags, kernel->site_count);
    if (!l.flags) return false;
    run(&l);
    if (tells && l.failed) cuda_flags_drop(c);
    if (!l.failed) *event = cuda_post(c);
    return !l.failed;
}

bool cuda_launch(void *ctx, const Kernel *kernel, void *built, uint32_t *flags, Event *event) {
    Cuda *c = ctx;
    if (c->broken || !cuda_enter(c)) return false;
    bool launched = kernel->library == AOP_HOST ? launch_host(c, kernel, flags, event)
                                                : launch_grid(c, kernel, built, flags, event);
    cuda_leave(c);
    return launched;
}
