// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Functions that compiled code calls, and what they need: the processor's loops, and threads. The
// runtime of AOT libraries contains this and nothing else of the backend.

#include <unistd.h>

#include "backends/cpu/cpu.h"
#include "backends/cpu/loops/vector.h"
#include "backends/cpu/product/blis.h"

int cpu_default_threads(void) {
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : (int)n;
}

const Loops *cpu_best_loops(void) {
    const Loops *found = has_avx512() ? loops_find(LOOPS_AVX512) : NULL;
    if (!found && has_avx2()) found = loops_find(LOOPS_AVX2);
    return found ? found : &loops_baseline;
}

void cpu_choose_loops(Cpu *cpu) {
    cpu->loops = cpu_best_loops();
    cpu->region_calls.few_bytes = cpu->loops->dot_few_bytes;
}

void cpu_share(void *context, RegionPartFn run, void *job, int parts) {
    const Cpu *cpu = context;
    if (parts > 1 && cpu->threads > 1) blis_prepare(); // before any thread exists
    pool_run(cpu->pool, run, job, parts);
}

void cpu_begin(Cpu *cpu, Vm *vm, Pool *pool, int threads) {
    cpu->vm = vm;
    cpu->threads = threads > 0 ? threads : cpu_default_threads();
    cpu->pool = pool;
    pool_init(pool, cpu->threads);
    cpu->region_calls = (RegionCalls){.context = cpu,
                                      .threads = cpu->threads,
                                      .share = cpu_share,
                                      .dot = cpu_dot,
                                      .function = cpu_function,
                                      .product = cpu_product,
                                      .reduce = cpu_reduce};
}

void share_out(const Cpu *cpu, PartFn run, void *job, int parts, uint32_t *flags) {
    Job *head = job;
    head->cpu = cpu;
    atomic_store(&head->flags, 0);
    if (parts > 1 && cpu->threads > 1) blis_prepare(); // before any thread exists
    pool_run(cpu->pool, run, job, parts);
    *flags |= atomic_load(&head->flags);
}

void sites_clear(SiteFlags *sites, const Kernel *kernel) {
    sites->count = kernel->site_count;
    for (int i = 0; i < sites->count; i++) atomic_store(&sites->of[i], 0);
}

void sites_tell(SiteFlags *sites, const uint32_t *flags) {
    for (int i = 0; i < sites->count; i++)
        if (flags[i]) atomic_fetch_or(&sites->of[i], flags[i]);
}

void sites_gather(SiteFlags *sites, uint32_t *flags) {
    for (int i = 0; i < sites->count; i++) flags[i] |= atomic_load(&sites->of[i]);
}
