// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Native functions over sequences and iterators that are not methods. Tables end with name == NULL.

#ifndef NACRE_VM_VALUE_SEQ_NATIVES_H
#define NACRE_VM_VALUE_SEQ_NATIVES_H

#include "vm/value/kind.h"

// Built-ins: enumerate, zip, reversed, iter.
extern const NativeDef iter_functions[];

// Natives for the slow paths of the prelude (seq_internals.c describes each).
extern const NativeDef seq_internals[];

#endif
