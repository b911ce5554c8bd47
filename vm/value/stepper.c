// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The kind of iterators whose steps may need code of the program, and its classes: one for each role.

#include <inttypes.h>
#include <string.h>

#include "vm/value/class.h"
#include "vm/value/dict.h"
#include "vm/value/func.h"
#include "vm/value/identity.h"
#include "vm/value/object.h"
#include "vm/value/ops.h"
#include "vm/value/stepper_impl.h"
#include "vm/value/str.h"

static const struct {
    const char *module, *name, *full;
} texts[STEPPER_ROLES] = {
#define builtins(name)                 #name
#define itertools(name)                "itertools." #name
#define STEPPER(id, module, name, ...) {#module, #name, module(name)},
#include "vm/value/steppers.def"
#undef STEPPER
#undef builtins
#undef itertools
};

static const NativeDef constructors[STEPPER_ROLES] = {
#define STEPPER(id, module, name, signature, doc) \
    {#name, signature "\n" doc, stepper_make_##id, #name "_slow", PURE},
#include "vm/value/steppers.def"
#undef STEPPER
};

const char *stepper_name(StepRole role) {
    return texts[role].full;
}

StepWant stepper_step(Vm *vm, Act *act, StepEvent event, Value in) {
    static StepWant (*const steps[STEPPER_ROLES])(Vm *, Stepper *, Act *, StepEvent, Value) = {
#define STEPPER(id, ...) step_##id,
#include "vm/value/steppers.def"
#undef STEPPER
    };
    return steps[act->of->gc.obj.aux](vm, act->of, act, event, in);
}

// --- Classes -------------------------------------------------------------------------------------

extern const NativeDef stepper_chain_methods[], stepper_tee_methods[], stepper_repeat_methods[],
    stepper_reversed_methods[];

static const NativeDef *own_methods(StepRole role) {
    switch (role) {
    case STEPPER_CHAIN: return stepper_chain_methods;
    case STEPPER_TEE: return stepper_tee_methods;
    case STEPPER_REPEAT: return stepper_repeat_methods;
    case STEPPER_REVERSED: return stepper_reversed_methods;
    default: return NULL;
    }
}

static Class *make_class(Vm *vm, StepRole role) {
    Class *cls = class_builtin(vm, texts[role].name, vm->object_class, K_STEPPER);
    Str *module = str_intern(vm, texts[role].module, strlen(texts[role].module));
    const NativeDef *more = own_methods(role);
    if (cls && module && (!more || natives_into_dict(vm, cls->dict, more, v_obj(cls)) == ST_OK)) {
        replace(vm, &cls->module, v_obj(module));
        if (*constructors[role].signature == '\n') cls->flags |= CLASS_FINAL;
        return cls;
    }
    release_obj(vm, module);
    release_obj(vm, cls);
    return NULL;
}

Class *stepper_class(Vm *vm, StepRole role) {
    if (!vm->stepper_classes[role]) vm->stepper_classes[role] = make_class(vm, role);
    return vm->stepper_classes[role];
}

const NativeDef *stepper_construct(const Class *cls, Vm *vm, StepRole *role) {
    for (int i = 0; i < STEPPER_ROLES; i++)
        if (vm->stepper_classes[i] == cls) {
            *role = (StepRole)i;
            return *constructors[i].signature == '\n' ? NULL : &constructors[i];
        }
    return NULL;
}

Stepper *stepper_new(Vm *vm, StepRole role) {
    if (!stepper_class(vm, role)) return NULL;
    Stepper *it = obj_new(vm, K_STEPPER, sizeof *it);
    if (it) it->gc.obj.aux = (uint16_t)role;
    return it;
}

// --- The kind ------------------------------------------------------------------------------------

static void stepper_visit(Obj *obj, Visitor *visitor) {
    Stepper *it = (Stepper *)obj;
    visit_value(visitor, it->func);
    visit_value(visitor, it->source);
    visit_value(visitor, it->a);
    visit_value(visitor, it->b);
    visit_value(visitor, it->c);
    visit_value(visitor, it->begun_in);
    visit_value(visitor, it->begun_held);
    visit_obj(visitor, it->made[0]);
    visit_obj(visitor, it->made[1]);
}

// An emptied stepper is exhausted, whatever its role.
static void stepper_drop(Vm *vm, Obj *obj) {
    Stepper *it = (Stepper *)obj;
    clear(vm, &it->func);
    clear(vm, &it->source);
    clear(vm, &it->a);
    clear(vm, &it->b);
    clear(vm, &it->c);
    clear(vm, &it->begun_in);
    clear(vm, &it->begun_held);
    it->begun = STEP_START;
    for (int i = 0; i < 2; i++) {
        Tuple *made = it->made[i];
        it->made[i] = NULL;
        release_obj(vm, made);
    }
    mem_free(&vm->mem, it->places, (it->place_count ? it->place_count : 1) * sizeof(int64_t));
    it->places = NULL;
    it->place_count = 0;
}

static size_t stepper_size(const Obj *obj) {
    (void)obj;
    return sizeof(Stepper);
}

static Status stepper_iter(Vm *vm, Value self, Value *out) {
    (void)vm;
    *out = retain(self);
    return ST_OK;
}

// Only the interpreter can take a step.
static Status stepper_next(Vm *vm, Value self, Value *out) {
    (void)vm;
    (void)self;
    (void)out;
    return ST_DEFER;
}

static Status put_part(Vm *vm, Value part, const char *before, Buf *out, int depth) {
    buf_puts(out, before);
    return op_repr_nested(vm, part, out, depth + 1);
}

Status stepper_repr_named(Vm *vm, Value self, const char *name, Buf *out, int depth) {
    const Stepper *it = (const Stepper *)self.obj;
    const bool counts = it->gc.obj.aux == STEPPER_COUNT, plain = it->a.kind == K_UNDEF;
    if (self.kind != K_STEPPER || (!counts && it->gc.obj.aux != STEPPER_REPEAT)) return ST_STOP;
    buf_puts(out, name);
    Status st = put_part(vm, counts && plain ? v_int(it->index) : it->a, "(", out, depth);
    const Value more = !counts ? v_int(it->index) : plain ? v_int(it->step) : it->b;
    if (st == ST_OK && (counts ? !v_is(more, v_int(1)) : it->index >= 0)) st = put_part(vm, more, ", ", out, depth);
    buf_putc(out, ')');
    return st;
}

static Status stepper_repr(Vm *vm, Value self, Buf *out, int depth) {
    const StepRole role = (StepRole)self.obj->aux;
    Status st = stepper_repr_named(vm, self, texts[role].name, out, depth);
    if (st != ST_STOP) return st;
    buf_printf(out, "<%s object at ", stepper_name(role));
    st = identity_text(vm, self.obj, out);
    buf_putc(out, '>');
    return st;
}

static Status method_iter(Vm *vm, const Value *args, Value *out) {
    return stepper_iter(vm, args[0], out);
}

// Native iterators of zip and enumerate have the same class.
static Status method_next(Vm *vm, const Value *args, Value *out) {
    if (args[0].kind == K_STEPPER) return vm_tail(vm, args[0], NULL, 0);
    Status st = op_next(vm, args[0], out);
    return st == ST_STOP ? vm_raise_stop(vm, V_UNDEF) : st;
}

static const NativeDef methods[] = {
    {"__iter__", "self, /", method_iter, NULL, PURE},
    {"__next__", "self, /", method_next, NULL, PURE},
    {0},
};

const TypeSlots kind_STEPPER = {
    .visit = stepper_visit,
    .drop = stepper_drop,
    .size = stepper_size,
    .iter = stepper_iter,
    .next = stepper_next,
    .repr = stepper_repr,
    .methods = methods,
};
