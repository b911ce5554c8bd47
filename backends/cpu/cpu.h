// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What the files of the cpu backend share.

#ifndef NACRE_BACKENDS_CPU_CPU_H
#define NACRE_BACKENDS_CPU_CPU_H

#include "backends/cpu/fft/fft.h"
#include "backends/cpu/loops/loops.h"
#include "backends/cpu/pool.h"
#include "vm/plugin/backend.h"
#include "vm/value/vm.h"

enum { PARALLEL_WORK = 1 << 16 }; // elements; work below is not worth a second thread

typedef struct Cpu {
    Vm *vm;
    int threads;
    size_t tile; // elements of a tile; 0: as suits the kernel
    bool reproducible; // to the last bit, for any number of threads
    bool stress;       // calls of libraries are taken for long ones (long_call.h)
    bool near;         // operands are in a cache: of bands (bands.c)
    Pool *pool;
    Tier tier;
    struct CodeStore *code; // code_store.c; NULL: no machine code is made
    RegionCalls region_calls;
    struct KernelCode *native; // native.c; NULL: kernels are interpreted
    const Loops *loops; // the best that this processor has; NULL before cpu_ready
    void *sleef, *libmvec; // handles of the libraries, or NULL
    VectorFn vectors[AOP_COUNT][2]; // of float, double; NULL: there is none, or nobody asked yet
    atomic_bool looked[AOP_COUNT][2];
    FftPlans fft;
} Cpu;

// What every job of the pool begins with.
typedef struct Job {
    const Cpu *cpu;
    atomic_uint flags; // of all parts
} Job;

// The flags of a kernel's sites, of all parts of a job.
typedef struct SiteFlags {
    int count;
    atomic_uint of[KERN_SITES];
} SiteFlags;
void sites_clear(SiteFlags *sites, const Kernel *kernel);
void sites_tell(SiteFlags *sites, const uint32_t *flags); // what a part's thread has met
void sites_gather(SiteFlags *sites, uint32_t *flags);

// How many parts a job of so many units is cut into, with `most` units there are: more than there are
// threads, so that one that comes late, or is held up, leaves less for the others to wait for.
static inline int parts_for(const Cpu *cpu, int64_t most) {
    enum { EACH = 4 };
    int64_t parts = (int64_t)cpu->threads * EACH;
    return (int)(parts < most ? parts : most);
}

// Where a part begins.
static inline int64_t cut_before(int64_t extent, int64_t part, int64_t parts) {
    return extent * part / parts;
}

// In how many parts a product goes where the number of threads may not matter: BLIS takes other ways,
// with other last bits, for a part with few rows.
static inline int fixed_parts(int64_t extent) {
    enum { LEAST = 128, MOST = 16 };
    return extent < 2 * LEAST ? 1 : extent < LEAST * MOST ? (int)(extent / LEAST) : MOST;
}

// services.c: a Cpu without kernels; its vm's `mem` and `interrupt` are looked at, and no more of it.
void cpu_begin(Cpu *cpu, Vm *vm, Pool *pool, int threads); // 0: as many as the machine has
// Before the first work: chooses the loops, for which a plug-in may have to be opened.
void cpu_choose_loops(Cpu *cpu);
static inline void cpu_ready(Cpu *cpu) {
    if (__builtin_expect(!cpu->loops, 0)) cpu_choose_loops(cpu);
}
const Loops *cpu_best_loops(void);
int cpu_default_threads(void);

// Shares a job out to the threads; `job` begins with a Job. Workers are numbered below cpu->threads.
void share_out(const Cpu *cpu, PartFn run, void *job, int parts, uint32_t *flags);

// Whether the work should be left: asked between tiles, rows and panels, by any thread. Sets the
// flag that has the exception raised.
static inline bool interrupted(const Cpu *cpu, uint32_t *flags) {
    if (!vm_interrupted(cpu->vm)) return false;
    *flags |= FLAG_INTERRUPTED;
    return true;
}

// The same for a kernel, which may be one that cannot be left.
static inline bool left(const Cpu *cpu, const Kernel *kernel, uint32_t *flags) {
    return !kernel->whole && interrupted(cpu, flags);
}

// The one axis along which a library node works.
static inline int axis_of(const Kernel *kernel) {
    return __builtin_ctzll(kernel->attrs.axes);
}

static inline LoopFn loop_of(const Cpu *cpu, OpId op, DType type) {
    return cpu->loops->ops[op][type];
}

// direct.c: Backend.direct_size and Backend.direct.
int64_t cpu_direct_size(const Node *node);
bool cpu_direct(void *ctx, const Node *node, int64_t size, uint32_t reported);

// RegionCalls.dot: just as a node's product, by this thread while there are few elements.
void cpu_dot(void *context, int type, const char *a, int64_t a_stride, const char *b, int64_t b_stride,
             int64_t count, char *result, int quiet);
// RegionCalls.product and reduce.
void cpu_product(void *context, int type, char *to, const int64_t shape[3], const char *a,
                 const int64_t a_strides[2], const char *b, const int64_t b_strides[2], int quiet);
void cpu_reduce(void *context, int op, int type, const char *at, int64_t count, int64_t row, char *result);

// gemm.c: whether a GEMM is done here better than its operations one by one.
bool gemm_supports(const Cpu *cpu, const Kernel *kernel);

#endif
