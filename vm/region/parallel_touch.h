// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Private to parallel_find.c: lists the accesses and checks of a parallel loop, for the code that saves what iterations
// write and that distributes iterations.

#ifndef NACRE_VM_REGION_PARALLEL_TOUCH_H
#define NACRE_VM_REGION_PARALLEL_TOUCH_H

#include "vm/region/parallel.h"
#include "vm/region/parallel_access.h"

// Lists the accesses that write, except those of folded arrays. False: there are too many.
bool touch_writes(ParallelPlan *plan, const Access *accesses, int count);
// Lists the accesses that read, and the checks of an iteration. IndexForms.roughly must not be set yet.
void touch_reads(ParallelPlan *plan, IndexForms *forms, const Access *accesses, int count);
// Finds the level that each inner counter of the lists belongs to, once levels are known.
void touch_inner(ParallelPlan *plan, const IndexForms *forms);
// Finds whether a variable that iterations set may be a view, whose address means nothing to other processes. `marks`
// has a byte for each value.
void touch_views(ParallelPlan *plan, const Region *region, const FlowLoop *loop, uint8_t *marks);

#endif
