// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Shared by the files of the cpu backend.

#ifndef NACRE_BACKENDS_CPU_CPU_H
#define NACRE_BACKENDS_CPU_CPU_H

#include "backends/cpu/fft/fft.h"
#include "backends/cpu/loops/loops.h"
#include "backends/cpu/pool.h"
#include "vm/plugin/backend.h"
#include "vm/value/vm.h"

enum { PARALLEL_WORK = 1 << 16 }; // elements; less work is not worth a second thread

typedef struct Cpu {
    Vm *vm;
    int threads;
    size_t tile; // elements of a tile; 0: chosen per kernel
    bool reproducible; // results are bit-identical for any number of threads
    bool deterministic; // results are the same in every run
    bool stress;       // treats all library calls as long (long_call.h)
    bool near;         // operands are in a cache (row blocking, bands.c)
    Pool *pool;
    Tier tier;
    struct CodeStore *code; // code_store.c; NULL: no machine code
    RegionCalls region_calls;
    struct KernelCode *native; // native.c; NULL: kernels are interpreted
    const Loops *loops; // best for this processor; NULL before cpu_ready
    void *sleef, *libmvec; // handles of the libraries, or NULL
    VectorFn vectors[AOP_COUNT][2]; // of float, double; NULL: none, or not looked up yet
    atomic_bool looked[AOP_COUNT][2];
    FftPlans fft;
} Cpu;

// First member of every job of the pool.
typedef struct Job {
    const Cpu *cpu;
    atomic_uint flags; // union over all parts
} Job;

// Flags per site, over all parts of a job.
typedef struct SiteFlags {
    int count;
    atomic_uint of[KERN_SITES];
} SiteFlags;
void sites_clear(SiteFlags *sites, const Kernel *kernel);
void sites_tell(SiteFlags *sites, const uint32_t *flags); // merges the flags of a part's thread
void sites_gather(SiteFlags *sites, uint32_t *flags);

// Returns the number of parts for a job of `most` units: more parts than threads, so that a thread that starts late
// or is delayed holds the others up less.
static inline int parts_for(const Cpu *cpu, int64_t most) {
    enum { EACH = 4 };
    int64_t parts = (int64_t)cpu->threads * EACH;
    return (int)(parts < most ? parts : most);
}

// Returns the first unit of a part.
static inline int64_t cut_before(int64_t extent, int64_t part, int64_t parts) {
    return extent * part / parts;
}

// Returns the number of parts of a product in reproducible mode. It does not depend on the threads, since BLIS uses
// other kernels, with other rounding, for a part with few rows.
static inline int fixed_parts(int64_t extent) {
    enum { LEAST = 128, MOST = 16 };
    return extent < 2 * LEAST ? 1 : extent < LEAST * MOST ? (int)(extent / LEAST) : MOST;
}

// services.c: initialises what compiled code needs of a Cpu. Of the vm only `mem` and `interrupt` are used.
void cpu_begin(Cpu *cpu, Vm *vm, Pool *pool, int threads); // threads 0: one per processor
// Chooses the loops, which may open a plug-in. Called by cpu_ready before the first work.
void cpu_choose_loops(Cpu *cpu);
static inline void cpu_ready(Cpu *cpu) {
    if (__builtin_expect(!cpu->loops, 0)) cpu_choose_loops(cpu);
}
void cpu_share(void *cpu, RegionPartFn run, void *job, int parts); // RegionCalls.share, Backend.share
const Loops *cpu_best_loops(void);
int cpu_default_threads(void);

// Distributes a job's parts to the threads; `job` begins with a Job. Workers are numbered below
// cpu->threads.
void share_out(const Cpu *cpu, PartFn run, void *job, int parts, uint32_t *flags);

// Polls for an interrupt between tiles, rows and panels, on any thread. Sets the flag that makes
// the kernel raise.
static inline bool interrupted(const Cpu *cpu, uint32_t *flags) {
    if (!vm_interrupted(cpu->vm)) return false;
    *flags |= FLAG_INTERRUPTED;
    return true;
}

// The same for a kernel, but never interrupts a kernel that is not restartable.
static inline bool left(const Cpu *cpu, const Kernel *kernel, uint32_t *flags) {
    return !kernel->whole && interrupted(cpu, flags);
}

// Returns the axis that a library node works along.
static inline int axis_of(const Kernel *kernel) {
    return __builtin_ctzll(kernel->attrs.axes);
}

static inline LoopFn loop_of(const Cpu *cpu, OpId op, DType type) {
    return cpu->loops->ops[op][type];
}

// direct.c: Backend.direct_size and Backend.direct.
int64_t cpu_direct_size(const Node *node);
bool cpu_direct(void *ctx, const Node *node, int64_t size, uint32_t reported);

// RegionCalls.dot: computes the same result as a node's product; few elements are multiplied on the calling thread.
void cpu_dot(void *context, int type, const char *a, int64_t a_stride, const char *b, int64_t b_stride,
             int64_t count, char *result, int quiet);
// RegionCalls.product and reduce.
void cpu_product(void *context, int type, char *to, const int64_t shape[3], const char *a,
                 const int64_t a_strides[2], const char *b, const int64_t b_strides[2], int quiet);
void cpu_reduce(void *context, int op, int type, const char *at, int64_t count, int64_t row, char *result);

// gemm.c: returns whether a GEMM is faster here than its separate operations.
bool gemm_supports(const Cpu *cpu, const Kernel *kernel);

#endif
