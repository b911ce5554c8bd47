// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Layouts and plain attribute access, shared by class.c, instance.c, attr.c and the interpreter's attribute caches.

#ifndef NACRE_VM_VALUE_SHAPE_H
#define NACRE_VM_VALUE_SHAPE_H

#include "vm/value/class.h"

enum { SHAPE_MAX_SLOTS = 128 };

// Returns the layout that results from adding `name` (interned) to `shape`; borrowed, NULL: no memory.
Shape *shape_with(Vm *vm, Shape *shape, Str *name);

// Appends a value whose layout is already known; consumes it.
Status instance_add_slot(Vm *vm, Instance *inst, Shape *shape, Value owned);

// Assign to obj.__class__, if the layouts are the same, and to obj.__dict__. Both borrow the value.
Status instance_set_class(Vm *vm, Instance *inst, Value value);
Status instance_set_dict(Vm *vm, Instance *inst, Value value);

// Attribute access that ignores __getattr__, __getattribute__ and __setattr__ of the class, but
// honours descriptors. May return ST_TAIL.
Status attr_get_plain(Vm *vm, Value v, Str *name, Value *out);
Status attr_set_plain(Vm *vm, Value v, Str *name, Value value);

// Returns whether an attribute found in a class becomes a bound method. A module's native does not, as in CPython.
bool attr_is_method(Value found);

// Applies __get__ to what a class look-up found: functions bind, properties are called.
// `owner` is the class, `self` may be V_UNDEF (access through the class).
Status attr_bind(Vm *vm, Value found, Value self, Class *owner, Value *out);

extern const NativeDef object_methods[];
extern const NativeDef attr_asking; // reads an attribute by a given function, then by __getattr__

#endif
