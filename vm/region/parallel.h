// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Finds counted loops with independent iterations, which threads may share (parallel_loops.h). This
// is done before innermost loops get fast copies. Afterwards the loops found are rewritten: a new
// block in front of the loop runs as many iterations as possible in threads, and the original loop
// runs the rest.

#ifndef NACRE_VM_REGION_PARALLEL_H
#define NACRE_VM_REGION_PARALLEL_H

#include "vm/region/parallel_index.h"

// A loop that may run in parallel, and the names of its sums' terms.
typedef struct ParallelPlan {
    RegionParallel loop;
    int32_t names[PARALLEL_LINKS]; // one for each of loop.link_count links
} ParallelPlan;

typedef struct ParallelPlans {
    int count;
    const char *why; // why the outermost loop, in line `line`, cannot run in parallel; NULL: it can
    uint32_t line;
    int32_t gates[REGION_BLOCKS]; // filled by region_make_fast
    ParallelPlan *plans[PARALLEL_LOOPS];
} ParallelPlans;

// Which executors may run iterations besides threads, and what is analysed for them.
typedef struct ParallelUse {
    bool items; // a device's work items: also look for loops within (ParallelWithin)
    bool reads; // ranks: also list what is read
} ParallelUse;

// Finds the outermost loops that may run in parallel; omits loops when out of memory.
void parallel_find(RegionMaker *maker, ParallelUse use, ParallelPlans *out);
// Rewrites the same region after its loops got fast copies.
void parallel_make(RegionMaker *maker, const ParallelPlans *plans);
// Private to parallel_*.c: converts an index to a sum of links (not `known` if there are too many), and
// finds the inner levels of a plan (false: too many).
ParallelSum parallel_sum(ParallelPlan *plan, const DependIndex *form);
bool parallel_levels(ParallelPlan *plan, IndexForms *forms);

void parallel_free(Mem *mem, ParallelPlans *plans);

#endif
