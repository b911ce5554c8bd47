// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What the files about reductions share. A kernel may have several reductions, along the same dimensions;
// the first stores are theirs.

#ifndef NACRE_BACKENDS_CPU_REDUCE_REDUCE_H
#define NACRE_BACKENDS_CPU_REDUCE_REDUCE_H

#include "backends/cpu/tile/tile.h"

enum { BLOCK = SUM_BUFFER }; // elements that are evaluated at a time

// How a reduction's loops go.
typedef struct Way {
    const Kernel *given;
    const Kernel *kernel; // turned, or as it was given
    int summed;           // reduce_short.c adds along this dimension, which is not walked along; -1: no
    int64_t narrow;       // reduce_narrow.c: elements of a row; the inner dimension is many rows. 0: no
    int64_t rest;         // rows at the end that are not among those of the kernel
    Kernel turned;
} Way;

// One thread's part of a reduction.
typedef struct Worker {
    const Cpu *cpu;
    Tiles *tiles;
    char *blocks[KERN_STORES]; // for each reduction: BLOCK elements
    int wary;                  // so many runs are yet to be told of by instruction
    bool begins;               // what is combined into a run are the first values
    bool own_rows;             // results lie side by side, wherever they belong in the end
    char *rows;                // of reduce_narrow.c: what does not lie in rows
    uint32_t flags[KERN_SITES]; // of each site
} Worker;

// What a reduction's values are.
DType reduced_type(const Kernel *kernel, int reduction);
bool is_float_sum(const Kernel *kernel, int reduction);
DType summed_type(const Kernel *kernel); // of its sums of floats; DT_NONE: there is none
bool is_half_run(const Kernel *kernel, int reduction); // of half floats that meet as floats
bool op_in_order(OpId op, DType type);                 // its elements have to meet one by one
bool is_in_order(const Kernel *kernel, int reduction);
// acc = acc op a[i], one after the other: float products, and whatever may leave one NaN or another.
void combine_in_order(const Cpu *cpu, OpId op, DType type, const char *a, size_t n, char *acc);
bool is_plain(const Kernel *kernel); // one reduction; nothing to compute first, nor to store beside

// reduce.c
size_t worker_bytes(const Cpu *cpu, const Way *way);
void worker_init(Worker *worker, const Cpu *cpu, const Way *way, int number); // in the kernel's workspace
void worker_finish(Worker *worker, const Kernel *kernel, SiteFlags *sites);
// Reduces all of a kernel, which may be a part of the way's.
void reduce_part(Worker *worker, const Way *way, const Kernel *kernel);

// reduce_whole.c: of all dimensions, of `n` elements.
bool is_whole(const Kernel *kernel);
void reduce_whole(const Cpu *cpu, const Way *way, int64_t n, uint32_t *flags);

// reduce_runs.c: rows that are reduced into one, in several runs of rows. How many; 0: this kernel is none
// for that.
int row_runs(const Way *way);
size_t runs_workspace(const Cpu *cpu, const Way *way);
void reduce_by_runs(const Cpu *cpu, const Way *way, uint32_t *flags);

// contract.c: sums of products that are products of matrices. False: it is none, or one with float conditions
// that the loop has to tell of.
size_t contract_workspace(const Kernel *kernel);
// One whose rows are added one after the other, unless it is large.
bool is_contraction(const Kernel *kernel);
bool contract(const Cpu *cpu, const Kernel *kernel, uint32_t *flags);

// Below, `at` holds the address of each access's first element in a run of the inner dimension.
// Evaluates its elements begin … begin+n, at most BLOCK. values[r]: those of a reduction, side by side,
// where they are or in the worker's block.
void evaluate(Worker *worker, const Kernel *kernel, char *const *at, int64_t begin, size_t n,
              const char **values);
// Their sum, for a kernel of one sum of floats; of however many.
Scalar sum_block(Worker *worker, const Kernel *kernel, char *const *at, int64_t begin, size_t n);
// Reduces a whole run: into one number for each reduction, and into a run of as many.
void reduce_run(Worker *worker, const Kernel *kernel, char *const *at);
void combine_run(Worker *worker, const Kernel *kernel, char *const *at);
// Whether values may meet in another order.
bool may_reorder(const Kernel *kernel, int reduction);
// out[j] = out[j] op values[j], or only values[j] if the worker begins, for a reduction of a kernel whose
// inner dimension is kept.
void combine_values(Worker *worker, const Kernel *kernel, int reduction, const char *values, size_t n,
                    char *out);

// reduce_short.c: rows that are short, and reduced, go side by side: with another inner dimension.
bool way_short(Way *way, const Kernel *kernel);
void sum_short(Worker *worker, const Kernel *kernel, char *const *at, int summed);
// reduce_narrow.c: rows that are short, and meet one another.
bool way_narrow(Way *way, const Kernel *kernel);
// Whether it is rows that meet, along one dimension: which.
static inline bool reduces_rows(const Kernel *kernel) {
    bool one = kernel->reduced && !(kernel->reduced & (kernel->reduced - 1));
    return one && !(kernel->reduced >> (kernel->ndim - 1) & 1);
}
static inline int dim_of_rows(const Kernel *kernel) {
    return __builtin_ctzll(kernel->reduced);
}
size_t narrow_bytes(const Way *way); // that a worker wants for it
void combine_narrow(Worker *worker, const Way *way, const Kernel *kernel, char *const *at);

// reduce_sums.c: the sum of n numbers `stride` bytes apart, of two sums, and adding one to a number in memory.
Scalar sum_run(const Cpu *cpu, DType type, const char *at, size_t n, int64_t stride);
Scalar sum_of(DType type, Scalar a, Scalar b);
// How many of n elements, which are more than a leaf has, are on the left in the tree in which they are summed.
int64_t left_half(DType type, int64_t n);
void add_sum(DType type, Scalar sum, char *acc);
// What has been raised by now is a reduction's.
void tell_reduction(Worker *worker, const Kernel *kernel, int reduction);

// reduce_sums.c
// buffer[0] = a[0] op a[1] op …, in whatever order. The buffer has room for half of the elements and
// FOLD_STEP more, or is a.
enum { FOLD_STEP = 64 };
void fold(const Cpu *cpu, OpId op, DType type, const char *a, size_t n, char *buffer);
// reduce.c
size_t reduce_workspace(const Cpu *cpu, const Kernel *kernel);
void tile_reduce(Cpu *cpu, const Kernel *kernel, uint32_t *flags);

#endif
