// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Weak references: a table of objects by number, from which an object is removed when it dies. Module weakref
// builds its classes on the table.

#ifndef NACRE_VM_VALUE_WEAK_H
#define NACRE_VM_VALUE_WEAK_H

#include "vm/value/vm.h"

// Gives the number of an object, which no other object gets during the VM's life. TypeError for an object that
// cannot be referred to weakly.
Status weak_number(Vm *vm, Value v, int64_t *number);
// Gives the object's serial number, which is unique and increases in the order in which objects enter the table. Any
// object can have one. False: out of memory.
bool weak_serial(Vm *vm, Obj *obj, uint64_t *serial);
// Returns the object with a number (owned), or None when it is dead.
Value weak_object(Vm *vm, int64_t number);
// Watches a number: it is added to the list of dead ones when its object dies. False: out of memory.
bool weak_watch(Vm *vm, int64_t number);
// Makes a list of the watched numbers whose objects have died since the last call.
Status weak_dead(Vm *vm, Value *out);
// Keeps an object (consumed; V_UNDEF: none) and releases it when a watched object dies. It is a suspended generator,
// whose `finally` block then runs. The slot is empty afterwards.
void weak_waker(Vm *vm, Value waker);

void weak_forget(Vm *vm, Obj *obj); // obj, with flag OBJ_WEAK, is about to be freed
void weak_visit(Vm *vm, Visitor *visitor);
void weak_free(Vm *vm);

#endif
