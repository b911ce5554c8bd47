// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Bytes that the iterations of a parallel loop touch, relative to an array's first element.

#ifndef NACRE_VM_REGION_PARALLEL_REACH_H
#define NACRE_VM_REGION_PARALLEL_REACH_H

#include "vm/region/parallel_run.h"

// Bytes that iterations touch: low … high - 1 in iteration 0, `step` bytes further in each following one.
typedef struct RoundsReach {
    int64_t low, high, step;
} RoundsReach;

// Returns the bytes of all elements of an array.
RoundsReach reach_of_array(const ParallelRun *run, int array);
// Returns the bytes that an access touches in each of `rounds` iterations, as if all indexes were in range. An unknown
// index covers its whole dimension.
RoundsReach reach_of_access(const ParallelRun *run, int64_t rounds, const ParallelAccess *access);
// Returns whether no iteration can leave except because of float flags, since all checked integers are in range.
bool reach_is_checked(const ParallelRun *run, int64_t rounds);

#endif
