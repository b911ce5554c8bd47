// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What the bodies of linear algebra share: stacks of matrices, copies, workspace.

#ifndef NACRE_BACKENDS_CPU_LINALG_LINALG_H
#define NACRE_BACKENDS_CPU_LINALG_LINALG_H

#include <string.h>

#include "backends/cpu/cpu.h"
#include "backends/cpu/product/blis.h"
#include "backends/cpu/tile/move.h"

// Walks through stacks of matrices side by side: their last axes are not walked.
typedef struct Stacks {
    int ndim, count;
    const int64_t *shape, *strides[3];
    int64_t index[NDIM_MAX];
    char *at[3];  // the matrices' first elements
    int64_t left; // matrices, with this one
    bool shared;  // other threads work on other matrices
    struct LongCall *call; // for what is done with a matrix; NULL: it does not take long
} Stacks;

// The next matrices. False: there are none.
static inline bool stacks_next(Stacks *stacks) {
    if (--stacks->left == 0) return false;
    return odometer_next(stacks->ndim, stacks->shape, stacks->index, stacks->at, stacks->strides,
                         stacks->count);
}

// What is done with each matrix of a stack. The matrices are independent of one another, so a stack is cut
// into stretches for the threads.
typedef struct StackWork {
    int inputs; // the kernel's first operands, which are walked through, and its result behind them
    bool complex_by_lapack;
    // Bytes of memory for one stretch.
    size_t (*memory)(const Cpu *cpu, const Kernel *k);
    // From the matrix where `stacks` stands to the last one; there is one at least.
    void (*run)(const Cpu *cpu, const Kernel *k, Stacks *stacks, void *memory, uint32_t *flags);
} StackWork;

// stacks.c: a LibraryFn of what it does with each matrix.
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
// Elements are `parts` doubles: 1, or 2 of a complex number.
static inline int parts_of(const View *view) {
    return dtype_kind(view->dtype) == DK_COMPLEX ? 2 : 1;
}
// Elements that lie in rows, `row` of them from one to the next.
static inline Matrix in_rows(double *data, int64_t rows, int64_t cols, int64_t row, int parts) {
    int64_t size = parts * (int64_t)sizeof(double);
    return (Matrix){(char *)data, rows, cols, row * size, size};
}

// Doubles that `count` real results take beside elements of `parts` doubles: whole elements.
static inline int64_t reals_length(int64_t count, int parts) {
    return parts == 2 ? count + count % 2 : count;
}
// Gives the place behind them.
static inline double *put_reals(double *to, const double *from, int64_t count, int parts) {
    int64_t length = reals_length(count, parts);
    memcpy(to, from, (size_t)count * sizeof *to);
    if (length > count) to[count] = 0;
    return to + length;
}

// Hands out parts of the workspace; with base NULL it only counts.
typedef struct Room {
    char *base;
    size_t used;
} Room;

static inline void *room_take(Room *room, int64_t count, size_t size) {
    void *at = room->base ? room->base + room->used : NULL;
    room->used += aligned_bytes((size_t)count * size);
    return at;
}

// factor.c: to and from are of the same extents.
void matrix_copy(Matrix from, Matrix to, int parts);
void fill_nan(double *at, int64_t count);

// What a matrix holds at worst. LAPACK may end the process, or never end, over what is no number.
typedef enum Content { CONTENT_FINITE, CONTENT_INFINITE, CONTENT_NAN } Content;
Content content_of(const double *at, int64_t count);

// factor_complex.c
size_t complex_cholesky_memory(const Kernel *k);
void complex_cholesky_stretch(const Cpu *cpu, const Kernel *k, Stacks *stacks, void *memory,
                              uint32_t *flags);

#endif
