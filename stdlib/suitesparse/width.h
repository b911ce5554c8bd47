// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// CHOLMOD's functions, by the width of indices.

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
// How a call has ended.
Outcome cholmod_outcome(const cholmod_common *common);
// A CHOLMOD that says nothing and orders by AMD.
void cholmod_begin(bool wide, cholmod_common *common);
// A square matrix over arrays that are there; without values it is a pattern. stype > 0: its upper triangle counts, < 0: its
// lower, 0: all of it.
cholmod_sparse cholmod_matrix(bool wide, int64_t rows, int64_t columns, const void *indptr, const void *indices,
                              const double *values, bool is_complex, int stype);
cholmod_dense cholmod_columns(const double *x, int64_t rows, int64_t columns, bool is_complex);

// To be guarded, with all that they make new.

// left = what `system` of the factor makes of right, both as large.
typedef struct Solution {
    bool wide;
    int system;
    cholmod_factor *factor;
    cholmod_dense *right, *left;
    Outcome outcome;
} Solution;
void cholmod_solve_guarded(void *solution);

// A copy of a factor by columns: L D L', or L L' if `squares`. It and `common` are the caller's to free.
typedef struct Simplicial {
    bool wide, squares;
    cholmod_factor *from, *made;
    bool fine;
    cholmod_common common;
} Simplicial;
void cholmod_simplify_guarded(void *simplicial);

#endif
