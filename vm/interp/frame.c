// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Frames: bump-allocated from a list of chunks for calls, from the heap for generators.

#include <string.h>

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

// One empty chunk is kept after the current one, so that calls around a boundary stay cheap.
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
    vm->interp->chunk = next;
    return true;
}

static void *stack_alloc(Vm *vm, size_t size) {
    StackChunk *chunk = vm->interp->chunk;
    if (!chunk || chunk_room(chunk) < size) {
        if (!next_chunk(vm, size)) return NULL;
        chunk = vm->interp->chunk;
    }
    void *block = chunk->top;
    chunk->top += size;
    return block;
}

static void stack_free(Vm *vm, void *block) {
    StackChunk *chunk = vm->interp->chunk;
    chunk->top = block;
    if (chunk->top != chunk->bytes || !chunk->prev) return;
    if (chunk->next) {
        mem_free(&vm->mem, chunk->next, chunk->next->size);
        chunk->next = NULL;
    }
    vm->interp->chunk = chunk->prev;
}

static void frame_setup(Frame *frame, Func *func, size_t size) {
    memset(frame, 0, size);
    func->gc.obj.refs++;
    frame->func = func;
    frame->code = func->code;
    frame->pc = func->code->bc->code;
    frame->size = (uint32_t)size;
}

Frame *frame_push(Vm *vm, Func *func, RetKind ret, uint16_t dest) {
    Interp *interp = vm->interp;
    if (interp->depth >= interp->depth_limit) {
        vm_raise(vm, EXC_RecursionError, "maximum recursion depth exceeded");
        return NULL;
    }
    size_t size = sizeof(Frame) + func->code->bc->reg_count * sizeof(Value);
    Frame *frame = stack_alloc(vm, size);
    if (!frame) {
        vm_no_memory(vm);
        return NULL;
    }
    frame_setup(frame, func, size);
    frame->ret = (uint8_t)ret;
    frame->dest = dest;
    frame->prev = interp->frame;
    interp->frame = frame;
    interp->depth++;
    return frame;
}

void frame_clear(Vm *vm, Frame *frame) {
    uint32_t count = frame->code->bc->reg_count;
    for (uint32_t i = 0; i < count; i++) clear(vm, &frame->regs[i]);
    clear(vm, &frame->handled);
    clear(vm, &frame->space);
    clear(vm, &frame->extra);
}

// A generator's frame is only unlinked: the generator owns it.
void frame_pop(Vm *vm) {
    Interp *interp = vm->interp;
    Frame *frame = interp->frame;
    interp->frame = frame->prev;
    interp->depth--;
    if (frame->gen) return;
    frame_clear(vm, frame);
    release_obj(vm, frame->func);
    stack_free(vm, frame);
}

Frame *frame_detach(Vm *vm, Func *func) {
    size_t size = sizeof(Frame) + func->code->bc->reg_count * sizeof(Value);
    Frame *frame = mem_alloc(&vm->mem, size);
    if (frame) frame_setup(frame, func, size);
    return frame;
}

void frame_free(Vm *vm, Frame *frame) {
    frame_clear(vm, frame);
    release_obj(vm, frame->func);
    mem_free(&vm->mem, frame, frame->size);
}

void frame_visit(Frame *frame, Visitor *visitor) {
    visit_obj(visitor, frame->func);
    visit_value(visitor, frame->handled);
    visit_value(visitor, frame->space);
    visit_value(visitor, frame->extra);
    for (uint32_t i = 0; i < frame->code->bc->reg_count; i++)
        visit_value(visitor, frame->regs[i]);
}
