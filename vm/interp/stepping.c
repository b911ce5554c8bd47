// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Runs the steps of map, filter, itertools … (vm/value/stepper.h). A step that only needs native
// iterators and functions runs through. One that waits for code of the program does so in a frame of its
// own, of a function of the prelude that never runs: its registers are the stepper, the phase and the
// held value. Steppers over steppers wait in such frames too, so that nesting takes no C stack; the
// frames do not count as calls, as there are none. The stepper that a `for` loop walks needs none: phase and held
// value go along in the frame of the call or generator that it waits for (RET_LOOP_STEP, RET_LOOP_NEXT).

#include "vm/interp/stepping.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"
#include "vm/value/str.h"

enum { REG_STEPPER, REG_PHASE, REG_HELD };

static Func *stepping_func(Vm *vm) {
    if (vm->interp->stepping) return vm->interp->stepping;
    Str *key = str_intern(vm, "stepping", 8);
    Value func = key ? module_get(vm->interp->prelude, key) : V_UNDEF;
    release_obj(vm, key);
    if (func.kind == K_FUNC) vm->interp->stepping = func.func;
    return vm->interp->stepping;
}

static void act_clear(Vm *vm, Act *act) {
    clear(vm, &act->held);
    for (int i = 0; i < 2; i++) clear(vm, &act->args[i]);
}

// Moves the act's state into its frame, which becomes the running one.
static Status suspend(Vm *vm, Walk *walk) {
    Interp *interp = vm->interp;
    Act *act = &walk->act;
    if (!walk->framed) {
        Func *func = stepping_func(vm);
        if (!func) return vm_no_memory(vm);
        interp->depth--;
        Frame *frame = frame_push(vm, func, walk->ret, walk->dest);
        if (!frame) {
            interp->depth++;
            return ST_ERROR;
        }
        frame->regs[REG_STEPPER] = retain(v_obj(act->of));
        walk->framed = true;
    }
    Value *regs = interp->frame->regs;
    regs[REG_PHASE] = v_int(act->phase);
    replace(vm, &regs[REG_HELD], act->held);
    act->held = V_UNDEF;
    return ST_OK;
}

static void reload(Vm *vm, Walk *walk) {
    Value *regs = vm->interp->frame->regs;
    walk->framed = true;
    walk->act.of = (Stepper *)regs[REG_STEPPER].obj;
    walk->act.phase = regs[REG_PHASE].i;
    walk->act.held = v_load(&regs[REG_HELD]);
    regs[REG_HELD] = V_UNDEF;
}

// Takes the act's frame off; (ret, dest) say where it delivers.
static void leave(Vm *vm, Walk *walk) {
    Interp *interp = vm->interp;
    Frame *frame = interp->frame;
    walk->ret = (RetKind)frame->ret;
    walk->dest = frame->dest;
    walk->framed = false;
    interp->depth++;
    frame_leave(vm, interp, frame);
}

// --- Steps ---------------------------------------------------------------------------------------

// An item of what is neither native nor a stepper.
static Status ask_program(Vm *vm, Value source, Value *out) {
    if (source.kind == K_GEN)
        return gen_resume(vm, source.gen, RESUME_NEXT, V_NONE, RET_STEP_NEXT, 0, out);
    Status st = call_special(vm, NAME_next, &source, 1, RET_STEP_NEXT, 0, out);
    if (st != ST_STOP) return st;
    return vm_raise(vm, EXC_TypeError, "'%s' object is not an iterator", type_name(vm, source));
}

// Moves the act's state into the frame that has just been pushed for what it waits for.
static Status goes_along(Vm *vm, Walk *walk) {
    Frame *frame = vm->interp->frame;
    frame->extra = walk->act.held;
    frame->step = (uint32_t)walk->act.phase;
    walk->act.held = V_UNDEF;
    walk->away = true;
    return ST_TAIL;
}

static bool needs_no_frame(const Vm *vm, const Walk *walk) {
    return !walk->framed && loops_over(vm, walk->act.of, walk->ret);
}

// An item of a generator, or of map over native iterators, for a loop's stepper. ST_NOTIMPL: nothing has happened.
static Status ask_for_loop(Vm *vm, Walk *walk, Value source, Value *in) {
    const Frame *own = vm->interp->frame;
    Status st = ST_NOTIMPL;
    if (source.kind == K_GEN) {
        st = gen_enter(vm, source.gen, RET_LOOP_NEXT, walk->dest, V_NONE)
                 ? ST_TAIL
                 : gen_resume(vm, source.gen, RESUME_NEXT, V_NONE, RET_LOOP_NEXT, walk->dest, in);
    } else if (source.obj->aux == STEPPER_MAP && pushes_plain(((Stepper *)source.obj)->func)) {
        st = quick_map(vm, (Stepper *)source.obj, RET_LOOP_NEXT, walk->dest, in);
    }
    return vm->interp->frame != own ? goes_along(vm, walk) : st;
}

static Status next_item(Vm *vm, Walk *walk, StepEvent *event, Value *in) {
    Value source = walk->act.callee;
    Status st = plain_item(vm, source, in);
    if (st == ST_NOTIMPL && (source.kind == K_GEN || source.kind == K_STEPPER) && needs_no_frame(vm, walk)) {
        st = ask_for_loop(vm, walk, source, in);
        if (walk->away) return st;
    }
    if (st == ST_NOTIMPL) {
        if (suspend(vm, walk) != ST_OK) return ST_ERROR;
        const Frame *own = vm->interp->frame;
        if (source.kind == K_STEPPER) {
            *walk = (Walk){.act.of = (Stepper *)source.obj,
                           .ret = RET_STEP_NEXT,
                           .below = walk->below,
                           .asked = walk->asked};
            *event = STEP_START;
            return ST_OK;
        }
        st = ask_program(vm, source, in);
        walk->away = vm->interp->frame != own;
        if (walk->away) return st;
        reload(vm, walk);
    }
    st = end_is_stop(vm, st);
    *event = st == ST_STOP ? STEP_END : STEP_ITEM;
    return st == ST_STOP ? ST_OK : st;
}

// The call of the act, with its arguments.
static Status call(Vm *vm, Act *act, StepWant want, RetKind ret, uint16_t dest, Value *out) {
    Value slots[2 + 2] = {V_UNDEF, V_UNDEF, act->args[0], act->args[1]};
    Status st;
    act->args[0] = act->args[1] = V_UNDEF;
    if (act->helper) {
        st = call_prelude(vm, act->helper, slots + 2, act->count, ret, dest, out);
        clear(vm, &slots[2]);
        clear(vm, &slots[3]);
        return st;
    }
    Value callee = retain(act->callee);
    if (want == STEP_SPREAD) {
        st = call_spread(vm, callee, slots[2], V_UNDEF, ret, dest, out);
        clear(vm, &slots[2]);
    } else {
        st = call_value(vm, callee, slots + 2, act->count, NULL, ret, dest, out);
    }
    release(vm, callee);
    return st;
}

// What the call of the act comes to; `st`: of having called it as a native, ST_NOTIMPL: not done.
static Status settle(Vm *vm, Walk *walk, Status st, StepEvent *event, Value *in) {
    Act *act = &walk->act;
    const Frame *own = vm->interp->frame;
    if (st == ST_NOTIMPL && !act->helper && pushes_plain(act->callee) && needs_no_frame(vm, walk)) {
        st = call(vm, act, STEP_CALL, RET_LOOP_STEP, walk->dest, in);
        if (vm->interp->frame != own) return goes_along(vm, walk);
    } else if (st == ST_OK || st == ST_ERROR) {
        for (int i = 0; i < 2; i++) clear(vm, &act->args[i]);
    } else {
        if (suspend(vm, walk) != ST_OK) {
            if (st == ST_TAIL) vm_clear_tail(vm);
            return ST_ERROR;
        }
        own = vm->interp->frame;
        if (st == ST_TAIL) act_clear(vm, act);
        st = st == ST_TAIL ? call_tail(vm, RET_STEP, 0, in) : call(vm, act, STEP_CALL, RET_STEP, 0, in);
        walk->away = vm->interp->frame != own;
        if (walk->away) return st;
        reload(vm, walk);
    }
    st = end_is_stop(vm, st);
    *event = st == ST_STOP ? STEP_END : STEP_RESULT;
    return st == ST_STOP ? ST_OK : st;
}

static Status result(Vm *vm, Walk *walk, StepEvent *event, Value *in) {
    Act *act = &walk->act;
    Status st = act->helper ? ST_NOTIMPL : call_native_now(vm, act->callee, act->args, act->count, in);
    return settle(vm, walk, st == ST_DEFER ? ST_NOTIMPL : st, event, in);
}

// The call whose result is the item: the act is over before it.
static Status last_call(Vm *vm, Walk *walk, StepWant want, Value *out) {
    Act act = walk->act;
    retain(act.callee);
    walk->act.args[0] = walk->act.args[1] = V_UNDEF;
    clear(vm, &walk->act.held);
    if (walk->framed) leave(vm, walk);
    act.held = V_UNDEF;
    const Frame *own = vm->interp->frame;
    Status st = call(vm, &act, want, walk->ret, walk->dest, out);
    walk->away = vm->interp->frame != own;
    release(vm, act.callee);
    return st;
}

// The act has come to an item or an end (`st`). True: that is for the stepper outside, which goes on.
static bool passed_outward(Vm *vm, Walk *walk, Status st, StepEvent *event) {
    act_clear(vm, &walk->act);
    if (walk->framed) leave(vm, walk);
    bool mine = walk->asked && vm->interp->frame == walk->below;
    if (mine || walk->ret != RET_STEP_NEXT) return false;
    *event = st == ST_OK ? STEP_ITEM : STEP_END;
    reload(vm, walk);
    return true;
}

static Status answered(Vm *vm, Walk *walk, Status st, Value value, Value *out) {
    if (walk->asked && vm->interp->frame == walk->below) {
        if (st == ST_OK) *out = value;
        return st;
    }
    if (st == ST_STOP) return deliver(vm, walk->ret, walk->dest, 0, V_NONE, V_UNDEF, true);
    return deliver(vm, walk->ret, walk->dest, 0, value, V_UNDEF, false);
}

// ST_OK and ST_STOP (the item or the end, of the act), ST_TAIL, ST_ERROR.
static Status one_step(Vm *vm, Walk *walk, StepEvent *event, Value *in, bool *over) {
    StepWant want = stepper_step(vm, &walk->act, *event, *in);
    *in = V_UNDEF;
    *over = true;
    switch (want) {
    case STEP_GIVE: *in = walk->act.value; return ST_OK;
    case STEP_STOP: return ST_STOP;
    case STEP_FAIL: return ST_ERROR;
    case STEP_LAST:
    case STEP_SPREAD: return last_call(vm, walk, want, in);
    case STEP_NEXT: *over = false; return next_item(vm, walk, event, in);
    case STEP_CALL: *over = false; return result(vm, walk, event, in);
    }
    return ST_ERROR;
}

static Status run(Vm *vm, Walk *walk, StepEvent event, Value in, Value *out) {
    for (uint32_t n = 1;; n++) {
        bool over = false;
        Status st = event == STEP_TAIL ? settle(vm, walk, ST_TAIL, &event, &in) : one_step(vm, walk, &event, &in, &over);
        if (st == ST_OK && (n & POLL_MASK) == 0 && vm_interrupted(vm)) {
            release(vm, in);
            in = V_UNDEF;
            st = vm_poll(vm);
        }
        if (st == ST_OK && !over) continue;
        if (!walk->away) st = end_is_stop(vm, st);
        if (st == ST_TAIL || st == ST_ERROR) {
            act_clear(vm, &walk->act);
            return st;
        }
        if (!passed_outward(vm, walk, st, &event)) return answered(vm, walk, st, in, out);
    }
}

Status stepping_next(Vm *vm, Stepper *it, RetKind ret, uint16_t dest, Value *out) {
    Walk walk;
    StepEvent event = STEP_START;
    Status st = quick_step(vm, it, ret, dest, &walk.act, &event, out);
    if (st != ST_NOTIMPL) return st;
    if (event == STEP_START) {
        walk.act.phase = 0;
        walk.act.held = V_UNDEF;
        *out = V_UNDEF;
    }
    walk.act.of = it;
    walk.act.args[0] = walk.act.args[1] = V_UNDEF;
    walk.framed = walk.away = false;
    walk.asked = true;
    walk.ret = ret;
    walk.dest = dest;
    walk.below = vm->interp->frame;
    return run(vm, &walk, event, *out, out);
}

Status stepping_deliver(Vm *vm, RetKind ret, Value value, bool finished) {
    Walk walk = {0};
    Value unused = V_UNDEF;
    reload(vm, &walk);
    if (finished) {
        release(vm, value);
        value = V_UNDEF;
    }
    StepEvent event = finished ? STEP_END : ret == RET_STEP ? STEP_RESULT : STEP_ITEM;
    return run(vm, &walk, event, value, &unused);
}

Status stepping_loop(Vm *vm, RetKind ret, uint16_t dest, int phase, Value value, Value held, bool finished) {
    const Frame *frame = vm->interp->frame;
    Stepper *it = (Stepper *)frame->regs[frame->pc->a].obj;
    Value out = V_UNDEF;
    if (finished) {
        release(vm, value);
        value = V_UNDEF;
    } else if (ret == RET_LOOP_STEP && phase == 0) {
        Status st = quick_result(vm, it, value, held, &out);
        if (st == ST_DEFER) st = stepping_next(vm, it, RET_NEXT, dest, &out);
        if (st == ST_OK || st == ST_STOP) return deliver(vm, RET_NEXT, dest, 0, out, V_UNDEF, st == ST_STOP);
        if (st != ST_NOTIMPL) return st;
    }
    Walk walk = {.act = {.of = it, .held = held, .phase = phase}, .ret = RET_NEXT, .dest = dest};
    StepEvent event = finished ? STEP_END : ret == RET_LOOP_STEP ? STEP_RESULT : STEP_ITEM;
    return run(vm, &walk, event, value, &out);
}
