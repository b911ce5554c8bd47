// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Vector functions: SLEEF's, libmvec's and own ones.

#ifndef NACRE_BACKENDS_CPU_LOOPS_VECTOR_H
#define NACRE_BACKENDS_CPU_LOOPS_VECTOR_H

#include "backends/cpu/cpu.h"

// vector.c: looks up a kernel's vector functions before its threads run.
void vectors_prepare(Cpu *cpu, const Kernel *kernel);
// Returns the own vector functions of an op, or NULL.
static inline const OwnLoops *own_of(const Cpu *cpu, OpId op, DType type) {
    const OwnLoops *own = type == DT_FLOAT64 ? cpu->loops->own_f64 : NULL;
    return own && own[op].loop ? &own[op] : NULL;
}
// RegionCalls.function: computes what the same instruction of a tile does.
void cpu_function(void *context, int op, int type, const void *a, const void *b, void *result, int64_t count);
void vectors_close(Cpu *cpu);
void vectors_describe(Buf *out, const Loops *loops);

#endif
