// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Whether two accesses to an array, in a nest of loops, ever touch the same element, and how many
// rounds apart: what may be done at the same time, and in which order the rest has to stay. The
// view is one whose elements all have a place of their own.

#ifndef NACRE_VM_REGION_DEPEND_H
#define NACRE_VM_REGION_DEPEND_H

#include "vm/region/region.h"

enum { DEPEND_LEVELS = 4, DEPEND_TERMS = 3 };

// Something that is the same in all rounds of the nest, by a name: a value's number, say.
typedef struct DependTerm {
    int32_t name;
    int64_t times; // not 0
} DependTerm;

// An index: constant + the terms + steps[l] * the counter of level l, which goes up from 0.
typedef struct DependIndex {
    bool known; // otherwise it can be anything
    int64_t constant;
    int64_t steps[DEPEND_LEVELS];
    DependTerm terms[DEPEND_TERMS]; // by growing name
    int term_count;
} DependIndex;

typedef struct DependAccess {
    int ndim;
    DependIndex index[REGION_DIMS];
} DependAccess;

// Loops, the outermost first.
typedef struct DependNest {
    int levels;
    int64_t rounds[DEPEND_LEVELS]; // of each; -1: that is not known
} DependNest;

typedef enum DependKind {
    DEPEND_NONE,    // never the same element
    DEPEND_SAME,    // in the same round of all loops only
    DEPEND_CARRIED, // always as many rounds apart
    DEPEND_UNKNOWN, // at least one of the distances is not a number, or is not found
} DependKind;

// If the second access, in round j of a loop, touches what the first does in round i, then j - i is
// distance[l] for each level that is exact.
typedef struct Depend {
    DependKind kind;
    bool exact[DEPEND_LEVELS];
    int64_t distance[DEPEND_LEVELS];
} Depend;

Depend region_depend(const DependNest *nest, const DependAccess *a, const DependAccess *b);

// Whether rounds of a level may be done in any order, each round of the levels around it by itself,
// as far as this dependence goes.
bool depend_lets_go(const DependNest *nest, const Depend *depend, int level);

#endif
