// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// super objects: attribute look-up that starts after a given class.

#include "vm/interp/interp.h"
#include "vm/value/object.h"
#include "vm/value/ops.h"
#include "vm/value/shape.h"
#include "vm/value/str.h"

typedef struct Super {
    GcObj gc;
    Class *cls;
    Value self; // an instance, or a class (class methods, __new__)
} Super;

Status super_new(Vm *vm, Class *cls, Value self, Value *out) {
    bool is_class = self.kind == K_CLASS && class_is_subclass(self.cls, cls);
    if (!is_class && !op_isinstance(vm, self, cls))
        return vm_raise(vm, EXC_TypeError,
                        "super(type, obj): obj must be an instance or subtype of type");
    Super *super = obj_new(vm, K_SUPER, sizeof *super);
    if (!super) return vm_no_memory(vm);
    cls->gc.obj.refs++;
    super->cls = cls;
    super->self = retain(self);
    *out = v_obj(super);
    return ST_OK;
}

static Status super_construct(Vm *vm, const Value *args, Value *out) {
    if (args[0].kind == K_UNDEF) return vm_raise(vm, EXC_RuntimeError, "super(): no arguments");
    if (args[0].kind != K_CLASS)
        return vm_raise(vm, EXC_TypeError, "super() argument 1 must be a type, not %s",
                        type_name(vm, args[0]));
    if (args[1].kind == K_UNDEF)
        return vm_raise(vm, EXC_NotImplementedError, "super() of a class alone, without an object, is not supported");
    return super_new(vm, args[0].cls, args[1], out);
}

static Status super_getattr(Vm *vm, Value v, Str *name, Value *out) {
    Super *super = (Super *)v.obj;
    bool is_class = super->self.kind == K_CLASS && class_is_subclass(super->self.cls, super->cls);
    Class *owner = is_class ? super->self.cls : class_of(vm, super->self);
    Value found = class_lookup_after(owner, super->cls, name);
    if (found.kind == K_UNDEF) {
        vm_raise(vm, EXC_AttributeError, "'super' object has no attribute '%s'", name->data);
        return exc_about(vm, name, v);
    }
    // __new__ and __init_subclass__ are a static and a class method even without a decorator.
    if (name == vm_name(vm, NAME_new)) {
        *out = retain(found);
        return ST_OK;
    }
    if (name == vm_name(vm, NAME_init_subclass) && found.kind != K_DESCR)
        return bound_new(vm, v_obj(owner), found, out);
    return attr_bind(vm, found, is_class ? V_UNDEF : super->self, owner, out);
}

static void super_visit(Obj *obj, Visitor *visitor) {
    Super *super = (Super *)obj;
    visit_obj(visitor, super->cls);
    visit_value(visitor, super->self);
}

static void super_drop(Vm *vm, Obj *obj) {
    Super *super = (Super *)obj;
    Class *cls = super->cls;
    super->cls = NULL;
    release_obj(vm, cls);
    clear(vm, &super->self);
}

static size_t super_size(const Obj *obj) {
    (void)obj;
    return sizeof(Super);
}

static Status super_repr(Vm *vm, Value self, Buf *out, int depth) {
    (void)depth;
    Super *super = (Super *)self.obj;
    buf_printf(out, "<super: <class '%s'>, <%s object>>", super->cls->name->data,
               type_name(vm, super->self));
    return ST_OK;
}

static const NativeDef super_row = {"super", "type=?, object_or_type=?, /", super_construct, NULL,
                                    PURE};

const TypeSlots kind_SUPER = {
    .visit = super_visit,
    .drop = super_drop,
    .size = super_size,
    .repr = super_repr,
    .getattr = super_getattr,
    .construct = &super_row,
};
