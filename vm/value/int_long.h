// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arithmetic on magnitudes of any length, vectors of 60-bit digits as in int_digits.h. It asks for memory of the VM's
// and looks for interrupts, so it may fail: MemoryError, KeyboardInterrupt, TimeoutError.

#ifndef NACRE_VM_VALUE_INT_LONG_H
#define NACRE_VM_VALUE_INT_LONG_H

#include "vm/value/int.h"

// Room for `count` digits; NULL: MemoryError has been raised.
uint64_t *long_room(Vm *vm, size_t count);
void long_free(Vm *vm, uint64_t *digits, size_t count);

// out[0 .. an+bn-1] = a * b, apart from both; an, bn > 0. A square, if a and b are the same, costs less.
Status long_mul(Vm *vm, const uint64_t *a, int an, const uint64_t *b, int bn, uint64_t *out);

// The same for n digits each, by transforms; what else is faster for fewer (int_transform.c). The most is where the
// sums of a transform would outgrow their prime.
enum { LONG_TRANSFORM = 4000, LONG_TRANSFORM_MOST = (1 << 24) / 3 };
Status long_transform_mul(Vm *vm, const uint64_t *a, const uint64_t *b, int n, uint64_t *out);

// quotient[0 .. an-bn] = a / b (unless NULL), remainder[0 .. bn-1] the rest; an >= bn >= 2, b without leading zeros.
Status long_div(Vm *vm, const uint64_t *a, int an, const uint64_t *b, int bn, uint64_t *quotient,
                uint64_t *remainder);

uint64_t gcd64(uint64_t a, uint64_t b);
// The greatest common divisor of x and y, x >= y > 0, both overwritten; both have room for xn digits, two at least. Returns
// how many digits of x it has through *used.
Status long_gcd(Vm *vm, uint64_t *x, int xn, uint64_t *y, int yn, int *used);

#endif
