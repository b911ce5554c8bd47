// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// One op's loop or vector function over a few elements, without a kernel: what a kernel would call, and so
// the same bits.

#include <string.h>

#include "backends/cpu/flags.h"
#include "backends/cpu/reduce.h"

static char *address(const Storage *storage, int64_t offset) {
    return storage->components[0].host + offset;
}

// As reduce_whole.c has it for one block.
static bool reduce(const Cpu *cpu, const Direct *d, const char *from, char *to) {
    _Alignas(BUFFER_ALIGN) char room[TILE * DTYPE_SIZE_MAX];
    OpId combine = op_info[d->op].combine;
    size_t size = dtype_size(d->loop), n = (size_t)d->elements;
    bool is_sum = combine == AOP_ADD && dtype_is_inexact(d->loop);
    if (!is_sum && op_in_order(combine, d->loop)) return false;
    if (op_info[d->op].identity == IDENTITY_NONE)
        memcpy(to, from, size);
    else
        dtype_store(d->loop, to, op_identity(d->op, d->loop));
    flags_clear();
    if (is_sum) {
        add_sum(d->loop, sum_run(cpu, d->loop, from, n, (int64_t)size), to);
        return true;
    }
    LoopFn loop = loop_of(cpu, combine, d->loop);
    fold(loop, size, from, n, room);
    loop(to, room, NULL, to, 1);
    return true;
}

static void repeat(const Direct *d, const struct DirectOperand *number, char *to) {
    size_t size = dtype_size(d->loop);
    dtype_store(d->loop, to, dtype_convert(number->own, d->loop, number->number));
    gather(to, 0, to + size, size, (size_t)d->elements - 1);
}

static bool map(Cpu *cpu, const Direct *d, char *out, uint32_t told) {
    _Alignas(BUFFER_ALIGN) char room[TILE * DTYPE_SIZE_MAX], before[TILE * DTYPE_SIZE_MAX];
    const void *operands[2] = {room, room}; // of one array nobody asks for the second
    size_t bytes = (size_t)d->elements * dtype_size(d->loop);
    for (int i = 0; i < d->count; i++) {
        const struct DirectOperand *from = &d->operands[i];
        if (from->storage)
            operands[i] = address(from->storage, from->offset);
        else
            repeat(d, from, room);
    }
    if (d->in_place) operands[0] = memcpy(before, out, bytes);
    flags_clear();
    if (d->loop == DT_FLOAT32 || d->loop == DT_FLOAT64)
        cpu_function(cpu, d->op, d->loop, operands[0], operands[1], out, d->elements);
    else
        loop_of(cpu, d->op, d->loop)(operands[0], operands[1], NULL, out, (size_t)d->elements);
    if (!flags_any() || !(flags_raised() & told)) return true;
    if (d->in_place) memcpy(out, before, bytes);
    return false;
}

// Whether every index names a place of the row; negative ones count from its end.
static bool are_inside(const Direct *d, const char *indexes) {
    for (int64_t i = 0, index; i < d->elements; i++) {
        memcpy(&index, indexes + i * (int64_t)sizeof index, sizeof index);
        if (index < -d->extent || index >= d->extent) return false;
    }
    return true;
}

static int64_t place(const Direct *d, const char *indexes, int64_t i) {
    int64_t index;
    memcpy(&index, indexes + i * (int64_t)sizeof index, sizeof index);
    return (index < 0 ? index + d->extent : index) * d->stride;
}

static bool take(const Direct *d, const char *row, const char *indexes, char *out) {
    size_t size = dtype_size(d->loop);
    if (!are_inside(d, indexes)) return false;
    for (int64_t i = 0; i < d->elements; i++)
        memcpy(out + i * (int64_t)size, row + place(d, indexes, i), size);
    return true;
}

static bool put(const Direct *d, const char *indexes, char *row) {
    char room[DTYPE_SIZE_MAX];
    const struct DirectOperand *values = &d->operands[1];
    size_t size = dtype_size(d->loop), step = values->storage ? size : 0;
    const char *from = values->storage ? address(values->storage, values->offset) : room;
    if (!are_inside(d, indexes)) return false;
    if (!values->storage)
        dtype_store(d->loop, room, dtype_convert(values->own, d->loop, values->number));
    for (int64_t i = 0; i < d->elements; i++, from += step) memcpy(row + place(d, indexes, i), from, size);
    return true;
}

static bool cast(const Cpu *cpu, const Direct *d, char *out, uint32_t told) {
    const struct DirectOperand *from = &d->operands[0];
    const char *at = address(from->storage, from->offset);
    if (from->own == d->loop) {
        memcpy(out, at, (size_t)d->elements * dtype_size(d->loop));
        return true;
    }
    flags_clear();
    cpu->loops->casts[d->loop][from->own](at, at, NULL, out, (size_t)d->elements);
    return !flags_any() || !(flags_raised() & told);
}

bool cpu_direct(void *ctx, const Direct *d, uint32_t told) {
    char *out = address(d->to, d->offset);
    const struct DirectOperand *from = &d->operands[0];
    if (d->elements > TILE || told & FLAG_UNDERFLOW) return false;
    if (op_info[d->op].op_class == CLASS_REDUCTION)
        return reduce(ctx, d, address(from->storage, from->offset), out) &&
               !(flags_any() && flags_raised() & told);
    if (d->op == AOP_TAKE)
        return take(d, address(from->storage, from->offset),
                    address(d->operands[1].storage, d->operands[1].offset), out);
    if (d->op == AOP_PUT) return put(d, address(from->storage, from->offset), out);
    if (d->op != AOP_CAST) return map(ctx, d, out, told);
    if (from->storage) return cast(ctx, d, out, told);
    repeat(d, from, out);
    return true;
}
