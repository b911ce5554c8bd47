// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Steps that are done at once: those that need no call, whose call is of a native function, or whose call is
// the step.

#include "vm/interp/fast.h"
#include "vm/interp/stepping.h"
#include "vm/value/effects.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"

static inline Status native_item(Vm *vm, Value source, Value *out) {
    Iter *it = source.iter;
    if (it->gc.obj.aux == ITER_LIST && it->over.kind == K_LIST &&
        (size_t)it->index < it->over.list->len) {
        *out = retain(v_load(&it->over.list->items[it->index++]));
        return ST_OK;
    }
    return kind_ITER.next(vm, source, out);
}

Status call_native_now(Vm *vm, Value callee, Value *args, uint32_t count, Value *out) {
    if (callee.kind != K_NATIVE) return ST_NOTIMPL;
    if (!native_signature(vm, callee.native)) return vm_no_memory(vm);
    for (uint32_t i = 0; i < count; i++)
        if (args[i].kind == K_INSTANCE) return ST_NOTIMPL;
    if (!is_simple_native(&callee, count, args)) return ST_NOTIMPL;
    Status st = native_run(vm, callee.native->def, args, out);
    return st == ST_ERROR && vm->error.kind == K_UNDEF ? ST_DEFER : st;
}

// --- Steps without a call ------------------------------------------------------------------------

// Ends a stepper that lets go of its source.
static Status ended(Vm *vm, Stepper *it, Status st) {
    if (st == ST_OK || st == ST_NOTIMPL) return st;
    clear(vm, &it->source);
    return st;
}

static Status own_slice(Vm *vm, Stepper *it, Value *out) {
    if (it->source.kind == K_UNDEF) return ST_STOP;
    for (;;) {
        if (it->index >= it->next && it->stop >= 0 && it->index >= it->stop) return ended(vm, it, ST_STOP);
        Status st = it->source.kind == K_ITER ? native_item(vm, it->source, out) : ST_NOTIMPL;
        if (st != ST_OK) return ended(vm, it, st);
        if (it->index++ >= it->next) break;
        release(vm, *out);
        if ((it->index & POLL_MASK) == 0 && vm_interrupted(vm)) return ended(vm, it, vm_poll(vm));
    }
    it->next = it->step > INT64_MAX - it->next ? INT64_MAX : it->next + it->step;
    if (it->stop >= 0 && it->next > it->stop) it->next = it->stop;
    return ST_OK;
}

// The next item of a stepper over native iterators that needs no call for it.
static Status own_item(Vm *vm, Stepper *it, Value *out) {
    Act act;
    Status st;
    switch ((StepRole)it->gc.obj.aux) {
    case STEPPER_CHAIN:
        if (it->a.kind != K_ITER) return ST_NOTIMPL;
        st = native_item(vm, it->a, out);
        return st == ST_STOP ? ST_NOTIMPL : st; // which it says again
    case STEPPER_ISLICE: return own_slice(vm, it, out);
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

Status plain_item(Vm *vm, Value source, Value *out) {
    if (source.kind == K_ITER) return native_item(vm, source, out);
    return source.kind == K_STEPPER ? own_item(vm, (Stepper *)source.obj, out) : ST_NOTIMPL;
}

// --- The call is the step ------------------------------------------------------------------------

enum { QUICK_ARGS = 4 };

static Status call_quick(Vm *vm, Value callee, Value *args, uint32_t count, RetKind ret,
                         uint16_t dest, Value *out) {
    Status st = call_native_now(vm, callee, args, count, out);
    if (likely(st == ST_OK)) {
        for (uint32_t i = 0; i < count; i++) release(vm, args[i]);
        return ST_OK;
    }
    const Frame *own = vm->interp->frame;
    retain(callee);
    if (st == ST_NOTIMPL) {
        st = call_value(vm, callee, args, count, NULL, ret, dest, out);
    } else {
        st = call_native_finish(vm, callee.native, st, args, ret, dest, out);
        for (uint32_t i = 0; i < count; i++) release(vm, args[i]);
    }
    release(vm, callee);
    return vm->interp->frame == own ? end_is_stop(vm, st) : st;
}

// map over native iterators.
Status quick_map(Vm *vm, Stepper *it, RetKind ret, uint16_t dest, Value *out) {
    Value slots[2 + QUICK_ARGS], *args = slots + 2, source = it->source;
    const Value *sources = &source;
    uint32_t count = 1;
    slots[0].kind = slots[1].kind = K_UNDEF;
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

// --- Steps that look at an item ------------------------------------------------------------------

static inline Status truth_of(Vm *vm, Value v, bool *truth) {
    if (v.kind != K_NONE) return op_truth(vm, v, truth);
    *truth = false;
    return ST_OK;
}

// Calls what a loop's stepper goes on with the result of. `held` (consumed) goes along with its frame.
static Status call_for_loop(Vm *vm, Value callee, Value *slots, uint32_t count, uint16_t dest, Value held, Value *out) {
    const Frame *own = vm->interp->frame;
    slots[0].kind = slots[1].kind = K_UNDEF;
    Status st = call_value(vm, callee, slots + 2, count, NULL, RET_LOOP_STEP, dest, out);
    if (vm->interp->frame != own) {
        vm->interp->frame->extra = held;
        vm->interp->frame->step = 0;
        return st;
    }
    release(vm, held);
    return st;
}

// The native function has to be called once more, or what it asks for be done.
static Status not_now(Act *act, Status st, Value item, StepEvent *event, Value *out) {
    *event = st == ST_TAIL ? STEP_TAIL : STEP_ITEM;
    act->phase = 0;
    act->held = st == ST_TAIL ? item : V_UNDEF;
    *out = st == ST_TAIL ? V_UNDEF : item;
    return ST_NOTIMPL;
}

// filter and its like, which ask for items until one is `wanted`; takewhile, which asks for one.
static Status quick_judged(Vm *vm, Stepper *it, RetKind ret, uint16_t dest, Act *act, StepEvent *event, Value *out) {
    const bool wanted = it->gc.obj.aux != STEPPER_FILTERFALSE, once = it->gc.obj.aux == STEPPER_TAKEWHILE;
    const Value callee = it->func;
    const bool calls = callee.kind != K_UNDEF, direct = pushes_plain(callee) && loops_over(vm, it, ret);
    if (calls && !direct && callee.kind != K_NATIVE) return ST_NOTIMPL;
    for (uint32_t n = 1;; n++) {
        Value slots[3], answer;
        bool truth;
        Status st = plain_item(vm, it->source, out);
        if (st != ST_OK) return st == ST_NOTIMPL ? st : end_is_stop(vm, st);
        const Value item = answer = slots[2] = v_load(out);
        if (direct) {
            retain(item);
            return call_for_loop(vm, callee, slots, 1, dest, item, out);
        }
        if (calls) {
            st = call_native_now(vm, callee, slots + 2, 1, &answer);
            if (st != ST_OK && st != ST_ERROR) return not_now(act, st, item, event, out);
        }
        if (st == ST_OK) st = truth_of(vm, answer, &truth);
        if (st != ST_OK && st != ST_ERROR) {
            if (!calls) return not_now(act, ST_DEFER, item, event, out);
            *event = STEP_RESULT;
            act->held = item;
            act->phase = 0;
            *out = answer;
            return ST_NOTIMPL;
        }
        if (calls && st == ST_OK) release(vm, answer);
        if (st == ST_OK && truth == wanted) return ST_OK;
        release(vm, item);
        if (st != ST_OK) return end_is_stop(vm, st);
        if (once) it->flag = true;
        if (once) return ST_STOP;
        if ((n & POLL_MASK) == 0 && vm_poll(vm) != ST_OK) return ST_ERROR;
    }
}

static Status quick_sum(Vm *vm, Value a, Value b, Value *out) {
    int64_t sum;
    if (a.kind == K_INT && b.kind == K_INT && !__builtin_add_overflow(a.i, b.i, &sum)) *out = v_int(sum);
    else if (a.kind == K_FLOAT && b.kind == K_FLOAT) *out = v_float(a.f + b.f);
    else return op_binary(vm, BIN_ADD, false, a, b, out);
    return ST_OK;
}

static Status quick_accumulate(Vm *vm, Stepper *it, RetKind ret, uint16_t dest, Act *act, StepEvent *event, Value *out) {
    if (it->b.kind != K_UNDEF) return ST_NOTIMPL;
    const Value callee = it->func;
    const bool calls = callee.kind != K_UNDEF, direct = pushes_plain(callee) && loops_over(vm, it, ret);
    if (calls && !direct && callee.kind != K_NATIVE) return ST_NOTIMPL;
    Status st = plain_item(vm, it->source, out);
    if (st != ST_OK) return st == ST_NOTIMPL ? st : end_is_stop(vm, st);
    if (it->a.kind != K_UNDEF) {
        const Value item = v_load(out);
        Value slots[4], sum;
        slots[2] = it->a;
        slots[3] = item;
        if (direct) {
            retain(it->a);
            return call_for_loop(vm, callee, slots, 2, dest, V_UNDEF, out);
        }
        st = calls ? call_native_now(vm, callee, slots + 2, 2, &sum) : quick_sum(vm, it->a, item, &sum);
        if (st == ST_TAIL) release(vm, item);
        if (st != ST_OK && st != ST_ERROR) return not_now(act, st, st == ST_TAIL ? V_UNDEF : item, event, out);
        release(vm, item);
        if (st != ST_OK) return end_is_stop(vm, st);
        *out = sum;
    }
    replace(vm, &it->a, retain(*out));
    return ST_OK;
}

static Status quick_compress(Vm *vm, Stepper *it, Act *act, StepEvent *event, Value *out) {
    for (uint32_t n = 1;; n++) {
        Value selector;
        bool keep = false;
        Status st = plain_item(vm, it->source, out);
        if (st != ST_OK) return st == ST_NOTIMPL ? st : end_is_stop(vm, st);
        st = plain_item(vm, it->a, &selector);
        if (st == ST_NOTIMPL) return not_now(act, st, v_load(out), event, out);
        if (st == ST_OK) {
            st = truth_of(vm, selector, &keep);
            if (st != ST_OK && st != ST_ERROR) {
                *event = STEP_RESULT;
                act->held = *out;
                act->phase = 1;
                *out = selector;
                return ST_NOTIMPL;
            }
            release(vm, selector);
        }
        if (keep) return ST_OK;
        release(vm, *out);
        if (st != ST_OK) return end_is_stop(vm, st);
        if ((n & POLL_MASK) == 0 && vm_poll(vm) != ST_OK) return ST_ERROR;
    }
}

Status quick_step(Vm *vm, Stepper *it, RetKind ret, uint16_t dest, Act *act, StepEvent *event, Value *out) {
    switch ((StepRole)it->gc.obj.aux) {
    case STEPPER_MAP: return quick_map(vm, it, ret, dest, out);
    case STEPPER_STARMAP: return quick_starmap(vm, it, ret, dest, out);
    case STEPPER_TAKEWHILE:
        if (it->flag) return ST_STOP; // fallthrough
    case STEPPER_FILTER:
    case STEPPER_FILTERFALSE: return quick_judged(vm, it, ret, dest, act, event, out);
    case STEPPER_ACCUMULATE: return quick_accumulate(vm, it, ret, dest, act, event, out);
    case STEPPER_COMPRESS: return quick_compress(vm, it, act, event, out);
    case STEPPER_DROPWHILE:
        return it->flag ? end_is_stop(vm, plain_item(vm, it->source, out)) : ST_NOTIMPL;
    default: return own_item(vm, it, out);
    }
}

Status quick_result(Vm *vm, Stepper *it, Value value, Value held, Value *out) {
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
