// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Factorisations of stacks of matrices by a vendor's library, for the operations that need them. The library stores
// matrices by columns, so operands are copied to columns before, and results back to rows, which costs little compared
// with a factorisation. The singular values of a wide matrix are computed from its transpose.

#ifndef NACRE_BACKENDS_GRID_LIBRARY_DECOMPOSE_H
#define NACRE_BACKENDS_GRID_LIBRARY_DECOMPOSE_H

#include "backends/grid/library/product.h"
#include "backends/grid/text/decompose.h"

// Functions of the text.
enum { DECOMPOSE_LOAD, DECOMPOSE_TAME, DECOMPOSE_PUT, DECOMPOSE_PUT_REALS, DECOMPOSE_PUT_EIGEN, DECOMPOSE_PARTS,
       DECOMPOSE_ANSWER, DECOMPOSE_DIFFER, DECOMPOSE_REST, DECOMPOSE_RANK };

typedef struct Decompose {
    GridRun *run;
    DType type;
    int64_t size, m, n, k; // bytes of an element; extents of a matrix; min(m, n)
    GridDecompose g;       // arguments that all steps have in common
    void *state, *info;    // a word for each matrix
} Decompose;

bool decompose_form(const Dialect *dialect, const Kernel *kernel, GridForm *form);
const char *const *decompose_text(const Dialect *dialect, const GridForm *form, Buf *out);

// Fills in `d`, and takes the memory for `state` and `info`. False: there are no matrices.
bool decompose_begin(Decompose *d, GridRun *run);
// Enqueues a function of the text with `items` work items for each matrix.
void decompose_step(const Decompose *d, int function, int64_t items, const GridDecompose *g, void *const *memories, int count);
// Copies an operand's matrices to columns of m (is_turned: n) elements; the copies begin `step` elements apart.
// d->g.looks_by says what is checked for NaN and infinities: matrices, or columns; those that have any become zeros.
void decompose_load(const Decompose *d, const void *operand, void *copy, int64_t step, bool is_turned);
// Enqueues a factorisation of all matrices: at least one, and none without elements.
void decompose_solve(const Decompose *d, GridSolve what);
// Stores `count` real numbers of each matrix where its result begins. Reports failures of the library, and operands
// whose state is one of `reported`.
void decompose_put_reals(const Decompose *d, const void *values, int64_t step, int64_t count, uint32_t reported);
// Returns how many elements of the result `count` real numbers take.
int64_t decompose_reals(const Decompose *d, int64_t count);
static inline void *decompose_scratch(const Decompose *d, int64_t elements) {
    return grid_scratch_for(d->run, elements, (size_t)d->size);
}
// Enqueues the singular value decomposition of the copies in `a`, which are not wide, into `values`, `u` and `vt`
// (NULL: no vectors).
void decompose_svd(const Decompose *d, void *a, void *values, void *u, void *vt, bool is_complete);

#endif
