// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Solutions with a real supernodal Cholesky factor: own loops in place of CHOLMOD's, which call BLAS for every supernode
// and each right-hand side. Subtrees of the elimination tree are solved beside one another.

#ifndef NACRE_STDLIB_SUITESPARSE_TREE_H
#define NACRE_STDLIB_SUITESPARSE_TREE_H

#include "stdlib/suitesparse/direct.h"

enum { TREE_COLUMNS = 8 }; // right-hand sides at a time, or 1

// A subtree that is solved in one piece: supernodes [first, end).
typedef struct Piece {
    int64_t first, end;
} Piece;

// Supernode k has columns [columns[k], columns[k + 1]); its rows, with those of the triangle, are
// rows[first_row[k]] to rows[first_row[k + 1]], and its block is at values + first_value[k], by columns.
typedef struct Tree {
    int64_t n, supernodes, *columns, *first_row, *first_value;
    int32_t *rows, *order; // order[i]: the row of the matrix that is i-th
    const double *values;  // of the factor
    int64_t longest;       // rows below a triangle, at most
    // Pieces need nothing of one another; groups of them, [groups[g], groups[g + 1]), are about as much work each.
    Piece *pieces;
    int64_t *groups, groups_count;
    int64_t *top, top_count; // supernodes above all pieces, roots first
    int32_t *top_place;      // of each column of these among them
    int64_t top_columns;
} Tree;

// For a factor (a cholmod_factor) that is supernodal and real. NULL: no memory.
Tree *tree_make(const void *factor, bool wide);
void tree_drop(Tree *tree);
// x of L L' x = b, where the rows of L are the matrix's in another order; n × columns. false: the call has an error.
bool tree_solve(SparseCall *call, const Tree *tree, double *x, const double *b, int64_t columns);

// One supernode's part of a solution, in y (by rows, 1 or TREE_COLUMNS numbers each). What it takes from rows from `limit` on
// goes to `top`. `room` is for its rows below the triangle.
typedef struct TreeStep {
    const double *block;
    const int32_t *rows, *top_place;
    int64_t height, width, column, limit;
    double *y, *top, *room;
} TreeStep;
typedef void (*TreeStepFn)(const TreeStep *step);

// Loops for this processor.
typedef struct TreeLoops {
    TreeStepFn forward, backward, forward_many, backward_many;
} TreeLoops;
TreeLoops tree_loops(void);

#endif
