// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Running kernels on the device.

#include <string.h>

#include "backends/opencl/opencl.h"
#include "vm/kernel/host_op.h"

enum { NUMBERS = GRID_DIMS + GRID_ACCESSES * (1 + GRID_DIMS) + KERN_PARAMS + KERN_STORES + 3 };

// What a launch is made of.
typedef struct Launch {
    OpenCl *cl;
    const Kernel *kernel;
    const Program *program;
    int64_t numbers[NUMBERS];
    int64_t results, count, each, parts; // of reductions
    size_t part_offset[KERN_STORES];     // of partial results, in the memory for them
    bool failed;
} Launch;

// A kernel of one element has a dimension, too.
static const Kernel *with_dimension(const Kernel *k, Kernel *own) {
    if (k->ndim > 0 || k->library != AOP_NONE) return k;
    *own = *k;
    own->ndim = 1;
    own->shape[0] = 1;
    own->order[0] = 0;
    for (int i = 0; i < own->load_count; i++) own->loads[i].strides[0] = 0;
    for (int s = 0; s < own->store_count; s++) own->stores[s].to.strides[0] = 0;
    return own;
}

Support opencl_supports(void *ctx, const Kernel *kernel) {
    OpenCl *cl = ctx;
    Kernel own;
    // Devices may take numbers that small for zero.
    if (cl->vm->float_errors.action[FLOAT_UNDERFLOW] != FLOAT_IGNORE && kernel->flags)
        return SUPPORT_NO;
    if (kernel->library == AOP_HOST)
        return host_op_way(kernel->attrs.host, "opencl") >= 0 ? SUPPORT_YES : SUPPORT_NO;
    Grid grid;
    return kernel->library == AOP_NONE && program_grid(cl, with_dimension(kernel, &own), &grid)
               ? SUPPORT_YES
               : SUPPORT_NO;
}

bool opencl_build(Vm *vm, void *ctx, const Kernel *kernel, void **built) {
    Kernel own;
    (void)vm;
    if (kernel->library != AOP_NONE) return true;
    const Program *program = program_for(ctx, with_dimension(kernel, &own));
    *built = (void *)(uintptr_t)program;
    return program;
}

size_t opencl_workspace(void *ctx, const Kernel *kernel) {
    (void)ctx, (void)kernel;
    return 0;
}

// --- Arguments -----------------------------------------------------------------------------------

static const KernAccess *access_number(const Kernel *k, int i) {
    return i < k->load_count ? &k->loads[i] : &k->stores[i - k->load_count].to;
}

// In 8 bytes, as its own type has it.
static int64_t word_of(DType type, Scalar scalar) {
    int64_t word = 0;
    float narrow = (float)scalar.f;
    if (type == DT_FLOAT32)
        memcpy(&word, &narrow, sizeof narrow);
    else
        memcpy(&word, &scalar, sizeof word); // little-endian: narrow integers are its first bytes
    return word;
}

static void put_numbers(Launch *l) {
    const Kernel *k = l->kernel;
    int accesses = k->load_count + k->store_count, at = 0;
    for (int d = 0; d < k->ndim; d++) l->numbers[at++] = k->shape[d];
    for (int a = 0; a < accesses; a++) l->numbers[at++] = access_number(k, a)->offset;
    for (int a = 0; a < accesses; a++)
        for (int d = 0; d < k->ndim; d++) l->numbers[at++] = access_number(k, a)->strides[d];
    for (int i = 0; i < k->param_count; i++)
        l->numbers[at++] = word_of(k->param_types[i], k->params[i]);
    for (int r = 0; r < k->reduction_count; r++)
        l->numbers[at++] = word_of(k->stores[r].to.dtype, k->reductions[r].initial);
    l->numbers[at++] = l->count;
    l->numbers[at++] = l->each;
    l->numbers[at++] = l->parts;
}

static void set(Launch *l, cl_kernel code, cl_uint *number, size_t size, const void *value) {
    l->failed |= clSetKernelArg(code, (*number)++, size, value) != CL_SUCCESS;
}

static void set_arguments(Launch *l, cl_kernel code, const cl_mem *parts) {
    const Kernel *k = l->kernel;
    cl_uint number = 0;
    for (int a = 0; a < k->load_count + k->store_count; a++) {
        cl_mem memory = (cl_mem)access_number(k, a)->base;
        set(l, code, &number, sizeof memory, &memory);
    }
    for (int r = 0; r < k->reduction_count; r++) set(l, code, &number, sizeof *parts, &parts[r]);
    set(l, code, &number, sizeof l->cl->flags, &l->cl->flags);
    set(l, code, &number, (size_t)grid_numbers(&l->program->grid) * sizeof(int64_t), l->numbers);
}

static void enqueue(Launch *l, cl_kernel code, int dims, const size_t *global,
                    const size_t *local) {
    l->failed |= clEnqueueNDRangeKernel(l->cl->queue, code, (cl_uint)dims, NULL, global, local, 0,
                                        NULL, NULL) != CL_SUCCESS;
}

// --- Elementwise -----------------------------------------------------------------------------------

static void run_elementwise(Launch *l) {
    const Kernel *k = l->kernel;
    size_t global[2] = {(size_t)k->shape[k->ndim - 1], 1};
    for (int d = 0; d < k->ndim - 1; d++) global[1] *= (size_t)k->shape[d];
    if (global[0] == 0 || global[1] == 0) return;
    put_numbers(l);
    set_arguments(l, l->program->code, NULL);
    enqueue(l, l->program->code, 2, global, NULL);
}

// --- Reductions ----------------------------------------------------------------------------------

// In how many parts each result is made follows from the shape alone, so sums are always the same.
static void cut(Launch *l) {
    enum { LEAST = 4096, MOST = 64, RESULTS_ENOUGH = 256 };
    const Kernel *k = l->kernel;
    l->results = l->count = 1;
    for (int d = 0; d < k->ndim; d++)
        *(k->reduced >> d & 1 ? &l->count : &l->results) *= k->shape[d];
    l->parts = l->results >= RESULTS_ENOUGH ? 1 : l->count / LEAST;
    if (l->parts > MOST) l->parts = MOST;
    if (l->parts < 1) l->parts = 1;
    l->each = (l->count + l->parts - 1) / l->parts;
    l->parts = l->each ? (l->count + l->each - 1) / l->each : 1;
}

static bool find_parts(Launch *l, cl_mem parts[KERN_STORES]) {
    OpenCl *cl = l->cl;
    for (int r = 0; r < l->kernel->reduction_count; r++) {
        size_t bytes = (size_t)(l->results * l->parts) * dtype_size(l->kernel->stores[r].to.dtype);
        cl_int status;
        parts[r] = clCreateBuffer(cl->context, CL_MEM_READ_WRITE, bytes, NULL, &status);
        if (status == CL_SUCCESS) continue;
        while (r-- > 0) clReleaseMemObject(parts[r]);
        return false;
    }
    return true;
}

static void run_reduction(Launch *l) {
    cl_mem parts[KERN_STORES];
    size_t lanes = l->program->grid.lanes;
    cut(l);
    if (l->results == 0) return;
    if (!find_parts(l, parts)) {
        l->failed = true;
        return;
    }
    size_t global = (size_t)(l->results * l->parts) * lanes, results = (size_t)l->results;
    put_numbers(l);
    set_arguments(l, l->program->code, parts);
    enqueue(l, l->program->code, 1, &global, lanes > 1 ? &lanes : NULL);
    set_arguments(l, l->program->join, parts);
    enqueue(l, l->program->join, 1, &results, NULL);
    // What is enqueued keeps them for as long as it needs them.
    for (int r = 0; r < l->kernel->reduction_count; r++) clReleaseMemObject(parts[r]);
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
    const Kernel *k = with_dimension(kernel, &own);
    Launch l = {.cl = cl, .kernel = k, .program = built, .failed = cl->broken};
    size_t bytes = (size_t)k->site_count * sizeof *flags;
    bool tells = l.program->grid.tells_any;
    if (tells && !l.failed)
        l.failed |= clEnqueueFillBuffer(cl->queue, cl->flags, &none, sizeof none, 0, bytes, 0, NULL,
                                        NULL) != CL_SUCCESS;
    if (!l.failed && k->reduction_count)
        run_reduction(&l);
    else if (!l.failed)
        run_elementwise(&l);
    if (tells && !l.failed) read_flags(&l, flags, bytes);
    *event = opencl_post(cl);
    return !l.failed;
}
