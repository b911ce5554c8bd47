// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// LU factors of real and complex matrices in a workspace, and what factorisations share: products that
// are subtracted, and triangles.
//
// Complex matrices lie in planes: real parts, and `plane` elements behind each of them its imaginary
// part; behind that, of what stands on the left of a product, the negative of the imaginary part. So
// a complex product is four real ones, and complex matrices get whatever makes those fast.

#ifndef NACRE_BACKENDS_CPU_LINALG_LU_H
#define NACRE_BACKENDS_CPU_LINALG_LU_H

#include "backends/cpu/linalg/linalg.h"
#include "backends/cpu/product/blis.h"

// What one factorisation works with.
typedef struct Work {
    const Cpu *cpu;
    uint32_t *flags;
    int64_t row;   // elements from row to row
    int64_t plane; // elements from plane to plane; 0: numbers are real
    double *panel; // room for a column of STEP elements
} Work;

// A square matrix with its right-hand side, from column `width` on.
typedef struct System {
    Work work;
    int64_t n, width, sides;
    double *matrix;
    int64_t *pivots;
} System;

// The next multiple of STEP.
static inline int64_t lu_padded(int64_t n) {
    return (n + STEP - 1) / STEP * STEP;
}

// Of an n x n matrix whose numbers have `parts` doubles, with `sides` columns beside it. Bytes of
// memory that it takes; NULL: only these.
size_t system_make(System *s, const Cpu *cpu, int64_t n, int64_t sides, int parts, void *memory,
                   uint32_t *flags);
// The matrix becomes `from`, and the right-hand side 0.
void system_load(const System *s, Matrix from);
// The right-hand side: what it becomes, NULL: the identity; where it goes.
void system_load_side(const System *s, const Matrix *from);
void system_store_side(const System *s, Matrix to);
// LU factors of the matrix; the right-hand side takes part. pivots[i] >= i is the row that changed
// places with row i. False: a pivot is 0.
bool system_factor(const System *s);
// The right-hand side becomes the solution. False: the matrix is singular.
bool system_solve(const System *s);

// C -= A @ B, where B and C have unit column strides.
void lu_subtract(const Work *w, const double *a, int64_t a_row, int64_t a_col, const double *b,
                 double *c, int64_t rows, int64_t depth, int64_t cols);
// X = L^-1 X for a lower triangle, whose diagonal is 1 or, of real numbers, what it holds.
void lu_solve_lower(const Work *w, const double *l, int64_t l_row, int64_t l_col, bool unit,
                    double *x, int64_t n, int64_t cols);

#endif
