// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Operator methods of built-in classes: int.__add__, list.__len__ …

#ifndef NACRE_VM_VALUE_DUNDER_H
#define NACRE_VM_VALUE_DUNDER_H

#include "vm/value/vm.h"

// Adds to a built-in class the methods that its kind has slots for.
Status dunder_into_class(Vm *vm, Class *cls);

#endif
