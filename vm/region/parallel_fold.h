// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Folds: variables and arrays that iterations only add to, multiply, or take the minimum or maximum
// with. Parts of the loop fold separately; the partial results are combined in the order of the
// parts.

#ifndef NACRE_VM_REGION_PARALLEL_FOLD_H
#define NACRE_VM_REGION_PARALLEL_FOLD_H

#include "vm/region/parallel_index.h"

// Recognises a fold in a parameter of the loop's head. `op` receives ADD, MULTIPLY, MINIMUM or
// MAXIMUM. `exact`: any order gives the same bits, and no intermediate overflow matters.
// `marks` has a byte for each value.
bool fold_of_param(const Region *region, const FlowLoop *loop, int32_t param, uint8_t *marks,
                   OpId *op, bool *exact);

// Recognises an array that the loop only folds into, element by element, in any order.
bool fold_of_array(IndexForms *forms, int array, OpId *op);

// Partial results. fold_begin returns the value that a part starts from (`first`: the value before the
// loop). fold_together combines another part's result into *to; false: overflow, or a float flag.
RegionSlot fold_begin(OpId op, DType type, RegionSlot first);
bool fold_together(OpId op, DType type, RegionSlot *to, RegionSlot part);

#endif
