// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The cpu backend: host memory, the tile interpreter, library nodes. Synchronous: every event has
// happened when launch returns.

#include "backends/cpu/cpu.h"

#include "backends/backend.h"
#include "backends/cpu/bands.h"
#include "backends/cpu/lapack.h"
#include "backends/cpu/native.h"
#include "backends/cpu/tile.h"

static void *cpu_open(Vm *vm, const BackendOptions *options) {
    Cpu *cpu = mem_zalloc(&vm->mem, sizeof *cpu);
    if (!cpu) return NULL;
    cpu->tile = options->tile < TILE ? (size_t)options->tile : TILE;
    cpu->reproducible = options->reproducible;
    Pool *pool = mem_alloc(&vm->mem, sizeof *pool);
    if (!pool) {
        mem_free(&vm->mem, cpu, sizeof *cpu);
        return NULL;
    }
    cpu_begin(cpu, vm, pool, options->threads);
    cpu->region_calls.reproducible = options->reproducible;
    cpu->tier = options->tier;
    if (options->tier != TIER_INTERP) cpu->code = code_store_open(vm);
    if (cpu->code && cpu->tier != TIER_FUNCTION) cpu->native = native_open(vm, cpu->code, options->tier);
    return cpu;
}

static void cpu_close(Vm *vm, void *ctx) {
    Cpu *cpu = ctx;
    vectors_close(cpu);
    native_close(vm, cpu->native);
    code_store_close(vm, cpu->code);
    fft_close(&cpu->fft);
    pool_close(cpu->pool);
    mem_free(&vm->mem, cpu->pool, sizeof *cpu->pool);
    mem_free(&vm->mem, cpu, sizeof *cpu);
}

static bool cpu_alloc(Vm *vm, void *ctx, Buffer *buffer) {
    (void)ctx;
    return buffer_alloc_host(vm, buffer, false);
}

static void cpu_free(Vm *vm, void *ctx, Buffer *buffer) {
    (void)ctx;
    buffer_free_host(vm, buffer);
}

static Support cpu_supports(void *ctx, const Kernel *kernel) {
    cpu_ready(ctx);
    bool is_gemm = kernel->library == AOP_GEMM;
    return !is_gemm || gemm_supports(ctx, kernel) ? SUPPORT_YES : SUPPORT_NO;
}

static size_t cpu_workspace(void *ctx, const Kernel *kernel) {
    cpu_ready(ctx);
    if (kernel->library == AOP_NONE)
        return kernel->reduction_count ? reduce_workspace(ctx, kernel)
                                       : elementwise_workspace(ctx, kernel);
    const LibraryFn *fn = library_fns[kernel->library];
    return fn->workspace ? fn->workspace(ctx, kernel) : 0;
}

static bool cpu_launch(void *ctx, const Kernel *kernel, void *built, uint32_t *flags,
                       Event *event) {
    (void)built;
    Cpu *cpu = ctx;
    cpu_ready(cpu);
    *event = 0;
    if (cpu->native && kernel->library == AOP_NONE) native_attend(cpu->native, cpu->vm, kernel);
    if (kernel->library != AOP_NONE) library_fns[kernel->library]->run(ctx, kernel, flags);
    else if (kernel->reduction_count) tile_reduce(ctx, kernel, flags);
    else tile_elementwise(ctx, kernel, flags);
    return true;
}

static int cpu_threads(void *ctx) {
    return ((Cpu *)ctx)->threads;
}

static int cpu_workers(void *ctx) {
    return pool_workers(((Cpu *)ctx)->pool);
}

static int cpu_compiled(void *ctx) {
    const Cpu *cpu = ctx;
    return cpu->native ? native_ready(cpu->native) : 0;
}

static void *cpu_region(Vm *vm, void *ctx, const Region *region, const RegionNotes *notes) {
    Cpu *cpu = ctx;
    Buf text;
    buf_init(&text, &vm->mem);
    if (cpu->code && emit_region(&dialect_c, region, code_store_stays(cpu->code) ? notes : NULL, &text))
        return code_store_ask(cpu->code, vm, &text);
    buf_free(&text);
    return NULL;
}

static const RegionCalls *cpu_region_calls(void *ctx) {
    cpu_ready(ctx);
    return &((const Cpu *)ctx)->region_calls;
}

static RegionFn cpu_region_code(Vm *vm, void *ctx, void *region, bool *failed) {
    Cpu *cpu = ctx;
    code_store_attend(cpu->code, vm, cpu->tier >= TIER_KERNEL);
    *failed = code_failed(region);
    return (RegionFn)code_entry(region);
}

static bool cpu_region_source(void *ctx, const Region *region, const RegionNotes *notes, Buf *out) {
    (void)ctx;
    return emit_region_text(&dialect_c, region, notes, out);
}

static bool cpu_kernel_source(void *ctx, int index, Buf *out) {
    const Cpu *cpu = ctx;
    return cpu->native && native_source(cpu->native, index, out);
}

static void cpu_describe(Buf *out) {
    const Loops *loops = cpu_best_loops();
    buf_printf(out, "cpu: tile interpreter, %d threads, loops for %s\n", cpu_default_threads(),
               loops->vector_width ? loops->vector_set : "any processor");
    loops_describe(out, loops);
    code_store_describe(out);
    vectors_describe(out, loops);
    blis_describe(out);
    lapack_describe(out);
    fft_describe(out);
}

const Backend backend_cpu = {
    .abi_version = BACKEND_ABI,
    .struct_size = sizeof(Backend),
    .name = "cpu",
    .memory_kinds = MEMORY_HOST,
    .place = PLACE_HOST,
    .open = cpu_open,
    .close = cpu_close,
    .alloc = cpu_alloc,
    .free = cpu_free,
    .supports = cpu_supports,
    .workspace = cpu_workspace,
    .launch = cpu_launch,
    .direct = cpu_direct,
    .band_rows = cpu_band_rows,
    .bands_workspace = cpu_bands_workspace,
    .launch_bands = cpu_launch_bands,
    .threads = cpu_threads,
    .workers = cpu_workers,
    .compiled = cpu_compiled,
    .region = cpu_region,
    .region_calls = cpu_region_calls,
    .region_code = cpu_region_code,
    .region_source = cpu_region_source,
    .kernel_source = cpu_kernel_source,
    .describe = cpu_describe,
};
