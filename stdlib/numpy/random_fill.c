// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Filling arrays with numbers drawn one after the other. Ranks that share an array keep their own part: what is before
// it and behind it is jumped over where each number takes one draw, and drawn and forgotten otherwise, so that every
// rank's generator stays where one process's would be.

#include "stdlib/numpy/random.h"

enum { AT_ONCE = 1 << 16 };

static Status draw_some(Vm *vm, const Filling *f, char *to, int64_t count) {
    for (int64_t done = 0; done < count; done += AT_ONCE) {
        f->fill(f->ctx, to + done * (int64_t)f->width, count - done < AT_ONCE ? count - done : AT_ONCE);
        if (vm_poll(vm) != ST_OK) return ST_ERROR;
    }
    return ST_OK;
}

static Status pass_over(Vm *vm, const Filling *f, char *scratch, int64_t count) {
    if (f->draw_bits == 64) bits_skip_64(f->g, (uint64_t)count);
    if (f->draw_bits == 32) bits_skip_32(f->g, (uint64_t)count);
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
    if (st == ST_OK) st = draw_some(vm, f, part->at + part->from * (int64_t)f->width, own);
    if (st == ST_OK) st = pass_over(vm, f, scratch, count - part->to);
    if (bytes) mem_free(&vm->mem, scratch, bytes);
    return st;
}
