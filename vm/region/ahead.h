// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// A function that is compiled ahead of time: what its caller hands over, what it gives back, and
// its regions. Nobody goes on where a region is left, so every exit is a result or an exception.

#ifndef NACRE_VM_REGION_AHEAD_H
#define NACRE_VM_REGION_AHEAD_H

#include "vm/region/region.h"

typedef enum AheadKind {
    AHEAD_NONE,
    AHEAD_BOOL, // Python's numbers,
    AHEAD_INT,
    AHEAD_FLOAT,
    AHEAD_SCALAR, // and one of NumPy's
    AHEAD_ARRAY,
} AheadKind;

enum { AHEAD_PARAMS = 24, AHEAD_SIZES = 32, AHEAD_RESULTS = 8, AHEAD_RAISED = 32 };
enum { AHEAD_NAME = 64, AHEAD_TEXT = 256 };

// `sizes`: of the function's, one for each dimension; of results none.
typedef struct AheadType {
    uint8_t kind, dtype, ndim, sizes[REGION_DIMS];
} AheadType;

// A size that annotations name, or a number.
typedef struct AheadSize {
    char name[AHEAD_NAME]; // empty: it is `number`
    int64_t number;
    int param, dim; // where it is found first
} AheadSize;

typedef struct AheadParam {
    char name[AHEAD_NAME];
    AheadType type;
    bool used, written;
    int32_t slot[2]; // in the regions
} AheadParam;

// An exception that the program raises itself.
typedef struct AheadRaise {
    char cls[AHEAD_NAME], text[AHEAD_TEXT];
} AheadRaise;

// Where a scope's lines are.
typedef struct AheadPlace {
    const char *file, *function; // borrowed
} AheadPlace;

// One of the regions: for arrays whose elements in the last dimension lie side by side, and for any.
typedef struct AheadCode {
    const Region *region; // NULL: the other one does
    const AheadPlace *places;
    AheadRaise raised[AHEAD_RAISED];
    int raised_count;
} AheadCode;

typedef struct AheadFunction {
    char name[AHEAD_NAME];
    const char *signature; // as it is written, for people; borrowed
    AheadParam params[AHEAD_PARAMS];
    AheadSize sizes[AHEAD_SIZES];
    AheadType results[AHEAD_RESULTS];
    int param_count, size_count, result_count;
    bool tuple;  // the results are one
    bool arrays; // there are any among the parameters
    AheadCode code[2];
} AheadFunction;

#endif
