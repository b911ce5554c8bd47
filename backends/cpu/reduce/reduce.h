// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Shared by reductions. A kernel may have several reductions along the same dimensions; its first
// stores are the reductions' results, in the same order.

#ifndef NACRE_BACKENDS_CPU_REDUCE_REDUCE_H
#define NACRE_BACKENDS_CPU_REDUCE_REDUCE_H

#include "backends/cpu/tile/tile.h"

enum { BLOCK = SUM_BUFFER }; // elements evaluated at a time

// The chosen algorithm.
typedef struct Way {
    const Kernel *given;
    const Kernel *kernel; // with dimensions exchanged or merged, or as given
    int summed;           // reduce_short.c accumulates along this dimension, which is not iterated
                          // over; -1: unused
    int64_t narrow;       // reduce_narrow.c: elements of a row; the inner dimension is many rows.
                          // 0: unused
    int64_t rest;         // rows at the end that the kernel does not cover
    Kernel turned;
} Way;

// One thread's state.
typedef struct Worker {
    const Cpu *cpu;
    Tiles *tiles;
    char *blocks[KERN_STORES]; // per reduction: BLOCK elements
    int wary;                  // this many further runs report flags per instruction
    bool begins;               // the first values are stored rather than combined
    bool own_rows;             // results are written contiguously, not in the layout of the final ones
    char *rows;                // reduce_narrow.c: copies of operands that are not in contiguous
                               // rows
    uint32_t flags[KERN_SITES]; // per site
} Worker;

// Returns the type of a reduction's values.
DType reduced_type(const Kernel *kernel, int reduction);
bool is_float_sum(const Kernel *kernel, int reduction);
DType summed_type(const Kernel *kernel); // type of its float sums; DT_NONE: it has none
bool is_half_run(const Kernel *kernel, int reduction); // whether its values are halves that accumulate as floats
bool op_in_order(OpId op, DType type);                 // whether elements must be combined sequentially
bool is_in_order(const Kernel *kernel, int reduction);
// acc = acc op a[i], sequentially: for float products, and ops whose NaN result depends on the
// order.
void combine_in_order(const Cpu *cpu, OpId op, DType type, const char *a, size_t n, char *acc);
bool is_plain(const Kernel *kernel); // one reduction, without body or other stores

// reduce.c
size_t worker_bytes(const Cpu *cpu, const Way *way);
void worker_init(Worker *worker, const Cpu *cpu, const Way *way, int number); // in the kernel's workspace
void worker_finish(Worker *worker, const Kernel *kernel, SiteFlags *sites);
// Reduces all of `kernel`, which is way->kernel or a part of it.
void reduce_part(Worker *worker, const Way *way, const Kernel *kernel);

// reduce_whole.c: reduces all dimensions, `n` elements, of kernels for which is_whole is true.
bool is_whole(const Kernel *kernel);
void reduce_whole(const Cpu *cpu, const Way *way, int64_t n, uint32_t *flags);

// reduce_runs.c: splits rows that reduce to one row into runs. row_runs returns the number of runs; 0: the rows are
// not split.
int row_runs(const Way *way);
size_t runs_workspace(const Cpu *cpu, const Way *way);
void reduce_by_runs(const Cpu *cpu, const Way *way, uint32_t *flags);

// contract.c: computes sums of products as matrix products. contract returns false if the kernel is no such sum, or
// if a float flag was raised, which only the loop can attribute to a site.
size_t contract_workspace(const Kernel *kernel);
// Returns whether a kernel is a contraction whose inner dimension is kept. If it is too small for contract(), its
// rows are added sequentially.
bool is_contraction(const Kernel *kernel);
bool contract(const Cpu *cpu, const Kernel *kernel, uint32_t *flags);

// In the following, `at` holds each access's first address in a run of the inner dimension.
// Evaluates elements begin … begin+n of the run, at most BLOCK. values[r] receives the address of reduction r's
// values, which are contiguous, in place or in the worker's block.
void evaluate(Worker *worker, const Kernel *kernel, char *const *at, int64_t begin, size_t n,
              const char **values);
// Returns the sum of any number of elements, for a kernel whose only reduction is a float sum.
Scalar sum_block(Worker *worker, const Kernel *kernel, char *const *at, int64_t begin, size_t n);
// Reduces a run: reduce_run to one number per reduction, combine_run element by element into a run of results.
void reduce_run(Worker *worker, const Kernel *kernel, char *const *at);
void combine_run(Worker *worker, const Kernel *kernel, char *const *at);
// Returns whether values may be combined in another order.
bool may_reorder(const Kernel *kernel, int reduction);
// out[j] = out[j] op values[j], or values[j] alone for the worker's first values, for a reduction
// whose kernel keeps the inner dimension.
void combine_values(Worker *worker, const Kernel *kernel, int reduction, const char *values, size_t n,
                    char *out);

// reduce_short.c: vectorises across short reduced rows, with a kept dimension innermost. way_short returns whether
// this applies to a kernel.
bool way_short(Way *way, const Kernel *kernel);
void sum_short(Worker *worker, const Kernel *kernel, char *const *at, int summed);
// reduce_narrow.c: combines short rows with each other. way_narrow returns whether this applies to a kernel.
bool way_narrow(Way *way, const Kernel *kernel);
// Returns whether exactly one dimension is reduced, and not the innermost. dim_of_rows returns that dimension.
static inline bool reduces_rows(const Kernel *kernel) {
    bool one = kernel->reduced && !(kernel->reduced & (kernel->reduced - 1));
    return one && !(kernel->reduced >> (kernel->ndim - 1) & 1);
}
static inline int dim_of_rows(const Kernel *kernel) {
    return __builtin_ctzll(kernel->reduced);
}
size_t narrow_bytes(const Way *way); // bytes that a worker needs for copies of operands
void combine_narrow(Worker *worker, const Way *way, const Kernel *kernel, char *const *at);

// reduce_sums.c: sum of n numbers `stride` bytes apart, sum of two sums, and addition to a number
// in memory.
Scalar sum_run(const Cpu *cpu, DType type, const char *at, size_t n, int64_t stride);
Scalar sum_of(DType type, Scalar a, Scalar b);
// Returns the number of elements in the left subtree of the pairwise sum of n elements, more than a leaf.
int64_t left_half(DType type, int64_t n);
void add_sum(DType type, Scalar sum, char *acc);
// Attributes the flags raised so far to a reduction.
void tell_reduction(Worker *worker, const Kernel *kernel, int reduction);

// reduce_sums.c: buffer[0] = a[0] op a[1] op …, in any order. The buffer is `a`, or has room for half of the
// elements and FOLD_STEP more.
enum { FOLD_STEP = 64 };
void fold(const Cpu *cpu, OpId op, DType type, const char *a, size_t n, char *buffer);
// reduce.c
size_t reduce_workspace(const Cpu *cpu, const Kernel *kernel);
void tile_reduce(Cpu *cpu, const Kernel *kernel, uint32_t *flags);

#endif
