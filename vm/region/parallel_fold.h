// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What the rounds of a loop only add to, multiply, or keep the least or the greatest of: parts of the
// loop may do so by themselves, and what comes of that is put together in the order of the parts.

#ifndef NACRE_VM_REGION_PARALLEL_FOLD_H
#define NACRE_VM_REGION_PARALLEL_FOLD_H

#include "vm/region/parallel_index.h"

// A parameter of the loop's head. `op` receives ADD, MULTIPLY, MINIMUM or MAXIMUM, `exact` whether any
// order gives the same to the last bit, and nobody hears of one on the way. `marks` has a byte for
// each value.
bool fold_of_param(const Region *region, const FlowLoop *loop, int32_t param, uint8_t *marks,
                   OpId *op, bool *exact);

// An array of which the loop does nothing but that, element by element; in any order.
bool fold_of_array(IndexForms *forms, int array, OpId *op);

// Of parts: what each begins with (`first`: the number that is there before), and two together. False:
// it does not fit the type, or has float conditions.
RegionSlot fold_begin(OpId op, DType type, RegionSlot first);
bool fold_together(OpId op, DType type, RegionSlot *to, RegionSlot part);

#endif
