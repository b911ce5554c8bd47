// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Dependence analysis: can two array accesses in a loop nest touch the same element, and at what
// distance? The answer decides which iterations may run in parallel or be reordered. The view must
// not alias itself: each element has its own address.

#ifndef NACRE_VM_REGION_DEPEND_H
#define NACRE_VM_REGION_DEPEND_H

#include "vm/region/region.h"

enum { DEPEND_LEVELS = 4, DEPEND_TERMS = 3 };

// A loop-invariant value, identified by a name such as its value number.
typedef struct DependTerm {
    int32_t name;
    int64_t times; // coefficient, not 0
} DependTerm;

// An affine index: constant + terms + sum of steps[l] * the counter of level l, counted from 0.
typedef struct DependIndex {
    bool known; // false: the index can be anything
    int64_t constant;
    int64_t steps[DEPEND_LEVELS];
    DependTerm terms[DEPEND_TERMS]; // sorted by name
    int term_count;
} DependIndex;

typedef struct DependAccess {
    int ndim;
    DependIndex index[REGION_DIMS];
} DependAccess;

// A loop nest, outermost loop first.
typedef struct DependNest {
    int levels;
    int64_t rounds[DEPEND_LEVELS]; // iteration count of each; -1: unknown
} DependNest;

typedef enum DependKind {
    DEPEND_NONE,    // never touch the same element
    DEPEND_SAME,    // only in the same iteration of all loops
    DEPEND_CARRIED, // always at the same distance
    DEPEND_UNKNOWN, // at least one distance varies, or was not found
} DependKind;

// If the first access in iteration i and the second in iteration j of a loop touch the same
// element, then j - i is distance[l] for each level that is exact.
typedef struct Depend {
    DependKind kind;
    bool exact[DEPEND_LEVELS];
    int64_t distance[DEPEND_LEVELS];
} Depend;

Depend region_depend(const DependNest *nest, const DependAccess *a, const DependAccess *b);

// Returns whether this dependence lets iterations of a level run in any order, within one iteration
// of the enclosing levels.
bool depend_lets_go(const DependNest *nest, const Depend *depend, int level);

#endif
