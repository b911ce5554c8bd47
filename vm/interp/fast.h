// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The frequent cases of instructions, inline in the dispatch loop.

#ifndef NACRE_VM_INTERP_FAST_H
#define NACRE_VM_INTERP_FAST_H

#include "vm/interp/interp.h"
#include "vm/value/effects.h"

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

static inline void store(Vm *vm, Value *slot, Value v) {
    uint32_t kind = slot->kind;
    Obj *old = slot->obj;
    v_store(slot, v);
    if (unlikely(kind >= K_FIRST_HEAP) && --old->refs == 0) obj_dead(vm, old);
}

enum { LAST_USES = FLAG_LAST_A | FLAG_LAST_B | FLAG_LAST_C };

static inline void kill(Vm *vm, Value *regs, Instr i) {
    if (i.flags & FLAG_LAST_A) clear(vm, &regs[i.a]);
    if (i.flags & FLAG_LAST_B) clear(vm, &regs[i.b]);
    if (i.flags & FLAG_LAST_C) clear(vm, &regs[i.c]);
}

static inline int compare_ints(int op, int64_t a, int64_t b) {
    switch (op) {
    case OP_LT: return a < b;
    case OP_LE: return a <= b;
    case OP_EQ: return a == b;
    case OP_NE: return a != b;
    case OP_GT: return a > b;
    default: return a >= b;
    }
}

static inline int compare_floats(int op, double a, double b) {
    switch (op) {
    case OP_LT: return a < b;
    case OP_LE: return a <= b;
    case OP_EQ: return a == b;
    case OP_NE: return a != b;
    case OP_GT: return a > b;
    default: return a >= b;
    }
}

// Computes x / y rounded to minus infinity, for y > 0.
static inline int64_t floor_quotient(int64_t x, int64_t y) {
    return x / y - (x % y < 0);
}

static inline int64_t floor_remainder(int64_t x, int64_t y) {
    int64_t r = x % y;
    return r < 0 ? r + y : r;
}

static inline int64_t shifted_left(int64_t x, int64_t y) {
    return (int64_t)((uint64_t)x << y);
}

static inline bool is_simple_call(Value callee, uint32_t count) {
    return callee.kind == K_FUNC && callee.func->simple_args == count;
}

// Pushes the frame of a call for which is_simple_call holds. Moves callee and arguments into it. NULL: the callee is
// consumed, and an exception raised.
static inline Frame *push_simple(Vm *vm, Interp *interp, Value *callee, Value *args,
                                 uint32_t count, uint16_t dest) {
    Func *func = callee->func;
    callee->kind = K_UNDEF;
    Frame *frame = frame_push_owned(vm, interp, func, RET_STORE, dest, count);
    if (unlikely(!frame)) return NULL;
    for (uint32_t i = 0; i < count; i++) {
        v_store(&frame->regs[i], v_load(&args[i]));
        args[i].kind = K_UNDEF;
    }
    return frame;
}

// Returns whether a call of the class makes an instance and runs an __init__ for which is_simple_call would hold.
static inline bool is_simple_class(Value callee, uint32_t count) {
    return callee.kind == K_CLASS && callee.cls->flags & CLASS_PLAIN_CALL &&
           callee.cls->init.kind == K_FUNC && callee.cls->init.func->simple_args == count + 1;
}

static inline Frame *push_init(Vm *vm, Value *callee, Value *args, uint32_t count,
                               uint16_t dest) {
    Value instance;
    if (instance_new(vm, callee->cls, &instance) != ST_OK) return NULL;
    Frame *frame = NULL;
    if (!exc_of(instance) || exception_args(vm, instance, args, count) == ST_OK)
        frame = frame_push(vm, callee->cls->init.func, RET_INIT, dest);
    if (unlikely(!frame)) {
        release(vm, instance);
        return NULL;
    }
    frame->extra = instance;
    frame->phase = RET_STORE;
    v_store(&frame->regs[0], retain(instance));
    for (uint32_t i = 0; i < count; i++) {
        v_store(&frame->regs[1 + i], v_load(&args[i]));
        args[i].kind = K_UNDEF;
    }
    clear(vm, callee);
    return frame;
}

// Replaces a bound method in base[0] by its function, and sets base[1], which is undefined, to its self.
static inline void take_apart_bound(Vm *vm, Value *base) {
    Bound *bound = base->bound;
    base[1] = retain(v_load(&bound->self));
    v_store(&base[0], retain(v_load(&bound->func)));
    release_obj(vm, bound);
}

// Returns whether the callee is a native whose arguments need neither binding nor a check of the first one's class.
static inline bool is_simple_native(const Value *callee, uint32_t count, const Value *args) {
    if (callee->kind != K_NATIVE || callee->native->simple_args != count) return false;
    uint32_t self = callee->native->self_kind;
    return self == K_UNDEF || (self == args->kind && self != K_INSTANCE);
}

// Calls a native for which is_simple_native holds. Consumes callee and arguments.
static inline Status call_simple_native(Vm *vm, Value *callee, Value *args, uint32_t count,
                                        uint16_t dest, Value *out) {
    Native *native = callee->native;
    vm->called = args;
    Status st = native_run(vm, native->def, args, out);
    if (unlikely(st != ST_OK)) st = call_native_finish(vm, native, st, args, RET_STORE, dest, out);
    for (uint32_t i = 0; i < count; i++) clear(vm, &args[i]);
    clear(vm, callee);
    return st;
}

// Returns whether the result of this call is used only by the ITER that follows.
static inline bool iterates(const Instr *call) {
    const Instr *next = call + 1;
    return next->op == OP_ITER && next->b == call->a &&
           (next->flags & FLAG_LAST_B || next->a == next->b);
}

#endif
