// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Solves with a real supernodal Cholesky factor. CHOLMOD's own loops call BLAS for every supernode and each right-hand
// side; these do not. Subtrees of the elimination tree are solved in parallel.

#ifndef NACRE_STDLIB_SUITESPARSE_TREE_H
#define NACRE_STDLIB_SUITESPARSE_TREE_H

#include "stdlib/suitesparse/direct.h"

enum { TREE_COLUMNS = 8 }; // right-hand sides at a time, when there are several

// A subtree that one thread solves: supernodes [first, end).
typedef struct Piece {
    int64_t first, end;
} Piece;

// Supernode k has the columns [columns[k], columns[k + 1]). Its rows, including those of the triangle, are
// rows[first_row[k]] to rows[first_row[k + 1] - 1]. Its block is at values + first_value[k], column-major.
typedef struct Tree {
    int64_t n, supernodes, *columns, *first_row, *first_value;
    int32_t *rows, *order; // order[i]: the row of the matrix that is i-th
    const double *values;  // borrowed from the factor
    int64_t longest;       // most rows below a triangle
    // Pieces are independent of each other. Group g is the pieces [groups[g], groups[g + 1]); groups are about equal in
    // work.
    Piece *pieces;
    int64_t *groups, groups_count;
    int64_t *top, top_count; // supernodes above all pieces, roots first
    int32_t *top_place;      // position of each column of the top among the top's columns
    int64_t top_columns;
} Tree;

// Makes the tree of a real supernodal cholmod_factor, whose values it borrows. NULL: no memory.
Tree *tree_make(const void *factor, bool wide);
void tree_drop(Tree *tree);
// Solves L L' x = b for n × columns right-hand sides, column-major; `order` is the permutation between the rows of the
// matrix and those of L. False: the call's error is set.
bool tree_solve(SparseCall *call, const Tree *tree, double *x, const double *b, int64_t columns);

// One supernode's step of a solution in y, which has 1 or TREE_COLUMNS numbers per row. What the step subtracts from
// rows >= `limit` goes to `top` instead. `room` is workspace for the rows below the triangle.
typedef struct TreeStep {
    const double *block;
    const int32_t *rows, *top_place;
    int64_t height, width, column, limit;
    double *y, *top, *room;
} TreeStep;
typedef void (*TreeStepFn)(const TreeStep *step);

// Returns the fastest loops that this processor supports.
typedef struct TreeLoops {
    TreeStepFn forward, backward, forward_many, backward_many;
} TreeLoops;
TreeLoops tree_loops(void);

#endif
