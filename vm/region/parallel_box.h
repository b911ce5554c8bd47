// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Aliasing of a parallel loop's arrays, and the elements that a range of iterations writes.

#ifndef NACRE_VM_REGION_PARALLEL_BOX_H
#define NACRE_VM_REGION_PARALLEL_BOX_H

#include "vm/region/parallel_run.h"

// A strided box of elements, starting at `at`.
typedef struct Box {
    char *at;
    int64_t size, extents[REGION_DIMS], strides[REGION_DIMS]; // size of an element; outermost
                                                              // dimension first
} Box;

// Tests that no written array aliases itself or another array.
bool arrays_are_apart(const ParallelRun *run);
// Tests that no two elements of an array overlap.
bool elements_are_apart(const ParallelRun *run, int array);
// Tests that no iteration writes into the box of the same write in another iteration.
bool writes_are_apart(const RegionParallel *loop);

// Bounds the elements that a write can touch in `count` iterations from `first` on.
Box box_of(const ParallelRun *run, const ParallelAccess *write, int64_t first, int64_t count);
size_t box_bytes(const Box *box);
void box_keep(const Box *box, char *kept);
void box_put_back(const Box *box, char *kept);

// Returns a sum's value in an iteration, clamped to int64.
int64_t box_sum(const ParallelRun *run, const ParallelSum *sum, int64_t round);

// Estimates the instructions of an iteration in the middle of `rounds`.
double round_work(const ParallelRun *run, int64_t rounds);

#endif
