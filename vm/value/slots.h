// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// __slots__: classes whose instances have named attributes and no dictionary.

#ifndef NACRE_VM_VALUE_SLOTS_H
#define NACRE_VM_VALUE_SLOTS_H

#include "vm/value/vm.h"

// Sets cls->slots, CLASS_NO_DICT and cls->solid of a new class from its __slots__, if it has some.
Status class_slots(Vm *vm, Class *cls);
// Returns whether instances of a class with CLASS_NO_DICT may have an attribute of that name (interned).
bool class_has_slot(const Class *cls, const Str *name);

#endif
