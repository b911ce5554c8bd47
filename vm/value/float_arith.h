// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Shared by the arithmetic of floats and of complex numbers.

#ifndef NACRE_VM_VALUE_FLOAT_ARITH_H
#define NACRE_VM_VALUE_FLOAT_ARITH_H

#include "vm/value/num.h"

Status float_binary(Vm *vm, BinaryOp op, double a, double b, Value *out); // ST_NOTIMPL: no such operator
double float_mod(double a, double b); // Python's %, b != 0

typedef struct Pair { // a complex number by value
    double re, im;
} Pair;
Status complex_binary(Vm *vm, BinaryOp op, Pair a, Pair b, Value *out); // ST_NOTIMPL: no such operator
// These may raise ZeroDivisionError or OverflowError.
Status complex_power(Vm *vm, Pair a, Pair b, Pair *out);
Status complex_abs(Vm *vm, Pair a, double *out);
int64_t complex_hash(Pair a);

#endif
