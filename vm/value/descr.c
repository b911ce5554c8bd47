// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// property, staticmethod and classmethod objects. Attribute access honours them (attr.c).

#include "vm/value/func.h"
#include "vm/value/object.h"
#include "vm/value/ops.h"
#include "vm/value/shape.h"
#include "vm/value/str.h"

static Value retained_or_none(Value v) {
    return v.kind == K_UNDEF ? V_NONE : retain(v);
}

Status descr_new(Vm *vm, DescrRole role, Value get, Value set, Value del, Value *out) {
    Descr *descr = obj_new(vm, K_DESCR, sizeof *descr);
    if (!descr) return vm_no_memory(vm);
    descr->role = role;
    descr->get = retained_or_none(get);
    descr->set = retained_or_none(set);
    descr->del = retained_or_none(del);
    descr->doc = V_NONE;
    *out = v_obj(descr);
    return ST_OK;
}

static void descr_visit(Obj *obj, Visitor *visitor) {
    Descr *descr = (Descr *)obj;
    visit_value(visitor, descr->get);
    visit_value(visitor, descr->set);
    visit_value(visitor, descr->del);
    visit_value(visitor, descr->doc);
}

static void descr_drop(Vm *vm, Obj *obj) {
    Descr *descr = (Descr *)obj;
    clear(vm, &descr->get);
    clear(vm, &descr->set);
    clear(vm, &descr->del);
    clear(vm, &descr->doc);
}

static size_t descr_size(const Obj *obj) {
    (void)obj;
    return sizeof(Descr);
}

static Status descr_repr(Vm *vm, Value self, Buf *out, int depth) {
    if (self.descr->role == DESCR_PROPERTY) return ST_NOTIMPL; // <property object at …>
    buf_printf(out, "<%s(", type_name(vm, self));
    Status st = op_repr_nested(vm, self.descr->get, out, depth + 1);
    buf_puts(out, ")>");
    return st;
}

// --- Constructors ------------------------------------------------------------------------------

static Status construct_property(Vm *vm, const Value *args, Value *out) {
    Status st = descr_new(vm, DESCR_PROPERTY, args[0], args[1], args[2], out);
    if (st == ST_OK) replace(vm, &out->descr->doc, retain(args[3]));
    return st;
}

static Status construct_static(Vm *vm, const Value *args, Value *out) {
    return descr_new(vm, DESCR_STATICMETHOD, args[0], V_UNDEF, V_UNDEF, out);
}

static Status construct_classmethod(Vm *vm, const Value *args, Value *out) {
    return descr_new(vm, DESCR_CLASSMETHOD, args[0], V_UNDEF, V_UNDEF, out);
}

static const NativeDef property_construct = {
    "property", "fget=None, fset=None, fdel=None, doc=None", construct_property, NULL, PURE};
const NativeDef staticmethod_construct = {"staticmethod", "function, /", construct_static, NULL,
                                          PURE};
const NativeDef classmethod_construct = {"classmethod", "function, /", construct_classmethod, NULL,
                                         PURE};

// --- Methods: a copy with one function exchanged -----------------------------------------------

static Status copy_with(Vm *vm, const Descr *from, Value get, Value set, Value del, Value *out) {
    Status st = descr_new(vm, from->role, get, set, del, out);
    if (st == ST_OK) replace(vm, &out->descr->doc, retain(from->doc));
    return st;
}

static Status method_getter(Vm *vm, const Value *args, Value *out) {
    const Descr *from = args[0].descr;
    return copy_with(vm, from, args[1], from->set, from->del, out);
}

static Status method_setter(Vm *vm, const Value *args, Value *out) {
    const Descr *from = args[0].descr;
    return copy_with(vm, from, from->get, args[1], from->del, out);
}

static Status method_deleter(Vm *vm, const Value *args, Value *out) {
    const Descr *from = args[0].descr;
    return copy_with(vm, from, from->get, from->set, args[1], out);
}

static Status method_get(Vm *vm, const Value *args, Value *out) {
    Value self = args[1].kind == K_NONE ? V_UNDEF : args[1];
    Class *owner = args[2].kind == K_CLASS ? args[2].cls : class_of(vm, args[1]);
    return attr_bind(vm, args[0], self, owner, out);
}

static Status method_set(Vm *vm, const Value *args, Value *out) {
    if (args[0].descr->set.kind == K_NONE)
        return vm_raise(vm, EXC_AttributeError, "property of '%s' object has no setter",
                        type_name(vm, args[1]));
    (void)out;
    return vm_tail(vm, args[0].descr->set, args + 1, 2);
}

#define GET_ROW {"__get__", "self, instance, owner=None, /", method_get, NULL, PURE}
const NativeDef descr_binding[] = {GET_ROW, {0}};
static const NativeDef descr_methods[] = {
    GET_ROW,
    {"__set__", "self, instance, value, /", method_set, NULL, PURE},
    {"getter", "self, fget, /", method_getter, NULL, PURE},
    {"setter", "self, fset, /", method_setter, NULL, PURE},
    {"deleter", "self, fdel, /", method_deleter, NULL, PURE},
    {0},
};

// --- Attributes --------------------------------------------------------------------------------

static Status wrong_attribute(Vm *vm, Value self, const char *name) {
    return vm_raise(vm, EXC_AttributeError, "'%s' object has no attribute '%s'",
                    type_name(vm, self), name);
}

static Status part(Vm *vm, Value self, const char *name, bool of_property, Value value,
                   Value *out) {
    if ((self.descr->role == DESCR_PROPERTY) != of_property) return wrong_attribute(vm, self, name);
    *out = retain(value);
    return ST_OK;
}

static Status attr_fget(Vm *vm, Value self, Value *out) {
    return part(vm, self, "fget", true, self.descr->get, out);
}

static Status attr_fset(Vm *vm, Value self, Value *out) {
    return part(vm, self, "fset", true, self.descr->set, out);
}

static Status attr_fdel(Vm *vm, Value self, Value *out) {
    return part(vm, self, "fdel", true, self.descr->del, out);
}

static Status attr_func(Vm *vm, Value self, Value *out) {
    return part(vm, self, "__func__", false, self.descr->get, out);
}

static Status attr_wrapped(Vm *vm, Value self, Value *out) {
    return part(vm, self, "__wrapped__", false, self.descr->get, out);
}

// Returns the documentation given to the constructor, else the getter's.
static Status attr_doc(Vm *vm, Value self, Value *out) {
    const Descr *descr = self.descr;
    if (descr->doc.kind == K_NONE && descr->get.kind != K_NONE)
        return op_getattr(vm, descr->get, vm_name(vm, NAME_doc), out);
    *out = retain(descr->doc);
    return ST_OK;
}

static Status set_doc(Vm *vm, Value self, Value value) {
    replace(vm, &self.descr->doc, retain(value));
    return ST_OK;
}

static const AttrDef descr_attrs[] = {
    {"fget", attr_fget, NULL},
    {"fset", attr_fset, NULL},
    {"fdel", attr_fdel, NULL},
    {"__func__", attr_func, NULL},
    {"__wrapped__", attr_wrapped, NULL},
    {"__doc__", attr_doc, set_doc},
    {0},
};

// Static and class methods have the names and the module of the function that they wrap.
static Status descr_getattr(Vm *vm, Value self, Str *name, Value *out) {
    if (self.descr->role == DESCR_PROPERTY) return ST_STOP;
    if (!str_is(name, "__name__") && !str_is(name, "__qualname__") && !str_is(name, "__module__"))
        return ST_STOP;
    return op_getattr(vm, self.descr->get, name, out);
}

const TypeSlots kind_DESCR = {
    .visit = descr_visit,
    .drop = descr_drop,
    .size = descr_size,
    .repr = descr_repr,
    .getattr = descr_getattr,
    .construct = &property_construct,
    .methods = descr_methods,
    .attrs = descr_attrs,
};
