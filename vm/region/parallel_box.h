// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Inside of parallel_run.c: where the arrays of a parallel loop lie, and what some of its rounds
// write.

#ifndef NACRE_VM_REGION_PARALLEL_BOX_H
#define NACRE_VM_REGION_PARALLEL_BOX_H

#include "vm/region/parallel_run.h"

// Elements of an array, from `at` on.
typedef struct Box {
    char *at;
    int64_t size, extents[REGION_DIMS], strides[REGION_DIMS]; // of an element; outermost first
} Box;

// No array that is written has elements twice, or in common with another one.
bool arrays_are_apart(const ParallelRun *run);
// No two rounds write into the box of the same write's other rounds.
bool writes_are_apart(const RegionParallel *loop);

// What a write can reach in `count` rounds from `first` on.
Box box_of(const ParallelRun *run, const ParallelWrite *write, int64_t first, int64_t count);
size_t box_bytes(const Box *box);
void box_keep(const Box *box, char *kept);
void box_put_back(const Box *box, char *kept);

// Instructions of a round in the middle of `rounds`.
double round_work(const ParallelRun *run, int64_t rounds);

#endif
