// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// CHOLMOD's functions as a table, for 32-bit or 64-bit indices.

#ifndef NACRE_STDLIB_SUITESPARSE_WIDTH_H
#define NACRE_STDLIB_SUITESPARSE_WIDTH_H

#include <suitesparse/cholmod.h>

#include "stdlib/suitesparse/direct.h"

typedef struct Width {
    int itype;
    int (*start)(cholmod_common *);
    int (*finish)(cholmod_common *);
    cholmod_factor *(*analyze)(cholmod_sparse *, cholmod_common *);
    cholmod_factor *(*copy_factor)(cholmod_factor *, cholmod_common *);
    int (*factorize)(cholmod_sparse *, cholmod_factor *, cholmod_common *);
    double (*rcond)(cholmod_factor *, cholmod_common *);
    int (*solve2)(int, cholmod_factor *, cholmod_dense *, cholmod_sparse *, cholmod_dense **, cholmod_sparse **,
                  cholmod_dense **, cholmod_dense **, cholmod_common *);
    int (*change_factor)(int, int, int, int, int, cholmod_factor *, cholmod_common *);
    int (*free_factor)(cholmod_factor **, cholmod_common *);
    int (*free_dense)(cholmod_dense **, cholmod_common *);
    int (*free_sparse)(cholmod_sparse **, cholmod_common *);
} Width;

const Width *width_for(bool wide);
// Returns how CHOLMOD's last call ended, as an Outcome.
Outcome cholmod_outcome(const cholmod_common *common);
// Initialises `common`: nothing is printed, AMD is the ordering.
void cholmod_begin(bool wide, cholmod_common *common);
// Returns a matrix header over existing arrays, which it borrows. Without values it is a pattern. stype > 0: only the
// upper triangle is read, < 0: the lower, 0: everything.
cholmod_sparse cholmod_matrix(bool wide, int64_t rows, int64_t columns, const void *indptr, const void *indices,
                              const double *values, bool is_complex, int stype);
cholmod_dense cholmod_columns(const double *x, int64_t rows, int64_t columns, bool is_complex);

// Functions to be run by guarded(), as they allocate.

// Solves `system` (CHOLMOD's number) of the factor: left = solution for right. Both have the same shape.
typedef struct Solution {
    bool wide;
    int system;
    cholmod_factor *factor;
    cholmod_dense *right, *left;
    Outcome outcome;
} Solution;
void cholmod_solve_guarded(void *solution);

// Copies a factor to simplicial form (by columns): L D L', or L L' if `squares`. The caller frees `made` and `common`.
typedef struct Simplicial {
    bool wide, squares;
    cholmod_factor *from, *made;
    bool fine;
    cholmod_common common;
} Simplicial;
void cholmod_simplify_guarded(void *simplicial);

#endif
