// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Files.

#ifndef NACRE_STDLIB_FILE_H
#define NACRE_STDLIB_FILE_H

#include "vm/value/vm.h"

// A file object for a standard stream (0, 1, 2), which goes through the host's callbacks.
Status file_standard(Vm *vm, int stream, Value *out);
bool file_is_standard(Value v, int stream);

// An open file is a handle (effects.h). What the ranks that do not have it are told: a tuple of plain values, of
// which they make a stand-in. TypeError for what is no such tuple.
Status file_facts(Vm *vm, Value file, Value *out);
Status file_stand_in(Vm *vm, Value facts, Value *out);

#endif
