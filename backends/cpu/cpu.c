// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The cpu backend: host memory, the tile interpreter, library nodes. Synchronous: events are
// complete when launch returns.

#include "backends/cpu/cpu.h"

#include "backends/backend.h"
#include "backends/cpu/library.h"
#include "backends/cpu/linalg/lapack.h"
#include "backends/cpu/long_call.h"
#include "backends/cpu/loops/vector.h"
#include "backends/cpu/native/native.h"
#include "backends/cpu/product/blis.h"
#include "backends/cpu/reduce/reduce.h"
#include "backends/cpu/tile/bands.h"
#include "backends/cpu/tile/tile.h"

static void *cpu_open(Vm *vm, const BackendOptions *options) {
    Cpu *cpu = mem_zalloc(&vm->mem, sizeof *cpu);
    if (!cpu) return NULL;
    cpu->tile = options->tile < TILE ? (size_t)options->tile : TILE;
    cpu->reproducible = options->reproducible;
    cpu->stress = options->stress;
    Pool *pool = mem_alloc(&vm->mem, sizeof *pool);
    if (!pool) {
        mem_free(&vm->mem, cpu, sizeof *cpu);
        return NULL;
    }
    cpu_begin(cpu, vm, pool, options->threads);
    cpu->region_calls.reproducible = cpu->deterministic = options->deterministic;
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
    return buffer_alloc_host(vm, buffer, FRESH_ANY);
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

// Returns a copy of the context with a kernel's hints applied. Running a kernel changes nothing in the copy that is to
// last: vector functions are looked up before, in the context itself.
static Cpu hinted(const Cpu *cpu, NodeHints hints) {
    Cpu own = *cpu;
    int tile = hint_tile(hints), threads = hint_threads(hints);
    if (tile) own.tile = (size_t)tile < TILE ? (size_t)tile : TILE;
    if (threads && threads < own.threads) own.threads = threads;
    if (hints & HINT_INTERPRET) own.native = NULL;
    if (hints & HINT_COMPILE && own.native) own.tier = TIER_KERNEL;
    return own;
}

static size_t workspace_of(const Cpu *cpu, const Kernel *kernel) {
    if (kernel->library == AOP_NONE)
        return kernel->reduction_count ? reduce_workspace(cpu, kernel)
                                       : elementwise_workspace(cpu, kernel);
    const LibraryFn *fn = library_fns[kernel->library];
    return fn->workspace ? fn->workspace(cpu, kernel) : 0;
}

static size_t cpu_workspace(void *ctx, const Kernel *kernel) {
    cpu_ready(ctx);
    if (!kernel->hints || kernel->library != AOP_NONE) return workspace_of(ctx, kernel);
    const Cpu own = hinted(ctx, kernel->hints);
    return workspace_of(&own, kernel);
}

// Returns whether a kernel may run as a long library call (long_call.h), whose memory may outlive the kernel.
static bool cpu_lasts(void *ctx, const Kernel *kernel) {
    const LibraryFn *fn = kernel->library == AOP_NONE ? NULL : library_fns[kernel->library];
    return fn && fn->work && is_long_call(ctx, fn->work(kernel));
}

static void run(Cpu *cpu, const Kernel *kernel, uint32_t *flags) {
    if (cpu->native && kernel->library == AOP_NONE) native_attend(cpu->native, cpu->vm, kernel);
    if (kernel->library != AOP_NONE) library_fns[kernel->library]->run(cpu, kernel, flags);
    else if (kernel->reduction_count) tile_reduce(cpu, kernel, flags);
    else tile_elementwise(cpu, kernel, flags);
}

static bool cpu_launch(void *ctx, const Kernel *kernel, void *built, uint32_t *flags,
                       Event *event) {
    (void)built;
    cpu_ready(ctx);
    *event = 0;
    if (!kernel->hints || kernel->library != AOP_NONE) {
        run(ctx, kernel, flags);
        return true;
    }
    vectors_prepare(ctx, kernel); // the copy would lose what is looked up, and handles of libraries
    Cpu own = hinted(ctx, kernel->hints);
    run(&own, kernel, flags);
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

static RegionFn cpu_region_code(Vm *vm, void *ctx, void *region, bool wait, bool *failed) {
    Cpu *cpu = ctx;
    code_store_attend(cpu->code, vm, wait || cpu->tier >= TIER_KERNEL || cpu->deterministic);
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

static void cpu_prepare(bool for_ranks) {
    if (for_ranks) blis_prepare_for_ranks();
    else blis_prepare();
}

const Backend backend_cpu = {
    .abi_version = BACKEND_ABI,
    .struct_size = sizeof(Backend),
    .name = "cpu",
    .place = PLACE_HOST,
    .lines = true,
    .open = cpu_open,
    .close = cpu_close,
    .alloc = cpu_alloc,
    .free = cpu_free,
    .supports = cpu_supports,
    .workspace = cpu_workspace,
    .lasts = cpu_lasts,
    .launch = cpu_launch,
    .direct_size = cpu_direct_size,
    .direct = cpu_direct,
    .band_rows = cpu_band_rows,
    .bands_workspace = cpu_bands_workspace,
    .launch_bands = cpu_launch_bands,
    .threads = cpu_threads,
    .share = cpu_share,
    .workers = cpu_workers,
    .compiled = cpu_compiled,
    .region = cpu_region,
    .region_calls = cpu_region_calls,
    .region_code = cpu_region_code,
    .region_source = cpu_region_source,
    .kernel_source = cpu_kernel_source,
    .describe = cpu_describe,
    .prepare = cpu_prepare,
};
