// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Classes: namespaces with their bases, and the trees of layouts of their instances.

#include "vm/value/class.h"

#include <string.h>

#include "vm/value/dict.h"
#include "vm/value/dunder.h"
#include "vm/value/func.h"
#include "vm/value/mro.h"
#include "vm/value/object.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"
#include "vm/value/shape.h"
#include "vm/value/slots.h"
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

// Gives new ids to all layouts of a class and of its subclasses, which invalidates what instructions have cached about
// them.
static void shapes_renew_since(Vm *vm, Class *cls, uint32_t since) {
    if (cls->root->id > since) return; // done already, by way of another base
    cls->init = V_UNDEF;
    cls->flags &= ~(uint32_t)CLASS_PLAIN_CALL;
    for (Shape *shape = cls->shapes; shape; shape = shape->all_next) shape->id = ++vm->next_shape_id;
    for (size_t i = 0; i < cls->subclass_count; i++) shapes_renew_since(vm, cls->subclasses[i], since);
}

static void shapes_renew(Vm *vm, Class *cls) {
    shapes_renew_since(vm, cls, vm->next_shape_id);
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
    case K_BYTEARRAY: case K_BITS:
    case K_TUPLE: case K_LIST: case K_DICT: case K_SET: case K_FROZENSET: case K_CLASS: case K_DEQUE:
    case K_STEPPER: // those that programs make: see make_class in stepper.c
    case K_ARRAY: // the class alone: its instances are refused where they would be made
        return true;
    default:
        return false;
    }
}

static void forget_subclass(Class *base, const Class *cls) {
    for (size_t i = 0; i < base->subclass_count; i++) {
        if (base->subclasses[i] != cls) continue;
        base->subclasses[i] = base->subclasses[--base->subclass_count];
        return;
    }
}

// Releases the bases; `room` is the capacity of cls->bases.
static void leave_bases(Vm *vm, Class *cls, uint32_t room) {
    Class **bases = cls->bases;
    uint32_t count = cls->base_count;
    cls->bases = NULL;
    cls->base_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        forget_subclass(bases[i], cls);
        release_obj(vm, bases[i]);
    }
    if (bases != &cls->base) mem_free(&vm->mem, bases, room * sizeof(Class *));
}

// Sets the bases of the class, and enters it among the subclasses of each.
static Status join_bases(Vm *vm, Class *cls, Class *const *bases, uint32_t count) {
    if (count == 0) return ST_OK;
    cls->bases = count == 1 ? &cls->base : mem_alloc(&vm->mem, count * sizeof(Class *));
    if (!cls->bases) return vm_no_memory(vm);
    for (; cls->base_count < count; cls->base_count++) {
        Class *base = bases[cls->base_count];
        if (!mem_grow(&vm->mem, (void **)&base->subclasses, &base->subclass_cap,
                      base->subclass_count + 1, sizeof(Class *))) {
            leave_bases(vm, cls, count);
            return vm_no_memory(vm);
        }
        base->subclasses[base->subclass_count++] = cls;
        base->gc.obj.refs++;
        cls->bases[cls->base_count] = base;
        cls->flags |= base->flags & CLASS_INHERITED;
    }
    return ST_OK;
}

// Makes a class with an empty namespace; `base` is the one of the bases that determines the layout. NULL: an exception
// has been raised.
static Class *class_bare(Vm *vm, Str *name, Class *base, Class *const *bases, uint32_t count) {
    Class *cls = obj_new(vm, K_CLASS, CLASS_SIZE);
    if (!cls) {
        vm_no_memory(vm);
        return NULL;
    }
    cls->exc = -1;
    cls->name = cls->qualname = name;
    name->obj.refs += 2;
    cls->base = base;
    cls->solid = base ? base->solid : cls;
    if (base) {
        cls->exc = base->exc;
        cls->flags = base->flags & CLASS_EXCEPTION;
    }
    cls->dict = dict_new(vm);
    cls->root = cls->dict ? shape_new(vm, cls, NULL, NULL) : NULL;
    Status st = cls->root ? ST_OK : vm_no_memory(vm);
    if (st == ST_OK) st = join_bases(vm, cls, bases, count);
    if (st == ST_OK) st = class_order(vm, cls);
    if (st == ST_OK) return cls;
    release_obj(vm, cls);
    return NULL;
}

static Class *without_methods(Vm *vm, const char *name, Class *const *bases, uint32_t count,
                              Kind kind) {
    Str *text = str_intern(vm, name, strlen(name));
    Class *cls = text ? class_bare(vm, text, count ? bases[0] : NULL, bases, count) : NULL;
    release_obj(vm, text);
    if (!cls) return NULL;
    Str *module = str_intern(vm, "builtins", 8);
    cls->module = module ? v_obj(module) : V_UNDEF;
    cls->instance_kind = cls->payload_kind = kind;
    if (!may_be_base(kind)) cls->flags |= CLASS_FINAL;
    if (kind != K_INSTANCE) cls->solid = cls;
    if (module) return cls;
    release_obj(vm, cls);
    return NULL;
}

static bool is_mutable(Kind kind) {
    return kind == K_LIST || kind == K_DICT || kind == K_SET || kind == K_DEQUE;
}

// Adds __new__ of a built-in base, and __init__ of a mutable one. In the method resolution order they hide those of
// later bases.
static Status add_makers(Vm *vm, Class *cls, Kind kind) {
    if (kind == K_INSTANCE || kind == K_CLASS || !may_be_base(kind)) return ST_OK;
    for (const NativeDef *def = object_methods; def->name; def++) {
        bool is_new = strcmp(def->name, "__new__") == 0;
        if (!is_new && !(is_mutable(kind) && strcmp(def->name, "__init__") == 0)) continue;
        Value native;
        if (native_new(vm, def, v_obj(cls), &native) != ST_OK) return ST_ERROR;
        Status st = dict_set_str(vm, cls->dict, vm_name(vm, is_new ? NAME_new : NAME_init), native);
        release(vm, native);
        if (st != ST_OK) return st;
    }
    return ST_OK;
}

Class *class_builtin(Vm *vm, const char *name, Class *base, Kind kind) {
    return class_builtin_of(vm, name, &base, base != NULL, kind);
}

Class *class_builtin_of(Vm *vm, const char *name, Class *const *bases, uint32_t count, Kind kind) {
    Class *cls = without_methods(vm, name, bases, count, kind);
    if (!cls) return NULL;
    const NativeDef *methods = kind_slots[kind]->methods;
    bool plain = kind != K_INSTANCE && kind != K_UNDEF;
    if (add_makers(vm, cls, kind) != ST_OK || (methods && natives_into_dict(vm, cls->dict, methods, v_obj(cls)) != ST_OK) ||
        (plain && dunder_into_class(vm, cls) != ST_OK)) {
        release_obj(vm, cls);
        return NULL;
    }
    return cls;
}

// Exceptions with fields of their own: no class derives from two of them.
static bool has_own_layout(int exc_kind) {
    switch (exc_kind) {
    case EXC_BaseException: case EXC_SystemExit: case EXC_StopIteration: case EXC_ImportError:
    case EXC_OSError: case EXC_SyntaxError: case EXC_AttributeError: case EXC_NameError:
    case EXC_UnicodeDecodeError: case EXC_UnicodeEncodeError:
        return true;
    default:
        return false;
    }
}

Class *class_exception(Vm *vm, const char *name, Class *const *bases, uint32_t count, int exc_kind) {
    Class *cls = without_methods(vm, name, bases, count, K_INSTANCE); // object's methods stay in object
    if (!cls) return NULL;
    cls->flags |= CLASS_EXCEPTION;
    cls->exc = exc_kind;
    if (has_own_layout(exc_kind)) cls->solid = cls;
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
    if (name == vm_name(vm, NAME_abstractmethods)) {
        cls->flags &= ~(uint32_t)CLASS_ABSTRACT;
        if (value.kind == K_FROZENSET && value.set->used > 0) cls->flags |= CLASS_ABSTRACT;
    }
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
        // Interns the name, as special names are: a name that the program has computed is not interned yet.
        Str *name = str_intern(vm, key.str->data, key.str->len);
        Status st = name ? dict_set_str(vm, cls->dict, name, value) : vm_no_memory(vm);
        if (st == ST_OK) note_flags(vm, cls, name, value);
        release_obj(vm, name);
        if (st != ST_OK) return st;
    }
    return eq_hides_hash(vm, cls);
}

Status class_meta(Vm *vm, const Tuple *bases, Class *meta, Class **out) {
    if (meta == vm->classes[K_CLASS]) meta = NULL;
    for (size_t i = 0; i < bases->len; i++) {
        Class *other = bases->items[i].kind == K_CLASS ? bases->items[i].cls->meta : NULL;
        if (!other || (meta && class_is_subclass(meta, other))) continue;
        if (meta && !class_is_subclass(other, meta))
            return vm_raise(vm, EXC_TypeError,
                            "metaclass conflict: the metaclass of a derived class must be a "
                            "(non-strict) subclass of the metaclasses of all its bases");
        meta = other;
    }
    *out = meta;
    return ST_OK;
}

Status class_new(Vm *vm, Str *name, Class *const *bases, uint32_t count, Class *meta, Dict *dict,
                 Value *out) {
    Class *base = NULL;
    if (class_best_base(vm, bases, count, &base) != ST_OK) return ST_ERROR;
    Class *cls = class_bare(vm, name, base, bases, count);
    if (!cls) return ST_ERROR;
    cls->flags |= CLASS_USER;
    cls->instance_kind = K_INSTANCE;
    cls->payload_kind = base->payload_kind;
    cls->meta = meta;
    if (meta) meta->gc.obj.refs++;
    cls->module = retain(dict_get_str(dict, vm_name(vm, NAME_module)));
    if (fill_namespace(vm, cls, dict) != ST_OK || class_slots(vm, cls) != ST_OK) {
        release_obj(vm, cls);
        return ST_ERROR;
    }
    *out = v_obj(cls);
    return ST_OK;
}

Status class_of_bases(Vm *vm, Str *name, const Tuple *bases, Class *meta, Dict *dict, Value *out) {
    if (bases->len == 0) return class_new(vm, name, &vm->object_class, 1, meta, dict, out);
    size_t size = bases->len * sizeof(Class *);
    Class **classes = mem_alloc(&vm->mem, size);
    Status st = classes ? ST_OK : vm_no_memory(vm);
    for (size_t i = 0; st == ST_OK && i < bases->len; i++) {
        classes[i] = bases->items[i].cls;
        if (bases->items[i].kind != K_CLASS)
            st = vm_raise(vm, EXC_TypeError, "bases must be types");
    }
    if (st == ST_OK) st = class_new(vm, name, classes, (uint32_t)bases->len, meta, dict, out);
    if (classes) mem_free(&vm->mem, classes, size);
    return st;
}

// --- Looking up and changing -------------------------------------------------------------------

Value class_lookup(const Class *cls, Str *name) {
    for (uint32_t i = 0; i < cls->mro_count; i++) {
        Value v = dict_get_str(cls->mro[i]->dict, name);
        if (v.kind != K_UNDEF) return v;
    }
    return V_UNDEF;
}

Value class_lookup_after(const Class *cls, const Class *after, Str *name) {
    uint32_t i = 0;
    while (i < cls->mro_count && cls->mro[i] != after) i++;
    while (++i < cls->mro_count) {
        Value v = dict_get_str(cls->mro[i]->dict, name);
        if (v.kind != K_UNDEF) return v;
    }
    return V_UNDEF;
}

Value class_user_method(const Class *cls, Str *name) {
    for (uint32_t i = 0; i < cls->mro_count; i++) {
        const Class *at = cls->mro[i];
        if (at->base == NULL) break; // object has natives only
        Value v = dict_get_str(at->dict, name);
        if (v.kind != K_UNDEF) return at->flags & CLASS_USER ? v : V_UNDEF;
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
        flags_down(cls, cls->flags & CLASS_INHERITED);
    }
    shapes_renew(vm, cls->payload_kind == K_CLASS ? vm->object_class : cls); // changes calls of classes
    return ST_OK;
}

// --- Memory ------------------------------------------------------------------------------------

static void class_visit(Obj *obj, Visitor *visitor) {
    Class *cls = (Class *)obj;
    visit_obj(visitor, cls->name);
    visit_obj(visitor, cls->qualname);
    visit_value(visitor, cls->module);
    for (uint32_t i = 0; i < cls->base_count; i++) visit_obj(visitor, cls->bases[i]);
    visit_obj(visitor, cls->slots);
    visit_obj(visitor, cls->meta);
    visit_obj(visitor, cls->dict);
}

static void class_drop(Vm *vm, Obj *obj) {
    Class *cls = (Class *)obj;
    // A namespace emptied to break a cycle leaves the class itself usable: instances that die later
    // in the same collection still look at it.
    cls->init = V_UNDEF;
    cls->flags &= ~(uint32_t)CLASS_PLAIN_CALL;
    if (cls->dict) dict_clear(vm, cls->dict);
    if (obj->refs > 0) return;
    leave_bases(vm, cls, cls->base_count);
    if (cls->mro != class_few(cls)) mem_free(&vm->mem, cls->mro, cls->mro_room * sizeof(Class *));
    release_obj(vm, cls->slots);
    release_obj(vm, cls->meta);
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
    return CLASS_SIZE;
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

// type(object). The interpreter passes type(name, bases, namespace) to the prelude, so a call with three arguments that
// comes here has one of a wrong type.
static Status type_construct(Vm *vm, const Value *args, Value *out) {
    if (args[0].kind != K_UNDEF && args[1].kind == K_UNDEF) {
        *out = retain(v_obj(class_of(vm, args[0])));
        return ST_OK;
    }
    if (args[0].kind == K_UNDEF || args[2].kind == K_UNDEF)
        return vm_raise(vm, EXC_TypeError, "type() takes 1 or 3 arguments");
    static const struct {
        Kind kind;
        const char *name;
    } wanted[3] = {{K_STR, "str"}, {K_TUPLE, "tuple"}, {K_DICT, "dict"}};
    int i = 0;
    while (i < 2 && args[i].kind == wanted[i].kind) i++;
    return vm_raise(vm, EXC_TypeError, "type.__new__() argument %d must be %s, not %s", i + 1,
                    wanted[i].name, type_name(vm, args[i]));
}

// `int | None` in annotations: defers to the prelude, which makes the union.
static Status class_binary(Vm *vm, BinaryOp op, bool in_place, Value a, Value b, Value *out) {
    (void)vm;
    (void)in_place;
    (void)out;
    bool fits = (a.kind == K_CLASS || a.kind == K_NONE) && (b.kind == K_CLASS || b.kind == K_NONE);
    return op == BIN_OR && fits ? ST_DEFER : ST_NOTIMPL;
}

static const NativeDef type_row = {"type", "object=?, bases=?, namespace=?, /", type_construct,
                                   NULL, PURE};

static Status classes_out(Vm *vm, Class *const *classes, size_t count, Value *out) {
    List *list = list_new(vm, count);
    if (!list) return vm_no_memory(vm);
    for (size_t i = 0; i < count; i++) list->items[list->len++] = retain(v_obj(classes[i]));
    *out = v_obj(list);
    return ST_OK;
}

static Status class_mro_method(Vm *vm, const Value *args, Value *out) {
    return classes_out(vm, args[0].cls->mro, args[0].cls->mro_count, out);
}

static Status class_subclasses(Vm *vm, const Value *args, Value *out) {
    return classes_out(vm, args[0].cls->subclasses, args[0].cls->subclass_count, out);
}

// Methods of type, which a metaclass reaches by super().

static Status type_new(Vm *vm, const Value *args, Value *out) {
    (void)vm;
    (void)args;
    (void)out;
    return ST_DEFER;
}

static Status type_init(Vm *vm, const Value *args, Value *out) {
    size_t count = args[1].tuple->len;
    if (count != 1 && count != 3)
        return vm_raise(vm, EXC_TypeError, "type.__init__() takes 1 or 3 arguments");
    *out = V_NONE;
    return ST_OK;
}

static Status type_repr(Vm *vm, const Value *args, Value *out) {
    Buf buf;
    buf_init(&buf, &vm->mem);
    class_repr(vm, args[0], &buf, 0);
    return str_buf_out(vm, &buf, out);
}

static Status type_instancecheck(Vm *vm, const Value *args, Value *out) {
    *out = v_bool(op_isinstance(vm, args[1], args[0].cls));
    return ST_OK;
}

static Status type_subclasscheck(Vm *vm, const Value *args, Value *out) {
    if (args[1].kind != K_CLASS)
        return vm_raise(vm, EXC_TypeError, "issubclass() arg 1 must be a class");
    *out = v_bool(class_is_subclass(args[1].cls, args[0].cls));
    return ST_OK;
}

static const NativeDef class_methods[] = {
    {"__new__", "cls, /, *args, **kwargs", type_new, "type_new_slow", PURE},
    {"__init__", "self, /, *args, **kwargs", type_init, NULL, PURE},
    {"__call__", "self, /, *args, **kwargs", type_new, "type_call_slow", PURE},
    {"__repr__", "self, /", type_repr, NULL, PURE},
    {"__instancecheck__", "self, instance, /", type_instancecheck, NULL, PURE},
    {"__subclasscheck__", "self, subclass, /", type_subclasscheck, NULL, PURE},
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
