// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Shared by linear algebra: stacks of matrices, copies, workspace.

#ifndef NACRE_BACKENDS_CPU_LINALG_LINALG_H
#define NACRE_BACKENDS_CPU_LINALG_LINALG_H

#include <string.h>

#include "backends/cpu/cpu.h"
#include "backends/cpu/product/blis.h"
#include "backends/cpu/tile/move.h"

// Iterates over several stacks of matrices together, along all axes but the last two.
typedef struct Stacks {
    int ndim, count;
    const int64_t *shape, *strides[3];
    int64_t index[NDIM_MAX];
    char *at[3];  // first elements of the current matrices
    int64_t left; // matrices left, including the current one
    bool shared;  // other threads work on other matrices
    struct LongCall *call; // long call for the work on a matrix; NULL: it is short
} Stacks;

// Advances to the next matrices. False: no more.
static inline bool stacks_next(Stacks *stacks) {
    if (--stacks->left == 0) return false;
    return odometer_next(stacks->ndim, stacks->shape, stacks->index, stacks->at, stacks->strides,
                         stacks->count);
}

// Work on each matrix of a stack. Matrices are independent, so a stack is split into stretches for
// the threads.
typedef struct StackWork {
    int inputs; // number of operands iterated over; the result comes after them
    bool complex_by_lapack;
    // Returns the bytes of memory for one stretch.
    size_t (*memory)(const Cpu *cpu, const Kernel *k);
    // Processes the matrices from `stacks` to the end; there is at least one.
    void (*run)(const Cpu *cpu, const Kernel *k, Stacks *stacks, void *memory, uint32_t *flags);
} StackWork;

// stacks.c: implements LibraryFn.run by processing each matrix.
void run_stacks(Cpu *cpu, const Kernel *k, uint32_t *flags);
size_t stacks_workspace(const Cpu *cpu, const Kernel *k);

static inline int64_t rows_of(const View *view) {
    return view->shape[view->ndim - 2];
}
static inline int64_t cols_of(const View *view) {
    return view->shape[view->ndim - 1];
}
static inline Matrix matrix_at(const View *view, char *at) {
    int r = view->ndim - 2, c = view->ndim - 1;
    return (Matrix){at, view->shape[r], view->shape[c], view->strides[r], view->strides[c]};
}
static inline Matrix turned(Matrix m) {
    return (Matrix){m.data, m.cols, m.rows, m.col_stride, m.row_stride};
}
// An element is `parts` doubles: 1 if real, 2 if complex.
static inline int parts_of(const View *view) {
    return dtype_kind(view->dtype) == DK_COMPLEX ? 2 : 1;
}
// Describes a row-major matrix with `row` elements between rows.
static inline Matrix in_rows(double *data, int64_t rows, int64_t cols, int64_t row, int parts) {
    int64_t size = parts * (int64_t)sizeof(double);
    return (Matrix){(char *)data, rows, cols, row * size, size};
}

// Returns the number of doubles that hold `count` real results among elements of `parts` doubles, rounded up to
// whole elements.
static inline int64_t reals_length(int64_t count, int parts) {
    return parts == 2 ? count + count % 2 : count;
}
// Stores real results. Returns the position after them.
static inline double *put_reals(double *to, const double *from, int64_t count, int parts) {
    int64_t length = reals_length(count, parts);
    memcpy(to, from, (size_t)count * sizeof *to);
    if (length > count) to[count] = 0;
    return to + length;
}

// Bump allocator over the workspace; with base NULL it only counts.
typedef struct Room {
    char *base;
    size_t used;
} Room;

static inline void *room_take(Room *room, int64_t count, size_t size) {
    void *at = room->base ? room->base + room->used : NULL;
    room->used += aligned_bytes((size_t)count * size);
    return at;
}

// factor.c: copies a matrix to one with the same extents.
void matrix_copy(Matrix from, Matrix to, int parts);
void fill_nan(double *at, int64_t count);

// The worst value in a matrix. LAPACK may abort, or loop forever, on values that are not finite.
typedef enum Content { CONTENT_FINITE, CONTENT_INFINITE, CONTENT_NAN } Content;
Content content_of(const double *at, int64_t count);

// factor_complex.c
size_t complex_cholesky_memory(const Kernel *k);
void complex_cholesky_stretch(const Cpu *cpu, const Kernel *k, Stacks *stacks, void *memory,
                              uint32_t *flags);

#endif
