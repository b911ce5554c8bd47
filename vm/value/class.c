// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Classes: namespaces with one base each, and the trees of layouts of their instances.

#include "vm/value/class.h"

#include <string.h>

#include "vm/value/dict.h"
#include "vm/value/dunder.h"
#include "vm/value/func.h"
#include "vm/value/object.h"
#include "vm/value/seq.h"
#include "vm/value/str.h"

// --- Layouts -----------------------------------------------------------------------------------

static Shape *shape_new(Vm *vm, Class *cls, Shape *parent, Str *name) {
    Shape *shape = mem_zalloc(&vm->mem, sizeof *shape);
    if (!shape) return NULL;
    shape->id = ++vm->next_shape_id;
    shape->cls = cls;
    shape->parent = parent;
    shape->all_next = cls->shapes;
    cls->shapes = shape;
    if (parent) {
        shape->count = parent->count + 1;
        shape->name = name;
        name->obj.refs++;
        shape->sibling = parent->child;
        parent->child = shape;
        if (shape->count > cls->slot_hint) cls->slot_hint = shape->count;
    }
    return shape;
}

int shape_find(const Shape *shape, const Str *name) {
    for (; shape->parent; shape = shape->parent)
        if (shape->name == name) return (int)shape->count - 1;
    return -1;
}

Shape *shape_with(Vm *vm, Shape *shape, Str *name) {
    for (Shape *child = shape->child; child; child = child->sibling)
        if (child->name == name) return child;
    return shape_new(vm, shape->cls, shape, name);
}

// New ids for all layouts of a class and of its subclasses: whatever an instruction remembered
// about them is forgotten.
static void shapes_renew(Vm *vm, Class *cls) {
    cls->init = V_UNDEF;
    cls->flags &= ~(uint32_t)CLASS_PLAIN_CALL;
    for (Shape *shape = cls->shapes; shape; shape = shape->all_next) shape->id = ++vm->next_shape_id;
    for (size_t i = 0; i < cls->subclass_count; i++) shapes_renew(vm, cls->subclasses[i]);
}

Status class_wrap(Vm *vm, Value cls, Value made, Value *out) {
    if (cls.kind != K_CLASS || cls.cls == class_of(vm, made)) {
        *out = made;
        return ST_OK;
    }
    Status st = vm_tail(vm, cls, &made, 1);
    release(vm, made);
    return st;
}

// --- Making classes ----------------------------------------------------------------------------

static bool may_be_base(Kind kind) {
    switch (kind) {
    case K_INSTANCE: case K_INT: case K_FLOAT: case K_COMPLEX: case K_STR: case K_BYTES:
    case K_TUPLE: case K_LIST: case K_DICT: case K_SET: case K_FROZENSET:
        return true;
    default:
        return false;
    }
}

static Class *class_bare(Vm *vm, Str *name, Class *base) {
    Class *cls = obj_new(vm, K_CLASS, sizeof *cls);
    if (!cls) return NULL;
    cls->exc = -1;
    cls->name = cls->qualname = name;
    name->obj.refs += 2;
    cls->base = base;
    if (base) {
        base->gc.obj.refs++;
        cls->exc = base->exc;
        cls->flags = base->flags & ~(uint32_t)CLASS_USER;
    }
    cls->dict = dict_new(vm);
    cls->root = cls->dict ? shape_new(vm, cls, NULL, NULL) : NULL;
    if (!cls->root || (base && !mem_grow(&vm->mem, (void **)&base->subclasses, &base->subclass_cap,
                                         base->subclass_count + 1, sizeof(Class *)))) {
        release_obj(vm, cls);
        return NULL;
    }
    if (base) base->subclasses[base->subclass_count++] = cls;
    return cls;
}

static Class *without_methods(Vm *vm, const char *name, Class *base, Kind kind) {
    Str *text = str_intern(vm, name, strlen(name));
    Class *cls = text ? class_bare(vm, text, base) : NULL;
    release_obj(vm, text);
    if (!cls) return NULL;
    Str *module = str_intern(vm, "builtins", 8);
    cls->module = module ? v_obj(module) : V_UNDEF;
    cls->instance_kind = cls->payload_kind = kind;
    if (!may_be_base(kind)) cls->flags |= CLASS_FINAL;
    if (module) return cls;
    release_obj(vm, cls);
    return NULL;
}

Class *class_builtin(Vm *vm, const char *name, Class *base, Kind kind) {
    Class *cls = without_methods(vm, name, base, kind);
    if (!cls) return NULL;
    const NativeDef *methods = kind_slots[kind]->methods;
    bool plain = kind != K_INSTANCE && kind != K_UNDEF;
    if ((methods && natives_into_dict(vm, cls->dict, methods, v_obj(cls)) != ST_OK) ||
        (plain && dunder_into_class(vm, cls) != ST_OK)) {
        release_obj(vm, cls);
        return NULL;
    }
    return cls;
}

Class *class_exception(Vm *vm, const char *name, Class *base, int exc_kind) {
    Class *cls = without_methods(vm, name, base, K_INSTANCE); // only object itself carries object's
    if (!cls) return NULL;
    cls->flags |= CLASS_EXCEPTION;
    cls->exc = exc_kind;
    bool own_text = exc_kind == EXC_KeyError || exc_kind == EXC_OSError ||
                    exc_kind == EXC_SyntaxError || exc_kind == EXC_AxisError;
    const NativeDef *methods = exc_kind == EXC_BaseException ? exc_methods
                               : own_text                    ? exc_own_text
                                                             : NULL;
    if (methods && natives_into_dict(vm, cls->dict, methods, v_obj(cls)) != ST_OK) {
        release_obj(vm, cls);
        return NULL;
    }
    return cls;
}

static const struct {
    NameId name;
    uint32_t flag;
} flag_methods[] = {
    {NAME_getattr, CLASS_GETATTR},
    {NAME_setattr, CLASS_SETATTR},
    {NAME_delattr, CLASS_SETATTR},
    {NAME_getattribute, CLASS_GETATTRIBUTE},
    {NAME_CMP_EQ, CLASS_EQ},
    {NAME_hash, CLASS_HASH},
    {NAME_new, CLASS_NEW},
    {NAME_slots, CLASS_SLOTS},
};

static bool is_data_descriptor(Vm *vm, Value v) {
    if (v.kind == K_DESCR) return v.descr->role == DESCR_PROPERTY;
    if (v.kind != K_INSTANCE) return false;
    return class_lookup(v.inst->cls, vm_name(vm, NAME_set)).kind != K_UNDEF ||
           class_lookup(v.inst->cls, vm_name(vm, NAME_delete)).kind != K_UNDEF;
}

static void note_flags(Vm *vm, Class *cls, Str *name, Value value) {
    for (size_t i = 0; i < sizeof flag_methods / sizeof *flag_methods; i++)
        if (vm->names[flag_methods[i].name] == name) cls->flags |= flag_methods[i].flag;
    if (is_data_descriptor(vm, value)) cls->flags |= CLASS_DESCR;
}

// Defining __eq__ without __hash__ makes instances unhashable.
static Status eq_hides_hash(Vm *vm, Class *cls) {
    Str *eq = vm_name(vm, NAME_CMP_EQ), *hash = vm_name(vm, NAME_hash);
    if (dict_get_str(cls->dict, eq).kind == K_UNDEF) return ST_OK;
    if (dict_get_str(cls->dict, hash).kind != K_UNDEF) return ST_OK;
    cls->flags |= CLASS_HASH;
    return dict_set_str(vm, cls->dict, hash, V_NONE);
}

static Status fill_namespace(Vm *vm, Class *cls, Dict *dict) {
    uint32_t pos = 0;
    Value key, value;
    while (dict_next(dict, &pos, &key, &value)) {
        if (key.kind != K_STR || key.str == vm_name(vm, NAME_classcell)) continue;
        if (key.str == vm_name(vm, NAME_qualname)) {
            if (value.kind != K_STR) continue;
            release_obj(vm, cls->qualname);
            cls->qualname = retain(value).str;
            continue;
        }
        if (dict_set_str(vm, cls->dict, key.str, value) != ST_OK) return ST_ERROR;
        note_flags(vm, cls, key.str, value);
    }
    return eq_hides_hash(vm, cls);
}

Status class_new(Vm *vm, Str *name, Class *base, Dict *dict, Value *out) {
    if (base->flags & CLASS_FINAL)
        return vm_raise(vm, EXC_TypeError, "type '%s' is not an acceptable base type",
                        base->name->data);
    Class *cls = class_bare(vm, name, base);
    if (!cls) return vm_no_memory(vm);
    cls->flags |= CLASS_USER;
    cls->instance_kind = K_INSTANCE;
    cls->payload_kind = base->payload_kind;
    cls->module = retain(dict_get_str(dict, vm_name(vm, NAME_module)));
    if (fill_namespace(vm, cls, dict) != ST_OK) {
        release_obj(vm, cls);
        return ST_ERROR;
    }
    *out = v_obj(cls);
    return ST_OK;
}

// --- Looking up and changing -------------------------------------------------------------------

Value class_lookup(const Class *cls, Str *name) {
    for (; cls; cls = cls->base) {
        Value v = dict_get_str(cls->dict, name);
        if (v.kind != K_UNDEF) return v;
    }
    return V_UNDEF;
}

Value class_user_method(const Class *cls, Str *name) {
    for (; cls && cls->flags & CLASS_USER; cls = cls->base) {
        Value v = dict_get_str(cls->dict, name);
        if (v.kind != K_UNDEF) return v;
    }
    return V_UNDEF;
}

static void flags_down(Class *cls, uint32_t flags) {
    cls->flags |= flags;
    for (size_t i = 0; i < cls->subclass_count; i++) flags_down(cls->subclasses[i], flags);
}

Status class_setattr(Vm *vm, Class *cls, Str *name, Value value) {
    if (!(cls->flags & CLASS_USER))
        return vm_raise(vm, EXC_TypeError, "cannot set '%s' attribute of immutable type '%s'",
                        name->data, cls->name->data);
    if (value.kind == K_UNDEF) {
        if (!dict_del_str(vm, cls->dict, name))
            return vm_raise(vm, EXC_AttributeError, "type object '%s' has no attribute '%s'",
                            cls->name->data, name->data);
    } else {
        if (dict_set_str(vm, cls->dict, name, value) != ST_OK) return ST_ERROR;
        note_flags(vm, cls, name, value);
        flags_down(cls, cls->flags & (CLASS_GETATTR | CLASS_SETATTR | CLASS_GETATTRIBUTE |
                                      CLASS_DESCR | CLASS_EQ | CLASS_HASH | CLASS_NEW));
    }
    shapes_renew(vm, cls);
    return ST_OK;
}

// --- Memory ------------------------------------------------------------------------------------

static void class_visit(Obj *obj, Visitor *visitor) {
    Class *cls = (Class *)obj;
    visit_obj(visitor, cls->name);
    visit_obj(visitor, cls->qualname);
    visit_value(visitor, cls->module);
    visit_obj(visitor, cls->base);
    visit_obj(visitor, cls->dict);
}

static void forget_subclass(Class *base, const Class *cls) {
    for (size_t i = 0; i < base->subclass_count; i++) {
        if (base->subclasses[i] != cls) continue;
        base->subclasses[i] = base->subclasses[--base->subclass_count];
        return;
    }
}

static void class_drop(Vm *vm, Obj *obj) {
    Class *cls = (Class *)obj;
    // A namespace emptied to break a cycle leaves the class itself usable: instances that die later
    // in the same collection still look at it.
    cls->init = V_UNDEF;
    cls->flags &= ~(uint32_t)CLASS_PLAIN_CALL;
    if (cls->dict) dict_clear(vm, cls->dict);
    if (obj->refs > 0) return;
    if (cls->base) {
        forget_subclass(cls->base, cls);
        release_obj(vm, cls->base);
    }
    release_obj(vm, cls->dict);
    release_obj(vm, cls->name);
    release_obj(vm, cls->qualname);
    release(vm, cls->module);
    mem_free(&vm->mem, cls->subclasses, cls->subclass_cap * sizeof(Class *));
    while (cls->shapes) {
        Shape *next = cls->shapes->all_next;
        release_obj(vm, cls->shapes->name);
        mem_free(&vm->mem, cls->shapes, sizeof(Shape));
        cls->shapes = next;
    }
}

static size_t class_size(const Obj *obj) {
    (void)obj;
    return sizeof(Class);
}

static Status class_repr(Vm *vm, Value self, Buf *out, int depth) {
    (void)vm;
    (void)depth;
    Class *cls = self.cls;
    buf_puts(out, "<class '");
    if (cls->module.kind == K_STR && !str_is(cls->module.str, "builtins"))
        buf_printf(out, "%s.", cls->module.str->data);
    buf_printf(out, "%s'>", cls->qualname->data);
    return ST_OK;
}

// type(object), or type(name, bases, namespace) with at most one base.
static Status type_construct(Vm *vm, const Value *args, Value *out) {
    if (args[0].kind != K_UNDEF && args[1].kind == K_UNDEF) {
        *out = retain(v_obj(class_of(vm, args[0])));
        return ST_OK;
    }
    if (args[0].kind == K_UNDEF || args[2].kind == K_UNDEF)
        return vm_raise(vm, EXC_TypeError, "type() takes 1 or 3 arguments");
    if (args[0].kind != K_STR || args[1].kind != K_TUPLE || args[2].kind != K_DICT)
        return vm_raise(vm, EXC_TypeError, "type() takes 1 or 3 arguments");
    return ST_DEFER; // hooks may have to run
}

// int | None in annotations: the prelude makes the union.
static Status class_binary(Vm *vm, BinaryOp op, bool in_place, Value a, Value b, Value *out) {
    (void)vm;
    (void)in_place;
    (void)out;
    bool fits = (a.kind == K_CLASS || a.kind == K_NONE) && (b.kind == K_CLASS || b.kind == K_NONE);
    return op == BIN_OR && fits ? ST_DEFER : ST_NOTIMPL;
}

static const NativeDef type_row = {"type", "object=?, bases=?, namespace=?, /", type_construct,
                                   "type_slow",
                                   PURE};

static Status class_mro_method(Vm *vm, const Value *args, Value *out) {
    List *list = list_new(vm, 4);
    if (!list) return vm_no_memory(vm);
    for (Class *cls = args[0].cls; cls; cls = cls->base)
        if (list_append(vm, list, retain(v_obj(cls))) != ST_OK) {
            release_obj(vm, list);
            return ST_ERROR;
        }
    *out = v_obj(list);
    return ST_OK;
}

static Status class_subclasses(Vm *vm, const Value *args, Value *out) {
    Class *cls = args[0].cls;
    List *list = list_new(vm, cls->subclass_count);
    if (!list) return vm_no_memory(vm);
    for (size_t i = 0; i < cls->subclass_count; i++)
        if (list_append(vm, list, retain(v_obj(cls->subclasses[i]))) != ST_OK) {
            release_obj(vm, list);
            return ST_ERROR;
        }
    *out = v_obj(list);
    return ST_OK;
}

static const NativeDef class_methods[] = {
    {"mro", "self, /", class_mro_method, NULL, PURE},
    {"__subclasses__", "self, /", class_subclasses, NULL, PURE},
    {0},
};

const TypeSlots kind_CLASS = {
    .visit = class_visit,
    .drop = class_drop,
    .size = class_size,
    .repr = class_repr,
    .binary = class_binary,
    .construct = &type_row,
    .methods = class_methods,
};
