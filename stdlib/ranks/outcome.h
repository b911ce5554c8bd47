// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Encodes the outcome of calling a native with an effect, for the ranks that have not made the call.

#ifndef NACRE_STDLIB_RANKS_OUTCOME_H
#define NACRE_STDLIB_RANKS_OUTCOME_H

#include "lang/support/buf.h"
#include "vm/value/vm.h"

// Appends the outcome of a call, and returns its status. It may change the outcome, for this rank too. A result that
// cannot be sent becomes a SystemError that names the native. A result that decodes to something distinguishable is
// replaced by its decoded copy.
Status outcome_encode(Vm *vm, const NativeDef *def, const Value *args, Status st, Value *result, Buf *out);

// Decodes the outcome of the same call with equal arguments, and returns its status. *whole: the outcome was decoded.
// Otherwise raises ValueError for malformed bytes, or MemoryError.
Status outcome_decode(Vm *vm, const NativeDef *def, const Value *args, const char *bytes, size_t len, Value *result,
                      bool *whole);


// Appends bytes that differ if the arguments differ, to be compared between ranks. Arguments that can only be
// distinguished by methods of the program count as equal.
void arguments_encode(Vm *vm, const NativeDef *def, const Value *args, Buf *out);

// Calls `visit` with the arguments of a native, and recursively with the items of tuples, lists and dicts among them,
// in the same order on every rank, until it returns false. Returns false if it did.
typedef struct ArgumentVisitor {
    bool (*visit)(struct ArgumentVisitor *visitor, Value v);
} ArgumentVisitor;
bool arguments_visit(const NativeDef *def, const Value *args, ArgumentVisitor *visitor);

#endif
