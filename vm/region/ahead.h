// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// A function compiled ahead of time (AOT): its parameters, its results and its regions. There is no
// interpreter to return to, so every exit of a region is either a result or an exception.

#ifndef NACRE_VM_REGION_AHEAD_H
#define NACRE_VM_REGION_AHEAD_H

#include "vm/region/region.h"

typedef enum AheadKind {
    AHEAD_NONE,
    AHEAD_BOOL, // Python's bool, int and float
    AHEAD_INT,
    AHEAD_FLOAT,
    AHEAD_SCALAR, // a NumPy scalar
    AHEAD_ARRAY,
} AheadKind;

enum { AHEAD_PARAMS = 24, AHEAD_SIZES = 32, AHEAD_RESULTS = 8, AHEAD_RAISED = 32 };
enum { AHEAD_NAME = 64, AHEAD_TEXT = 256 };

// `sizes` holds one entry per dimension, for parameters only; results leave it unused.
typedef struct AheadType {
    uint8_t kind, dtype, ndim, sizes[REGION_DIMS];
} AheadType;

// An extent in an annotation: a named size, or a number.
typedef struct AheadSize {
    char name[AHEAD_NAME]; // empty: the size is `number`
    int64_t number;
    int param, dim; // first parameter and dimension that define the name
} AheadSize;

typedef struct AheadParam {
    char name[AHEAD_NAME];
    AheadType type;
    bool used, written;
    int32_t slot[2]; // its first slot in each of the two regions; NO_VALUE: none
} AheadParam;

// An exception that the program itself raises.
typedef struct AheadRaise {
    char cls[AHEAD_NAME], text[AHEAD_TEXT];
} AheadRaise;

// Source location of a scope.
typedef struct AheadPlace {
    const char *file, *function; // borrowed
} AheadPlace;

// One of a function's two compiled variants: the first requires arrays whose last dimension is contiguous,
// the second accepts any strides.
typedef struct AheadCode {
    const Region *region; // NULL: the other variant covers this case
    const AheadPlace *places;
    AheadRaise raised[AHEAD_RAISED];
    int raised_count;
} AheadCode;

typedef struct AheadFunction {
    char name[AHEAD_NAME];
    const char *signature; // source text of the signature, for messages; borrowed
    AheadParam params[AHEAD_PARAMS];
    AheadSize sizes[AHEAD_SIZES];
    AheadType results[AHEAD_RESULTS];
    int param_count, size_count, result_count;
    bool tuple;  // the function returns a tuple
    bool arrays; // at least one parameter is an array
    AheadCode code[2];
} AheadFunction;

#endif
