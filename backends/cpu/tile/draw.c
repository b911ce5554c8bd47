// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Draws of a bit generator: each part jumps to its first draw in the stream.

#include "backends/cpu/library.h"
#include "backends/cpu/rows.h"
#include "vm/kernel/draws.h"

typedef struct Stream {
    uint64_t lanes[BITS_LANES];
    BitsKind kind;
    int used; // draws of Philox's block that have been used
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

// Returns the number of elements that one draw provides.
static int64_t elements_of_draw(DType type) {
    return dtype_size(type) < sizeof(uint64_t) ? 2 : 1;
}

static void put_draw(char *to, int64_t i, uint64_t drawn, DType type) {
    switch (type) {
    case DT_FLOAT64: ((double *)to)[i] = draws_double(drawn); break;
    case DT_FLOAT32: ((float *)to)[i] = draws_float((uint32_t)drawn); break;
    case DT_UINT32: ((uint32_t *)to)[i] = (uint32_t)drawn; break;
    default: ((uint64_t *)to)[i] = drawn; break;
    }
}

// Skips draws from the beginning of the stream.
static void skip(Stream *s, uint64_t count) {
    if (s->kind == BITS_PHILOX) {
        philox_advance(s->lanes, count / PHILOX_BLOCK);
        for (uint64_t i = 0; i < count % PHILOX_BLOCK; i++) next_draw(s);
        return;
    }
    PcgJump jump = pcg_jump(pcg_one(s->kind, s->lanes), count);
    pcg_put_word(s->lanes, pcg_word(s->lanes) * jump.a + jump.c);
}

// Writes the elements of draws from … to: one per draw, or two of half a draw each.
static void some_draws(const Rows *rows, char *const *at, int64_t from, int64_t to, uint32_t *flags) {
    const Kernel *k = rows->what;
    DType type = k->result.view.dtype;
    int64_t n = k->result.view.shape[0], each = elements_of_draw(type);
    Stream s = {.kind = (BitsKind)k->attrs.part, .used = PHILOX_BLOCK};
    (void)flags;
    for (int i = 0; i < DRAW_WORDS; i++) s.lanes[i] = k->args[i].scalar.u;
    skip(&s, (uint64_t)from);
    for (int64_t i = from * each; from < to; from++, i += each) {
        const uint64_t drawn = next_draw(&s);
        put_draw(at[0], i, drawn, type);
        if (each == 2 && i + 1 < n) put_draw(at[0], i + 1, drawn >> 32, type);
    }
}

static void run_draw(Cpu *cpu, const Kernel *k, uint32_t *flags) {
    const View *out = &k->result.view;
    int64_t each = elements_of_draw(out->dtype);
    Rows rows = {.run = some_draws, .what = k, .operands = 1, .shape = out->shape, .strides = {out->strides},
                 .at = {arg_at(&k->result)}, .units = (out->shape[0] + each - 1) / each};
    uint32_t raised = 0; // float flags of conversions are ignored
    rows_run(cpu, &rows, out->shape[0], &raised);
    *flags |= raised & FLAG_INTERRUPTED;
}

const LibraryFn library_DRAW = {.run = run_draw};
