// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Inside of region_kind.c and region_range.c.

#ifndef NACRE_VM_REGION_KIND_H
#define NACRE_VM_REGION_KIND_H

#include "vm/region/range.h"

bool is_small_int(DType type);  // narrower than 64 bits, or bool
bool is_range_type(DType type); // one that int64 has room for

// What the edges within the loop bring to a parameter, one after the other; begin with zeros.
typedef struct Incoming {
    int32_t block, edge;
    int32_t value;
} Incoming;
bool next_incoming(const LoopRanges *s, int32_t param, Incoming *at);

bool is_head_param(const LoopRanges *s, int32_t value);

// A parameter of the head that grows by `step`, which is fixed, or shrinks.
typedef struct Induction {
    int32_t step;
    bool minus;
} Induction;
bool find_induction(LoopRanges *s, int32_t param, Induction *out);

// Whether a value is a parameter and things that are known, some added and some subtracted; after
// so many instructions it is not any more.
bool is_gathered(LoopRanges *s, int32_t value, int32_t param, int *budget);
// Whether each round adds something known to a parameter, or subtracts it.
bool is_gathering(LoopRanges *s, int32_t param);

#endif
