// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arithmetic on magnitudes: vectors of 60-bit digits, least significant first. Nothing here
// allocates; the caller provides the memory for results. For numbers of many digits there are faster algorithms
// (int_long.h).

#ifndef NACRE_VM_VALUE_INT_DIGITS_H
#define NACRE_VM_VALUE_INT_DIGITS_H

#include <stdint.h>

// Longest shorter factor, in digits, for which schoolbook multiplication is faster; products of a column are summed in
// 128 bits, which would hold 256.
enum { DIGITS_MUL_MAX = 64 };
// Most digits of a dividend for digits_div, which copies both operands to the stack.
enum { DIGITS_DIV_MAX = 128 };

// Returns -1, 0 or 1 as a is below, equal to or above b; no leading zeros.
int digits_compare(const uint64_t *a, int an, const uint64_t *b, int bn);

// out[0 .. an-1] = a + b, an >= bn; returns the carry out of the top. out may be a or b.
uint64_t digits_add(const uint64_t *a, int an, const uint64_t *b, int bn, uint64_t *out);

// out[0 .. an-1] = a - b, a >= b. out may be a or b.
void digits_sub(const uint64_t *a, int an, const uint64_t *b, int bn, uint64_t *out);

// out[0 .. an+bn-1] = a * b, bn <= DIGITS_MUL_MAX. out may not overlap a or b.
void digits_mul(const uint64_t *a, int an, const uint64_t *b, int bn, uint64_t *out);

// out[0 .. 2n-1] = a * a, n <= DIGITS_MUL_MAX. out may not overlap a.
void digits_square(const uint64_t *a, int n, uint64_t *out);

// quotient[0 .. an-1] = a / d (unless NULL; may be a); returns the remainder. 0 < d < 2^60.
uint64_t digits_div1(const uint64_t *a, int an, uint64_t d, uint64_t *quotient);

// quotient[0 .. an-bn] = a / b (unless NULL), remainder[0 .. bn-1] the rest; 2 <= bn <= an <=
// DIGITS_DIV_MAX, b without leading zeros.
void digits_div(const uint64_t *a, int an, const uint64_t *b, int bn, uint64_t *quotient,
                uint64_t *remainder);

// Makes a step of a long division: returns the quotient of u[0 .. n] by v[0 .. n-1], one digit, and leaves the
// remainder in u. n >= 2; v's top bit is set, and u without its lowest digit is below v.
uint64_t digits_div_step(uint64_t *u, const uint64_t *v, int n);

// out[0 .. n-1] = digits * 2^shift or / 2^shift, shift < 60; shift_up returns the digit above. out may be digits.
uint64_t digits_shift_up(const uint64_t *digits, int n, int shift, uint64_t *out);
void digits_shift_down(const uint64_t *digits, int n, int shift, uint64_t *out);

#endif
