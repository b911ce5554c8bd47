// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Making instances and classes.

#include <string.h>

#include "vm/interp/interp.h"
#include "vm/value/dict.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"
#include "vm/value/shape.h"
#include "vm/value/stepper.h"
#include "vm/value/str.h"

static void drop_args(Vm *vm, Value *args, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) clear(vm, &args[i]);
}

// Calls a function of the prelude with the caller's arguments (consumed), keyword arguments included.
static Status hand_over(Vm *vm, const char *name, Value *args, uint32_t count, const Tuple *names,
                        RetKind ret, uint16_t dest, Value *out) {
    Str *key = str_intern(vm, name, strlen(name));
    Value func = key ? module_get(vm->interp->prelude, key) : V_UNDEF;
    release_obj(vm, key);
    if (func.kind != K_UNDEF) return call_value(vm, func, args, count, names, ret, dest, out);
    drop_args(vm, args, count);
    return key ? vm_raise(vm, EXC_SystemError, "the prelude has no %s", name) : vm_no_memory(vm);
}

// Makes a value of a built-in kind, by the native constructor of its class.
static Status construct(Vm *vm, const Class *cls, Value *args, uint32_t count, const Tuple *names,
                        RetKind ret, uint16_t dest, Value *out) {
    Kind kind = cls->instance_kind;
    const NativeDef *def = kind_slots[kind]->construct;
    Value *cached = &vm->interp->constructors[kind];
    if (cls == vm->static_class || cls == vm->classmethod_class) { // share property's kind
        bool is_static = cls == vm->static_class;
        def = is_static ? &staticmethod_construct : &classmethod_construct;
        cached = &vm->interp->descr_constructors[is_static];
    }
    if (kind == K_CLASS && count >= 3 && args[0].kind == K_STR && args[1].kind == K_TUPLE &&
        args[2].kind == K_DICT)
        return hand_over(vm, "type_slow", args, count, names, ret, dest, out);
    if (kind == K_STEPPER) {
        StepRole role = STEPPER_MAP;
        def = stepper_construct(cls, vm, &role);
        cached = &vm->interp->stepper_constructors[role];
    }
    if (!def) {
        drop_args(vm, args, count);
        return vm_raise(vm, EXC_TypeError, "cannot create '%s' instances",
                        kind == K_STEPPER ? cls->name->data : kind_names[kind]);
    }
    if (cached->kind == K_UNDEF && native_new(vm, def, V_UNDEF, cached) != ST_OK) {
        drop_args(vm, args, count);
        return ST_ERROR;
    }
    return call_value(vm, *cached, args, count, names, ret, dest, out);
}

// --- Exceptions and plain instances --------------------------------------------------------------

Status exception_args(Vm *vm, Value exc, const Value *args, uint32_t count) {
    Value tuple;
    if (tuple_of(vm, args, count, &tuple) != ST_OK) return ST_ERROR;
    Status st = exc_set_args(vm, (ExcInstance *)exc.inst, tuple);
    release(vm, tuple);
    return st;
}

// Initialises an instance whose class has no __init__ written in the language: only exceptions take arguments.
static Status plain_init(Vm *vm, Value instance, const Value *args, uint32_t count,
                         const Tuple *names) {
    if (count == 0) return ST_OK;
    ExcInstance *exc = exc_of(instance);
    if (!exc)
        return vm_raise(vm, EXC_TypeError, "%s() takes no arguments",
                        instance.inst->cls->name->data);
    size_t named = names ? names->len : 0;
    Status st = ST_OK;
    for (size_t i = 0; st == ST_OK && i < named; i++)
        st = exc_keyword(vm, exc, names->items[i].str, args[count - named + i]);
    return st;
}

// Runs __init__ on a fresh instance (consumed) and delivers the instance.
static Status init_instance(Vm *vm, Value instance, Value *args, uint32_t count,
                            const Tuple *names, RetKind ret, uint16_t dest, Value *out) {
    Class *cls = instance.inst->cls;
    if (cls->init.kind == K_UNDEF) {
        Value found = class_user_method(cls, vm_name(vm, NAME_init));
        cls->init = found.kind == K_UNDEF ? V_NONE : found;
    }
    Value init = cls->init;
    if (init.kind == K_NONE) {
        Status st = plain_init(vm, instance, args, count, names);
        drop_args(vm, args, count);
        if (st == ST_OK) *out = instance;
        else release(vm, instance);
        return st;
    }
    args[-1] = retain(instance);
    Status st = call_value(vm, init, args - 1, count + 1, names, RET_INIT, dest, out);
    if (st == ST_TAIL) {
        vm->interp->frame->extra = instance;
        vm->interp->frame->phase = (uint8_t)ret;
        return ST_TAIL;
    }
    if (st != ST_OK) {
        release(vm, instance);
        return st;
    }
    replace(vm, out, instance);
    return ST_OK;
}

// Makes an instance of a class derived from a built-in kind, by construct_payload of the prelude: the built-in value is
// made from the same arguments, but if __init__ is the user's, mutable kinds start empty.
static Status payload_instance(Vm *vm, Class *cls, Value *args, uint32_t count,
                               const Tuple *names, RetKind ret, uint16_t dest, Value *out) {
    Value list = V_UNDEF, kwargs = V_UNDEF;
    uint32_t positional = count - (names ? (uint32_t)names->len : 0);
    Dict *dict = NULL;
    Status st = tuple_of(vm, args, positional, &list);
    if (st == ST_OK && names) {
        dict = dict_new(vm);
        st = vm_check(vm, dict);
        for (size_t i = 0; st == ST_OK && i < names->len; i++)
            st = dict_set(vm, dict, names->items[i], args[positional + i]);
        if (dict) kwargs = v_obj(dict);
    }
    drop_args(vm, args, count);
    if (st == ST_OK) {
        const Value pass[3] = {v_obj(cls), list, kwargs.kind == K_UNDEF ? V_NONE : kwargs};
        st = call_prelude(vm, "construct_payload", pass, 3, ret, dest, out);
    }
    release(vm, list);
    release(vm, kwargs);
    return st;
}

// Returns the class's __new__ if it is a function of the language and no __init__ has to run on its result; otherwise
// UNDEF. Excludes classes with subclasses: __new__ may return an instance of one, which may have an __init__.
static Value only_new(Vm *vm, const Class *cls) {
    bool fixed = cls->payload_kind == K_INSTANCE || cls->payload_kind == K_TUPLE;
    if (!fixed || cls->subclass_count || cls->flags & CLASS_EXCEPTION) return V_UNDEF;
    if (class_user_method(cls, vm_name(vm, NAME_init)).kind != K_UNDEF) return V_UNDEF;
    Value made = class_user_method(cls, vm_name(vm, NAME_new));
    if (made.kind == K_DESCR && made.descr->role == DESCR_STATICMETHOD) made = made.descr->get;
    return made.kind == K_FUNC ? made : V_UNDEF;
}

// Makes an instance of a class whose __new__ is the user's. Unless only_new applies, construct_new of the prelude calls
// __new__ and then __init__.
static Status user_new(Vm *vm, Class *cls, Value *args, uint32_t count, const Tuple *names,
                       RetKind ret, uint16_t dest, Value *out) {
    Value quick = only_new(vm, cls);
    if (quick.kind == K_FUNC) {
        args[-1] = retain(v_obj(cls));
        return call_value(vm, quick, args - 1, count + 1, names, ret, dest, out);
    }
    args[-1] = retain(v_obj(cls));
    return hand_over(vm, "construct_new", args - 1, count + 1, names, ret, dest, out);
}

Status call_class(Vm *vm, Class *cls, Value *args, uint32_t count, const Tuple *names, RetKind ret,
                  uint16_t dest, Value *out) {
    if (cls->instance_kind == K_SCALAR) { // the classes of scalars share a constructor
        args[-1] = retain(v_obj(cls));
        return construct(vm, cls, args - 1, count + 1, names, ret, dest, out);
    }
    if (cls->instance_kind != K_INSTANCE)
        return construct(vm, cls, args, count, names, ret, dest, out);
    uint32_t positional = count - (names ? (uint32_t)names->len : 0);
    if (cls->flags & CLASS_USER && !(cls->flags & CLASS_PLAIN_CALL)) {
        Value hook = cls->meta ? class_user_method(cls->meta, vm_name(vm, NAME_call)) : V_UNDEF;
        bool is_meta = cls->payload_kind == K_CLASS;
        if (hook.kind != K_UNDEF || is_meta) args[-1] = retain(v_obj(cls));
        if (hook.kind != K_UNDEF)
            return call_value(vm, hook, args - 1, count + 1, names, ret, dest, out);
        if (is_meta) return hand_over(vm, "meta_call", args - 1, count + 1, names, ret, dest, out);
        if (cls->flags & CLASS_NEW)
            return user_new(vm, cls, args, count, names, ret, dest, out);
        if (cls->payload_kind != K_INSTANCE)
            return payload_instance(vm, cls, args, count, names, ret, dest, out);
        if (cls->flags & CLASS_ABSTRACT && !(cls->flags & CLASS_EXCEPTION)) {
            drop_args(vm, args, count);
            Value arg = v_obj(cls);
            return call_prelude(vm, "refuse_abstract", &arg, 1, ret, dest, out);
        }
        cls->flags |= CLASS_PLAIN_CALL;
    }
    // OSError(errno, text) makes an instance of the subclass for that number.
    if (cls == vm->exceptions[EXC_OSError] && count >= 2 && args[0].kind == K_INT &&
        args[0].i == (int)args[0].i)
        cls = exc_os_class(vm, (int)args[0].i);
    Value instance;
    Status st = instance_new(vm, cls, &instance);
    if (st == ST_OK && cls->flags & CLASS_EXCEPTION) {
        st = exception_args(vm, instance, args, positional);
        if (st != ST_OK) release(vm, instance);
    }
    if (st != ST_OK) {
        drop_args(vm, args, count);
        return st;
    }
    return init_instance(vm, instance, args, count, names, ret, dest, out);
}

// --- Class statements ----------------------------------------------------------------------------

// Returns whether a metaclass is given, or a base has a metaclass or is not a class (__mro_entries__).
static bool is_special(Vm *vm, const Tuple *bases, Value keywords) {
    if (keywords.kind == K_DICT &&
        dict_get_str(keywords.dict, vm_name(vm, NAME_metaclass)).kind != K_UNDEF)
        return true;
    for (size_t i = 0; i < bases->len; i++)
        if (bases->items[i].kind != K_CLASS || bases->items[i].cls->meta) return true;
    return false;
}

static bool wants_hooks(Vm *vm, Class *cls, bool has_keywords) {
    if (has_keywords) return true;
    if (class_lookup_after(cls, cls, vm_name(vm, NAME_init_subclass)).kind != K_NATIVE) return true;
    uint32_t pos = 0;
    Value key, value;
    while (dict_next(cls->dict, &pos, &key, &value)) {
        if (value.kind != K_INSTANCE) continue;
        if (class_lookup(value.inst->cls, vm_name(vm, NAME_set_name)).kind != K_UNDEF) return true;
    }
    return false;
}

Status class_body_done(Vm *vm, Tuple *plan, Dict *space, uint16_t dest, Value *out) {
    Value made;
    if (is_special(vm, plan->items[1].tuple, plan->items[2])) {
        const Value pass[4] = {plan->items[0], plan->items[1], v_obj(space), plan->items[2]};
        return call_prelude(vm, "class_entries", pass, 4, RET_STORE, dest, out);
    }
    if (class_of_bases(vm, plan->items[0].str, plan->items[1].tuple, NULL, space, &made) != ST_OK)
        return ST_ERROR;
    Value cell = dict_get_str(space, vm_name(vm, NAME_classcell));
    if (cell.kind == K_CELL) replace(vm, &cell.cell->value, retain(made));
    Value keywords = plan->items[2];
    if (!wants_hooks(vm, made.cls, keywords.kind == K_DICT && keywords.dict->count > 0)) {
        *out = made;
        return ST_OK;
    }
    const Value args[2] = {made, keywords};
    Status st = call_prelude(vm, "class_hooks", args, 2, RET_STORE, dest, out);
    release(vm, made);
    return st;
}
