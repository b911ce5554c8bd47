// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arithmetic on magnitudes of any length, vectors of 60-bit digits as in int_digits.h. It allocates memory of the VM
// and polls for interrupts, so it may fail: MemoryError, KeyboardInterrupt, TimeoutError.

#ifndef NACRE_VM_VALUE_INT_LONG_H
#define NACRE_VM_VALUE_INT_LONG_H

#include "vm/value/int.h"

// Allocates `count` digits; NULL: MemoryError has been raised.
uint64_t *long_room(Vm *vm, size_t count);
void long_free(Vm *vm, uint64_t *digits, size_t count);

// out[0 .. an+bn-1] = a * b; out may not overlap a or b; an, bn > 0. A square, if a and b are the same, costs less.
Status long_mul(Vm *vm, const uint64_t *a, int an, const uint64_t *b, int bn, uint64_t *out);

// As long_mul, for n digits each, by transforms (int_transform.c). Below LONG_TRANSFORM digits, long_mul's other
// algorithms are faster; above LONG_TRANSFORM_MOST, the sums of a transform would exceed its prime.
enum { LONG_TRANSFORM = 4000, LONG_TRANSFORM_MOST = (1 << 24) / 3 };
Status long_transform_mul(Vm *vm, const uint64_t *a, const uint64_t *b, int n, uint64_t *out);

// quotient[0 .. an-bn] = a / b (unless NULL), remainder[0 .. bn-1] the rest; an >= bn >= 2, b without leading zeros.
Status long_div(Vm *vm, const uint64_t *a, int an, const uint64_t *b, int bn, uint64_t *quotient,
                uint64_t *remainder);

uint64_t gcd64(uint64_t a, uint64_t b);
// Computes the greatest common divisor of x and y in x, x >= y > 0. Overwrites both, which have room for xn digits, two
// at least. *used is the number of digits of the result, leading zeros included.
Status long_gcd(Vm *vm, uint64_t *x, int xn, uint64_t *y, int yn, int *used);

#endif
