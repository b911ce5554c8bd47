// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Shared by stepping.c and stepping_quick.c.

#ifndef NACRE_VM_INTERP_STEPPING_H
#define NACRE_VM_INTERP_STEPPING_H

#include "vm/interp/interp.h"
#include "vm/value/stepper.h"

// One run of steps, from an item that is wanted to the item.
typedef struct Walk {
    Act act;
    bool framed; // act's frame is the running one
    RetKind ret; // where the item of an act without a frame goes
    uint16_t dest;
    const Frame *below; // the frame that asked, if it waits for the answer
    bool asked;         // it does
    bool away;          // an exception is in a frame inside, for unwind to take on
} Walk;

enum { POLL_MASK = 0xfff };

static inline Status end_is_stop(Vm *vm, Status st) {
    if (st != ST_ERROR || !vm_error_is(vm, EXC_StopIteration)) return st;
    vm_clear_error(vm);
    return ST_STOP;
}

// The next item of a native iterator, or of a stepper that needs no call for it. ST_NOTIMPL: another one, or it may;
// nothing has happened.
Status plain_item(Vm *vm, Value source, Value *out);
// As stepping_next. ST_NOTIMPL: run() goes on with `act` and *event, and *out is what the step has got; act is set unless
// that is STEP_START.
Status quick_step(Vm *vm, Stepper *it, RetKind ret, uint16_t dest, Act *act, StepEvent *event, Value *out);
// map over native iterators: the call is the step. ST_NOTIMPL: nothing has happened.
Status quick_map(Vm *vm, Stepper *it, RetKind ret, uint16_t dest, Value *out);
// The result of a call for a loop's stepper. ST_OK: *out is the item; ST_STOP; ST_DEFER: the next item is to be asked
// for. ST_NOTIMPL: nothing has happened. Else consumes both.
Status quick_result(Vm *vm, Stepper *it, Value value, Value held, Value *out);
// Calls a native function at once, if its arguments (borrowed) need no binding. ST_NOTIMPL: not done.
Status call_native_now(Vm *vm, Value callee, Value *args, uint32_t count, Value *out);

// Returns whether a call pushes a frame that is free to hold something for a stepper: of a function of the language.
static inline bool pushes_plain(Value callee) {
    if (callee.kind == K_BOUND) callee = callee.bound->func;
    return callee.kind == K_FUNC;
}
// Returns whether the running frame is a loop over this stepper, which has to be given its items.
static inline bool loops_over(const Vm *vm, const Stepper *it, RetKind ret) {
    const Frame *frame = vm->interp->frame;
    return ret == RET_NEXT && frame->pc->op <= OP_FOR_ARMED && frame->pc->op >= OP_FOR &&
           frame->regs[frame->pc->a].obj == &it->gc.obj;
}

#endif
