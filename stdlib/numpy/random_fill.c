// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Fills arrays with numbers drawn one after the other. If an array is distributed over ranks, each rank stores its own
// part. It jumps over the numbers before and after the part if each takes one draw; otherwise it draws and discards
// them. So every rank's generator ends in the state that a single process's would have.

#include "stdlib/numpy/random.h"
#include "vm/sched/engine.h"

enum { AT_ONCE = 1 << 16 };

static Status draw_some(Vm *vm, const Filling *f, char *to, int64_t count) {
    for (int64_t done = 0; done < count; done += AT_ONCE) {
        f->fill(f->ctx, f->g, to + done * (int64_t)f->width, count - done < AT_ONCE ? count - done : AT_ONCE);
        if (vm_poll(vm) != ST_OK) return ST_ERROR;
    }
    return ST_OK;
}

// --- In threads ----------------------------------------------------------------------------------

enum { SHARED_FROM = 1 << 16, PARTS_EACH = 4 };

typedef struct Sharing {
    Vm *vm;
    const Filling *filling;
    char *to;
    int64_t count;
    int parts;
} Sharing;

static void skip(Bits *g, int draw_bits, int64_t count) {
    if (draw_bits == 64) bits_skip_64(g, (uint64_t)count);
    if (draw_bits == 32) bits_skip_32(g, (uint64_t)count);
}

static void fill_part(void *argument, int part, int worker) {
    const Sharing *s = argument;
    const Filling *f = s->filling;
    int64_t from = s->count * part / s->parts, to = s->count * (part + 1) / s->parts;
    Bits g = *f->g;
    (void)worker;
    skip(&g, f->draw_bits, from);
    for (int64_t some; from < to && !vm_interrupted(s->vm); from += some) {
        some = to - from < AT_ONCE ? to - from : AT_ONCE;
        f->fill(f->ctx, &g, s->to + from * (int64_t)f->width, some);
    }
}

// Draws in threads if each number takes one draw: each part uses a copy of the generator that has jumped to its start.
static Status share_draws(Vm *vm, const Filling *f, char *to, int64_t count) {
    int threads = engine_threads(vm);
    if (threads < 2 || count < SHARED_FROM || !f->draw_bits || !draws_can_jump((BitsKind)f->g->obj.aux))
        return draw_some(vm, f, to, count);
    Sharing s = {vm, f, to, count, threads * PARTS_EACH};
    engine_share(vm, fill_part, &s, s.parts);
    skip(f->g, f->draw_bits, count);
    return vm_poll(vm);
}

// --- Parts of ranks ------------------------------------------------------------------------------

static Status pass_over(Vm *vm, const Filling *f, char *scratch, int64_t count) {
    skip(f->g, f->draw_bits, count);
    if (f->draw_bits) return ST_OK;
    for (int64_t done = 0; done < count; done += AT_ONCE)
        if (draw_some(vm, f, scratch, count - done < AT_ONCE ? count - done : AT_ONCE) != ST_OK) return ST_ERROR;
    return ST_OK;
}

Status random_fill(Vm *vm, const Filling *f, const ArrayPart *part, int64_t count) {
    const int64_t own = part->to - part->from;
    if (!part->at) return ST_OK;
    const size_t bytes = own < count && !f->draw_bits ? AT_ONCE * f->width : 0;
    char *scratch = bytes ? mem_alloc(&vm->mem, bytes) : NULL;
    if (bytes && !scratch) return vm_no_memory(vm);
    Status st = pass_over(vm, f, scratch, part->from);
    if (st == ST_OK) st = share_draws(vm, f, part->at + part->from * (int64_t)f->width, own);
    if (st == ST_OK) st = pass_over(vm, f, scratch, count - part->to);
    if (bytes) mem_free(&vm->mem, scratch, bytes);
    return st;
}
