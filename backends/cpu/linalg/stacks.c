// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Distributes stacks of matrices to threads. Each matrix is computed as if it were alone, so
// results do not depend on how a stack is split.

#include "backends/cpu/library.h"
#include "backends/cpu/linalg/lapack.h"
#include "backends/cpu/tile/move.h"

static int64_t count_of(const View *view) {
    int64_t count = 1;
    for (int d = 0; d < view->ndim - 2; d++) count *= view->shape[d];
    return count;
}

// A stack of few matrices is not split, since large matrices use threads themselves. Nor is a
// complex one that goes to LAPACK: BLIS multiplies complex matrices differently, with other
// rounding, in threads other than its first.
static int stretches_of(const Cpu *cpu, const Kernel *k) {
    enum { SHARED_WORK = 1 << 14 }; // minimum multiplications for threads, counted for the cheapest factorisation
    const View *view = &k->args[0].view;
    int64_t rows = rows_of(view), cols = cols_of(view), count = count_of(view);
    bool one_thread = library_fns[k->library]->stacks->complex_by_lapack && parts_of(view) == 2;
    double work = (double)count * (double)rows * (double)cols * (double)(rows < cols ? rows : cols);
    if (one_thread || cpu->threads < 2 || count < 2 * cpu->threads || work < SHARED_WORK) return 1;
    return parts_for(cpu, count);
}

static bool is_long(const Cpu *cpu, const Kernel *k) {
    const LibraryFn *fn = library_fns[k->library];
    return fn->work && is_long_call(cpu, fn->work(k));
}

// Returns the bytes of one stretch's memory, including its long call.
static size_t memory_of(const Cpu *cpu, const Kernel *k) {
    size_t bytes = aligned_bytes(library_fns[k->library]->stacks->memory(cpu, k));
    return is_long(cpu, k) && bytes ? long_call_bytes() + bytes : bytes;
}

size_t stacks_workspace(const Cpu *cpu, const Kernel *k) {
    size_t stretches = stretches_of(cpu, k) > 1 ? (size_t)cpu->threads : 1;
    return memory_of(cpu, k) * stretches;
}

static void begin(Stacks *stacks, const Kernel *k, int inputs) {
    const View *first = &k->args[0].view;
    *stacks = (Stacks){.ndim = first->ndim - 2, .count = inputs + 1, .shape = first->shape};
    for (int i = 0; i <= inputs; i++) {
        const KernArg *arg = i < inputs ? &k->args[i] : &k->result;
        stacks->strides[i] = arg->view.strides;
        stacks->at[i] = arg_at(arg);
    }
}

typedef struct StackJob {
    Job job;
    const Kernel *kernel;
    Stacks whole;
    int64_t count;
    int stretches;
    size_t memory; // memory per thread
} StackJob;

// Processes a stretch with its share of the workspace, memory_of bytes.
static void run_in(const Cpu *cpu, const Kernel *k, Stacks *stacks, char *memory, uint32_t *flags) {
    const View *first = &k->args[0].view;
    int64_t rows = rows_of(first), cols = cols_of(first);
    if (k->lasting) {
        stacks->call = long_call_make(memory, k->lasting, lapack_is_wide(cpu, rows < cols ? rows : cols, stacks->shared));
        memory += long_call_bytes();
    }
    library_fns[k->library]->stacks->run(cpu, k, stacks, memory, flags);
}

static void run_stretch(void *argument, int part, int worker) {
    StackJob *s = argument;
    Stacks stacks = s->whole;
    uint32_t flags = 0;
    int64_t from = cut_before(s->count, part, s->stretches);
    stacks.left = cut_before(s->count, part + 1, s->stretches) - from;
    odometer_set(stacks.ndim, stacks.shape, stacks.index, stacks.at, stacks.strides, stacks.count, from);
    run_in(s->job.cpu, s->kernel, &stacks, (char *)s->kernel->workspace + (size_t)worker * s->memory, &flags);
    atomic_fetch_or(&s->job.flags, flags);
}

void run_stacks(Cpu *cpu, const Kernel *k, uint32_t *flags) {
    const StackWork *work = library_fns[k->library]->stacks;
    StackJob s = {.kernel = k, .count = count_of(&k->args[0].view), .stretches = stretches_of(cpu, k)};
    if (s.count == 0) return;
    begin(&s.whole, k, work->inputs);
    if (s.stretches > 1) {
        s.whole.shared = true;
        s.memory = memory_of(cpu, k);
        share_out(cpu, run_stretch, &s, s.stretches, flags);
        return;
    }
    s.whole.left = s.count;
    run_in(cpu, k, &s.whole, k->workspace, flags);
}
