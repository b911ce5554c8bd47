// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Operators of NumPy scalars: slots of their kinds.

#ifndef NACRE_VM_ARRAY_SCALAR_ARITH_H
#define NACRE_VM_ARRAY_SCALAR_ARITH_H

#include "vm/value/kind.h"

Status scalar_binary(Vm *vm, BinaryOp op, bool in_place, Value a, Value b, Value *out);
Status scalar_compare(Vm *vm, CompareOp op, Value a, Value b, Value *out);
Status scalar_unary(Vm *vm, UnaryOp op, Value a, Value *out);

#endif
