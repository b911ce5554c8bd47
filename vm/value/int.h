// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Shared by the files on exact integers, and used by the math module. Every `Value` here is an int (K_INT, K_BOOL or
// K_BIGINT).

#ifndef NACRE_VM_VALUE_INT_H
#define NACRE_VM_VALUE_INT_H

#include "vm/value/num.h"

enum { INT_DIGIT_BITS = 60 };
#define INT_DIGIT_MASK (((uint64_t)1 << INT_DIGIT_BITS) - 1)

typedef __int128 I128;
typedef unsigned __int128 U128;

// The magnitude in digits of 60 bits, least significant first; no leading zeros. Borrows from v.
// Not to be copied: `digits` may point at `small`.
typedef struct IntView {
    const uint64_t *digits;
    int used;
    bool negative;
    uint64_t small[2];
} IntView;
void int_view(Value v, IntView *out);

// --- Making (int_make.c) ------------------------------------------------------------------------

Status int_from_i128(Vm *vm, I128 i, Value *out);
// From digits as in IntView; leading zeros allowed.
Status int_from_magnitude(Vm *vm, const uint64_t *digits, int used, bool negative, Value *out);
// m * 2^shift, rounded towards zero.
Status int_from_scaled(Vm *vm, uint64_t m, int64_t shift, bool negative, Value *out);
// MemoryError if a result of `bits` bits is too large for any machine, or for the VM's limit.
Status int_check_size(Vm *vm, int64_t bits);
bool int_to_i128(Value v, I128 *out); // false: more than 120 bits (or so)
BigInt *int_alloc(Vm *vm, int used, bool negative, uint64_t **digits); // the caller fills *digits

// --- Arithmetic (int_arith.c, int_shift.c, int_power.c) -----------------------------------------

Status int_binary(Vm *vm, BinaryOp op, Value a, Value b, Value *out); // ST_NOTIMPL: no such operator
Status int_unary(Vm *vm, UnaryOp op, Value a, Value *out);
int int_compare(Value a, Value b); // -1, 0, 1
static inline Status int_add(Vm *vm, Value a, Value b, Value *out) {
    return int_binary(vm, BIN_ADD, a, b, out);
}
static inline Status int_sub(Vm *vm, Value a, Value b, Value *out) {
    return int_binary(vm, BIN_SUB, a, b, out);
}
static inline Status int_mul(Vm *vm, Value a, Value b, Value *out) {
    return int_binary(vm, BIN_MUL, a, b, out);
}
Status int_divmod(Vm *vm, Value a, Value b, Value *quotient, Value *remainder); // floors; b != 0.
                                                                     // Either out may be NULL
Status int_shift(Vm *vm, Value v, int64_t bits, Value *out); // left, or floor when bits < 0
Status int_power(Vm *vm, Value base, Value exponent, Value *out); // exponent >= 0
Status int_round(Vm *vm, Value v, int64_t digits, Value *out);    // round(v, digits)
Status int_gcd(Vm *vm, Value a, Value b, Value *out);
Status int_isqrt(Vm *vm, Value v, Value *out); // v >= 0
int64_t int_hash(Value v);
// Methods of int, rows of its table (int_bytes.c).
Status int_from_bytes(Vm *vm, const Value *args, Value *out);
Status int_to_bytes(Vm *vm, const Value *args, Value *out);

int64_t int_bits(Value v); // of the magnitude
int64_t int_count_ones(Value v);

// --- With floats (int_float.c) ------------------------------------------------------------------

enum { INT_UNORDERED = 2 };
int int_compare_double(Value v, double d); // exact; INT_UNORDERED for nan
// Returns the mantissa, rounded correctly: v = mantissa * 2^exponent with 0.5 <= |mantissa| < 1; 0 for 0.
double int_frexp(Value v, int64_t *exponent);
Status int_true_divide(Vm *vm, Value a, Value b, double *out);
// Computes d = numerator / denominator, for a finite d.
Status int_ratio_of_double(Vm *vm, double d, Value *numerator, Value *denominator);

// --- Text ---------------------------------------------------------------------------------------

// Writes the digits of v's magnitude (no sign). ValueError past the limit on decimal digits.
Status int_write_magnitude(Vm *vm, Value v, int base, Buf *out);

// --- Big digits, schoolbook (int_school.c) ------------------------------------------------------

Status school_add(Vm *vm, Value a, Value b, bool subtract, Value *out); // a + b, or a - b
// Returns whether the numbers are short enough for the schoolbook to be the faster way.
bool school_multiplies(Value a, Value b);
bool school_divides(Value a, Value b);
Status school_mul(Vm *vm, Value a, Value b, Value *out);
Status school_divmod(Vm *vm, Value a, Value b, Value *quotient, Value *remainder); // as int_divmod
// Converts quotient (x->used + 1 digits) and remainder of magnitudes to those of floor division.
void school_round_down(const IntView *x, const IntView *y, uint64_t *quotient, uint64_t *remainder);

// --- What is long or rare (int_big.c) --------------------------------------------

typedef enum BigOp { BIG_MUL, BIG_AND, BIG_OR, BIG_XOR, BIG_GCD } BigOp;
Status big_binary(Vm *vm, BigOp op, Value a, Value b, Value *out);
Status big_divmod(Vm *vm, Value a, Value b, Value *quotient, Value *remainder);
Status big_isqrt(Vm *vm, Value v, Value *out);
// For a positive modulus: base^exponent mod modulus with exponent >= 0; v^-1 mod modulus, if it exists.
Status big_pow_mod(Vm *vm, Value base, Value exponent, Value modulus, Value *out);
Status big_inverse(Vm *vm, Value v, Value modulus, bool *exists, Value *out);

#endif
