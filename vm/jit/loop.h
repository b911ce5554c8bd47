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
    int waited; // times that its head was passed since its arrays were found on a device, or the device ran its work
    uint64_t launches; // kernels launched on the device, as of the last check (take_little_work)
    int early;         // > 0: was armed early; its head has to be passed this often before its code is used on the host
    int number;        // in the order of arming
    uint32_t why_line; // line of its last exit
    const char *why;   // reason of its last exit; NULL: none
    uint32_t passed;
    bool retired;
    Away away; // where its arrays stay when code is entered
} Loop;

struct Spec {
    bool waits;            // the program waits for the compiler whenever it asks for code
    bool hurries;          // at the next loop head that is passed, all enclosing loops are armed
    uint32_t look_at;      // at which of LOOK_EVERY passes of the head to ask whether code is ready
    uint32_t sample, wait; // iterations between two samples: at first, now
    Loop *loops[LOOPS];    // hash table by the head's address
    int count;
    EnterRoom room;
    SpecStats stats;
};

// --- tell.c ------------------------------------------------------------------------------------
// Why the interpreter executes a loop, and the instruction that causes it.
typedef struct Reason {
    const char *why;
    Code *code;
    uint32_t pc;
} Reason;
const char *loop_construct(uint8_t op); // names an instruction's construct in the language
Reason loop_reason(const Loop *loop, const Variant *variant, int32_t exit); // why an exit was taken
Reason loop_failure(const Loop *loop, const Variant *variant);              // why a variant has no code
// Asks the backend for code: engine_region, with the program's lines.
void *jit_ask(Vm *vm, const Loop *loop, const Variant *variant);

// --- detours.c ---------------------------------------------------------------------------------
// Refuses code to a variant that works on whole arrays, if a device does such work at any size, or operations must not
// be fused. Sets variant->refused.
void loop_refuse(const Vm *vm, Variant *variant);
// Decides, before code is entered, where the variant's arrays stay (loop->away). ST_NOTIMPL: the interpreter executes
// the head, since for now the arrays are better left on the device or distributed.
Status loop_take_arrays(Vm *vm, Loop *loop, Variant *variant);
// Report to the `strict` mode, if the program waits for code. loop_unarmed: a loop cannot be armed. loop_missed: no
// variant has code for the current values (`variant`: the one without code, or NULL). loop_left: a variant was left.
Status loop_unarmed(Vm *vm, const Frame *frame, const Instr *head, const char *why);
Status loop_missed(Vm *vm, const Loop *loop, const Variant *variant);
Status loop_left(Vm *vm, const Loop *loop, const Variant *variant, int32_t exit);

#endif
