// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Ranges of an innermost loop's integers, computed in front of the loop from its iteration count.
// If a bound does not fit into 64 bits, the accumulated condition is false and the bounds are
// meaningless.

#ifndef NACRE_VM_REGION_RANGE_H
#define NACRE_VM_REGION_RANGE_H

#include "vm/region/loops.h"

typedef enum ValueKind {
    VALUE_UNSEEN,
    VALUE_BUSY,    // being analysed (a cycle)
    VALUE_UNKNOWN, // can be anything
    VALUE_BOUNDED, // between two known values
    VALUE_AFFINE,  // affine: grows by the same amount each iteration
    VALUE_FIXED,   // loop-invariant
} ValueKind;

// The iteration at which an affine value is evaluated.
typedef enum Moment {
    AT_FIRST, // first iteration of the loop
    AT_LAST,
    AT_CHUNK, // first iteration of a chunk
    AT_NEXT,  // first iteration of the next chunk
    MOMENTS,
} Moment;

typedef struct LoopValue {
    int32_t origin; // the value that this one is a copy of
    int32_t at[MOMENTS], low, high;
    int32_t offset; // of an RG_INDEX: value to add to its operand, the extent if it counts from the end
    uint8_t kind;
    bool by_type; // only bounded by the range of its type
} LoopValue;

// Values of all types but uint64 are widened to int64 in front of the loop.
typedef struct LoopRanges {
    RegionMaker *maker;
    const FlowLoop *loop;
    int32_t count; // number of the region's values when this was opened
    LoopValue *values;
    int32_t *block_of; // block that defines each value
    int32_t depth;
    int32_t gate, chunk; // the head's first parameter before the loop, and before a chunk
    int32_t rounds_less; // iteration count minus one; set before AT_LAST is used
    int32_t condition;   // conjunction of all conditions wanted so far; NO_VALUE: none
    bool closed;         // no further conditions may be added
} LoopRanges;

bool ranges_open(RegionMaker *maker, const FlowLoop *loop, LoopRanges *out); // false: out of memory
void ranges_close(LoopRanges *s);

// --- Analysis, before instructions are emitted -------------------------------------------------
int32_t ranges_origin(LoopRanges *s, int32_t value);
ValueKind ranges_kind(LoopRanges *s, int32_t value);
static inline bool ranges_knows(LoopRanges *s, int32_t value) {
    return ranges_kind(s, value) >= VALUE_BOUNDED;
}
// Returns whether a value's bounds are too loose to rely on: they are its type's or an operand's
// type's, or several paths merge in it.
bool ranges_loose(LoopRanges *s, int32_t value);
// Returns the constant step of an affine value; 0: unknown.
int64_t ranges_step(LoopRanges *s, int32_t value);
bool ranges_number(LoopRanges *s, int32_t value, int64_t *number); // returns whether it is a constant
// Returns the position of a value among the head's parameters; -1: not one of these.
int32_t ranges_param(LoopRanges *s, int32_t value);

// --- Emission ----------------------------------------------------------------------------------
void ranges_want(LoopRanges *s, int32_t condition);
void ranges_want_order(LoopRanges *s, int32_t a, int32_t b);  // adds the condition a <= b
int32_t ranges_at(LoopRanges *s, int32_t value, Moment when); // of an invariant or affine value
int32_t ranges_low(LoopRanges *s, int32_t value);             // of a bounded value
int32_t ranges_high(LoopRanges *s, int32_t value);
// Adds the condition that an RG_INDEX is in range. Returns what must be added to its operand, which
// must be bounded.
int32_t ranges_index(LoopRanges *s, int32_t index);

#endif
