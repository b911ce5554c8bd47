// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The JIT's state: the loops that it tracks.

#ifndef NACRE_VM_JIT_LOOP_H
#define NACRE_VM_JIT_LOOP_H

#include "vm/jit/enter.h"
#include "vm/jit/jit.h"

enum { LOOPS = 256, VARIANTS = 4 };

typedef struct Loop {
    LoopPlace place; // owns its code and module
    Instr *head;
    Variant *variants[VARIANTS];
    int variant_count, misses, samples;
    int number;        // index in the order of arming
    uint32_t why_line; // line of the last exit
    const char *why;   // reason of the last exit; NULL: none
    uint32_t passed;
    bool retired;
} Loop;

struct Spec {
    bool waits;            // waits for compilation whenever code is wanted
    uint32_t sample, wait; // iterations between samples: initially, now
    Loop *loops[LOOPS];    // hash table by the head's address
    int count;
    EnterRoom room;
    SpecStats stats;
};

// --- tell.c ------------------------------------------------------------------------------------
// The code object that contains the reason of an exit.
const BcCode *loop_code(const Loop *loop, const Variant *variant, int32_t exit);
// Requests code from the backend (engine_region), passing the program's lines.
void *jit_ask(Vm *vm, const Loop *loop, const Variant *variant);
const char *loop_construct(uint8_t op); // the language construct of an instruction

#endif
