// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Reductions that machine code of loops asks for, of elements side by side: block by block, as
// reduce_whole.c does it, by this thread.

#include <string.h>

#include "backends/cpu/reduce.h"

void cpu_reduce(void *context, int op, int type, const char *at, int64_t count, char *result) {
    const Cpu *cpu = context;
    _Alignas(BUFFER_ALIGN) char room[BLOCK * sizeof(double)];
    OpId combine = op_info[op].combine;
    size_t size = dtype_size((DType)type);
    bool is_sum = combine == AOP_ADD && dtype_is_inexact((DType)type);
    LoopFn loop = loop_of(cpu, combine, (DType)type);
    if (op_info[op].identity == IDENTITY_NONE)
        memcpy(result, at, size);
    else
        dtype_store((DType)type, result, op_identity((OpId)op, (DType)type));
    for (int64_t begin = 0; begin < count; begin += BLOCK) {
        const char *block = at + (size_t)begin * size;
        size_t n = count - begin < BLOCK ? (size_t)(count - begin) : BLOCK;
        if (is_sum) {
            add_sum((DType)type, sum_run(cpu, (DType)type, block, n, (int64_t)size), result);
            continue;
        }
        fold(cpu, combine, (DType)type, block, n, room);
        loop(result, room, NULL, result, 1);
    }
}
