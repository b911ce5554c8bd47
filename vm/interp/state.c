// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The interpreter's state as a whole: makes it, visits it for the collector, checks it, frees it.

#include "vm/interp/host.h"
#include "vm/interp/interp.h"
#include "vm/jit/jit.h"
#include "vm/sched/engine.h"

#include "vm/value/object.h"

// Refuses memory while a run is being stopped: whatever allocates fails as if out of memory, but with the exception of
// the stop (vm_no_memory).
static bool is_broken_off(void *ctx) {
    Vm *vm = ctx;
    int why = atomic_load_explicit(&vm->interrupt, memory_order_relaxed);
    return (why == BREAK_INTERRUPT || why == BREAK_TIME) && vm->interp && vm->interp->frame && !vm->interp->ending;
}

// Requests a collection, as memory has grown. Not on several ranks: their memory grows differently, but they have to
// collect at the same point of the program (storage_new).
static void memory_has_grown(void *ctx) {
    Vm *vm = ctx;
    if (vm->replication) return;
    vm->gc_grown = true;
    atomic_store(&vm->safe_stop, 0);
}

static void memory_is_scarce(void *ctx) {
    engine_give_back(ctx);
}

bool interp_init(Vm *vm, int recursion_limit) {
    vm->interp = mem_zalloc(&vm->mem, sizeof *vm->interp);
    if (!vm->interp) return false;
    interp_limit_depth(vm, recursion_limit);
    vm->watch = (MemWatch){is_broken_off, memory_has_grown, memory_is_scarce, vm};
    vm->mem.watch = &vm->watch;
    gc_mark_memory(vm);
    vm->where = interp_where;
    vm->guarded = interp_guarded;
    vm->is_stored = interp_is_stored;
    vm->trace = interp_trace;
    vm->locate = interp_locate;
    return true;
}

void interp_limit_depth(Vm *vm, int limit) {
    vm->interp->depth_limit = limit;
    atomic_store(&vm->interp->depth_stop, 0); // so that the next call runs frame_allowed, which sets it to the limit
}

static void break_off(Vm *vm, Break why) {
    atomic_store(&vm->interrupt, why);
    atomic_store(&vm->safe_stop, 0);
    atomic_store(&vm->interp->depth_stop, 0);
    mem_stop(&vm->mem);
}

void interp_interrupt(Vm *vm) {
    break_off(vm, BREAK_INTERRUPT);
}

bool interp_report(Vm *vm) {
    int nothing = BREAK_NONE;
    if (!atomic_compare_exchange_strong(&vm->interrupt, &nothing, BREAK_REPORT)) return false;
    atomic_store(&vm->safe_stop, 0);
    atomic_store(&vm->interp->depth_stop, 0);
    return true;
}

void interp_stop(Vm *vm) {
    break_off(vm, BREAK_TIME);
}

static void chunks_free(Vm *vm) {
    StackChunk *chunk = vm->interp->chunk;
    if (chunk && chunk->next) mem_free(&vm->mem, chunk->next, chunk->next->size);
    while (chunk) {
        StackChunk *prev = chunk->prev;
        mem_free(&vm->mem, chunk, chunk->size);
        chunk = prev;
    }
}

void interp_free(Vm *vm) {
    Interp *interp = vm->interp;
    if (!interp) return;
    interp->ending = true;
    gen_drop_rest(vm);
    jit_stop(vm);
    clear(vm, &interp->result);
    clear(vm, &interp->told);
    for (int i = 0; i < KIND_COUNT; i++) clear(vm, &interp->constructors[i]);
    for (int i = 0; i < 2; i++) clear(vm, &interp->descr_constructors[i]);
    for (int i = 0; i < STEPPER_CLASSES; i++) clear(vm, &interp->stepper_constructors[i]);
    release_obj(vm, interp->prelude);
    release_obj(vm, interp->main);
    release_obj(vm, interp->main_aside);
    interp->prelude = interp->main = interp->main_aside = NULL;
    gc_collect(vm);
    chunks_free(vm);
    mem_free(&vm->mem, interp, sizeof *interp);
    vm->interp = NULL;
}

void interp_roots(Vm *vm, Visitor *visitor) {
    Interp *interp = vm->interp;
    visit_value(visitor, interp->result);
    visit_value(visitor, interp->told);
    if (vm->info) visit_value(visitor, vm->info->argv);
    if (vm->host.visit) vm->host.visit(vm, visitor);
    for (Gen *gen = interp->abandoned; gen; gen = gen->after) visit_obj(visitor, gen);
    engine_visit(vm, visitor);
    jit_visit(interp->spec, visitor);
    visit_obj(visitor, interp->prelude);
    visit_obj(visitor, interp->main);
    visit_obj(visitor, interp->main_aside);
    for (int i = 0; i < KIND_COUNT; i++) visit_value(visitor, interp->constructors[i]);
    for (int i = 0; i < 2; i++) visit_value(visitor, interp->descr_constructors[i]);
    for (int i = 0; i < STEPPER_CLASSES; i++) visit_value(visitor, interp->stepper_constructors[i]);
    for (Frame *frame = interp->frame; frame; frame = frame->prev) {
        // A generator's frame is reached through the generator, which its running frame keeps alive.
        if (frame->gen) visit_obj(visitor, frame->gen);
        else frame_visit(frame, visitor);
    }
}

Status interp_verify(Vm *vm) {
    Buf why;
    buf_init(&why, &vm->mem);
    bool exact = gc_verify(vm, interp_roots, &why);
    Status st = ST_OK;
    if (!exact)
        st = vm_raise(vm, EXC_SystemError, "reference counts are not exact: %.*s", (int)why.len,
                      why.data);
    buf_free(&why);
    return st;
}
