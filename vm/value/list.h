// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Shared by the files of list.

#ifndef NACRE_VM_VALUE_LIST_H
#define NACRE_VM_VALUE_LIST_H

#include "vm/value/seq.h"

bool list_room(Vm *vm, List *list, size_t need); // grows to hold `need` items in all; false: no memory
Status list_of(Vm *vm, const Value *items, size_t len, Value *out); // copies (retains) items
void list_clear(Vm *vm, List *list);
Value list_take(List *list, size_t index); // removes an item; owned

// Slices of lists (list_slice.c). May defer when `value` is iterable by user code only.
Status list_setslice(Vm *vm, List *list, const Slice *slice, Value value);
Status list_delslice(Vm *vm, List *list, const Slice *slice);

extern const NativeDef list_method_rows[];

#endif
