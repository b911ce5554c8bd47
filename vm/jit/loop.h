// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The specialiser's own state: the loops that it looks after.

#ifndef NACRE_VM_JIT_LOOP_H
#define NACRE_VM_JIT_LOOP_H

#include "vm/jit/enter.h"
#include "vm/jit/jit.h"

enum { LOOPS = 256, VARIANTS = 4 };

typedef struct Loop {
    LoopPlace place; // code and module are owned
    Instr *head;
    Variant *variants[VARIANTS];
    int variant_count, misses, samples;
    int number;        // in the order of arming
    uint32_t why_line; // where it was left
    const char *why;   // for what the last time; NULL: never
    uint32_t passed;
    bool retired;
} Loop;

struct Spec {
    bool waits;            // for code, wherever it is wanted
    uint32_t sample, wait; // rounds from one to the next: at first, now
    Loop *loops[LOOPS];    // by the head's address
    int count;
    EnterRoom room;
    SpecStats stats;
};

// --- tell.c ------------------------------------------------------------------------------------
// The code that the reason of an exit is in.
const BcCode *loop_code(const Loop *loop, const Variant *variant, int32_t exit);
// Asks the backend for code: engine_region, with the program's lines.
void *jit_ask(Vm *vm, const Loop *loop, const Variant *variant);
const char *loop_construct(uint8_t op); // an instruction, in the words of the language

#endif
