// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Weak references: a table of objects by number, from which an object goes when it dies. Module weakref
// makes its classes of that.

#ifndef NACRE_VM_VALUE_WEAK_H
#define NACRE_VM_VALUE_WEAK_H

#include "vm/value/vm.h"

// The number of an object, which is no other object's as long as the VM lives. TypeError for an object that
// cannot be referred to weakly.
Status weak_number(Vm *vm, Value v, int64_t *number);
// Gives the object's serial number, which is unique and increases in the order in which objects enter the table. Any
// object can have one. False: out of memory.
bool weak_serial(Vm *vm, Obj *obj, uint64_t *serial);
// The object with a number (owned), or None when it is dead.
Value weak_object(Vm *vm, int64_t number);
// Has the number kept in a list of dead ones when its object dies. False: out of memory.
bool weak_watch(Vm *vm, int64_t number);
// The watched numbers whose objects have died since the last call, as a list.
Status weak_dead(Vm *vm, Value *out);
// Keeps an object (consumed; V_UNDEF: none) and releases it when a watched object dies. It is a suspended generator,
// whose `finally` block then runs. The slot is empty afterwards.
void weak_waker(Vm *vm, Value waker);

void weak_forget(Vm *vm, Obj *obj); // obj, with flag OBJ_WEAK, is about to be freed
void weak_visit(Vm *vm, Visitor *visitor);
void weak_free(Vm *vm);

#endif
