// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Private to parallel_find.c: the loop within a parallel one whose iterations can be shared out together with its own.

#ifndef NACRE_VM_REGION_PARALLEL_WITHIN_H
#define NACRE_VM_REGION_PARALLEL_WITHIN_H

#include "vm/region/loops.h"

// The loop inside whose surroundings have no effects but on arrays that are not among `written`; NULL: there is none.
// Whether its iterations are independent is not looked at.
const FlowLoop *within_find(const Region *region, const Flow *flow, const FlowLoop *loop, uint32_t written);
// Copies the analysis of the inner loop to the outer loop's description, if work items can represent it.
void within_keep(const RegionParallel *inner, const FlowLoop *loop, RegionParallel *outer);

#endif
