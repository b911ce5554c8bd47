// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What integers of an innermost loop can be, before it begins: as numbers that instructions in
// front of it compute from how many rounds it will make. Where one of them would not fit into 64
// bits, a condition that is gathered with them does not hold, and no number means anything.

#ifndef NACRE_VM_REGION_RANGE_H
#define NACRE_VM_REGION_RANGE_H

#include "vm/region/loops.h"

typedef enum ValueKind {
    VALUE_UNSEEN,
    VALUE_BUSY,    // is being looked at
    VALUE_UNKNOWN, // can be anything
    VALUE_BOUNDED, // lies between two numbers
    VALUE_AFFINE,  // is one thing more in each round than in the one before
    VALUE_FIXED,   // is the same in all rounds
} ValueKind;

// When an affine value is asked for.
typedef enum Moment {
    AT_FIRST, // round of the loop
    AT_LAST,
    AT_CHUNK, // the first round of a chunk
    AT_NEXT,  // the one behind it
    MOMENTS,
} Moment;

typedef struct LoopValue {
    int32_t origin; // the value that this one is by another name
    int32_t at[MOMENTS], low, high;
    int32_t offset; // of an index: what makes it count from the begin
    uint8_t kind;
    bool by_type; // bounded by what its type has room for, nothing else is known
} LoopValue;

// All numbers of types but uint64 are int64 in front of the loop.
typedef struct LoopRanges {
    RegionMaker *maker;
    const FlowLoop *loop;
    int32_t count; // values of the region when this was opened
    LoopValue *values;
    int32_t *block_of; // of each value
    int32_t depth;
    int32_t gate, chunk; // what the head's first parameter is in front of the loop, of a chunk
    int32_t rounds_less; // how often the loop goes round, less one: before AT_LAST is asked for
    int32_t condition;   // all that has been asked for holds; NO_VALUE: nothing has been
    bool closed;         // nothing more may be asked for
} LoopRanges;

bool ranges_open(RegionMaker *maker, const FlowLoop *loop, LoopRanges *out); // false: no memory
void ranges_close(LoopRanges *s);

// --- Before anything is made -------------------------------------------------------------------
int32_t ranges_origin(LoopRanges *s, int32_t value);
ValueKind ranges_kind(LoopRanges *s, int32_t value);
static inline bool ranges_knows(LoopRanges *s, int32_t value) {
    return ranges_kind(s, value) >= VALUE_BOUNDED;
}
// Nothing better is known of a value, or what it is computed from, than what its type has room for.
bool ranges_loose(LoopRanges *s, int32_t value);
// By how much an affine value grows each round, if that is a number; 0: it is not known.
int64_t ranges_step(LoopRanges *s, int32_t value);
bool ranges_number(LoopRanges *s, int32_t value, int64_t *number); // it is one
// The parameter of the head, by its place among them; -1: none.
int32_t ranges_param(LoopRanges *s, int32_t value);

// --- What makes instructions -------------------------------------------------------------------
void ranges_want(LoopRanges *s, int32_t condition);
void ranges_want_order(LoopRanges *s, int32_t a, int32_t b);  // a <= b
int32_t ranges_at(LoopRanges *s, int32_t value, Moment when); // of what is fixed or affine
int32_t ranges_low(LoopRanges *s, int32_t value);             // of what is known
int32_t ranges_high(LoopRanges *s, int32_t value);
// Of an RG_INDEX whose operand is known: what has to be added to it. It is in range from now on.
int32_t ranges_index(LoopRanges *s, int32_t index);

#endif
