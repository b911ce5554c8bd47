// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Draws of a bit generator, one after the other.

#include "backends/cpu/library.h"
#include "vm/kernel/draws.h"

typedef struct Stream {
    uint64_t lanes[BITS_LANES];
    BitsKind kind;
    int used; // of Philox's draws
} Stream;

static uint64_t next_draw(Stream *s) {
    if (s->kind == BITS_PCG64DXSM) return pcg_dxsm(s->lanes);
    if (s->kind == BITS_PCG64) {
        PcgWord state = pcg_word(s->lanes);
        const uint64_t drawn = pcg_step(&state, pcg_word(s->lanes + 2));
        pcg_put_word(s->lanes, state);
        return drawn;
    }
    if (s->used == PHILOX_BLOCK) {
        philox_block(s->lanes);
        s->used = 0;
    }
    return s->lanes[PHILOX_DRAWS + s->used++];
}

static void put_draw(char *to, int64_t i, uint64_t drawn, DType type) {
    switch (type) {
    case DT_FLOAT64: ((double *)to)[i] = draws_double(drawn); break;
    case DT_FLOAT32: ((float *)to)[i] = draws_float((uint32_t)drawn); break;
    case DT_UINT32: ((uint32_t *)to)[i] = (uint32_t)drawn; break;
    default: ((uint64_t *)to)[i] = drawn; break;
    }
}

static void run_draw(Cpu *cpu, const Kernel *k, uint32_t *flags) {
    const View *out = &k->result.view;
    const bool is_half = dtype_size(out->dtype) < sizeof(uint64_t);
    char *to = arg_at(&k->result);
    Stream s = {.kind = (BitsKind)k->attrs.part, .used = PHILOX_BLOCK};
    (void)cpu, (void)flags;
    for (int i = 0; i < DRAW_WORDS; i++) s.lanes[i] = k->args[i].scalar.u;
    for (int64_t i = 0; i < out->shape[0]; i++) {
        const uint64_t drawn = next_draw(&s);
        put_draw(to, i, drawn, out->dtype);
        if (is_half && ++i < out->shape[0]) put_draw(to, i, drawn >> 32, out->dtype);
    }
}

const LibraryFn library_DRAW = {.run = run_draw};
