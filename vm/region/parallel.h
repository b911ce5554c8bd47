// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Counted loops whose rounds do not depend on each other, so that threads may share them
// (vm/region/parallel_loops.h). Found in a region before it gets fast copies of its innermost
// loops, and made when it has them: in front of the loop a block asks for as many rounds in threads
// as can be had; the loop as it was makes the others.

#ifndef NACRE_VM_REGION_PARALLEL_H
#define NACRE_VM_REGION_PARALLEL_H

#include "vm/region/parallel_index.h"

// A loop that may run in parallel, and what its sums are of.
typedef struct ParallelPlan {
    RegionParallel loop;
    int32_t names[PARALLEL_LINKS]; // of loop.link_count links
} ParallelPlan;

typedef struct ParallelPlans {
    int count;
    const char *why; // the outermost loop, in line `line`, is not among them; NULL: it is
    uint32_t line;
    int32_t gates[REGION_BLOCKS]; // what region_make_fast tells
    ParallelPlan *plans[PARALLEL_LOOPS];
} ParallelPlans;

// The outermost loops that may; none unless there are `threads`. What there is no memory for is left
// out.
void parallel_find(RegionMaker *maker, bool threads, ParallelPlans *out);
// Of the same region with fast copies of its loops.
void parallel_make(RegionMaker *maker, const ParallelPlans *plans);
// Inside of parallel_find.c and parallel_work.c: what of a sum the rounds of the loop itself make; the
// levels of a plan. False: there are too many.
ParallelSum parallel_sum(ParallelPlan *plan, const DependIndex *form);
bool parallel_levels(ParallelPlan *plan, IndexForms *forms);

void parallel_free(Mem *mem, ParallelPlans *plans);

#endif
