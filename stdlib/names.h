// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Functions of intrinsics.c for other files: names of an object's attributes (dir(), completion), escaped text.

#ifndef NACRE_STDLIB_NAMES_H
#define NACRE_STDLIB_NAMES_H

#include "vm/value/vm.h"

// Returns the text with all characters outside ASCII escaped.
Status str_ascii(Vm *vm, const Str *text, Value *out);
Status names_of(Vm *vm, Value v, Value *out); // returns the names as a sorted list of str, without duplicates

#endif
