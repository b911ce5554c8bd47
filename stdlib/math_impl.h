// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Functions shared by the files of the math module.

#ifndef NACRE_STDLIB_MATH_IMPL_H
#define NACRE_STDLIB_MATH_IMPL_H

#include "vm/value/vm.h"

Status math_domain_error(Vm *vm); // ValueError
Status math_range_error(Vm *vm);  // OverflowError

// Functions of integers (math_int.c).
Status math_gcd(Vm *vm, const Value *args, Value *out);
Status math_lcm(Vm *vm, const Value *args, Value *out);
Status math_comb(Vm *vm, const Value *args, Value *out);
Status math_perm(Vm *vm, const Value *args, Value *out);
Status math_factorial(Vm *vm, const Value *args, Value *out);
Status math_isqrt(Vm *vm, const Value *args, Value *out);

// Functions of many numbers (math_sum.c).
Status math_fsum(Vm *vm, const Value *args, Value *out);
Status math_prod(Vm *vm, const Value *args, Value *out);
Status math_hypot(Vm *vm, const Value *args, Value *out);
Status math_dist(Vm *vm, const Value *args, Value *out);

#endif
