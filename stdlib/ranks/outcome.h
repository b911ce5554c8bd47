// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// How the call of a native with an effect went, as bytes for the ranks that have not made it.

#ifndef NACRE_STDLIB_RANKS_OUTCOME_H
#define NACRE_STDLIB_RANKS_OUTCOME_H

#include "lang/support/buf.h"
#include "vm/value/vm.h"

// Appends what became of a call. The outcome that is written may be another one, which the caller then has as well:
// SystemError that names the native, where it answers with what cannot be sent; and a value that is made of the bytes
// anew, where those who decode it get something that can be told from it. Returns what the caller has then.
Status outcome_encode(Vm *vm, const NativeDef *def, const Value *args, Status st, Value *result, Buf *out);

// The same outcome of the same call: arguments as there. ValueError for what is no outcome, MemoryError; *whole: it is
// none of these, but what is returned is the outcome.
Status outcome_decode(Vm *vm, const NativeDef *def, const Value *args, const char *bytes, size_t len, Value *result,
                      bool *whole);


// Appends something that differs where arguments do; what cannot be told apart without their methods counts as equal.
void arguments_encode(Vm *vm, const NativeDef *def, const Value *args, Buf *out);

// Calls `visit` with the arguments of a native, and what lies in their tuples, lists and dicts, in the same order on
// every rank, until it answers false.
typedef struct ArgumentVisitor {
    bool (*visit)(struct ArgumentVisitor *visitor, Value v);
} ArgumentVisitor;
bool arguments_visit(const NativeDef *def, const Value *args, ArgumentVisitor *visitor);

#endif
