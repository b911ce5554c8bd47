// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Ahead-of-time compilation of annotated functions. A region covers a whole function, so an
// instruction that regions do not support is an error, which is reported with its place.

#ifndef NACRE_VM_JIT_AHEAD_H
#define NACRE_VM_JIT_AHEAD_H

#include "vm/jit/infer.h"
#include "vm/region/ahead.h"

// State while a region is made.
typedef struct Ahead {
    AheadFunction *function;
    AheadCode *code;
    bool returned;                     // a return has been seen, and has set the result types
    AheadType declared[AHEAD_RESULTS]; // types from the result's annotation
    int declared_count;                // -1: no annotation
    // Set by ahead_fail: why the function cannot be compiled, and the first unsupported instruction.
    const Func *func; // borrowed; NULL: no instruction is known
    uint32_t pc;      // UINT32_MAX: the function as a whole
    char why[AHEAD_TEXT];
    bool failed;
} Ahead;

// A function with its regions, and the source locations of their scopes.
typedef struct AheadMade {
    AheadFunction function;
    Variant *variants[2];
    LoopPlace place;
    AheadPlace scopes[2][SCOPES];
    Ahead ahead;
} AheadMade;

// ahead_types.c. The first returns whether a function has annotations, the second parses them into
// ahead->function.
bool ahead_is_annotated(const Func *func);
Status ahead_read_types(Vm *vm, const Func *func, Ahead *ahead);

// Makes a function's regions: for contiguous arrays and, if it takes arrays, for any strides. If it
// cannot be compiled, returns ST_OK with made->ahead.failed set and the reason in made->ahead.why.
// ST_ERROR: an exception is set. The caller frees *made with ahead_free in all cases.
Status ahead_make(Vm *vm, Func *func, AheadMade *made);
void ahead_free(Vm *vm, AheadMade *made);

// Records why the function cannot be compiled. Only the first call counts.
void ahead_fail(Ahead *ahead, const Func *func, uint32_t pc, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
