// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The JIT: hot loops get machine code specialised for the types of their values. The interpreter
// counts iterations, arms the loop that they belong to, and at its head asks whether code is ready.

#ifndef NACRE_VM_JIT_JIT_H
#define NACRE_VM_JIT_JIT_H

#include "vm/interp/interp.h"

typedef struct Spec Spec;

// Creates vm->interp->spec. False: out of memory; nothing is compiled then. `fixed`: compiled code is entered after a
// fixed number of iterations, waiting for the compiler if need be, and not as soon as it is ready.
bool jit_start(Vm *vm, bool waits, bool fixed);
void jit_stop(Vm *vm); // harmless when not started
void jit_visit(const Spec *spec, Visitor *visitor);

// Called at a loop's head (FOR or LOOP) after a number of iterations: may arm that loop, or one
// around it. ST_ERROR: none can be armed, which `strict` makes an error.
Status jit_sample(Vm *vm, const Instr *head);

// Called at the head of an armed loop: runs its code if there is some for the current types. ST_OK:
// continue at the running frame's pc. ST_NOTIMPL: execute the head's plain instruction. Otherwise
// ST_ERROR.
Status jit_enter(Vm *vm, const Instr *head);

typedef struct SpecStats {
    uint64_t compiled;      // variants that have been compiled
    uint64_t entered, left; // their entries; exits because of something that the types do not cover
    uint64_t rounds;        // iterations run in machine code
    uint64_t parallel;      // of these, iterations of loops shared by threads
    uint64_t items;         // of these, iterations that were work items of a device
    uint64_t parts;         // of these, this rank's iterations of loops that ranks shared
} SpecStats;
SpecStats jit_stats(const Vm *vm);

// Figures of one loop, as in NacreLoop.
typedef struct SpecLoop {
    const char *file, *why;
    uint32_t line, why_line, variants, compiled;
    uint64_t entered, left, rounds;
    uint64_t parallel; // iterations shared by threads, of the loop in line parallel_line
    uint32_t parallel_line, threads;
    uint64_t items; // iterations that were work items of a device, of the loop in line items_line
    uint32_t items_line;
    uint64_t parts; // this rank's iterations of loops that ranks shared, of the loop in line parts_line
    uint32_t parts_line;
    const char *serial; // why the loop in line serial_line does not run in parallel; NULL: it does
    uint32_t serial_line;
} SpecLoop;
bool jit_loop(const Vm *vm, int index,
               SpecLoop *out); // in the order of arming; false: no such loop
// Appends the generated source of a loop for one set of types, with the program's lines as comments.
// False: there is none.
bool jit_source(const Vm *vm, int index, int variant, Buf *out);

#endif
