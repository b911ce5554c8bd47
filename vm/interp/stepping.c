// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Runs the steps of map, filter, itertools … (vm/value/stepper.h). A step that only needs native
// iterators and functions runs through. One that waits for code of the program does so in a frame of its
// own, of a function of the prelude that never runs: its registers are the stepper, the phase and the
// held value. Steppers over steppers wait in such frames too, so that nesting takes no C stack; the
// frames do not count as calls, as there are none.

#include "vm/interp/interp.h"
#include "vm/value/effects.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"
#include "vm/value/stepper.h"
#include "vm/value/str.h"

enum { REG_STEPPER, REG_PHASE, REG_HELD, POLL_MASK = 0xfff };

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

static Status end_is_stop(Vm *vm, Status st) {
    if (st != ST_ERROR || !vm_error_is(vm, EXC_StopIteration)) return st;
    vm_clear_error(vm);
    return ST_STOP;
}

// --- What takes no frame -------------------------------------------------------------------------

static inline Status native_item(Vm *vm, Value source, Value *out) {
    Iter *it = source.iter;
    if (it->gc.obj.aux == ITER_LIST && it->over.kind == K_LIST &&
        (size_t)it->index < it->over.list->len) {
        *out = retain(v_load(&it->over.list->items[it->index++]));
        return ST_OK;
    }
    return kind_ITER.next(vm, source, out);
}

// The next item of a stepper that needs no call for it. ST_NOTIMPL: it may; nothing has happened.
static Status own_item(Vm *vm, Stepper *it, Value *out) {
    Act act;
    Status st;
    switch ((StepRole)it->gc.obj.aux) {
    case STEPPER_CHAIN:
        if (it->a.kind != K_ITER) return ST_NOTIMPL;
        st = native_item(vm, it->a, out);
        return st == ST_STOP ? ST_NOTIMPL : st; // which it says again
    case STEPPER_COUNT:
        if (it->a.kind != K_UNDEF) return ST_NOTIMPL;
        break;
    case STEPPER_REPEAT:
    case STEPPER_COMBINATIONS:
    case STEPPER_MULTISETS:
    case STEPPER_PERMUTATIONS:
    case STEPPER_PRODUCT: break;
    default: return ST_NOTIMPL;
    }
    act.of = it;
    StepWant want = stepper_step(vm, &act, STEP_START, V_UNDEF);
    if (want == STEP_CALL) return ST_NOTIMPL; // a count that has become too large
    *out = act.value;
    return want == STEP_GIVE ? ST_OK : want == STEP_STOP ? ST_STOP : ST_ERROR;
}

enum { QUICK_ARGS = 4 };

static Status call_quick(Vm *vm, Value callee, Value *args, uint32_t count, RetKind ret,
                         uint16_t dest, Value *out) {
    const Frame *own = vm->interp->frame;
    retain(callee);
    Status st = call_value(vm, callee, args, count, NULL, ret, dest, out);
    release(vm, callee);
    return vm->interp->frame == own ? end_is_stop(vm, st) : st;
}

// map over native iterators: the call is the step.
static Status quick_map(Vm *vm, Stepper *it, RetKind ret, uint16_t dest, Value *out) {
    Value slots[2 + QUICK_ARGS] = {0}, *args = slots + 2, source = it->source;
    const Value *sources = &source;
    uint32_t count = 1;
    if (source.kind == K_TUPLE) {
        sources = source.tuple->items;
        if (source.tuple->len > QUICK_ARGS) return ST_NOTIMPL;
        count = (uint32_t)source.tuple->len;
    }
    for (uint32_t i = 0; i < count; i++)
        if (sources[i].kind != K_ITER) return ST_NOTIMPL;
    for (uint32_t i = 0; i < count; i++) {
        Status st = native_item(vm, sources[i], &args[i]);
        if (st == ST_OK) continue;
        for (uint32_t k = 0; k < i; k++) release(vm, args[k]);
        return end_is_stop(vm, st);
    }
    return call_quick(vm, it->func, args, count, ret, dest, out);
}

static Status quick_starmap(Vm *vm, Stepper *it, RetKind ret, uint16_t dest, Value *out) {
    Value slots[2 + QUICK_ARGS] = {0}, item;
    if (it->source.kind != K_ITER || it->source.obj->aux != ITER_ZIP ||
        it->source.iter->over.kind != K_TUPLE || it->source.iter->over.tuple->len > QUICK_ARGS)
        return ST_NOTIMPL;
    Status st = native_item(vm, it->source, &item);
    if (st != ST_OK) return end_is_stop(vm, st);
    uint32_t count = (uint32_t)item.tuple->len;
    for (uint32_t i = 0; i < count; i++) slots[2 + i] = retain(item.tuple->items[i]);
    release(vm, item);
    return call_quick(vm, it->func, slots + 2, count, ret, dest, out);
}

static Status quick_step(Vm *vm, Stepper *it, RetKind ret, uint16_t dest, Value *out) {
    switch ((StepRole)it->gc.obj.aux) {
    case STEPPER_MAP: return quick_map(vm, it, ret, dest, out);
    case STEPPER_STARMAP: return quick_starmap(vm, it, ret, dest, out);
    default: return own_item(vm, it, out);
    }
}

// A native function called at once, if its arguments need no binding. ST_NOTIMPL: not done.
static Status call_native_now(Vm *vm, Act *act, Value *out) {
    if (act->helper || act->callee.kind != K_NATIVE) return ST_NOTIMPL;
    Native *native = act->callee.native;
    const Signature *sig = native_signature(vm, native);
    if (!sig) return vm_no_memory(vm);
    if (sig->total != (int)act->count || sig->total != sig->positional ||
        native->owner.kind == K_CLASS)
        return ST_NOTIMPL;
    return native_run(vm, native->def, act->args, out);
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

static Status next_item(Vm *vm, Walk *walk, StepEvent *event, Value *in) {
    Value source = walk->act.callee;
    Status st;
    if (source.kind == K_ITER) {
        st = native_item(vm, source, in);
    } else if (source.kind != K_STEPPER ||
               (st = own_item(vm, (Stepper *)source.obj, in)) == ST_NOTIMPL) {
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

static Status result(Vm *vm, Walk *walk, StepEvent *event, Value *in) {
    Status st = call_native_now(vm, &walk->act, in);
    if (st == ST_OK || st == ST_ERROR) {
        for (int i = 0; i < 2; i++) clear(vm, &walk->act.args[i]);
    } else {
        if (suspend(vm, walk) != ST_OK) {
            if (st == ST_TAIL) vm_clear_tail(vm);
            return ST_ERROR;
        }
        const Frame *own = vm->interp->frame;
        st = st == ST_TAIL ? call_tail(vm, RET_STEP, 0, in)
                           : call(vm, &walk->act, STEP_CALL, RET_STEP, 0, in);
        walk->away = vm->interp->frame != own;
        if (walk->away) return st;
        reload(vm, walk);
    }
    st = end_is_stop(vm, st);
    *event = st == ST_STOP ? STEP_END : STEP_RESULT;
    return st == ST_STOP ? ST_OK : st;
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
        bool over;
        Status st = one_step(vm, walk, &event, &in, &over);
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
    Value in = V_UNDEF;
    Status st = quick_step(vm, it, ret, dest, out);
    if (st != ST_NOTIMPL) return st;
    Walk walk;
    walk.act.of = it;
    walk.act.phase = 0;
    walk.act.held = walk.act.args[0] = walk.act.args[1] = V_UNDEF;
    walk.framed = walk.away = false;
    walk.asked = true;
    walk.ret = ret;
    walk.dest = dest;
    walk.below = vm->interp->frame;
    return run(vm, &walk, STEP_START, in, out);
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
