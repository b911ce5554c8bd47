// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Private to kind.c and range.c of this folder.

#ifndef NACRE_VM_REGION_KIND_H
#define NACRE_VM_REGION_KIND_H

#include "vm/region/range.h"

bool is_small_int(DType type);  // narrower than 64 bits, or bool
bool is_range_type(DType type); // an integer type whose values fit into int64

// Iterates over the values that the edges within the loop pass to a parameter; start from zeros.
typedef struct Incoming {
    int32_t block, edge;
    int32_t value;
} Incoming;
bool next_incoming(const LoopRanges *s, int32_t param, Incoming *at);

bool is_head_param(const LoopRanges *s, int32_t value);

// An induction variable: a head parameter that grows or shrinks by the invariant `step`.
typedef struct Induction {
    int32_t step;
    bool minus;
} Induction;
bool find_induction(LoopRanges *s, int32_t param, Induction *out);

// Tests whether a value is the parameter with known values (ranges_knows) added or subtracted.
// `budget` limits the instructions visited.
bool is_gathered(LoopRanges *s, int32_t value, int32_t param, int *budget);
// Tests whether each iteration adds a known value to the parameter, or subtracts one.
bool is_gathering(LoopRanges *s, int32_t param);

#endif
