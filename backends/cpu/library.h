// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Library ops: those that are not loops over elements.

#ifndef NACRE_BACKENDS_CPU_LIBRARY_H
#define NACRE_BACKENDS_CPU_LIBRARY_H

#include "backends/cpu/cpu.h"

// Implementation of a library op: its file defines library_ID, and library.c lists them all.
typedef struct LibraryFn {
    void (*run)(Cpu *cpu, const Kernel *kernel, uint32_t *flags);
    size_t (*workspace)(const Cpu *cpu, const Kernel *kernel); // NULL: needs none
    const struct StackWork *stacks; // linalg.h; for run_stacks
    double (*work)(const Kernel *kernel); // work of one library call (long_call.h); NULL: never
                                          // long
} LibraryFn;
extern const LibraryFn *const library_fns[AOP_COUNT]; // NULL for loops
#define DECLARE_ELEMENTWISE(ID)
#define DECLARE_REDUCTION(ID)
#define DECLARE_SCAN(ID) extern const LibraryFn library_##ID;
#define DECLARE_CREATION(ID) DECLARE_SCAN(ID)
#define DECLARE_LIBRARY(ID) DECLARE_SCAN(ID)
#define OP(ID, name, arity, CLASS, ...) DECLARE_##CLASS(ID)
#include "vm/graph/ops.def"

#endif
