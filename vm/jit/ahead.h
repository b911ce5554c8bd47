// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Ahead-of-time compilation of annotated functions. One region covers the whole function. An
// instruction that regions do not support is an error, reported with its place.

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
    // The first obstacle: its place (if `func`, borrowed) and reason.
    const Func *func;
    uint32_t pc;
    char why[AHEAD_TEXT];
    bool failed;
} Ahead;

// A function with its regions. `scopes` has source locations.
typedef struct AheadMade {
    AheadFunction function;
    Variant *variants[2];
    LoopPlace place;
    AheadPlace scopes[2][SCOPES];
    Ahead ahead;
} AheadMade;

// ahead_types.c. Tests for annotations, and parses them into ahead->function.
bool ahead_is_annotated(const Func *func);
Status ahead_read_types(Vm *vm, const Func *func, Ahead *ahead);

// Makes both regions of a function. If it cannot be compiled, returns ST_OK with made->ahead.failed
// and the reason in `why`. Otherwise ST_ERROR.
Status ahead_make(Vm *vm, Func *func, AheadMade *made);
void ahead_free(Vm *vm, AheadMade *made);

// Records the first obstacle; later ones are ignored.
void ahead_fail(Ahead *ahead, const Func *func, uint32_t pc, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
