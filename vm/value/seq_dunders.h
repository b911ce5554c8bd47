// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The operators of sequences as methods (what super().__getitem__(i) calls). In a table of rows:
//
//     #define WITH_ORDER
//     #define DUNDER DUNDER_ROW
//     #include "vm/value/seq_dunders.def"

#ifndef NACRE_VM_VALUE_SEQ_DUNDERS_H
#define NACRE_VM_VALUE_SEQ_DUNDERS_H

#include "vm/value/kind.h"

#define WITH_HASH
#define WITH_ORDER
#define WITH_CHANGE
#define WITH_REVERSED
#define WITH_TEXT
#define DUNDER(name, signature, slow) Status dunder_##name(Vm *vm, const Value *args, Value *out);
#include "vm/value/seq_dunders.def"

#define DUNDER_ROW(name, signature, slow) {"__" #name "__", signature, dunder_##name, slow, PURE},

#endif
