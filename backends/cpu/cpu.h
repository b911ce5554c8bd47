// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What the files of the cpu backend share.

#ifndef NACRE_BACKENDS_CPU_CPU_H
#define NACRE_BACKENDS_CPU_CPU_H

#include "vm/sched/backend.h"
#include "vm/value/vm.h"

enum { TILE = 1024, PARALLEL_WORK = 1 << 16 }; // elements; work below is not worth a second thread

typedef struct Cpu {
    Vm *vm;
    int threads;
} Cpu;

// Whether the work should be left: asked between tiles, rows and panels, by any thread. Sets the
// flag that has the exception raised.
static inline bool interrupted(const Cpu *cpu, uint32_t *flags) {
    if (!vm_interrupted(cpu->vm)) return false;
    *flags |= FLAG_INTERRUPTED;
    return true;
}

// n elements: out = op(a, b, c); arrays are contiguous and the same or disjoint.
typedef void (*LoopFn)(const void *a, const void *b, const void *c, void *out, size_t n);

// loops.c. NULL: no such loop.
LoopFn loop_of(OpId op, DType type);
LoopFn cast_loop(DType from, DType to);
// The sum of n elements `stride` bytes apart, in NumPy's pairwise order; floats only.
double sum_pairwise_f64(const char *at, size_t n, int64_t stride);
float sum_pairwise_f32(const char *at, size_t n, int64_t stride);
float sum_pairwise_f16(const char *at, size_t n, int64_t stride);

// tile.c: evaluating a kernel's body over a run of the innermost dimension.
typedef struct Tiles Tiles; // buffers of one thread
size_t tiles_bytes(const Kernel *kernel); // a multiple of BUFFER_ALIGN
Tiles *tiles_init(void *memory, const Kernel *kernel);
// Computes value number `value` for `n` <= TILE elements; `at` holds the address of each load's
// first element. The result is contiguous; it may be memory of the array itself.
const void *tiles_value(Tiles *tiles, const Kernel *kernel, char *const *at, size_t n, int value,
                        void *into, uint32_t *flags);
// Elementwise kernels and reductions; each wants so many bytes of workspace.
size_t elementwise_workspace(const Cpu *cpu, const Kernel *kernel);
void tile_elementwise(Cpu *cpu, const Kernel *kernel, uint32_t *flags);
void gather(const char *from, int64_t stride, void *to, size_t size, size_t n);
void scatter(const void *from, char *to, int64_t stride, size_t size, size_t n);

// Float flags raised since they were last cleared, as a set of Flag.
void flags_clear(void);
uint32_t flags_raised(void);

// reduce.c
size_t reduce_workspace(const Cpu *cpu, const Kernel *kernel);
void tile_reduce(Cpu *cpu, const Kernel *kernel, uint32_t *flags);

// Library nodes: library.c, matmul.c. Their table is in library.c.
typedef struct LibraryFn {
    void (*run)(Cpu *cpu, const Kernel *kernel, uint32_t *flags);
    size_t (*workspace)(const Cpu *cpu, const Kernel *kernel); // NULL: none
} LibraryFn;
extern const LibraryFn library_fns[AOP_COUNT];
void run_matmul(Cpu *cpu, const Kernel *kernel, uint32_t *flags);
// arange.c, select.c
void run_arange(Cpu *cpu, const Kernel *kernel, uint32_t *flags);
void run_take(Cpu *cpu, const Kernel *kernel, uint32_t *flags);
void run_put(Cpu *cpu, const Kernel *kernel, uint32_t *flags);
void run_compress(Cpu *cpu, const Kernel *kernel, uint32_t *flags);
void run_nonzero(Cpu *cpu, const Kernel *kernel, uint32_t *flags);

// Walks the index space of dims 0 … ndim-1: adds the strides of `count` addresses. Begin with all
// indexes 0; false when every index has been visited.
bool odometer_next(int ndim, const int64_t *shape, int64_t *index, char **at,
                   const int64_t *const *strides, int count);

// blis.c: C = A @ B for doubles with element strides. False: BLIS is not there or cannot do it.
typedef struct Matrix {
    char *data;
    int64_t rows, cols, row_stride, col_stride; // strides in bytes
} Matrix;
bool blis_matmul(const Matrix *a, const Matrix *b, const Matrix *c);
void blis_describe(Buf *out);

#endif
