// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Private to parallel_find.c: finds an inner loop whose iterations can be shared out together with those of the
// parallel loop around it.

#ifndef NACRE_VM_REGION_PARALLEL_WITHIN_H
#define NACRE_VM_REGION_PARALLEL_WITHIN_H

#include "vm/region/loops.h"

// Returns the inner loop if the blocks around it have no effects and load from no array of `written` (bits); NULL:
// there is none. Does not test whether the inner loop's iterations are independent.
const FlowLoop *within_find(const Region *region, const Flow *flow, const FlowLoop *loop, uint32_t written);
// Copies the analysis of the inner loop to the outer loop's description, if work items can represent it.
void within_keep(const RegionParallel *inner, const FlowLoop *loop, RegionParallel *outer);

#endif
