// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Reduces contiguous elements for compiled loops, in the order of reduce_whole.c, on the calling
// thread.

#include <string.h>

#include "backends/cpu/reduce/reduce.h"

static void sum_rows(const Cpu *cpu, DType type, const char *at, int64_t count, int64_t row, char *result) {
    SumRuns runs = {.buffered = false};
    if (count == 0) return;
    sum_runs_of((const int64_t[]){row, count / row}, row == count ? 1 : 2, &runs);
    for (int64_t begin = 0, n; begin < count; begin += n) {
        int64_t rest = runs.span - begin % runs.span;
        n = rest < runs.unit ? rest : runs.unit;
        const char *from = at + begin * (int64_t)dtype_size(type);
        add_sum(type, sum_run(cpu, type, from, (size_t)n, (int64_t)dtype_size(type)), result);
    }
}

void cpu_reduce(void *context, int op, int type, const char *at, int64_t count, int64_t row, char *result) {
    const Cpu *cpu = context;
    _Alignas(BUFFER_ALIGN) char room[BLOCK * sizeof(double)];
    OpId combine = op_info[op].combine;
    size_t size = dtype_size((DType)type);
    LoopFn loop = loop_of(cpu, combine, (DType)type);
    if (op_info[op].identity == IDENTITY_NONE)
        memcpy(result, at, size);
    else
        dtype_store((DType)type, result, op_identity((OpId)op, (DType)type));
    if (combine == AOP_ADD && dtype_is_inexact((DType)type)) {
        sum_rows(cpu, (DType)type, at, count, row, result);
        return;
    }
    for (int64_t begin = 0; begin < count; begin += BLOCK) {
        size_t n = count - begin < BLOCK ? (size_t)(count - begin) : BLOCK;
        fold(cpu, combine, (DType)type, at + (size_t)begin * size, n, room);
        loop(result, room, NULL, result, 1);
    }
}
