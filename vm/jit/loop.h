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
    int waited; // heads passed since its arrays were found on a device, or work of its was done there
    uint64_t launches; // kernels launched on the device, as of the last check (take_little_work)
    int early;         // heads until its code is used, unless the device runs its loops: it was armed before its time
    int number;        // in the order of arming
    uint32_t why_line; // where it was left
    const char *why;   // for what the last time; NULL: never
    uint32_t passed;
    bool retired;
    Away away; // where its arrays stay when code is entered
} Loop;

struct Spec {
    bool waits;            // for code, wherever it is wanted
    bool hurries;          // heads around are armed at the next one that is passed
    uint32_t look_at;      // which of LOOK_EVERY heads
    uint32_t sample, wait; // rounds from one to the next: at first, now
    Loop *loops[LOOPS];    // hash table by the head's address
    int count;
    EnterRoom room;
    SpecStats stats;
};

// --- tell.c ------------------------------------------------------------------------------------
// Why something is left to the interpreter, and where that stands.
typedef struct Reason {
    const char *why;
    Code *code;
    uint32_t pc;
} Reason;
const char *loop_construct(uint8_t op); // an instruction, in the words of the language
Reason loop_reason(const Loop *loop, const Variant *variant, int32_t exit); // an exit was taken
Reason loop_failure(const Loop *loop, const Variant *variant);              // it has got no code
// Asks the backend for code: engine_region, with the program's lines.
void *jit_ask(Vm *vm, const Loop *loop, const Variant *variant);

// --- detours.c ---------------------------------------------------------------------------------
// With a device, whole arrays are its work: a variant that has such work gets no code.
void loop_refuse(const Vm *vm, Variant *variant);
// Before code is entered. ST_NOTIMPL: its arrays are on a device, and better left there for now.
Status loop_take_arrays(Vm *vm, Loop *loop, Variant *variant);
// Where code is asked for, for `strict`: a loop cannot be armed; no variant of it has code for the values
// that there are (NULL: there is none); one was left.
Status loop_unarmed(Vm *vm, const Frame *frame, const Instr *head, const char *why);
Status loop_missed(Vm *vm, const Loop *loop, const Variant *variant);
Status loop_left(Vm *vm, const Loop *loop, const Variant *variant, int32_t exit);

#endif
