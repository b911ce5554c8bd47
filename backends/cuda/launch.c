// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Running kernels on the device.

#include "backends/cuda/cuda.h"
#include "vm/kernel/host_op.h"

Support cuda_supports(void *ctx, const Kernel *kernel) {
    const Cuda *c = ctx;
    bool can = kernel->library == AOP_HOST ? host_op_way(kernel->attrs.host, "cuda") >= 0 : grid_supports(&c->grid, kernel);
    return can ? SUPPORT_YES : SUPPORT_NO;
}

bool cuda_build(Vm *vm, void *ctx, const Kernel *kernel, void **built) {
    Cuda *c = ctx;
    (void)vm;
    if (kernel->library == AOP_HOST) return true;
    if (!cuda_enter(c)) return false;
    const GridProgram *program = grid_build(&c->grid, kernel);
    cuda_leave(c);
    *built = (void *)(uintptr_t)program;
    return program;
}

size_t cuda_workspace(void *ctx, const Kernel *kernel) {
    (void)ctx, (void)kernel;
    return 0;
}

// --- Steps -----------------------------------------------------------------------------------------

// Launches a step. A grid's second and third dimension are limited, so rows are numbered along both (dialect_cuda.c).
bool cuda_enqueue(void *device, const GridStep *step) {
    enum { MOST = 65535, MEMORIES = GRID_ACCESSES + KERN_STORES + 1 };
    const Cuda *c = device;
    void *arguments[MEMORIES + 1];
    size_t y = step->groups[1] < MOST ? step->groups[1] : MOST, z = (step->groups[1] + y - 1) / y;
    if (step->groups[0] > INT32_MAX || z > MOST) return false;
    for (int i = 0; i < step->memory_count; i++) arguments[i] = (void *)&step->memories[i]; // a pointer is a CudaPtr
    arguments[step->memory_count] = (void *)(uintptr_t)step->numbers;
    return c->driver.launch(step->code, (unsigned)step->groups[0], (unsigned)y, (unsigned)z, (unsigned)step->group[0],
                            (unsigned)step->group[1], 1, 0, c->stream, arguments, NULL) == 0;
}
_Static_assert(sizeof(void *) == sizeof(CudaPtr), "an address of the device is passed as a pointer's bytes");

// Runs a product with cuBLAS, which is opened for the first product that is large enough.
bool cuda_gemm(void *device, const GridGemm *gemm) {
    Cuda *c = device;
    return cuda_blas_open(&c->blas, c->driver.number) && cuda_blas_gemm(&c->blas, c->stream, gemm);
}

bool cuda_transform(void *device, const GridTransform *transform) {
    Cuda *c = device;
    return cuda_fourier_open(&c->fourier, c->driver.number) &&
           cuda_fourier_run(&c->fourier, c->stream, &c->grid.pool, transform);
}

// Runs a factorisation with cuSOLVER, which is opened at its first use.
bool cuda_solve(void *device, const GridSolve *what) {
    Cuda *c = device;
    if (!c->solver.is_tried) {
        if (c->broken || !cuda_enter(c)) return false;
        cuda_solver_open(&c->solver, c->driver.number);
        cuda_leave(c);
    }
    const CudaSolverPlace place = {&c->driver, c->stream, &c->grid.pool, &c->vm->mem};
    return cuda_solver_has(&c->solver, what->kind) && (what->count == 0 || cuda_solver_run(&c->solver, &place, what));
}

const char *cuda_lacks(void *ctx, OpId op) {
    const Cuda *c = ctx;
    const GridSolveKind needs = grid_needs(op);
    if (!needs) return grid_lacks(ctx, op);
    if (cuda_solver_has(&c->solver, needs)) return "not of many small matrices, and not if a call of cuSOLVER fails";
    return c->solver.handle ? "cuSOLVER has it from CUDA 12.6 on"
                            : "cuSOLVER, which does it, is not found: CUDA's toolkit has it, and Python's package nvidia-cusolver";
}

// --- Kernels -----------------------------------------------------------------------------------------

// Calls a function of the host program, which enqueues its work in the stream.
static bool launch_host(Cuda *c, const Kernel *k, uint32_t *flags, Event *event) {
    const HostCall call = {.backend = "cuda", .kernel = k, .threads = 1, .queue = c->stream};
    if (!host_op_run(&call)) *flags |= FLAG_FAILED;
    *event = cuda_post(c, true);
    return true;
}

// Returns whether a kernel takes longer than a mark of its event, some 2 µs.
static bool is_long(const Kernel *k) {
    enum { ELEMENTS = 1 << 18 };
    int64_t count = 1;
    for (int d = 0; d < k->ndim; d++) count *= k->shape[d];
    return k->library != AOP_NONE || count >= ELEMENTS;
}

static bool launch_grid(Cuda *c, const Kernel *kernel, const GridProgram *program, uint32_t *flags, Event *event) {
    CudaPtr slot = c->flags;
    bool tells = grid_tells(program);
    if (tells) slot = cuda_flags_take(c, flags, kernel->site_count);
    if (!slot) return false;
    bool launched = grid_launch(&c->grid, kernel, program, (void *)(uintptr_t)slot);
    if (tells && !launched) cuda_flags_drop(c);
    if (launched) *event = cuda_post(c, is_long(kernel));
    return launched;
}

bool cuda_launch(void *ctx, const Kernel *kernel, void *built, uint32_t *flags, Event *event) {
    Cuda *c = ctx;
    if (c->broken || !cuda_enter(c)) return false;
    if (kernel->library == AOP_HOST || is_long(kernel)) cuda_mark_short(c);
    bool launched = kernel->library == AOP_HOST ? launch_host(c, kernel, flags, event)
                                                : launch_grid(c, kernel, built, flags, event);
    cuda_leave(c);
    return launched;
}

bool cuda_items(void *ctx, RegionItems *items) {
    Cuda *c = ctx;
    if (c->broken || !cuda_enter(c)) return false;
    bool done = grid_items(&c->grid, items);
    cuda_leave(c);
    return done;
}
