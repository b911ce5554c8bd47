// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Names of an object's attributes, for dir() and completion (stdlib/intrinsics.c).

#ifndef NACRE_STDLIB_NAMES_H
#define NACRE_STDLIB_NAMES_H

#include "vm/value/vm.h"

Status names_of(Vm *vm, Value v, Value *out); // a sorted list of str, each once

#endif
