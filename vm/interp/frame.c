// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Frames: bump-allocated from a list of chunks for calls, from the heap for generators.

#include "vm/interp/interp.h"

enum { CHUNK_BYTES = 256 * 1024 };

static StackChunk *chunk_new(Vm *vm, size_t need) {
    size_t size = need + sizeof(StackChunk) > CHUNK_BYTES ? need + sizeof(StackChunk) : CHUNK_BYTES;
    StackChunk *chunk = mem_alloc(&vm->mem, size);
    if (!chunk) return NULL;
    chunk->size = size;
    chunk->prev = chunk->next = NULL;
    chunk->top = chunk->bytes;
    return chunk;
}

static size_t chunk_room(const StackChunk *chunk) {
    return (size_t)((const char *)chunk + chunk->size - chunk->top);
}

// Makes `chunk` the current one.
static void chunk_enter(Interp *interp, StackChunk *chunk) {
    if (interp->chunk) interp->chunk->top = interp->top;
    interp->chunk = chunk;
    interp->top = chunk->top;
    interp->bottom = chunk->bytes;
    interp->end = (char *)chunk + chunk->size;
}

// Makes the next chunk, with room for `need` bytes, the current one. One empty chunk is kept after the current one, so
// that calls around a boundary stay cheap.
static bool next_chunk(Vm *vm, size_t need) {
    StackChunk *current = vm->interp->chunk;
    StackChunk *next = current ? current->next : NULL;
    if (next && chunk_room(next) < need) {
        mem_free(&vm->mem, next, next->size);
        current->next = next = NULL;
    }
    if (!next) {
        next = chunk_new(vm, need);
        if (!next) return false;
        next->prev = current;
        if (current) current->next = next;
    }
    chunk_enter(vm->interp, next);
    return true;
}

void frame_chunk_back(Vm *vm) {
    StackChunk *chunk = vm->interp->chunk;
    if (!chunk->prev) return;
    if (chunk->next) {
        mem_free(&vm->mem, chunk->next, chunk->next->size);
        chunk->next = NULL;
    }
    chunk_enter(vm->interp, chunk->prev);
}

void frame_drop(Vm *vm, Frame *frame) {
    for (uint32_t i = 0; i < frame->code->reg_count; i++) release(vm, v_load(&frame->regs[i]));
    release(vm, frame->handled);
    release(vm, frame->space);
    release(vm, frame->extra);
}

Status frame_allowed(Vm *vm) {
    Interp *interp = vm->interp;
    // Raises depth_stop before polling, since an interrupt sets its flag first and lowers depth_stop then.
    atomic_store(&interp->depth_stop, interp->depth_limit);
    if (vm_poll(vm) != ST_OK) return ST_ERROR;
    if (interp->depth < interp->depth_limit) return ST_OK;
    return vm_raise(vm, EXC_RecursionError, "maximum recursion depth exceeded");
}

Frame *frame_push_slow(Vm *vm, Func *func, RetKind ret, uint16_t dest, uint32_t given) {
    Interp *interp = vm->interp;
    if (code_whole(vm, func->code) == ST_OK &&
        (interp->depth < interp->depth_stop || frame_allowed(vm) == ST_OK)) {
        size_t size = func->code->frame_size;
        if ((size_t)(interp->end - interp->top) >= size || next_chunk(vm, size))
            return frame_push_owned(vm, interp, func, ret, dest, given);
        vm_no_memory(vm);
    }
    release_obj(vm, func);
    return NULL;
}

Status frames_reserve(Vm *vm, size_t bytes, int count) {
    Interp *interp = vm->interp;
    StackChunk *next = interp->chunk ? interp->chunk->next : NULL;
    if (interp->depth + count > interp->depth_stop) return ST_NOTIMPL;
    if (count == 0 || (size_t)(interp->end - interp->top) >= bytes) return ST_OK;
    if (next && chunk_room(next) >= bytes) return ST_OK;
    if (next) mem_free(&vm->mem, next, next->size);
    interp->chunk->next = next = chunk_new(vm, bytes);
    if (!next) return vm_no_memory(vm);
    next->prev = interp->chunk;
    return ST_OK;
}

void frame_push_reserved(Vm *vm, Func *func, uint16_t dest) {
    Interp *interp = vm->interp;
    size_t size = func->code->frame_size;
    if ((size_t)(interp->end - interp->top) < size) chunk_enter(interp, interp->chunk->next);
    Frame *frame = (Frame *)interp->top, *prev = interp->frame;
    func->gc.obj.refs++;
    interp->top += size;
    interp->frame = frame;
    interp->depth++;
    frame_setup(frame, func, RET_STORE, dest, 0);
    frame->prev = prev;
}

Frame *frame_push(Vm *vm, Func *func, RetKind ret, uint16_t dest) {
    func->gc.obj.refs++;
    return frame_push_owned(vm, vm->interp, func, ret, dest, 0);
}

void frame_clear(Vm *vm, Frame *frame) {
    uint32_t count = frame->code->reg_count;
    for (uint32_t i = 0; i < count; i++) clear(vm, &frame->regs[i]);
    clear(vm, &frame->handled);
    clear(vm, &frame->space);
    clear(vm, &frame->extra);
}

Frame *frame_detach(Vm *vm, Func *func) {
    if (code_whole(vm, func->code) != ST_OK) return NULL;
    Frame *frame = mem_zalloc(&vm->mem, func->code->frame_size);
    if (!frame) return NULL;
    func->gc.obj.refs++;
    frame_setup(frame, func, RET_STORE, 0, 0);
    return frame;
}

void frame_free(Vm *vm, Frame *frame) {
    size_t size = frame->code->frame_size;
    frame_clear(vm, frame);
    release_obj(vm, frame->func);
    mem_free(&vm->mem, frame, size);
}

void frame_visit(Frame *frame, Visitor *visitor) {
    visit_obj(visitor, frame->func);
    visit_value(visitor, frame->handled);
    visit_value(visitor, frame->space);
    visit_value(visitor, frame->extra);
    for (uint32_t i = 0; i < frame->code->reg_count; i++)
        visit_value(visitor, frame->regs[i]);
}
