// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// LU factors of real and complex matrices in a workspace, and shared steps of factorisations:
// subtracted products, triangular solves.
// Complex matrices are stored in planes: real parts; `plane` elements later the imaginary parts;
// and, for left operands of products, after that the negated imaginary parts. A complex product is
// then four real ones and benefits from everything that makes those fast.

#ifndef NACRE_BACKENDS_CPU_LINALG_LU_H
#define NACRE_BACKENDS_CPU_LINALG_LU_H

#include "backends/cpu/linalg/linalg.h"
#include "backends/cpu/product/blis.h"

// Parameters of one factorisation.
typedef struct Work {
    const Cpu *cpu;
    uint32_t *flags;
    int64_t row;   // elements between rows
    int64_t plane; // elements between planes; 0: real matrix
    double *panel; // buffer for n rows of STEP elements
} Work;

// A square matrix with its right-hand side, which starts at column `width`.
typedef struct System {
    Work work;
    int64_t n, width, sides;
    double *matrix;
    int64_t *pivots;
} System;

// Rounds up to a multiple of STEP.
static inline int64_t lu_padded(int64_t n) {
    return (n + STEP - 1) / STEP * STEP;
}

// Lays out an n x n matrix of numbers with `parts` doubles and `sides` further columns. Returns the
// bytes needed; with memory NULL it only counts.
size_t system_make(System *s, const Cpu *cpu, int64_t n, int64_t sides, int parts, void *memory,
                   uint32_t *flags);
// Loads the matrix from `from`, and sets the right-hand side to 0.
void system_load(const System *s, Matrix from);
// Load the right-hand side (from NULL: the identity), and store it.
void system_load_side(const System *s, const Matrix *from);
void system_store_side(const System *s, Matrix to);
// Computes LU factors, updating the right-hand side. pivots[i] >= i is the row exchanged with row
// i. False: a pivot is 0.
bool system_factor(const System *s);
// Replaces the right-hand side by the solution. False: the matrix is singular.
bool system_solve(const System *s);

// C -= A @ B, where B and C have unit column strides.
void lu_subtract(const Work *w, const double *a, int64_t a_row, int64_t a_col, const double *b,
                 double *c, int64_t rows, int64_t depth, int64_t cols);
// X = L^-1 X for a lower triangle. Its diagonal is 1 if `unit`, otherwise as stored (real matrices
// only).
void lu_solve_lower(const Work *w, const double *l, int64_t l_row, int64_t l_col, bool unit,
                    double *x, int64_t n, int64_t cols);

#endif
