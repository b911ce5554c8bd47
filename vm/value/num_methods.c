// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Operator methods of numbers as attributes (super().__add__(other), int.__repr__(x)), and other
// things their classes share.

#include "vm/value/num_methods.h"

#include "vm/value/class.h"
#include "vm/value/dict.h"
#include "vm/value/effects.h"
#include "vm/value/ops.h"
#include "vm/value/str.h"

Status num_binary_slot(Vm *vm, BinaryOp op, bool in_place, Value a, Value b, Value *out) {
    (void)in_place;
    return num_binary(vm, op, a, b, out);
}

Status num_hash_slot(Vm *vm, Value self, int64_t *out) {
    (void)vm;
    *out = num_hash(self);
    return ST_OK;
}

Status num_by_method(Vm *vm, Value v, NameId name, Value *out) {
    if (v.kind == K_INSTANCE) return ST_NOTIMPL;
    Value method = dict_get_str(class_of(vm, v)->dict, vm_name(vm, name));
    if (method.kind != K_NATIVE) return ST_NOTIMPL;
    return native_run(vm, method.native->def, &v, out);
}

Status num_new_instance(Vm *vm, Value cls, Value value, Value *out) {
    const char *type = type_name(vm, value);
    Class *own = class_of(vm, value);
    if (cls.kind != K_CLASS || !class_is_subclass(cls.cls, own)) {
        release(vm, value);
        if (cls.kind != K_CLASS)
            return vm_raise(vm, EXC_TypeError, "%s.__new__(X): X is not a type object (%s)", type,
                            type_name(vm, cls));
        return vm_raise(vm, EXC_TypeError, "%s.__new__(%s): %s is not a subtype of %s", type,
                        cls.cls->name->data, cls.cls->name->data, type);
    }
    if (!(cls.cls->flags & CLASS_USER)) {
        *out = value;
        return ST_OK;
    }
    Value instance;
    Status st = instance_new(vm, cls.cls, &instance);
    if (st == ST_OK && !(instance.inst->gc.obj.aux & INST_PAYLOAD)) {
        release(vm, instance);
        st = vm_raise(vm, EXC_TypeError, "%s is not a subtype of %s", cls.cls->name->data,
                      type_name(vm, value));
    }
    if (st != ST_OK) {
        release(vm, value);
        return st;
    }
    replace(vm, &((PayloadInstance *)instance.inst)->payload, value);
    *out = instance;
    return ST_OK;
}

Status num_quote(Vm *vm, const Str *text, Str **out) {
    Buf repr;
    buf_init(&repr, &vm->mem);
    str_repr(text, &repr);
    *out = str_from_buf(vm, &repr);
    return vm_check(vm, *out);
}

// --- Operator methods ---------------------------------------------------------------------------

// Returns the rank of a number's class. A class returns NotImplemented for operands of a higher rank.
static int rank(Value v) {
    return v.kind == K_COMPLEX ? 2 : v.kind == K_FLOAT ? 1 : 0;
}

static bool accepts(Value self, Value other) {
    return is_number(self) && is_number(other) && rank(other) <= rank(self);
}

static Status or_notimplemented(Status st, Value *out) {
    if (st != ST_NOTIMPL) return st;
    *out = V_NOTIMPLEMENTED;
    return ST_OK;
}

static Status binary_method(Vm *vm, BinaryOp op, bool reflected, const Value *args, Value *out) {
    Value self = unwrap(args[0]), other = unwrap(args[1]);
    Status st = ST_NOTIMPL;
    if (accepts(self, other))
        st = num_binary(vm, op, reflected ? other : self, reflected ? self : other, out);
    return or_notimplemented(st, out);
}

static Status compare_method(Vm *vm, CompareOp op, const Value *args, Value *out) {
    Value self = unwrap(args[0]), other = unwrap(args[1]);
    Status st = accepts(self, other) ? num_compare(vm, op, self, other, out) : ST_NOTIMPL;
    return or_notimplemented(st, out);
}

#define BINARY(name, symbol, method, reflected, in_place)              \
    Status num_method_##name(Vm *vm, const Value *args, Value *out) {  \
        return binary_method(vm, BIN_##name, false, args, out);        \
    }                                                                  \
    Status num_method_R##name(Vm *vm, const Value *args, Value *out) { \
        return binary_method(vm, BIN_##name, true, args, out);         \
    }
#define COMPARE(name, symbol, method, reflected)                      \
    Status num_method_##name(Vm *vm, const Value *args, Value *out) { \
        return compare_method(vm, CMP_##name, args, out);             \
    }
#include "vm/value/ops.def"
