// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The order in which a class and its bases are searched.

#ifndef NACRE_VM_VALUE_MRO_H
#define NACRE_VM_VALUE_MRO_H

#include "vm/value/vm.h"

// A class is followed by memory for its method resolution order, for orders of CLASS_FEW classes at most.
enum { CLASS_FEW = 7, CLASS_SIZE = sizeof(Class) + CLASS_FEW * sizeof(Class *) };
static inline Class **class_few(Class *cls) {
    return (Class **)(cls + 1);
}

// Fills cls->mro from the orders of its bases. TypeError: a base appears twice, or no order is consistent with all.
Status class_order(Vm *vm, Class *cls);
// Finds the base whose layout instances have (borrowed). TypeError: the layouts of two bases conflict, or a base may
// not be derived from.
Status class_best_base(Vm *vm, Class *const *bases, uint32_t count, Class **best);

#endif
