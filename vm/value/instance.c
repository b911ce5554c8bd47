// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Instances of user classes: attribute slots laid out by shape, or a dictionary once somebody asked
// for __dict__; and object's own methods.

#include <string.h>

#include "vm/value/class.h"
#include "vm/value/dict.h"
#include "vm/value/func.h"
#include "vm/value/identity.h"
#include "vm/value/object.h"
#include "vm/value/ops.h"
#include "vm/value/shape.h"
#include "vm/value/slots.h"
#include "vm/value/str.h"

static size_t layout_size(const Instance *inst) {
    if (inst->gc.obj.aux & INST_EXCEPTION) return sizeof(ExcInstance);
    if (inst->gc.obj.aux & INST_PAYLOAD) return sizeof(PayloadInstance);
    return sizeof(Instance);
}

static bool slots_reserve(Vm *vm, Instance *inst, uint32_t need) {
    if (need <= inst->cap) return true;
    uint32_t want = inst->cls->slot_hint > need ? inst->cls->slot_hint : need;
    Value *slots = mem_realloc(&vm->mem, inst->slots, inst->cap * sizeof(Value),
                               want * sizeof(Value));
    if (!slots) return false;
    inst->slots = slots;
    inst->cap = want;
    return true;
}

Status instance_new(Vm *vm, Class *cls, Value *out) {
    // In NumPy, results of operations and views would be instances of the class, too. Here they are plain arrays, so
    // instances are refused.
    if (cls->payload_kind == K_ARRAY)
        return vm_raise(vm, EXC_NotImplementedError,
                        "%s: there are no instances of classes derived from numpy.ndarray", cls->name->data);
    uint16_t layout = cls->flags & CLASS_EXCEPTION            ? INST_EXCEPTION
                      : cls->payload_kind != K_INSTANCE       ? INST_PAYLOAD
                                                              : 0;
    size_t size = layout == INST_EXCEPTION ? sizeof(ExcInstance)
                  : layout == INST_PAYLOAD ? sizeof(PayloadInstance)
                                           : sizeof(Instance);
    Instance *inst = obj_new(vm, K_INSTANCE, size);
    if (!inst) return vm_no_memory(vm);
    inst->gc.obj.aux = layout;
    inst->cls = cls;
    cls->gc.obj.refs++;
    inst->shape = cls->root;
    if (layout == INST_EXCEPTION) {
        vm->empty_tuple->gc.obj.refs++;
        ((ExcInstance *)inst)->args = v_obj(vm->empty_tuple);
    }
    if (!layout && cls->slot_hint && !slots_reserve(vm, inst, cls->slot_hint)) {
        release_obj(vm, inst);
        return vm_no_memory(vm);
    }
    *out = v_obj(inst);
    return ST_OK;
}

Status instance_get(Vm *vm, Instance *inst, Str *name, Value *out) {
    (void)vm;
    Value v = V_UNDEF;
    if (inst->dict) {
        v = dict_get_str(inst->dict, name);
    } else {
        int slot = shape_find(inst->shape, name);
        if (slot >= 0) v = inst->slots[slot];
    }
    if (v.kind == K_UNDEF) return ST_STOP;
    *out = retain(v);
    return ST_OK;
}

Status instance_add_slot(Vm *vm, Instance *inst, Shape *shape, Value owned) {
    if (!slots_reserve(vm, inst, shape->count)) {
        release(vm, owned);
        return vm_no_memory(vm);
    }
    inst->slots[shape->count - 1] = owned;
    inst->shape = shape;
    return ST_OK;
}

static Status no_attribute(Vm *vm, Instance *inst, Str *name) {
    return vm_raise(vm, EXC_AttributeError, "'%s' object has no attribute '%s'",
                    inst->cls->name->data, name->data);
}

// Raises the error for setting an attribute that the __slots__ of the class do not name.
static Status no_slot(Vm *vm, Instance *inst, Str *name) {
    if (class_lookup(inst->cls, name).kind == K_UNDEF) return no_attribute(vm, inst, name);
    return vm_raise(vm, EXC_AttributeError, "'%s' object attribute '%s' is read-only",
                    inst->cls->name->data, name->data);
}

Status instance_set(Vm *vm, Instance *inst, Str *name, Value value) {
    if (inst->cls->flags & CLASS_NO_DICT && !class_has_slot(inst->cls, name))
        return no_slot(vm, inst, name);
    if (value.kind == K_UNDEF) { // deleting: slots cannot be taken out of a layout
        Value old;
        if (instance_get(vm, inst, name, &old) != ST_OK) {
            if (inst->cls->flags & CLASS_NO_DICT) return vm_raise(vm, EXC_AttributeError, "%s", name->data);
            return no_attribute(vm, inst, name);
        }
        release(vm, old);
        if (!instance_dict(vm, inst)) return vm_no_memory(vm);
        dict_del_str(vm, inst->dict, name);
        return ST_OK;
    }
    if (inst->dict) return dict_set_str(vm, inst->dict, name, value);
    int slot = shape_find(inst->shape, name);
    if (slot >= 0) {
        replace(vm, &inst->slots[slot], retain(value));
        return ST_OK;
    }
    // Objects used as dictionaries would make the tree of layouts grow without end.
    if (inst->shape->count >= SHAPE_MAX_SLOTS) {
        if (!instance_dict(vm, inst)) return vm_no_memory(vm);
        return dict_set_str(vm, inst->dict, name, value);
    }
    Shape *shape = shape_with(vm, inst->shape, name);
    if (!shape) return vm_no_memory(vm);
    return instance_add_slot(vm, inst, shape, retain(value));
}

static void slots_free(Vm *vm, Instance *inst) {
    Value *slots = inst->slots;
    uint32_t cap = inst->cap, count = slots && inst->shape ? inst->shape->count : 0;
    inst->slots = NULL;
    inst->cap = 0;
    for (uint32_t i = 0; i < count; i++) release(vm, slots[i]);
    mem_free(&vm->mem, slots, cap * sizeof(Value));
}

// Copies slots to a dictionary in the order in which they were added; recursion is bounded by SHAPE_MAX_SLOTS.
static Status slots_into_dict(Vm *vm, const Instance *inst, const Shape *shape, Dict *dict) {
    if (!shape->parent) return ST_OK;
    if (slots_into_dict(vm, inst, shape->parent, dict) != ST_OK) return ST_ERROR;
    return dict_set_str(vm, dict, shape->name, inst->slots[shape->count - 1]);
}

Dict *instance_dict(Vm *vm, Instance *inst) {
    if (inst->dict) return inst->dict;
    Dict *dict = dict_new(vm);
    if (!dict) return NULL;
    if (slots_into_dict(vm, inst, inst->shape, dict) != ST_OK) {
        vm_clear_error(vm);
        release_obj(vm, dict);
        return NULL;
    }
    inst->dict = dict;
    slots_free(vm, inst);
    inst->shape = NULL;
    return dict;
}

// Returns the layout of another class with the same names in the same order. NULL: no memory.
static Shape *same_names(Vm *vm, const Shape *shape, Class *cls) {
    if (!shape->parent) return cls->root;
    Shape *before = same_names(vm, shape->parent, cls);
    return before ? shape_with(vm, before, shape->name) : NULL;
}

Status instance_set_class(Vm *vm, Instance *inst, Value value) {
    if (value.kind != K_CLASS)
        return vm_raise(vm, EXC_TypeError, "__class__ must be set to a class, not '%s' object",
                        type_name(vm, value));
    Class *old = inst->cls, *cls = value.cls;
    if (!(old->flags & cls->flags & CLASS_USER))
        return vm_raise(vm, EXC_TypeError, "__class__ assignment only supported for mutable types "
                        "or ModuleType subclasses");
    if (old->solid != cls->solid || (old->flags ^ cls->flags) & CLASS_NO_DICT)
        return vm_raise(vm, EXC_TypeError, "__class__ assignment: '%s' object layout differs from '%s'",
                        cls->name->data, old->name->data);
    Shape *shape = inst->shape ? same_names(vm, inst->shape, cls) : NULL;
    if (inst->shape && !shape) return vm_no_memory(vm);
    inst->shape = shape;
    inst->cls = cls;
    cls->gc.obj.refs++;
    release_obj(vm, old);
    return ST_OK;
}

Status instance_set_dict(Vm *vm, Instance *inst, Value value) {
    if (value.kind != K_DICT)
        return vm_raise(vm, EXC_TypeError, "__dict__ must be set to a dictionary, not a '%s'",
                        type_name(vm, value));
    if (!instance_dict(vm, inst)) return vm_no_memory(vm);
    Dict *old = inst->dict;
    inst->dict = retain(value).dict;
    release_obj(vm, old);
    return ST_OK;
}

// --- Memory ------------------------------------------------------------------------------------

static void instance_visit(Obj *obj, Visitor *visitor) {
    Instance *inst = (Instance *)obj;
    visit_obj(visitor, inst->cls);
    visit_obj(visitor, inst->dict);
    uint32_t count = inst->slots && inst->shape ? inst->shape->count : 0;
    for (uint32_t i = 0; i < count; i++) visit_value(visitor, inst->slots[i]);
    if (obj->aux & INST_PAYLOAD) visit_value(visitor, ((PayloadInstance *)inst)->payload);
    if (obj->aux & INST_EXCEPTION) {
        ExcInstance *exc = (ExcInstance *)inst;
        visit_value(visitor, exc->args);
        visit_value(visitor, exc->cause);
        visit_value(visitor, exc->context);
        visit_value(visitor, exc->traceback);
        visit_value(visitor, exc->value);
    }
}

static void exc_drop(Vm *vm, ExcInstance *exc) {
    clear(vm, &exc->args);
    clear(vm, &exc->cause);
    clear(vm, &exc->context);
    clear(vm, &exc->traceback);
    clear(vm, &exc->value);
}

static void instance_drop(Vm *vm, Obj *obj) {
    Instance *inst = (Instance *)obj;
    slots_free(vm, inst);
    if (inst->cls) inst->shape = inst->cls->root;
    if (obj->aux & INST_PAYLOAD) clear(vm, &((PayloadInstance *)inst)->payload);
    if (obj->aux & INST_EXCEPTION) exc_drop(vm, (ExcInstance *)inst);
    Dict *dict = inst->dict;
    inst->dict = NULL;
    release_obj(vm, dict);
    if (obj->refs > 0) return; // not the end of the object: a cycle is being broken
    Class *cls = inst->cls;
    inst->cls = NULL;
    release_obj(vm, cls);
}

static size_t instance_size(const Obj *obj) {
    return layout_size((const Instance *)obj);
}

// --- Defaults ----------------------------------------------------------------------------------

static Status default_repr(Vm *vm, Value self, Buf *out) {
    Class *cls = self.inst->cls;
    buf_putc(out, '<');
    if (cls->module.kind == K_STR && cls->flags & CLASS_USER) buf_printf(out, "%s.", cls->module.str->data);
    buf_printf(out, "%s object at ", cls->qualname->data);
    Status st = identity_text(vm, self.inst, out);
    buf_putc(out, '>');
    return st;
}

static Status instance_repr(Vm *vm, Value self, Buf *out, int depth) {
    ExcInstance *exc = exc_of(self);
    if (exc) return exc_repr(vm, exc, out);
    Value inner = unwrap(self);
    if (inner.kind != K_INSTANCE && inner.kind != K_STEPPER && inner.kind != K_ITER)
        return op_repr_nested(vm, inner, out, depth);
    return default_repr(vm, self, out);
}

static Status instance_str(Vm *vm, Value self, Buf *out, int depth) {
    ExcInstance *exc = exc_of(self);
    if (exc) return exc_str(vm, exc, out);
    Value inner = unwrap(self);
    if (inner.kind == K_STR) {
        buf_put(out, inner.str->data, inner.str->len);
        return ST_OK;
    }
    return instance_repr(vm, self, out, depth);
}

// Methods of object, for calls such as super().__init__().

static Status object_init(Vm *vm, const Value *args, Value *out) {
    if (args[0].kind == K_INSTANCE && unwrap(args[0]).kind != K_INSTANCE) return ST_DEFER;
    Tuple *rest = args[1].tuple;
    if (args[0].kind == K_INSTANCE && rest->len + args[2].dict->count > 0) {
        Class *cls = args[0].inst->cls;
        bool plain_init = class_user_method(cls, vm_name(vm, NAME_init)).kind == K_UNDEF;
        bool plain_new = class_user_method(cls, vm_name(vm, NAME_new)).kind == K_UNDEF;
        if (!plain_init)
            return vm_raise(vm, EXC_TypeError, "object.__init__() takes exactly one argument "
                            "(the instance to initialize)");
        if (plain_new)
            return vm_raise(vm, EXC_TypeError, "%s() takes no arguments", cls->name->data);
    }
    *out = V_NONE;
    return ST_OK;
}

static Status object_new(Vm *vm, const Value *args, Value *out) {
    if (args[0].kind != K_CLASS)
        return vm_raise(vm, EXC_TypeError, "object.__new__(X): X is not a type object (%s)",
                        type_name(vm, args[0]));
    Class *cls = args[0].cls;
    if (cls->instance_kind != K_INSTANCE)
        return vm_raise(vm, EXC_TypeError, "object.__new__(%s) is not safe, use %s.__new__()",
                        cls->name->data, cls->name->data);
    bool abstract = cls->flags & CLASS_ABSTRACT && !(cls->flags & CLASS_EXCEPTION);
    if (cls->payload_kind != K_INSTANCE || abstract) return ST_DEFER; // the built-in value is made too
    return instance_new(vm, cls, out);
}

static Status object_repr(Vm *vm, const Value *args, Value *out) {
    if (args[0].kind != K_INSTANCE) return op_repr_value(vm, args[0], out);
    Buf buf;
    buf_init(&buf, &vm->mem);
    Status st = instance_repr(vm, args[0], &buf, 0);
    if (st != ST_OK) {
        buf_free(&buf);
        return st;
    }
    return str_buf_out(vm, &buf, out);
}

// Implements object.__str__, which returns the object's repr, by an overridden __repr__ if there is one.
static Status object_str(Vm *vm, const Value *args, Value *out) {
    if (args[0].kind == K_INSTANCE && !exc_of(args[0])) {
        Value method = class_user_method(args[0].inst->cls, vm_name(vm, NAME_repr));
        if (method.kind != K_UNDEF) return vm_tail(vm, method, args, 1);
    }
    if (args[0].kind != K_INSTANCE) return op_str_value(vm, args[0], out);
    Buf buf;
    buf_init(&buf, &vm->mem);
    Status st = instance_str(vm, args[0], &buf, 0);
    if (st != ST_OK) {
        buf_free(&buf);
        return st;
    }
    return str_buf_out(vm, &buf, out);
}

static Status object_eq(Vm *vm, const Value *args, Value *out) {
    (void)vm;
    *out = v_is(args[0], args[1]) ? v_bool(true) : V_NOTIMPLEMENTED;
    return ST_OK;
}

static Status object_ne(Vm *vm, const Value *args, Value *out) {
    (void)vm;
    *out = v_is(args[0], args[1]) ? v_bool(false) : V_NOTIMPLEMENTED;
    return ST_OK;
}

static Status object_hash(Vm *vm, const Value *args, Value *out) {
    int64_t hash;
    Status st = identity_hash(vm, args[0], &hash);
    if (st == ST_OK) *out = v_int(hash);
    return st;
}

static Status name_of(Vm *vm, Value v, Str **name) {
    if (v.kind != K_STR)
        return vm_raise(vm, EXC_TypeError, "attribute name must be string, not '%s'",
                        type_name(vm, v));
    *name = str_intern_str(vm, v.str);
    return vm_check(vm, *name);
}

static Status object_setattr(Vm *vm, const Value *args, Value *out) {
    Str *name = NULL;
    if (name_of(vm, args[1], &name) != ST_OK) return ST_ERROR;
    Status st = attr_set_plain(vm, args[0], name, args[2]);
    release_obj(vm, name);
    if (st == ST_OK) *out = V_NONE;
    return st;
}

static Status object_delattr(Vm *vm, const Value *args, Value *out) {
    const Value set[3] = {args[0], args[1], V_UNDEF};
    return object_setattr(vm, set, out);
}

static Status object_getattribute(Vm *vm, const Value *args, Value *out) {
    Str *name = NULL;
    if (name_of(vm, args[1], &name) != ST_OK) return ST_ERROR;
    Status st = attr_get_plain(vm, args[0], name, out);
    release_obj(vm, name);
    return st;
}

static Status object_init_subclass(Vm *vm, const Value *args, Value *out) {
    if (args[1].kind == K_DICT && args[1].dict->count > 0)
        return vm_raise(vm, EXC_TypeError, "%s.__init_subclass__() takes no keyword arguments",
                        args[0].kind == K_CLASS ? args[0].cls->name->data : "type");
    *out = V_NONE;
    return ST_OK;
}

static Status object_format(Vm *vm, const Value *args, Value *out) {
    if (args[1].kind != K_STR || args[1].str->len > 0)
        return vm_raise(vm, EXC_TypeError, "unsupported format string passed to %s.__format__",
                        type_name(vm, args[0]));
    return op_str_value(vm, args[0], out);
}

const NativeDef object_methods[] = {
    {"__init__", "self, /, *args, **kwargs", object_init, "payload_init", PURE},
    {"__new__", "cls, /, *args, **kwargs", object_new, "payload_new", PURE},
    {"__repr__", "self, /", object_repr, "repr_slow", PURE},
    {"__str__", "self, /", object_str, "repr_slow", PURE},
    {"__eq__", "self, value, /", object_eq, NULL, PURE},
    {"__ne__", "self, value, /", object_ne, NULL, PURE},
    {"__hash__", "self, /", object_hash, NULL, PURE},
    {"__format__", "self, format_spec, /", object_format, "object_format_slow", PURE},
    {"__setattr__", "self, name, value, /", object_setattr, NULL, PURE},
    {"__delattr__", "self, name, /", object_delattr, NULL, PURE},
    {"__getattribute__", "self, name, /", object_getattribute, NULL, PURE},
    {"__init_subclass__", "cls=?, /, **kwargs", object_init_subclass, NULL, PURE},
    {0},
};

const TypeSlots kind_INSTANCE = {
    .visit = instance_visit,
    .drop = instance_drop,
    .size = instance_size,
    .repr = instance_repr,
    .str = instance_str,
    .methods = object_methods,
};
