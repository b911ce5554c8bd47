// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// File objects.

#ifndef NACRE_STDLIB_FILE_H
#define NACRE_STDLIB_FILE_H

#include "vm/value/vm.h"

// Makes a file object for a standard stream (0, 1, 2), which goes through the host's callbacks.
Status file_standard(Vm *vm, int stream, Value *out);
bool file_is_standard(Value v, int stream);

// An open file is a handle (effects.h): one rank has the file, the others a stand-in. file_facts makes a tuple of plain
// values that describes a file, and file_stand_in makes a stand-in from it, or raises TypeError for another value.
Status file_facts(Vm *vm, Value file, Value *out);
Status file_stand_in(Vm *vm, Value facts, Value *out);

#endif
