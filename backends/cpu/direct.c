// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// One op's loop over a few elements, without a kernel: the loop that a kernel would call, and so the same
// bits.

#include <string.h>

#include "backends/cpu/flags.h"
#include "backends/cpu/tile.h"

// What a library's vector functions serve is left to kernels.
static LoopFn loop_for(const Cpu *cpu, const Direct *d) {
    const OwnLoops *own = own_of(cpu, d->op, d->loop);
    bool is_served = op_has_vector(d->op) && (d->loop == DT_FLOAT32 || d->loop == DT_FLOAT64);
    if (own) return own->loop;
    return is_served ? NULL : loop_of(cpu, d->op, d->loop);
}

static char *address(const Storage *storage, int64_t offset) {
    return storage->components[0].host + offset;
}

bool cpu_direct(void *ctx, const Direct *d, uint32_t told) {
    _Alignas(BUFFER_ALIGN) char room[TILE * DTYPE_SIZE_MAX], before[TILE * DTYPE_SIZE_MAX];
    const Cpu *cpu = ctx;
    const void *operands[2] = {room, room}; // of one array nobody asks for the second
    char *out = address(d->to, d->offset);
    size_t size = dtype_size(d->loop), n = (size_t)d->elements;
    LoopFn loop = loop_for(cpu, d);
    if (!loop || n > (cpu->tile ? cpu->tile : TILE) || told & FLAG_UNDERFLOW) return false;
    for (int i = 0; i < d->count; i++) {
        const struct DirectOperand *from = &d->operands[i];
        if (from->storage) {
            operands[i] = address(from->storage, from->offset);
            continue;
        }
        dtype_store(d->loop, room, dtype_convert(from->own, d->loop, from->number));
        gather(room, 0, room + size, size, n - 1);
    }
    if (d->in_place) operands[0] = memcpy(before, out, n * size);
    flags_clear();
    loop(operands[0], operands[1], NULL, out, n);
    if (!flags_any() || !(flags_raised() & told)) return true;
    if (d->in_place) memcpy(out, before, n * size);
    return false;
}
