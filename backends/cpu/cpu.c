// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The cpu backend: host memory, the tile interpreter, library nodes. Synchronous: every event has
// happened when launch returns.

#include "backends/cpu/cpu.h"

#include <unistd.h>

#include "backends/backend.h"

static int default_threads(void) {
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : (int)n;
}

static void *cpu_open(Vm *vm, const BackendOptions *options) {
    Cpu *cpu = mem_zalloc(&vm->mem, sizeof *cpu);
    if (!cpu) return NULL;
    cpu->vm = vm;
    cpu->threads = options->threads > 0 ? options->threads : default_threads();
    return cpu;
}

static void cpu_close(Vm *vm, void *ctx) {
    mem_free(&vm->mem, ctx, sizeof(Cpu));
}

static bool cpu_alloc(Vm *vm, void *ctx, Buffer *buffer) {
    (void)ctx;
    return buffer_alloc_host(vm, buffer, false);
}

static void cpu_free(Vm *vm, void *ctx, Buffer *buffer) {
    (void)ctx;
    mem_free(&vm->mem, buffer->block, buffer->block_bytes);
    *buffer = (Buffer){.bytes = buffer->bytes};
}

static Support cpu_supports(void *ctx, const Kernel *kernel) {
    (void)ctx;
    (void)kernel;
    return SUPPORT_YES;
}

static void run_library(Cpu *cpu, const Kernel *kernel, uint32_t *flags) {
    switch (kernel->library) {
    case AOP_CUMSUM:
    case AOP_CUMPROD: run_scan(cpu, kernel->node, flags); break;
    case AOP_ARGMAX:
    case AOP_ARGMIN: run_arg_extreme(cpu, kernel->node, flags); break;
    case AOP_MATMUL: run_matmul(cpu, kernel->node, flags); break;
    default: break;
    }
}

static void cpu_launch(Vm *vm, void *ctx, const Kernel *kernel, void *built, uint32_t *flags,
                       Event *event) {
    (void)vm;
    (void)built;
    *event = 0;
    if (kernel->library != AOP_NONE) run_library(ctx, kernel, flags);
    else if (kernel->reduce != AOP_NONE) tile_reduce(ctx, kernel, flags);
    else tile_elementwise(ctx, kernel, flags);
}

static int cpu_threads(void *ctx) {
    return ((Cpu *)ctx)->threads;
}

static void cpu_describe(Buf *out) {
    buf_printf(out, "cpu: tile interpreter, %d threads\n", default_threads());
    blis_describe(out);
}

const Backend backend_cpu = {
    .abi_version = BACKEND_ABI,
    .struct_size = sizeof(Backend),
    .name = "cpu",
    .memory_kinds = MEMORY_HOST,
    .open = cpu_open,
    .close = cpu_close,
    .alloc = cpu_alloc,
    .free = cpu_free,
    .supports = cpu_supports,
    .launch = cpu_launch,
    .threads = cpu_threads,
    .describe = cpu_describe,
};
