// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Attribute access: `v.name`, `v.name = w`, `del v.name`, and method look-up. Names are interned.

#include <string.h>

#include "vm/value/class.h"
#include "vm/value/dict.h"
#include "vm/value/effects.h"
#include "vm/value/func.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"
#include "vm/value/shape.h"
#include "vm/value/str.h"

static Status no_attribute(Vm *vm, Value v, Str *name) {
    if (v.kind == K_CLASS)
        return vm_raise(vm, EXC_AttributeError, "type object '%s' has no attribute '%s'",
                        v.cls->name->data, name->data);
    if (v.kind == K_MODULE)
        return vm_raise(vm, EXC_AttributeError, "module '%s' has no attribute '%s'",
                        v.module->name->data, name->data);
    return vm_raise(vm, EXC_AttributeError, "'%s' object has no attribute '%s'", type_name(vm, v),
                    name->data);
}

// For reading: the exception tells what was asked for.
static Status nothing_there(Vm *vm, Value v, Str *name) {
    no_attribute(vm, v, name);
    return exc_about(vm, name, v);
}

// --- Descriptors -------------------------------------------------------------------------------

static Status descr_get(Vm *vm, Value found, Value self, Class *owner, Value *out) {
    Descr *descr = found.descr;
    switch (descr->role) {
    case DESCR_STATICMETHOD:
        *out = retain(descr->get);
        return ST_OK;
    case DESCR_CLASSMETHOD:
        return bound_new(vm, v_obj(owner), descr->get, out);
    default:
        break;
    }
    if (self.kind == K_UNDEF) {
        *out = retain(found);
        return ST_OK;
    }
    return property_get(vm, descr, self, out);
}

Status property_get(Vm *vm, Descr *descr, Value self, Value *out) {
    Value inner = unwrap(self);
    if (descr->get.kind == K_INT && inner.kind == K_TUPLE) { // a named tuple's field
        if ((uint64_t)descr->get.i >= inner.tuple->len)
            return vm_raise(vm, EXC_IndexError, "tuple index out of range");
        *out = retain(inner.tuple->items[descr->get.i]);
        return ST_OK;
    }
    if (descr->get.kind == K_NONE || descr->get.kind == K_UNDEF)
        return vm_raise(vm, EXC_AttributeError, "property of '%s' object has no getter",
                        type_name(vm, self));
    if (descr->get.kind == K_NATIVE && descr->get.native->simple_args == 1 &&
        descr->get.native->self_kind == K_INSTANCE) {
        Status st = native_run(vm, descr->get.native->def, &self, out);
        if (st == ST_OK || st == ST_TAIL || (st == ST_ERROR && vm->error.kind != K_UNDEF)) return st;
    }
    return vm_tail(vm, descr->get, &self, 1);
}

static Status instance_descr_get(Vm *vm, Value found, Value self, Class *owner, Value *out) {
    Value get = class_lookup(found.inst->cls, vm_name(vm, NAME_get));
    if (get.kind == K_UNDEF) {
        *out = retain(found);
        return ST_OK;
    }
    const Value args[3] = {found, self.kind == K_UNDEF ? V_NONE : self, v_obj(owner)};
    return vm_tail(vm, get, args, 3);
}

bool attr_is_method(Value found) {
    return found.kind == K_FUNC || (found.kind == K_NATIVE && found.native->owner.kind == K_CLASS);
}

Status attr_bind(Vm *vm, Value found, Value self, Class *owner, Value *out) {
    switch (found.kind) {
    case K_FUNC:
    case K_NATIVE:
        if (self.kind != K_UNDEF && attr_is_method(found)) return bound_new(vm, self, found, out);
        break;
    case K_DESCR:
        return descr_get(vm, found, self, owner, out);
    case K_INSTANCE:
        return instance_descr_get(vm, found, self, owner, out);
    default:
        break;
    }
    *out = retain(found);
    return ST_OK;
}

static bool is_data_descr(Vm *vm, Value v) {
    if (v.kind == K_DESCR) return v.descr->role == DESCR_PROPERTY;
    return v.kind == K_INSTANCE &&
           class_lookup(v.inst->cls, vm_name(vm, NAME_set)).kind != K_UNDEF;
}

// Comes before what the instance has of that name. One that can only be set comes behind it.
static bool is_read_first(Vm *vm, Value v) {
    return is_data_descr(vm, v) &&
           (v.kind == K_DESCR || class_lookup(v.inst->cls, vm_name(vm, NAME_get)).kind != K_UNDEF);
}

// --- Reading -----------------------------------------------------------------------------------

// The row of a kind's table with a name: first letters tell most of them apart. NULL: there is none.
static const AttrDef *kind_attr(const TypeSlots *slots, const Str *name) {
    const AttrDef *attrs = slots->attrs;
    for (; attrs && attrs->name; attrs++)
        if (attrs->name[0] == name->data[0] && str_is(name, attrs->name)) return attrs;
    return NULL;
}

static Status kind_attr_get(Vm *vm, Value v, Str *name, Value *out) {
    const AttrDef *attr = kind_attr(kind_slots[v.kind], name);
    return attr ? attr->get(vm, v, out) : ST_STOP;
}

static Status class_dict_copy(Vm *vm, Class *cls, Value *out) {
    Dict *copy = dict_copy(vm, cls->dict);
    if (!copy) return vm_no_memory(vm);
    *out = v_obj(copy);
    return ST_OK;
}

static Status classes_out(Vm *vm, Class *const *classes, uint32_t count, Value *out) {
    Tuple *tuple = tuple_new(vm, count);
    if (!tuple) return vm_no_memory(vm);
    for (uint32_t i = 0; i < count; i++) tuple->items[i] = retain(v_obj(classes[i]));
    *out = v_obj(tuple);
    return ST_OK;
}

static Status class_own(Vm *vm, Class *cls, Str *name, Value *out) {
    if (name == vm_name(vm, NAME_name)) *out = retain(v_obj(cls->name));
    else if (name == vm_name(vm, NAME_qualname)) *out = retain(v_obj(cls->qualname));
    else if (name == vm_name(vm, NAME_module))
        *out = cls->module.kind == K_UNDEF ? V_NONE : retain(cls->module);
    else if (name == vm_name(vm, NAME_dict)) return class_dict_copy(vm, cls, out);
    else if (name == vm_name(vm, NAME_mro)) 
        return classes_out(vm, cls->mro, cls->mro_count, out);
    else if (name == vm_name(vm, NAME_bases)) 
        return classes_out(vm, cls->bases, cls->base_count, out);
    else if (name == vm_name(vm, NAME_base)) *out = cls->base ? retain(v_obj(cls->base)) : V_NONE;
    else if (name == vm_name(vm, NAME_class_))
        *out = retain(v_obj(class_of(vm, v_obj(cls))));
    else if (name == vm_name(vm, NAME_doc)) {
        const char *doc = kind_slots[cls->instance_kind]->doc;
        if (cls->flags & CLASS_USER || !doc) {
            *out = V_NONE;
            return ST_OK;
        }
        return str_out(vm, str_text(vm, doc), out);
    } else return ST_STOP;
    return ST_OK;
}

static Status class_get(Vm *vm, Class *cls, Str *name, Value *out) {
    Class *meta = class_of(vm, v_obj(cls));
    if (meta->flags & CLASS_DESCR) {
        Value descr = class_lookup(meta, name);
        if (is_read_first(vm, descr)) return attr_bind(vm, descr, v_obj(cls), meta, out);
    }
    bool special = name == vm_name(vm, NAME_name) || name == vm_name(vm, NAME_qualname) ||
                   name == vm_name(vm, NAME_module) || name == vm_name(vm, NAME_dict) ||
                   name == vm_name(vm, NAME_class_);
    Value found = special ? V_UNDEF : class_lookup(cls, name);
    if (name == vm_name(vm, NAME_doc) && cls->flags & CLASS_USER)
        found = dict_get_str(cls->dict, name); // documentation is not inherited
    if (found.kind != K_UNDEF) return attr_bind(vm, found, V_UNDEF, cls, out);
    Status st = class_own(vm, cls, name, out);
    if (st != ST_STOP) return st;
    found = class_lookup(meta, name); // mro(), __subclasses__()
    if (found.kind != K_UNDEF) return attr_bind(vm, found, v_obj(cls), meta, out);
    return nothing_there(vm, v_obj(cls), name);
}

static Status module_attr(Vm *vm, Module *module, Str *name, Value *out) {
    Value v = module_get(module, name);
    if (v.kind != K_UNDEF) {
        *out = retain(v);
        return ST_OK;
    }
    if (name == vm_name(vm, NAME_dict)) {
        Dict *dict = dict_of_module(vm, module);
        if (!dict) return vm_no_memory(vm);
        *out = v_obj(dict);
        return ST_OK;
    }
    if (name == vm_name(vm, NAME_doc)) {
        *out = V_NONE;
        return ST_OK;
    }
    return nothing_there(vm, v_obj(module), name);
}

static Status instance_special(Vm *vm, Value v, Str *name, Value *out) {
    if (name == vm_name(vm, NAME_dict) && v.inst->cls->flags & CLASS_NO_DICT) return ST_STOP;
    if (name == vm_name(vm, NAME_dict)) {
        Dict *dict = instance_dict(vm, v.inst);
        if (!dict) return vm_no_memory(vm);
        *out = retain(v_obj(dict));
        return ST_OK;
    }
    Value inner = unwrap(v);
    return inner.kind == K_INSTANCE ? ST_STOP : kind_attr_get(vm, inner, name, out);
}

static Status instance_attr(Vm *vm, Value v, Str *name, Value *out) {
    Instance *inst = v.inst;
    Class *cls = inst->cls;
    Value found = V_UNDEF;
    if (cls->flags & CLASS_DESCR) {
        found = class_lookup(cls, name);
        if (found.kind != K_UNDEF && is_read_first(vm, found))
            return attr_bind(vm, found, v, cls, out);
    }
    if (instance_get(vm, inst, name, out) == ST_OK) return ST_OK;
    ExcInstance *exc = exc_of(v);
    Status st = exc ? exc_getattr(vm, exc, name, out) : ST_STOP;
    if (st != ST_STOP) return st;
    if (found.kind == K_UNDEF) found = class_lookup(cls, name);
    if (found.kind != K_UNDEF) return attr_bind(vm, found, v, cls, out);
    return instance_special(vm, v, name, out);
}

static Status object_common(Vm *vm, Value v, Str *name, Value *out) {
    if (name == vm_name(vm, NAME_class_)) {
        *out = retain(v_obj(class_of(vm, v)));
        return ST_OK;
    }
    if (name == vm_name(vm, NAME_doc)) return class_get(vm, class_of(vm, v), name, out);
    return ST_STOP;
}

static Status value_attr(Vm *vm, Value v, Str *name, Value *out) {
    const TypeSlots *slots = kind_slots[v.kind];
    Status st = kind_attr_get(vm, v, name, out);
    bool own = name != vm_name(vm, NAME_class_); // a bound method's class is not its function's
    if (st == ST_STOP && slots->getattr && own) st = slots->getattr(vm, v, name, out);
    if (st != ST_STOP) return st;
    Class *cls = class_of(vm, v);
    Value found = class_lookup(cls, name);
    if (found.kind != K_UNDEF) return attr_bind(vm, found, v, cls, out);
    return ST_STOP;
}

Status attr_get_plain(Vm *vm, Value v, Str *name, Value *out) {
    if (v.kind == K_CLASS) return class_get(vm, v.cls, name, out);
    if (v.kind == K_MODULE) return module_attr(vm, v.module, name, out);
    Status st = v.kind == K_INSTANCE ? instance_attr(vm, v, name, out)
                                     : value_attr(vm, v, name, out);
    if (st == ST_STOP) st = object_common(vm, v, name, out);
    return st == ST_STOP ? nothing_there(vm, v, name) : st;
}

// Calls the module's own function __getattr__ for a name that the module lacks (PEP 562).
static Status module_getattr(Vm *vm, Value v, Str *name, Value *out) {
    Status st = module_attr(vm, v.module, name, out);
    if (st != ST_ERROR || !vm_error_is(vm, EXC_AttributeError)) return st;
    Value hook = module_get(v.module, vm_name(vm, NAME_getattr)), arg = v_obj(name);
    if (hook.kind == K_UNDEF) return st;
    vm_clear_error(vm);
    return vm_tail(vm, hook, &arg, 1);
}

// Returns whether reading an attribute calls a function, whose AttributeError __getattr__ has to see.
static bool runs_code(Value found) {
    return found.kind == K_INSTANCE || (found.kind == K_DESCR && found.descr->role == DESCR_PROPERTY);
}

static Status ask(Vm *vm, const Value *args, Value *out) {
    (void)vm;
    (void)args;
    (void)out;
    return ST_DEFER;
}

const NativeDef attr_asking = {"getattr", "self, name, hook, /", ask, "getattr_asking", PURE};

Status op_getattr(Vm *vm, Value v, Str *name, Value *out) {
    if (v.kind == K_MODULE) return module_getattr(vm, v, name, out);
    const Class *cls = v.kind == K_INSTANCE ? v.inst->cls : v.kind == K_CLASS ? v.cls->meta : NULL;
    if (!cls || !(cls->flags & (CLASS_GETATTR | CLASS_GETATTRIBUTE)))
        return attr_get_plain(vm, v, name, out);
    const Value args[2] = {v, v_obj(name)};
    Value hook = V_UNDEF;
    if (cls->flags & CLASS_GETATTRIBUTE) hook = class_user_method(cls, vm_name(vm, NAME_getattribute));
    bool asks = class_user_method(cls, vm_name(vm, NAME_getattr)).kind != K_UNDEF;
    if (asks && (hook.kind != K_UNDEF || runs_code(class_lookup(cls, name)))) {
        const Value all[3] = {v, v_obj(name), hook.kind == K_UNDEF ? V_NONE : hook};
        return vm_tail(vm, vm->asking, all, 3);
    }
    if (hook.kind != K_UNDEF) return vm_tail(vm, hook, args, 2);
    Status st = attr_get_plain(vm, v, name, out);
    if (st != ST_ERROR || !vm_error_is(vm, EXC_AttributeError)) return st;
    hook = class_user_method(cls, vm_name(vm, NAME_getattr));
    if (hook.kind == K_UNDEF) return st;
    vm_clear_error(vm);
    return vm_tail(vm, hook, args, 2);
}

Status op_getmethod(Vm *vm, Value v, Str *name, Value *func, Value *self) {
    *self = V_UNDEF;
    if (v.kind == K_INSTANCE) {
        Class *cls = v.inst->cls;
        if (cls->flags & CLASS_GETATTRIBUTE) return op_getattr(vm, v, name, func);
        Value found = class_lookup(cls, name);
        bool plain = attr_is_method(found);
        if (!plain || instance_get(vm, v.inst, name, func) != ST_STOP) {
            if (plain) return ST_OK;
            return op_getattr(vm, v, name, func);
        }
        *func = retain(found);
        *self = retain(v);
        return ST_OK;
    }
    if (v.kind == K_CLASS || v.kind == K_MODULE || kind_slots[v.kind]->getattr)
        return op_getattr(vm, v, name, func);
    Value found = class_lookup(class_of(vm, v), name);
    if (found.kind != K_NATIVE && found.kind != K_FUNC) return op_getattr(vm, v, name, func);
    *func = retain(found);
    *self = retain(v);
    return ST_OK;
}

Status op_special(Vm *vm, Value v, NameId name, Value *func) {
    Value found = class_lookup(class_of(vm, v), vm_name(vm, name));
    if (found.kind == K_UNDEF || found.kind == K_NONE) return ST_STOP;
    *func = found;
    return ST_OK;
}

// --- Writing -----------------------------------------------------------------------------------

static Status descr_set(Vm *vm, Value found, Value self, Str *name, Value value) {
    if (found.kind == K_INSTANCE) {
        NameId id = value.kind == K_UNDEF ? NAME_delete : NAME_set;
        Value set = class_lookup(found.inst->cls, vm_name(vm, id));
        if (set.kind == K_UNDEF) return no_attribute(vm, self, name);
        const Value args[3] = {found, self, value};
        return vm_tail(vm, set, args, value.kind == K_UNDEF ? 2 : 3);
    }
    Value setter = value.kind == K_UNDEF ? found.descr->del : found.descr->set;
    if (setter.kind == K_NONE || setter.kind == K_UNDEF)
        return vm_raise(vm, EXC_AttributeError, "property '%s' of '%s' object has no %s",
                        name->data, type_name(vm, self),
                        value.kind == K_UNDEF ? "deleter" : "setter");
    const Value args[2] = {self, value};
    return vm_tail(vm, setter, args, value.kind == K_UNDEF ? 1 : 2);
}

static Status instance_set_attr(Vm *vm, Value v, Str *name, Value value) {
    Class *cls = v.inst->cls;
    if (cls->flags & CLASS_DESCR) {
        Value found = class_lookup(cls, name);
        if (found.kind != K_UNDEF && is_data_descr(vm, found))
            return descr_set(vm, found, v, name, value);
    }
    if (value.kind != K_UNDEF) {
        if (name == vm_name(vm, NAME_class_)) return instance_set_class(vm, v.inst, value);
        bool open = cls->flags & (CLASS_USER | CLASS_EXCEPTION) && !(cls->flags & CLASS_NO_DICT);
        if (name == vm_name(vm, NAME_dict) && open) return instance_set_dict(vm, v.inst, value);
    }
    ExcInstance *exc = exc_of(v);
    Status st = exc ? exc_setattr(vm, exc, name, value) : ST_STOP;
    if (st != ST_STOP) return st;
    if (!(cls->flags & (CLASS_USER | CLASS_EXCEPTION))) return no_attribute(vm, v, name);
    return instance_set(vm, v.inst, name, value);
}

static Status kind_attr_set(Vm *vm, Value v, Str *name, Value value) {
    const TypeSlots *slots = kind_slots[v.kind];
    const AttrDef *attr = kind_attr(slots, name);
    if (attr && attr->set && value.kind != K_UNDEF) return attr->set(vm, v, value);
    if (attr)
        return vm_raise(vm, EXC_AttributeError, "attribute '%s' of '%s' objects is not writable",
                        name->data, type_name(vm, v));
    if (slots->setattr) {
        Status st = slots->setattr(vm, v, name, value);
        if (st != ST_STOP) return st;
    } else if (class_lookup(class_of(vm, v), name).kind != K_UNDEF) {
        return vm_raise(vm, EXC_AttributeError, "'%s' object attribute '%s' is read-only",
                        type_name(vm, v), name->data);
    }
    return no_attribute(vm, v, name);
}

static Status module_set_attr(Vm *vm, Module *module, Str *name, Value value) {
    size_t slot;
    if (value.kind == K_UNDEF && module_get(module, name).kind == K_UNDEF)
        return no_attribute(vm, v_obj(module), name);
    if (module_slot(vm, module, name, &slot) != ST_OK) return ST_ERROR;
    replace(vm, &module->slots[slot], retain(value));
    return ST_OK;
}

// Names with a place of their own, or that cannot be changed.
static Status class_set_name(Vm *vm, Class *cls, Str *name, Value value, bool *done) {
    *done = true;
    if (name == vm_name(vm, NAME_mro) || name == vm_name(vm, NAME_base))
        return vm_raise(vm, EXC_AttributeError, "readonly attribute");
    if (name == vm_name(vm, NAME_dict))
        return vm_raise(vm, EXC_AttributeError, "attribute '__dict__' of 'type' objects is not writable");
    if (name == vm_name(vm, NAME_bases) && cls->flags & CLASS_USER)
        return vm_raise(vm, EXC_NotImplementedError, "the bases of a class cannot be changed");
    if (name == vm_name(vm, NAME_class_))
        return vm_raise(vm, EXC_NotImplementedError, "the metaclass of a class cannot be changed");
    if (name == vm_name(vm, NAME_module) && cls->flags & CLASS_USER && value.kind != K_UNDEF) {
        replace(vm, &cls->module, retain(value));
        *done = false; // instances find it in the namespace
        return ST_OK;
    }
    Str **field = name == vm_name(vm, NAME_name)       ? &cls->name
                  : name == vm_name(vm, NAME_qualname) ? &cls->qualname
                                                       : NULL;
    *done = field && cls->flags & CLASS_USER;
    if (!*done) return ST_OK;
    if (value.kind == K_UNDEF)
        return vm_raise(vm, EXC_TypeError, "cannot delete '%s' attribute of immutable type '%s'", name->data,
                        cls->name->data);
    if (value.kind != K_STR)
        return vm_raise(vm, EXC_TypeError, "can only assign string to %s.%s, not '%s'",
                        cls->name->data, name->data, type_name(vm, value));
    release_obj(vm, *field);
    *field = retain(value).str;
    return ST_OK;
}

Status attr_set_plain(Vm *vm, Value v, Str *name, Value value) {
    switch (v.kind) {
    case K_INSTANCE:
        return instance_set_attr(vm, v, name, value);
    case K_MODULE:
        return module_set_attr(vm, v.module, name, value);
    case K_CLASS: {
        bool done;
        if (v.cls->meta && v.cls->meta->flags & CLASS_DESCR) {
            Value found = class_lookup(v.cls->meta, name);
            if (is_data_descr(vm, found)) return descr_set(vm, found, v, name, value);
        }
        Status st = class_set_name(vm, v.cls, name, value, &done);
        return done ? st : class_setattr(vm, v.cls, name, value);
    }
    default:
        return kind_attr_set(vm, v, name, value);
    }
}

Status op_setattr(Vm *vm, Value v, Str *name, Value value) {
    const Class *cls = v.kind == K_INSTANCE ? v.inst->cls : v.kind == K_CLASS ? v.cls->meta : NULL;
    if (cls && cls->flags & CLASS_SETATTR) {
        NameId id = value.kind == K_UNDEF ? NAME_delattr : NAME_setattr;
        Value hook = class_user_method(cls, vm_name(vm, id));
        const Value args[3] = {v, v_obj(name), value};
        if (hook.kind != K_UNDEF) return vm_tail(vm, hook, args, value.kind == K_UNDEF ? 2 : 3);
    }
    return attr_set_plain(vm, v, name, value);
}
