// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The specialiser: loops of a program that take long get machine code for the types their values
// have. The interpreter counts rounds, arms the loop that they belong to, and asks at its head
// whether there is code by now.

#ifndef NACRE_VM_JIT_JIT_H
#define NACRE_VM_JIT_JIT_H

#include "vm/interp/interp.h"

typedef struct Spec Spec;

// Makes vm->interp->spec. False: no memory. Without it nothing is specialised. `fixed`: code is entered after so many
// rounds, waited for if need be, and not when it happens to be there.
bool jit_start(Vm *vm, bool waits, bool fixed);
void jit_stop(Vm *vm); // harmless when not started
void jit_visit(const Spec *spec, Visitor *visitor);

// The running frame is at the head of a loop, FOR or LOOP, once more: it, or one around it, may be
// armed. ST_ERROR: with `strict`, it cannot be.
Status jit_sample(Vm *vm, const Instr *head);

// At the head of an armed loop. ST_OK: the running frame's pc is where to go on. ST_NOTIMPL: with
// the plain instruction at the head. Otherwise ST_ERROR.
Status jit_enter(Vm *vm, const Instr *head);

typedef struct SpecStats {
    uint64_t compiled;      // variants that have got code
    uint64_t entered, left; // of these; left for something that the types do not cover
    uint64_t rounds;        // of loops, in machine code
    uint64_t parallel;      // of these, of loops whose rounds were shared by threads
} SpecStats;
SpecStats jit_stats(const Vm *vm);

// As NacreLoop.
typedef struct SpecLoop {
    const char *file, *why;
    uint32_t line, why_line, variants, compiled;
    uint64_t entered, left, rounds;
    uint64_t parallel; // rounds of the loop in line parallel_line, shared by so many threads
    uint32_t parallel_line, threads;
    const char *serial; // why none are, of the loop in line
    uint32_t serial_line;
} SpecLoop;
bool jit_loop(const Vm *vm, int index,
               SpecLoop *out); // in the order of arming; false: there is none
// Source text of a loop's code for one set of types, with the program's lines as comments. False:
// there is none.
bool jit_source(const Vm *vm, int index, int variant, Buf *out);

#endif
