// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Runs the steps of map, filter, itertools … (vm/value/stepper.h). A step that only needs native
// iterators and functions is completed at once. A step that waits for code of the program waits in a
// frame of its own. That frame's function (`stepping` of the prelude) never runs: its registers hold the
// stepper, the phase and the held value. Steppers over steppers wait in such frames too, so that nesting
// takes no C stack. These frames do not count as calls in interp->depth. The stepper that a `for` loop iterates needs
// no such frame: its phase and held value are stored in the frame of the call or generator that it waits for
// (RET_LOOP_STEP, RET_LOOP_NEXT).

#include "vm/interp/interp.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"
#include "vm/value/stepper.h"
#include "vm/value/str.h"

enum { REG_STEPPER, REG_PHASE, REG_HELD, POLL_MASK = 0xfff };

// The state while one item is computed, by the steps of a stepper and of the steppers it reads from. `act` is the
// innermost step under way.
typedef struct Walk {
    Act act;
    bool framed; // the running frame is the act's own
    RetKind ret; // where the item goes, if the act has no frame
    uint16_t dest;
    const Frame *below; // the frame whose code wants the item as a return value; NULL: the item is delivered
    bool asked;         // below is not NULL
    bool away;          // another frame was pushed and runs first; its exceptions are left to unwind
} Walk;

static Func *stepping_func(Vm *vm) {
    if (vm->interp->stepping) return vm->interp->stepping;
    Str *key = str_intern(vm, "stepping", 8);
    Value func = key ? module_get(vm->interp->prelude, key) : V_UNDEF;
    release_obj(vm, key);
    if (func.kind == K_FUNC) vm->interp->stepping = func.func;
    return vm->interp->stepping;
}

static inline void walk_init(Walk *walk, Stepper *it, RetKind ret, uint16_t dest, const Frame *below) {
    walk->act.of = it;
    walk->act.args[0].head = walk->act.args[1].head = K_UNDEF;
    walk->framed = walk->away = false;
    walk->asked = below != NULL;
    walk->ret = ret;
    walk->dest = dest;
    walk->below = below;
}

static void act_args_clear(Vm *vm, Act *act) {
    for (int i = 0; i < 2; i++) clear(vm, &act->args[i]);
}

static void act_clear(Vm *vm, Act *act) {
    clear(vm, &act->held);
    act_args_clear(vm, act);
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

// --- Without a frame -----------------------------------------------------------------------------
//
// A loop's stepper that waits for a call of a function of the language, or for a generator, stores its step's state in
// that frame (`extra` and `step`).

// Returns whether a call, if it pushes a frame, pushes that of a function of the language, whose `extra` is free.
static inline bool pushes_plain(Value callee) {
    if (callee.kind == K_BOUND) callee = callee.bound->func;
    return callee.kind == K_FUNC;
}

static inline bool loops_over(const Vm *vm, const Stepper *it, RetKind ret) {
    const Frame *frame = vm->interp->frame;
    const Instr *at = frame->pc;
    return ret == RET_NEXT && (at->op == OP_FOR || at->op == OP_FOR_ARMED) && frame->regs[at->a].obj == &it->gc.obj;
}

// Calls a function with owned arguments that follow two free slots. StopIteration from a call that pushed no frame
// becomes ST_STOP.
static Status call_item(Vm *vm, Value callee, Value *args, uint32_t count, RetKind ret, uint16_t dest, Value *out) {
    if (callee.kind == K_FUNC && callee.func->simple_args == count) {
        callee.func->gc.obj.refs++;
        Frame *frame = frame_push_owned(vm, vm->interp, callee.func, ret, dest, count);
        for (uint32_t i = 0; i < count; i++) {
            if (frame) v_store(&frame->regs[i], v_load(&args[i]));
            else release(vm, args[i]);
        }
        return frame ? ST_TAIL : ST_ERROR;
    }
    args[-2].kind = args[-1].kind = K_UNDEF;
    const Frame *own = vm->interp->frame;
    retain(callee);
    Status st = call_value(vm, callee, args, count, NULL, ret, dest, out);
    release(vm, callee);
    return vm->interp->frame == own ? end_is_stop(vm, st) : st;
}

// Stores a step's state in the frame that has just been pushed. Consumes `held`.
static Status goes_along(const Vm *vm, Value held, int64_t phase) {
    vm->interp->frame->extra = held;
    vm->interp->frame->step = (uint32_t)phase;
    return ST_TAIL;
}

enum { QUICK_ARGS = 4 };

// Runs the step of map over native iterators, which is a single call whose result is the item. ST_NOTIMPL: nothing has
// happened.
static Status quick_map(Vm *vm, Stepper *it, RetKind ret, uint16_t dest, Value *out) {
    Value slots[2 + QUICK_ARGS], *args = slots + 2, source = it->source;
    const Value *sources = &source;
    uint32_t count = 1;
    if (it->begun) return ST_NOTIMPL;
    if (source.kind == K_TUPLE) {
        sources = source.tuple->items;
        if (source.tuple->len > QUICK_ARGS) return ST_NOTIMPL;
        count = (uint32_t)source.tuple->len;
        for (uint32_t i = 0; i < count; i++)
            if (sources[i].kind != K_ITER) return ST_NOTIMPL;
    }
    for (uint32_t i = 0; i < count; i++) {
        Status st = stepper_source(vm, sources[i], &args[i]);
        if (st == ST_OK) continue;
        for (uint32_t k = 0; k < i; k++) release(vm, args[k]);
        return end_is_stop(vm, st);
    }
    return call_item(vm, it->func, args, count, ret, dest, out);
}

static Status quick_starmap(Vm *vm, Stepper *it, RetKind ret, uint16_t dest, Value *out) {
    Value slots[2 + QUICK_ARGS], item;
    if (it->source.kind != K_ITER || it->source.obj->aux != ITER_ZIP ||
        it->source.iter->over.kind != K_TUPLE || it->source.iter->over.tuple->len > QUICK_ARGS)
        return ST_NOTIMPL;
    Status st = stepper_source(vm, it->source, &item);
    if (st != ST_OK) return end_is_stop(vm, st);
    uint32_t count = (uint32_t)item.tuple->len;
    for (uint32_t i = 0; i < count; i++) slots[2 + i] = retain(item.tuple->items[i]);
    release(vm, item);
    return call_item(vm, it->func, slots + 2, count, ret, dest, out);
}

// Begins a step of filter, takewhile or accumulate in a loop: calls the function, which is one of the language, with an
// item of the source.
static Status quick_call(Vm *vm, Stepper *it, uint16_t dest, Value *out) {
    Value slots[4], held = V_UNDEF, callee = it->func;
    bool accumulates = it->gc.obj.aux == STEPPER_ACCUMULATE;
    if (accumulates && (it->a.kind == K_UNDEF || it->b.kind != K_UNDEF)) return ST_NOTIMPL;
    Status st = stepper_source(vm, it->source, out);
    if (st != ST_OK) return st == ST_NOTIMPL ? st : end_is_stop(vm, st);
    slots[2] = slots[3] = v_load(out);
    if (accumulates) slots[2] = retain(it->a);
    else held = retain(slots[2]);
    const Frame *own = vm->interp->frame;
    st = call_item(vm, callee, slots + 2, accumulates ? 2 : 1, RET_LOOP_STEP, dest, out);
    if (vm->interp->frame != own) return goes_along(vm, held, 0);
    if (st != ST_OK) {
        release(vm, held);
        return st;
    }
    it->begun = STEP_RESULT; // the call returned at once, as that of a generator function does
    it->begun_phase = 0;
    it->begun_in = *out;
    it->begun_held = held;
    return ST_NOTIMPL;
}

// Begins a step of a loop's stepper that first takes an item of its source, with no state to hold: enters the source if
// it is a generator, or map of a function of the language. ST_NOTIMPL: the step has to be run as usual, from it->begun.
static Status quick_source(Vm *vm, Stepper *it, uint16_t dest, Value *out) {
    if (it->gc.obj.aux == STEPPER_ISLICE) { // its step holds the source meanwhile
        const bool over = it->index >= it->next && it->stop >= 0 && it->index >= it->stop;
        const Value held = v_load(&it->source);
        if (over || held.kind != K_GEN || !gen_enter(vm, held.gen, RET_LOOP_NEXT, dest, V_NONE)) return ST_NOTIMPL;
        it->source.head = K_UNDEF;
        return goes_along(vm, held, 0);
    }
    const Value source = it->gc.obj.aux == STEPPER_CHAIN ? it->a : it->source;
    if (it->gc.obj.aux == STEPPER_ACCUMULATE && it->b.kind != K_UNDEF) return ST_NOTIMPL;
    if (source.kind == K_GEN)
        return gen_enter(vm, source.gen, RET_LOOP_NEXT, dest, V_NONE) ? goes_along(vm, V_UNDEF, 0) : ST_NOTIMPL;
    const Stepper *from = (const Stepper *)source.obj;
    if (source.kind != K_STEPPER || from->gc.obj.aux != STEPPER_MAP || !pushes_plain(from->func)) return ST_NOTIMPL;
    const Frame *own = vm->interp->frame;
    Status st = quick_map(vm, (Stepper *)source.obj, RET_LOOP_NEXT, dest, out);
    if (vm->interp->frame != own) return goes_along(vm, V_UNDEF, 0);
    if (st != ST_OK && (st != ST_STOP || it->gc.obj.aux != STEPPER_CHAIN)) return st;
    it->begun = st == ST_OK ? STEP_ITEM : STEP_END;
    it->begun_phase = 0;
    it->begun_in = st == ST_OK ? *out : V_UNDEF;
    it->begun_held = V_UNDEF;
    return ST_NOTIMPL;
}

// --- zip -----------------------------------------------------------------------------------------

enum { ZIP_UNKNOWN, ZIP_QUICK, ZIP_OTHER }; // Stepper.step

// Returns whether zip's sources are native iterators, generators, and maps of a function of the language over one
// native iterator.
static bool zips_quickly(Stepper *it) {
    if (it->step != ZIP_UNKNOWN) return it->step == ZIP_QUICK;
    const Tuple *sources = it->source.tuple;
    bool quick = !it->flag && sources->len > 0 && sources->len < UINT8_MAX;
    for (size_t i = 0; quick && i < sources->len; i++) {
        const Value source = sources->items[i];
        const Stepper *from = source.kind == K_STEPPER ? (const Stepper *)source.obj : NULL;
        quick = source.kind == K_ITER || source.kind == K_GEN ||
                (from && from->gc.obj.aux == STEPPER_MAP && from->source.kind == K_ITER && pushes_plain(from->func));
    }
    it->step = quick ? ZIP_QUICK : ZIP_OTHER;
    return quick;
}

// Fills the rest of a row (consumed) of zip, from position `at` on. *out is the row.
static Status zip_row(Vm *vm, const Stepper *it, Value row, size_t at, uint16_t dest, Value *out) {
    const Tuple *sources = it->source.tuple;
    const Frame *own = vm->interp->frame;
    for (; at < sources->len; at++) {
        const Value source = sources->items[at];
        Status st;
        if (source.kind == K_ITER) st = stepper_source(vm, source, out);
        else if (source.kind == K_STEPPER) st = quick_map(vm, (Stepper *)source.obj, RET_LOOP_NEXT, dest, out);
        else if (gen_enter(vm, source.gen, RET_LOOP_NEXT, dest, V_NONE)) st = ST_TAIL;
        else st = gen_resume(vm, source.gen, RESUME_NEXT, V_NONE, RET_LOOP_NEXT, dest, out);
        if (vm->interp->frame != own) return goes_along(vm, row, (int64_t)at);
        if (st != ST_OK) {
            release(vm, row);
            return end_is_stop(vm, st);
        }
        replace(vm, &row.tuple->items[at], v_load(out));
    }
    *out = row;
    return ST_OK;
}

static Status quick_zip(Vm *vm, Stepper *it, uint16_t dest, Value *out) {
    if (!zips_quickly(it)) return ST_NOTIMPL;
    Tuple *row = stepper_row(vm, it, it->source.tuple->len);
    return row ? zip_row(vm, it, v_obj(row), 0, dest, out) : vm_no_memory(vm);
}

static Status quick_step(Vm *vm, Stepper *it, RetKind ret, uint16_t dest, Value *out) {
    const bool loops = !it->begun && loops_over(vm, it, ret);
    Status st = ST_NOTIMPL;
    switch ((StepRole)it->gc.obj.aux) {
    case STEPPER_STARMAP: return quick_starmap(vm, it, ret, dest, out);
    case STEPPER_TAKEWHILE:
        if (it->flag) return ST_STOP; // fallthrough
    case STEPPER_FILTER:
    case STEPPER_FILTERFALSE:
    case STEPPER_ACCUMULATE:
        if (loops && pushes_plain(it->func)) st = quick_call(vm, it, dest, out);
        break;
    case STEPPER_MAP: st = quick_map(vm, it, ret, dest, out); break;
    case STEPPER_ZIP: return loops ? quick_zip(vm, it, dest, out) : ST_NOTIMPL;
    case STEPPER_ENUMERATE:
    case STEPPER_ISLICE:
    case STEPPER_CHAIN: break;
    default: return ST_NOTIMPL;
    }
    return st == ST_NOTIMPL && loops && !it->begun ? quick_source(vm, it, dest, out) : st;
}

// Handles the result `value` of the call that quick_call began. ST_OK: *out is the item. ST_STOP: the stepper is at its
// end. ST_DEFER: the item was filtered out. All these consume both values. ST_NOTIMPL: nothing has happened.
static Status quick_result(Vm *vm, Stepper *it, Value value, Value held, Value *out) {
    StepRole role = (StepRole)it->gc.obj.aux;
    if (role == STEPPER_ACCUMULATE) {
        replace(vm, &it->a, retain(value));
        *out = value;
        return ST_OK;
    }
    bool judged = role == STEPPER_FILTER || role == STEPPER_FILTERFALSE || role == STEPPER_TAKEWHILE;
    if (!judged || (value.kind != K_BOOL && value.kind != K_INT && value.kind != K_NONE)) return ST_NOTIMPL;
    if ((value.kind != K_NONE && value.i != 0) == (role != STEPPER_FILTERFALSE)) {
        *out = held;
        return ST_OK;
    }
    release(vm, held);
    if (role != STEPPER_TAKEWHILE) return ST_DEFER;
    it->flag = true;
    return ST_STOP;
}

// --- Steps ---------------------------------------------------------------------------------------

// Takes the next item of a source that is a generator or an instance of the program's classes.
static Status ask_program(Vm *vm, Value source, Value *out) {
    if (source.kind == K_GEN)
        return gen_resume(vm, source.gen, RESUME_NEXT, V_NONE, RET_STEP_NEXT, 0, out);
    Status st = call_special(vm, NAME_next, &source, 1, RET_STEP_NEXT, 0, out);
    if (st != ST_STOP) return st;
    return vm_raise(vm, EXC_TypeError, "'%s' object is not an iterator", type_name(vm, source));
}

static bool needs_no_frame(const Vm *vm, const Walk *walk) {
    return !walk->framed && loops_over(vm, walk->act.of, walk->ret);
}

// Moves the act's state into the frame that has just been pushed for what it waits for.
static Status act_goes_along(const Vm *vm, Walk *walk) {
    Value held = v_load(&walk->act.held);
    walk->act.held = V_UNDEF;
    walk->away = true;
    return goes_along(vm, held, walk->act.phase);
}

// Takes an item of a generator, or of map over native iterators, for a loop's stepper. ST_NOTIMPL: nothing was done.
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
    return vm->interp->frame != own ? act_goes_along(vm, walk) : st;
}

// Returns the event with which the step continues, and sets the act's state: from it->begun, or for a new step.
static StepEvent take_begun(Walk *walk, Value *in) {
    Stepper *it = walk->act.of;
    StepEvent event = (StepEvent)it->begun;
    walk->act.phase = event ? it->begun_phase : 0;
    walk->act.held = event ? it->begun_held : V_UNDEF;
    *in = event ? it->begun_in : V_UNDEF;
    it->begun = STEP_START;
    it->begun_in = it->begun_held = V_UNDEF;
    return event;
}

static Status next_item(Vm *vm, Walk *walk, StepEvent *event, Value *in) {
    Value source = walk->act.callee;
    Status st = source.kind == K_STEPPER ? stepper_plain(vm, (Stepper *)source.obj, in) : stepper_source(vm, source, in);
    if (st == ST_NOTIMPL && (source.kind == K_GEN || source.kind == K_STEPPER) && needs_no_frame(vm, walk)) {
        st = ask_for_loop(vm, walk, source, in);
        if (walk->away) return st;
    }
    if (st == ST_NOTIMPL) {
        if (suspend(vm, walk) != ST_OK) return ST_ERROR;
        const Frame *own = vm->interp->frame;
        if (source.kind == K_STEPPER) {
            walk_init(walk, (Stepper *)source.obj, RET_STEP_NEXT, 0, walk->below);
            *event = take_begun(walk, in);
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

// Calls the act's helper or callee with its arguments (consumed).
static Status call(Vm *vm, Act *act, StepWant want, RetKind ret, uint16_t dest, Value *out) {
    Value slots[2 + 2] = {V_UNDEF, V_UNDEF, v_load(&act->args[0]), v_load(&act->args[1])};
    Status st;
    act->args[0] = act->args[1] = V_UNDEF;
    if (act->helper) {
        st = call_prelude(vm, act->helper, slots + 2, act->count, ret, dest, out);
        clear(vm, &slots[2]);
        clear(vm, &slots[3]);
        return st;
    }
    if (want != STEP_SPREAD && act->callee.kind == K_FUNC)
        return call_item(vm, act->callee, slots + 2, act->count, ret, dest, out);
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
    Act *act = &walk->act;
    const Frame *own = vm->interp->frame;
    Status st = act->helper ? ST_NOTIMPL : stepper_call(vm, act->callee, act->args, act->count, in);
    if (st == ST_OK || st == ST_ERROR) {
        act_args_clear(vm, act);
    } else if (!act->helper && pushes_plain(act->callee) && needs_no_frame(vm, walk)) {
        st = call(vm, act, STEP_CALL, RET_LOOP_STEP, walk->dest, in);
        if (vm->interp->frame != own) return act_goes_along(vm, walk);
    } else {
        if (suspend(vm, walk) != ST_OK) return ST_ERROR;
        own = vm->interp->frame;
        st = call(vm, act, STEP_CALL, RET_STEP, 0, in);
        walk->away = vm->interp->frame != own;
        if (walk->away) return st;
        reload(vm, walk);
    }
    st = end_is_stop(vm, st);
    *event = st == ST_STOP ? STEP_END : STEP_RESULT;
    return st == ST_STOP ? ST_OK : st;
}

// Makes the call whose result is the item (STEP_LAST, STEP_SPREAD). The act ends before it, so it needs no frame.
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

// Ends an act that has computed an item or is at its end (`st`). True: it was the source of another stepper, whose step
// continues with *event.
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

// Does what the act wants. *over: the act is complete, with an item (ST_OK, in *in) or at its end (ST_STOP). Otherwise
// *event and *in are for its next step. ST_TAIL: another frame runs first.
static Status perform(Vm *vm, Walk *walk, StepWant want, StepEvent *event, Value *in, bool *over) {
    *in = V_UNDEF;
    *over = true;
    switch (want) {
    case STEP_GIVE: *in = v_load(&walk->act.value); return ST_OK;
    case STEP_STOP: return ST_STOP;
    case STEP_FAIL: return ST_ERROR;
    case STEP_LAST:
    case STEP_SPREAD: return last_call(vm, walk, want, in);
    case STEP_NEXT: *over = false; return next_item(vm, walk, event, in);
    case STEP_CALL: *over = false; return result(vm, walk, event, in);
    }
    return ST_ERROR;
}

static Status run(Vm *vm, Walk *walk, StepWant want, Value *out) {
    StepEvent event = STEP_START;
    for (uint32_t n = 1;; n++) {
        bool over;
        Value in;
        Status st = perform(vm, walk, want, &event, &in, &over);
        if (st == ST_OK && (n & POLL_MASK) == 0 && vm_interrupted(vm)) {
            release(vm, in);
            in = V_UNDEF;
            st = vm_poll(vm);
        }
        if (st == ST_OK && !over) {
            want = stepper_step(vm, &walk->act, event, in);
            continue;
        }
        if (!walk->away) st = end_is_stop(vm, st);
        if (st == ST_TAIL || st == ST_ERROR) {
            act_clear(vm, &walk->act);
            return st;
        }
        if (!passed_outward(vm, walk, st, &event)) return answered(vm, walk, st, in, out);
        want = stepper_step(vm, &walk->act, event, in);
    }
}

Status stepping_go_on(Vm *vm, Stepper *it, RetKind ret, uint16_t dest, Value *out) {
    Status st = quick_step(vm, it, ret, dest, out);
    if (st != ST_NOTIMPL) return st;
    Walk walk;
    Value in;
    walk_init(&walk, it, ret, dest, vm->interp->frame);
    StepEvent event = take_begun(&walk, &in);
    return run(vm, &walk, stepper_step(vm, &walk.act, event, in), out);
}

Status stepping_next(Vm *vm, Stepper *it, RetKind ret, uint16_t dest, Value *out) {
    Status st = stepper_plain(vm, it, out);
    return st == ST_NOTIMPL ? stepping_go_on(vm, it, ret, dest, out) : st;
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
    return run(vm, &walk, stepper_step(vm, &walk.act, event, value), &unused);
}

static Status loop_item(Vm *vm, uint16_t dest, Value item) {
    Frame *frame = vm->interp->frame;
    replace(vm, &frame->regs[dest], item);
    frame->pc = frame->code->entry + instr_wide(frame->pc[1]);
    return ST_OK;
}

Status stepping_loop(Vm *vm, RetKind ret, uint16_t dest, int phase, Value value, Value held, bool finished) {
    const Frame *frame = vm->interp->frame;
    Stepper *it = (Stepper *)frame->regs[frame->pc->a].obj;
    Value out;
    if (finished) {
        release(vm, value);
        value = V_UNDEF;
    } else if (ret == RET_LOOP_STEP && phase == 0) {
        Status st = quick_result(vm, it, value, held, &out);
        if (st == ST_DEFER) {
            st = quick_call(vm, it, dest, &out);
            if (st == ST_NOTIMPL) st = stepping_next(vm, it, RET_NEXT, dest, &out);
        }
        if (st == ST_OK) return loop_item(vm, dest, v_load(&out));
        if (st == ST_STOP) return deliver(vm, RET_NEXT, dest, 0, V_NONE, V_UNDEF, true);
        if (st != ST_NOTIMPL) return st;
    }
    if (!finished && it->gc.obj.aux == STEPPER_ZIP && it->step == ZIP_QUICK) {
        replace(vm, &held.tuple->items[phase], value);
        Status st = zip_row(vm, it, held, (size_t)phase + 1, dest, &out);
        if (st == ST_OK) return loop_item(vm, dest, v_load(&out));
        return st == ST_STOP ? deliver(vm, RET_NEXT, dest, 0, V_NONE, V_UNDEF, true) : st;
    }
    if (!finished && it->gc.obj.aux == STEPPER_MAP && phase == 0 && it->source.kind != K_TUPLE && ret == RET_LOOP_NEXT) {
        Value slots[3];
        v_store(&slots[2], value);
        Status st = call_item(vm, it->func, slots + 2, 1, RET_NEXT, dest, &out);
        if (st == ST_OK) return loop_item(vm, dest, v_load(&out));
        return st == ST_STOP ? deliver(vm, RET_NEXT, dest, 0, V_NONE, V_UNDEF, true) : st;
    }
    Walk walk;
    walk_init(&walk, it, RET_NEXT, dest, NULL);
    v_store(&walk.act.held, held);
    walk.act.phase = phase;
    StepEvent event = finished ? STEP_END : ret == RET_LOOP_STEP ? STEP_RESULT : STEP_ITEM;
    StepWant want = stepper_step(vm, &walk.act, event, value);
    const Value callee = walk.act.callee;
    if (want == STEP_CALL && !walk.act.helper && callee.kind == K_FUNC && callee.func->simple_args == walk.act.count) {
        Value slots[4] = {V_UNDEF, V_UNDEF, v_load(&walk.act.args[0]), v_load(&walk.act.args[1])};
        Status st = call_item(vm, callee, slots + 2, walk.act.count, RET_LOOP_STEP, dest, &out);
        if (st == ST_TAIL) return goes_along(vm, v_load(&walk.act.held), walk.act.phase);
        clear(vm, &walk.act.held);
        return st;
    }
    if (want != STEP_GIVE) return run(vm, &walk, want, &out);
    clear(vm, &walk.act.held);
    return loop_item(vm, dest, v_load(&walk.act.value));
}

Status stepping_yield(Vm *vm, Frame *frame, Value value) {
    Gen *gen = frame->gen;
    const Value held = v_load(&frame->extra);
    frame->extra.head = K_UNDEF;
    frame_unlink(vm->interp, frame);
    gen->gc.obj.aux = GEN_SUSPENDED;
    Status st = stepping_loop(vm, RET_LOOP_NEXT, frame->dest, (int)frame->step, value, held, false);
    release_obj(vm, gen);
    return st;
}

Status stepping_return(Vm *vm, Frame *frame, Value value) {
    uint16_t dest = frame->dest;
    int phase = (int)frame->step;
    Value held = v_load(&frame->extra);
    frame->extra.head = K_UNDEF;
    frame_leave(vm, vm->interp, frame);
    return stepping_loop(vm, RET_LOOP_STEP, dest, phase, value, held, false);
}
