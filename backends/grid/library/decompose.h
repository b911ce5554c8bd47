// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Factorisations of stacks of matrices by a vendor's library, for the rows that are made of some. A row-major matrix is
// the transpose of a column-major one; operands are copied into columns on the way to the library, results back into
// rows, which costs little beside a factorisation. A wide matrix is decomposed into singular values as its transpose.

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
    int64_t size, m, n, k; // of an element; extents of a matrix; min(m, n)
    GridDecompose g;       // what all steps have in common
    void *state, *info;    // a word for each matrix
} Decompose;

bool decompose_form(const Dialect *dialect, const Kernel *kernel, GridForm *form);
const char *const *decompose_text(const Dialect *dialect, const GridForm *form, Buf *out);

// False: there is nothing to do.
bool decompose_begin(Decompose *d, GridRun *run);
// Enqueues a function of the text with `items` work items for each matrix.
void decompose_step(const Decompose *d, int function, int64_t items, const GridDecompose *g, void *const *memories, int count);
// Copies operands to columns that are m (is_turned: n) elements long, `step` elements from one matrix to the next. What
// they are looked at for stands in d->g.looks_by; matrices that are found to have no result are zeros there.
void decompose_load(const Decompose *d, const void *operand, void *copy, int64_t step, bool is_turned);
// A factorisation of all matrices; there are some, and they have elements.
void decompose_solve(const Decompose *d, GridSolve what);
// Stores `count` real numbers of each matrix where its result begins. Reports failures of the library, and operands whose
// state is one of `reported`.
void decompose_put_reals(const Decompose *d, const void *values, int64_t step, int64_t count, uint32_t reported);
// How many elements they take there.
int64_t decompose_reals(const Decompose *d, int64_t count);
static inline void *decompose_scratch(const Decompose *d, int64_t elements) {
    return grid_scratch_for(d->run, elements, (size_t)d->size);
}
// Singular values of the matrices in `a`, which are in columns and not wide, into `values`, `u` and `vt` (NULL: no vectors).
void decompose_svd(const Decompose *d, void *a, void *values, void *u, void *vt, bool is_complete);

#endif
