// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Bytes that the iterations of a parallel loop touch, relative to an array's first element.

#ifndef NACRE_VM_REGION_PARALLEL_REACH_H
#define NACRE_VM_REGION_PARALLEL_REACH_H

#include "vm/region/parallel_run.h"

// Iteration 0 touches the bytes low … high; each one is `step` further.
typedef struct RoundsReach {
    int64_t low, high, step;
} RoundsReach;

// All elements of an array.
RoundsReach reach_of_array(const ParallelRun *run, int array);
// Range of elements that an access touches in `rounds` iterations, as if all indexes were in range. Unknown indexes may
// be anything.
RoundsReach reach_of_access(const ParallelRun *run, int64_t rounds, const ParallelAccess *access);
// Returns whether it is proved that no iteration leaves except for float flags: all integers are in range.
bool reach_is_checked(const ParallelRun *run, int64_t rounds);

#endif
