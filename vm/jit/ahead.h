// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Functions compiled ahead of time, from their annotations. The region of one begins where the
// function does, and has all of it; what the region has no words for is an error, with its place.

#ifndef NACRE_VM_JIT_AHEAD_H
#define NACRE_VM_JIT_AHEAD_H

#include "vm/jit/infer.h"
#include "vm/region/ahead.h"

// While a region is made.
typedef struct Ahead {
    AheadFunction *function;
    AheadCode *code;
    bool returned;                     // there is a result already, whose types are the function's
    AheadType declared[AHEAD_RESULTS]; // by the annotation of the result
    int declared_count;                // -1: there is none
    // What stands in the way: where (if `func`, which is borrowed), and why.
    const Func *func;
    uint32_t pc;
    char why[AHEAD_TEXT];
    bool failed;
} Ahead;

// A function with its regions. Places are in `scopes`.
typedef struct AheadMade {
    AheadFunction function;
    Variant *variants[2];
    LoopPlace place;
    AheadPlace scopes[2][SCOPES];
    Ahead ahead;
} AheadMade;

// ahead_types.c. Whether a function has annotations; and what they say, in ahead->function.
bool ahead_is_annotated(const Func *func);
Status ahead_read_types(Vm *vm, const Func *func, Ahead *ahead);

// Makes both regions of a function. ST_OK with made->ahead.failed: it cannot be compiled, `why`
// says it. Otherwise ST_ERROR.
Status ahead_make(Vm *vm, Func *func, AheadMade *made);
void ahead_free(Vm *vm, AheadMade *made);

// Notes what stands in the way, unless something does already.
void ahead_fail(Ahead *ahead, const Func *func, uint32_t pc, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
