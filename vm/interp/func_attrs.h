// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Attributes of functions.

#ifndef NACRE_VM_INTERP_FUNC_ATTRS_H
#define NACRE_VM_INTERP_FUNC_ATTRS_H

#include "vm/interp/interp.h"

Status func_closure(Vm *vm, Value self, Value *out); // a tuple of cells, or None
Status func_globals(Vm *vm, Value self, Value *out); // a copy of its module's names
// Both setters take V_UNDEF or None to remove the defaults.
Status func_set_defaults(Vm *vm, Value self, Value value);
Status func_set_kwdefaults(Vm *vm, Value self, Value value);

#endif
