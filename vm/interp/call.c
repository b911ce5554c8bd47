// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Calls of all kinds of values. A call of a function written in the language pushes a frame and returns; a
// call of a native runs it, and then makes the call that the native requests, if any.

#include <string.h>

#include "vm/interp/host_func.h"
#include "vm/interp/call_state.h"
#include "vm/value/asking.h"
#include "vm/value/dict.h"
#include "vm/value/effects.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"
#include "vm/value/str.h"

enum { NATIVE_SLOTS = 24, SPREAD_SPARE = 2 };

static void drop_args(Vm *vm, Value *args, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) clear(vm, &args[i]);
}

static uint32_t positional_count(uint32_t count, const Tuple *names) {
    return count - (names ? (uint32_t)names->len : 0);
}

// --- Functions written in the language -----------------------------------------------------------

// Puts the last parameters' defaults into their registers. False: the function has other than positional parameters,
// or arguments and defaults do not suffice.
static bool fill_defaults(const Func *func, uint32_t count, Value *regs) {
    uint32_t total = func->simple_args;
    if (total == NOT_SIMPLE || count > total) return false;
    uint32_t missing = total - count;
    if (missing == 0) return true;
    if (func->defaults.kind != K_TUPLE || missing > func->defaults.tuple->len) return false;
    const Tuple *defaults = func->defaults.tuple;
    for (uint32_t i = 0; i < missing; i++)
        regs[count + i] = retain(defaults->items[defaults->len - missing + i]);
    return true;
}

static Status bind_frame(Vm *vm, Func *func, Value *args, uint32_t count, const Tuple *names,
                         Frame *frame) {
    if (!names && fill_defaults(func, count, frame->regs)) {
        for (uint32_t i = 0; i < count; i++) {
            frame->regs[i] = args[i];
            args[i] = V_UNDEF;
        }
        return ST_OK;
    }
    const Signature *sig = func_sig(vm, func);
    Status st = sig ? signature_bind(vm, sig, args, positional_count(count, names), names, frame->regs)
                    : ST_ERROR;
    drop_args(vm, args, count);
    return st;
}

static Status call_generator(Vm *vm, Func *func, Value *args, uint32_t count, const Tuple *names,
                             Value *out) {
    Frame *frame = frame_detach(vm, func);
    if (!frame) {
        drop_args(vm, args, count);
        return vm_no_memory(vm);
    }
    if (bind_frame(vm, func, args, count, names, frame) != ST_OK) {
        frame_free(vm, frame);
        return ST_ERROR;
    }
    return gen_new(vm, func, frame, out);
}

static Status call_func(Vm *vm, Func *func, Value *args, uint32_t count, const Tuple *names,
                        RetKind ret, uint16_t dest, Value *out) {
    if (func->code->bc->flags & BC_GENERATOR)
        return call_generator(vm, func, args, count, names, out);
    Frame *frame = frame_push(vm, func, ret, dest);
    if (!frame) {
        drop_args(vm, args, count);
        return ST_ERROR;
    }
    if (bind_frame(vm, func, args, count, names, frame) == ST_OK) return ST_TAIL;
    frame_pop(vm);
    return ST_ERROR;
}

// --- Native functions ----------------------------------------------------------------------------

// Checks that a method of a built-in class gets an instance of that class. Replaces *self, if it is of a derived
// class, by a new reference to the built-in value inside.
static Status check_self(Vm *vm, const Native *native, Value *self) {
    if (native->owner.kind != K_CLASS || !native->signature->bound_self) return ST_OK;
    const Class *owner = native->owner.cls;
    if (self->kind == owner->instance_kind && self->kind != K_INSTANCE) return ST_OK;
    if (owner->instance_kind == K_INSTANCE) {
        if (owner == vm->object_class || op_isinstance(vm, *self, owner)) return ST_OK;
    } else {
        Value inner = unwrap(*self);
        if (class_is_subclass(class_of(vm, inner), owner)) {
            if (inner.bits != self->bits) *self = retain(inner);
            return ST_OK;
        }
    }
    return vm_raise(vm, EXC_TypeError, "descriptor '%s' for '%s' objects doesn't apply to a '%s' "
                    "object", native->def->name, owner->name->data, type_name(vm, *self));
}

// Returns whether a native is a function of numpy or a method of its kinds. These read their arguments and keep none.
static bool is_of_numpy(const Native *native) {
    if (native->owner.kind == K_MODULE) {
        const char *name = native->owner.module->name->data;
        return strncmp(name + (*name == '_'), "numpy", 5) == 0;
    }
    return native->owner.kind == K_CLASS && native->owner.cls->module.kind == K_STR &&
           str_is(native->owner.cls->module.str, "numpy");
}

// Replaces arguments of numpy's natives that are instances of derived classes by the number, text or sequence inside,
// unless their class has __array__.
static void unwrap_slots(Vm *vm, const Native *native, Value *slots) {
    for (int i = 0; i < native->signature->total; i++) {
        if (slots[i].kind != K_INSTANCE || !is_of_numpy(native)) continue;
        Value inner = unwrap(slots[i]);
        if (inner.kind == K_INSTANCE || op_user_method(vm, slots[i], NAME_array)) continue;
        retain(inner);
        release(vm, slots[i]);
        slots[i] = inner;
    }
}

static Status enter_native(Vm *vm, const Native *native, Value *slots, Value *out) {
    unwrap_slots(vm, native, slots);
    bool has_self = native->signature->total > 0;
    Value self = has_self ? slots[0] : V_UNDEF; // without parameters the slot may be beyond the frame's end
    if (has_self && check_self(vm, native, &slots[0]) != ST_OK) return ST_ERROR;
    bool replaced = has_self && slots[0].bits != self.bits;
    Status st = native_run(vm, native->def, slots, out);
    if (replaced) {
        if (st == ST_OK) op_keep_instance(vm, true, self, out); // of __iadd__ and the like
        release(vm, slots[0]);
        slots[0] = self;
    }
    return st;
}

// Notes the arguments of a native whose result an instruction stores.
static void note_called(Vm *vm, const Value *slots, RetKind ret) {
    vm->called = ret == RET_STORE ? slots : NULL;
}

static Status run_native(Vm *vm, const Native *native, Value *slots, RetKind ret, uint16_t dest,
                         Value *out) {
    note_called(vm, slots, ret);
    Status st = enter_native(vm, native, slots, out);
    return call_native_finish(vm, native, st, slots, ret, dest, out);
}

static Status no_slow_path(Vm *vm, const Native *native) {
    return vm_raise(vm, EXC_NotImplementedError,
                    "%s() does not take objects whose behaviour is written in the language",
                    native->def->name);
}

// Returns ST_DEFER for an ST_ERROR that stands for a question deferred inside the native (op_refused).
static Status settled(const Vm *vm, Status st) {
    return st == ST_ERROR ? op_refused(vm) : st;
}

Status attempt_native(Vm *vm, const Native *native, const Value *args, uint32_t count,
                      Dict *answers, Value *asked, int *about, Value *out) {
    Value slots[NATIVE_SLOTS];
    if (count > NATIVE_SLOTS) return vm_raise(vm, EXC_SystemError, "too many arguments");
    for (uint32_t i = 0; i < count; i++)
        slots[i] = args[i].kind == K_NOTIMPLEMENTED ? V_UNDEF : retain(args[i]);
    vm->answers = answers;
    vm->called = NULL;
    Status st = settled(vm, enter_native(vm, native, slots, out));
    vm->answers = NULL;
    *asked = vm->asked;
    *about = vm->asked_about;
    vm->asked = V_UNDEF;
    vm->asked_about = ASK_NONE;
    drop_args(vm, slots, count);
    if (st == ST_DEFER) return *about || native->def->slow ? ST_DEFER : no_slow_path(vm, native);
    clear(vm, asked);
    return st;
}

// Returns whether questions about arguments are answered before a native's slow path is called. That is so for numpy,
// whose slow paths are for other cases.
static bool asks_first(const Native *native, const Value *slots) {
    bool any = false;
    for (int i = 0; i < native->signature->total; i++) any |= slots[i].kind == K_INSTANCE;
    return any && is_of_numpy(native);
}

// Calls the native again by native_slow of the prelude, which answers its questions.
static Status call_again(Vm *vm, const Native *native, const Value *slots, RetKind ret,
                         uint16_t dest, Value *out) {
    Value list[NATIVE_SLOTS], args[2] = {v_obj((void *)(uintptr_t)native)};
    uint32_t count = (uint32_t)native->signature->total;
    for (uint32_t i = 0; i < count; i++)
        list[i] = slots[i].kind == K_UNDEF ? V_NOTIMPLEMENTED : slots[i];
    Status st = tuple_of(vm, list, count, &args[1]);
    if (st != ST_OK) return st;
    st = call_prelude(vm, "native_slow", args, 2, ret, dest, out);
    release(vm, args[1]);
    return st;
}

Status call_native_finish(Vm *vm, const Native *native, Status st, const Value *slots, RetKind ret,
                          uint16_t dest, Value *out) {
    st = settled(vm, st);
    if (st == ST_DEFER) {
        if (!native->def->slow || asks_first(native, slots)) return call_again(vm, native, slots, ret, dest, out);
        return call_prelude(vm, native->def->slow, slots, (uint32_t)native->signature->total, ret,
                            dest, out);
    }
    return call_finish(vm, st, ret, dest, out);
}

// Returns whether arguments that need no binding need neither unwrapping nor a check of self.
static bool is_plain(const Native *native, const Value *args, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (args[i].kind == K_INSTANCE) return false;
    return native->self_kind == K_UNDEF || (count > 0 && args[0].kind == native->self_kind);
}

// Calls a native with positional arguments only, which it moves to `slots`. The other slots borrow the fallbacks.
static Status call_positional(Vm *vm, const Native *native, Value *args, uint32_t count, Value *slots, RetKind ret,
                              uint16_t dest, Value *out) {
    const Signature *sig = native->signature;
    uint32_t i = 0;
    for (; i < count; i++) {
        slots[i] = args[i];
        args[i] = V_UNDEF;
    }
    for (; i < (uint32_t)sig->total; i++) slots[i] = sig->fallbacks[i];
    note_called(vm, slots, ret);
    Status st = is_plain(native, slots, count) ? native_run(vm, native->def, slots, out)
                                               : enter_native(vm, native, slots, out);
    if (st != ST_OK) st = call_native_finish(vm, native, st, slots, ret, dest, out);
    drop_args(vm, slots, count);
    return st;
}

static Status call_native(Vm *vm, Native *native, Value *args, uint32_t count, const Tuple *names,
                          RetKind ret, uint16_t dest, Value *out) {
    const Signature *sig = native_signature(vm, native);
    Status st;
    if (!sig) {
        drop_args(vm, args, count);
        return vm_no_memory(vm);
    }
    if (!names && count == (uint32_t)sig->total && sig->total == sig->positional) {
        note_called(vm, args, ret);
        st = is_plain(native, args, count) ? native_run(vm, native->def, args, out)
                                           : enter_native(vm, native, args, out);
        if (st != ST_OK) st = call_native_finish(vm, native, st, args, ret, dest, out);
        drop_args(vm, args, count);
        return st;
    }
    Value slots[NATIVE_SLOTS];
    if (!names && sig->fallbacks && sig->total <= NATIVE_SLOTS && count <= (uint32_t)sig->positional &&
        count >= (uint32_t)sig->required)
        return call_positional(vm, native, args, count, slots, ret, dest, out);
    for (int i = 0; i < sig->total && i < NATIVE_SLOTS; i++) slots[i] = V_UNDEF;
    st = sig->total > NATIVE_SLOTS
             ? vm_raise(vm, EXC_SystemError, "%s() has too many parameters", native->def->name)
             : signature_bind(vm, sig, args, positional_count(count, names), names, slots);
    drop_args(vm, args, count);
    if (st == ST_OK) st = run_native(vm, native, slots, ret, dest, out);
    if (sig->total <= NATIVE_SLOTS) drop_args(vm, slots, (uint32_t)sig->total);
    return st;
}

// --- Everything callable -------------------------------------------------------------------------

// Calls callee with `first` before the arguments, which it moves to a new array: the callee may need further free slots
// in front.
static Status call_moved(Vm *vm, Value callee, Value first, Value *args, uint32_t count,
                         const Tuple *names, RetKind ret, uint16_t dest, Value *out) {
    size_t size = ((size_t)count + 1 + SPREAD_SPARE) * sizeof(Value);
    Value *block = mem_zalloc(&vm->mem, size);
    if (!block) {
        drop_args(vm, args, count);
        return vm_no_memory(vm);
    }
    memcpy(block + SPREAD_SPARE + 1, args, count * sizeof(Value));
    for (uint32_t i = 0; i < count; i++) args[i] = V_UNDEF;
    block[SPREAD_SPARE] = retain(first);
    Status st = call_value(vm, callee, block + SPREAD_SPARE, count + 1, names, ret, dest, out);
    mem_free(&vm->mem, block, size);
    return st;
}

static Status call_with_self(Vm *vm, Value func, Value self, Value *args, uint32_t count,
                             const Tuple *names, RetKind ret, uint16_t dest, Value *out) {
    if (func.kind != K_FUNC && func.kind != K_NATIVE)
        return call_moved(vm, func, self, args, count, names, ret, dest, out);
    args[-1] = retain(self);
    return call_value(vm, func, args - 1, count + 1, names, ret, dest, out);
}

// Calls an instance as call_state says. ST_NOTIMPL: the call has to be made in the usual way; nothing has happened.
static Status call_by_state(Vm *vm, const NativeDef *row, Instance *inst, Value *args, uint32_t count,
                            const Tuple *names, RetKind ret, uint16_t dest, Value *out) {
    Value func, slots[STATE_SLOTS] = {0};
    Tuple *keywords;
    uint32_t total;
    Status st = ST_ERROR;
    StateCall what = call_state(vm, row, inst, args, count, names, ret == RET_STORE, &func, slots, &total, &keywords, out);
    if (what == STATE_OTHER) return ST_NOTIMPL;
    drop_args(vm, args, count);
    if (what == STATE_RESULT) return call_finish(vm, ST_OK, ret, dest, out);
    if (what == STATE_MISS) {
        const Frame *own = vm->interp->frame;
        const Value of = v_load(out);
        st = call_value(vm, func, slots + STATE_SPARE, total, NULL, ret, dest, out);
        release(vm, func);
        if (st == ST_TAIL && vm->interp->frame != own) {
            Frame *frame = vm->interp->frame;
            frame->extra = of;
            frame->phase = frame->ret;
            frame->ret = RET_CACHED;
            return st;
        }
        if (st == ST_OK) st = cached_result(vm, of, v_load(out), ret, dest, out);
        release(vm, of);
        return st;
    }
    if (what == STATE_CALL) {
        st = call_value(vm, func, slots + STATE_SPARE, total, keywords, ret, dest, out);
        release(vm, func);
        release_obj(vm, keywords);
    }
    return st;
}

static Status call_instance(Vm *vm, Value callee, Value *args, uint32_t count, const Tuple *names,
                            RetKind ret, uint16_t dest, Value *out) {
    Value method = cached_operator(vm, callee.inst, vm_name(vm, NAME_call));
    if (method.kind == K_UNDEF) method = class_lookup(callee.inst->cls, vm_name(vm, NAME_call));
    if (method.kind == K_UNDEF) {
        drop_args(vm, args, count);
        return vm_raise(vm, EXC_TypeError, "'%s' object is not callable", type_name(vm, callee));
    }
    if (method.kind == K_NATIVE && method.native->def->slow) {
        Status st = call_by_state(vm, method.native->def, callee.inst, args, count, names, ret, dest, out);
        if (st != ST_NOTIMPL) return st;
    }
    return call_with_self(vm, method, callee, args, count, names, ret, dest, out);
}

Status call_value(Vm *vm, Value callee, Value *args, uint32_t count, const Tuple *names,
                  RetKind ret, uint16_t dest, Value *out) {
    switch (callee.kind) {
    case K_FUNC:
        return call_func(vm, callee.func, args, count, names, ret, dest, out);
    case K_NATIVE:
        return call_native(vm, callee.native, args, count, names, ret, dest, out);
    case K_HOST_FUNC:
        return host_func_call(vm, (HostFunc *)callee.obj, args, count, names, out);
    case K_BOUND:
        return call_with_self(vm, callee.bound->func, callee.bound->self, args, count, names, ret,
                              dest, out);
    case K_CLASS:
        return call_class(vm, callee.cls, args, count, names, ret, dest, out);
    case K_UFUNC:
        return call_value(vm, callee.ufunc->call, args, count, names, ret, dest, out);
    case K_INSTANCE:
        return call_instance(vm, callee, args, count, names, ret, dest, out);
    case K_DESCR:
        if (callee.descr->role != DESCR_PROPERTY)
            return call_value(vm, callee.descr->get, args, count, names, ret, dest, out);
        break;
    default:
        break;
    }
    drop_args(vm, args, count);
    return vm_raise(vm, EXC_TypeError, "'%s' object is not callable", type_name(vm, callee));
}

// --- Calls asked for in other ways ---------------------------------------------------------------

static const char *callee_name(Vm *vm, Value callee) {
    if (callee.kind == K_FUNC) return callee.func->qualname->data;
    if (callee.kind == K_NATIVE) return callee.native->def->name;
    if (callee.kind == K_HOST_FUNC) return ((HostFunc *)callee.obj)->shape->name->data;
    if (callee.kind == K_BOUND) return callee_name(vm, callee.bound->func);
    return callee.kind == K_CLASS ? callee.cls->name->data : type_name(vm, callee);
}

// Copies the values of keyword arguments to `values` and their names to `names`.
static Status spread_keywords(Vm *vm, Value callee, Dict *kwargs, Value *values, Tuple *names) {
    uint32_t pos = 0;
    size_t i = 0;
    Value key, value;
    while (dict_next(kwargs, &pos, &key, &value)) {
        if (key.kind != K_STR)
            return vm_raise(vm, EXC_TypeError, "%s() keywords must be strings",
                            callee_name(vm, callee));
        Str *name = str_intern_str(vm, key.str);
        if (!name) return vm_no_memory(vm);
        names->items[i] = v_obj(name);
        values[i++] = retain(value);
    }
    return ST_OK;
}

Status call_spread(Vm *vm, Value callee, Value args, Value kwargs, RetKind ret, uint16_t dest,
                   Value *out) {
    size_t count = args.kind == K_TUPLE ? args.tuple->len : args.list->len;
    Value *items = args.kind == K_TUPLE ? args.tuple->items : args.list->items;
    size_t keywords = kwargs.kind == K_DICT ? kwargs.dict->count : 0;
    size_t total = count + keywords, size = (total + SPREAD_SPARE) * sizeof(Value);
    Tuple *names = keywords ? tuple_new(vm, keywords) : NULL;
    Value *block = mem_zalloc(&vm->mem, size);
    Status st = block && (names || !keywords) ? ST_OK : vm_no_memory(vm);
    if (st == ST_OK) {
        Value *slots = block + SPREAD_SPARE;
        for (size_t i = 0; i < count; i++) {
            slots[i] = items[i];
            if (args.obj->refs == 1) items[i] = V_UNDEF; // moved, so that the callee can free or reuse its arguments
            else retain(items[i]);
        }
        if (names) st = spread_keywords(vm, callee, kwargs.dict, slots + count, names);
        if (st == ST_OK)
            st = call_value(vm, callee, slots, (uint32_t)total, names, ret, dest, out);
        else drop_args(vm, slots, (uint32_t)total);
    }
    mem_free(&vm->mem, block, size);
    release_obj(vm, names);
    return st;
}

// Resumes the generator that is the callee of vm->tail, whose args are the mode and a value (resume_tail in gen.c).
static Status tail_resume(Vm *vm, RetKind ret, uint16_t dest, Value *out) {
    Tail *tail = &vm->tail;
    Value gen = tail->callee, sent = tail->args[1];
    ResumeMode mode = (ResumeMode)tail->args[0].i;
    tail->callee = tail->args[0] = tail->args[1] = V_UNDEF;
    tail->count = 0;
    Status st = ST_TAIL;
    if (mode > RESUME_SEND || !gen_enter(vm, gen.gen, ret, dest, sent))
        st = gen_resume(vm, gen.gen, mode, sent, mode == RESUME_CLOSE ? RET_CLOSE : ret, dest, out);
    release(vm, sent);
    release(vm, gen);
    return st;
}

// Takes the next item of the stepper that is the callee of vm->tail.
static Status tail_step(Vm *vm, RetKind ret, uint16_t dest, Value *out) {
    Value it = vm->tail.callee;
    vm->tail.callee = V_UNDEF;
    Status st = stepping_next(vm, (struct Stepper *)it.obj, ret, dest, out);
    release(vm, it);
    return st == ST_STOP ? vm_raise_stop(vm, V_UNDEF) : st;
}

static Status tail_spread(Vm *vm, const Tail *tail, RetKind ret, uint16_t dest, Value *out) {
    Value all, list = V_UNDEF;
    Status st = tuple_of(vm, tail->args, (size_t)tail->count, &all);
    if (st != ST_OK) return st;
    if (tail->more.kind == K_TUPLE) {
        st = op_binary(vm, BIN_ADD, false, all, tail->more, &list);
        replace(vm, &all, list);
    }
    if (st == ST_OK) st = call_spread(vm, tail->callee, all, tail->kwargs, ret, dest, out);
    release(vm, all);
    return st;
}

Status call_tail(Vm *vm, RetKind ret, uint16_t dest, Value *out) {
    if (vm->tail.callee.kind == K_GEN) return tail_resume(vm, ret, dest, out);
    if (vm->tail.callee.kind == K_STEPPER) return tail_step(vm, ret, dest, out);
    Tail tail = vm->tail;
    memset(&vm->tail, 0, sizeof vm->tail);
    Value slots[2 + TAIL_ARGS] = {0};
    Status st;
    if (tail.callee.kind == K_UNDEF) return ST_TAIL; // the native pushed the frame itself (import)
    if (tail.more.kind != K_UNDEF || tail.kwargs.kind != K_UNDEF) {
        st = tail_spread(vm, &tail, ret, dest, out);
        drop_args(vm, tail.args, (uint32_t)tail.count);
    } else {
        memcpy(slots + 2, tail.args, sizeof tail.args);
        st = call_value(vm, tail.callee, slots + 2, (uint32_t)tail.count, NULL, ret, dest, out);
    }
    release(vm, tail.more);
    release(vm, tail.kwargs);
    release(vm, tail.callee);
    return st;
}

Status call_finish(Vm *vm, Status st, RetKind ret, uint16_t dest, Value *out) {
    if (st == ST_TAIL) return call_tail(vm, ret, dest, out);
    if (st == ST_DEFER || st == ST_NOTIMPL)
        return vm_raise(vm, EXC_SystemError, "operation without a slow path");
    return st;
}

// Calls `rare` of the prelude with a name and the arguments, for functions that the prelude does not contain itself
// (_prelude_rare).
static Status call_rare(Vm *vm, const char *name, const Value *args, uint32_t count, RetKind ret,
                        uint16_t dest, Value *out) {
    Value pass[2] = {V_UNDEF, V_UNDEF};
    Tuple *all = tuple_new(vm, count);
    Status st = all ? str_out(vm, str_text(vm, name), &pass[0]) : vm_no_memory(vm);
    for (uint32_t i = 0; st == ST_OK && i < count; i++)
        all->items[i] = args[i].kind == K_UNDEF ? V_NOTIMPLEMENTED : retain(args[i]);
    if (all) pass[1] = v_obj(all);
    if (st == ST_OK) st = call_prelude(vm, "rare", pass, 2, ret, dest, out);
    release(vm, pass[0]);
    release(vm, pass[1]);
    return st;
}

Status call_prelude(Vm *vm, const char *name, const Value *args, uint32_t count, RetKind ret,
                    uint16_t dest, Value *out) {
    Str *key = str_intern(vm, name, strlen(name));
    if (!key) return vm_no_memory(vm);
    Value func = vm->interp->prelude ? module_get(vm->interp->prelude, key) : V_UNDEF;
    release_obj(vm, key);
    while (count > 0 && args[count - 1].kind == K_UNDEF) count--;
    if (func.kind == K_UNDEF && strcmp(name, "rare") != 0)
        return call_rare(vm, name, args, count, ret, dest, out);
    if (func.kind == K_UNDEF)
        return vm_raise(vm, EXC_SystemError, "the prelude is not there");
    Value slots[2 + NATIVE_SLOTS] = {0};
    for (uint32_t i = 0; i < count; i++)
        slots[2 + i] = args[i].kind == K_UNDEF ? V_NOTIMPLEMENTED : retain(args[i]);
    return call_value(vm, func, slots + 2, count, NULL, ret, dest, out);
}

Status call_special(Vm *vm, NameId name, const Value *args, uint32_t count, RetKind ret,
                    uint16_t dest, Value *out) {
    Value method = class_lookup(class_of(vm, args[0]), vm_name(vm, name));
    if (method.kind == K_UNDEF || method.kind == K_NONE) return ST_STOP;
    Value slots[2 + TAIL_ARGS] = {0};
    Value *first = slots + 2;
    for (uint32_t i = 0; i < count; i++) first[i] = retain(args[i]);
    if (method.kind == K_FUNC || method.kind == K_NATIVE)
        return call_value(vm, method, first, count, NULL, ret, dest, out);
    // Binds a descriptor or a callable object first, then calls it without self.
    Value bound;
    Status st = op_getattr(vm, args[0], vm_name(vm, name), &bound);
    if (st != ST_OK) {
        drop_args(vm, first, count);
        return call_finish(vm, st, ret, dest, out);
    }
    clear(vm, first);
    st = call_value(vm, bound, first + 1, count - 1, NULL, ret, dest, out);
    release(vm, bound);
    return st;
}
