// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Classes, instances, exception objects, modules.

#ifndef NACRE_VM_VALUE_CLASS_H
#define NACRE_VM_VALUE_CLASS_H

#include "vm/value/vm.h"

// Makes a built-in class, with the natives of kind_slots[kind]->methods in its namespace. Returns owned; NULL when
// out of memory. `base` may be NULL (object itself).
Class *class_builtin(Vm *vm, const char *name, Class *base, Kind kind);
// As class_builtin, with several bases.
Class *class_builtin_of(Vm *vm, const char *name, Class *const *bases, uint32_t count, Kind kind);
Class *class_exception(Vm *vm, const char *name, Class *const *bases, uint32_t count, int exc_kind);

// Makes a user class, as a class statement does, with one base or more and a metaclass (NULL: `type`). Borrows all
// arguments; copies the items of `dict` into the class's namespace.
Status class_new(Vm *vm, Str *name, Class *const *bases, uint32_t count, Class *meta, Dict *dict,
                 Value *out);
// As class_new, with a tuple of bases. TypeError: an item is no class. The base of an empty tuple is object.
Status class_of_bases(Vm *vm, Str *name, const Tuple *bases, Class *meta, Dict *dict, Value *out);
// Computes the metaclass of a class with these bases, NULL for `type`; `meta` is the metaclass asked for, or NULL.
// TypeError: the metaclasses conflict.
Status class_meta(Vm *vm, const Tuple *bases, Class *meta, Class **out);
// Looks a name up in a class's method resolution order; returns borrowed, or V_UNDEF.
Value class_lookup(const Class *cls, Str *name);
// As class_lookup, but only in the classes that follow `after` in the order, as super() does.
Value class_lookup_after(const Class *cls, const Class *after, Str *name);
// As class_lookup, but V_UNDEF if the first class that has the name is built in.
Value class_user_method(const Class *cls, Str *name);
Status class_setattr(Vm *vm, Class *cls, Str *name, Value value); // V_UNDEF deletes; renews shapes

// Makes an instance without calling __init__; fields of an exception are set to defaults.
Status instance_new(Vm *vm, Class *cls, Value *out);
// Access an instance's own attributes. instance_get returns owned; ST_STOP: there is no such attribute.
Status instance_get(Vm *vm, Instance *inst, Str *name, Value *out);
Status instance_set(Vm *vm, Instance *inst, Str *name, Value value); // borrows; UNDEF deletes
Dict *instance_dict(Vm *vm, Instance *inst); // borrowed; switches to a real dict; NULL: no memory
int shape_find(const Shape *shape, const Str *name); // slot number or -1

// Exceptions.
Status exc_new(Vm *vm, Class *cls, Value args_tuple, Value *out); // borrows args
static inline ExcInstance *exc_of(Value v) { // NULL when v is no exception
    return v.kind == K_INSTANCE && (v.inst->gc.obj.aux & INST_EXCEPTION) ? (ExcInstance *)v.inst
                                                                        : NULL;
}
// Sets a field that a keyword of the constructor names, as in AttributeError(text, name=…, obj=…). Borrows.
Status exc_keyword(Vm *vm, ExcInstance *exc, Str *name, Value value);
// Adds attributes to the exception just raised: the name and the object of an AttributeError, the name of a NameError,
// the name and the file (or UNDEF) of an ImportError. Borrows both; returns ST_ERROR, as the raise did.
Status exc_about(Vm *vm, Str *name, Value about);
Class *exc_os_class(Vm *vm, int err); // OSError's subclass for an errno; borrowed
Status exc_set_args(Vm *vm, ExcInstance *exc, Value args_tuple); // borrows; sets derived fields
Status exc_note(Vm *vm, ExcInstance *exc, Value note); // add_note; borrows
Status exc_str(Vm *vm, ExcInstance *exc, Buf *out);
Status exc_repr(Vm *vm, ExcInstance *exc, Buf *out);
Status exc_getattr(Vm *vm, ExcInstance *exc, Str *name, Value *out); // ST_STOP: no such field
Status exc_setattr(Vm *vm, ExcInstance *exc, Str *name, Value value); // ST_STOP likewise
extern const NativeDef exc_methods[];
extern const NativeDef exc_own_text[]; // __str__ of the classes that do not take BaseException's
// Returns the built-in value inside an instance of a class derived from a built-in kind; else v itself.
static inline Value unwrap(Value v) {
    if (v.kind == K_INSTANCE && (v.inst->gc.obj.aux & INST_PAYLOAD))
        return ((PayloadInstance *)v.inst)->payload;
    return v;
}

// Ends a class method that makes a value of a built-in kind: returns `made` (consumed) itself, or, for a class derived
// from the kind, the result of the call cls(made) (ST_TAIL).
Status class_wrap(Vm *vm, Value cls, Value made, Value *out);

// Modules.
// Adds a table of native functions (rows end with name == NULL).
Status module_add_natives(Vm *vm, Module *module, const NativeDef *rows);
Status module_new(Vm *vm, const char *name, Value *out); // with __name__ set
Status module_slot(Vm *vm, Module *module, Str *name, size_t *slot); // finds or adds
Status module_set(Vm *vm, Module *module, const char *name, Value owned); // consumes
Status module_set_str(Vm *vm, Module *module, Str *name, Value owned);
Value module_get(const Module *module, Str *name); // borrowed or V_UNDEF

#endif
