// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Module _ranks: what a program may know of the ranks that run it, for nacre.comm. All rows are PURE, though one
// differs from rank to rank: that is what it is for.

#include "stdlib/ranks/replicate.h"
#include "stdlib/stdlib.h"
#include "vm/sched/collective.h"
#include "vm/sched/engine.h"

enum { STEP_BARRIER = 'W' };

static Status fn_rank(Vm *vm, const Value *args, Value *out) {
    (void)args;
    replicate_asked_rank(vm);
    *out = v_int(link_of(vm)->rank);
    return ST_OK;
}

static Status fn_size(Vm *vm, const Value *args, Value *out) {
    (void)args;
    *out = v_int(link_of(vm)->size);
    return ST_OK;
}

// Array work of before is done on all ranks when any of them goes on.
static Status fn_barrier(Vm *vm, const Value *args, Value *out) {
    (void)args;
    const Link *link = link_of(vm);
    Status st = engine_observe_all(vm);
    if (st == ST_OK && link->size > 1) {
        char own = 0, *all = mem_alloc(&vm->mem, (size_t)link->size);
        st = all ? link_gather(vm, (StepKey){.kind = STEP_BARRIER}, &own, all, 1) : vm_no_memory(vm);
        mem_free(&vm->mem, all, (size_t)link->size);
    }
    if (st == ST_OK) *out = V_NONE;
    return st;
}

const NativeDef ranks_functions[] = {
    {"rank", "", fn_rank, NULL, PURE},
    {"size", "", fn_size, NULL, PURE},
    {"barrier", "", fn_barrier, NULL, PURE},
    {0},
};
