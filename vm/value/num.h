// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Numbers: exact ints (small ones inline, big ones by their digits), floats, complex; parsing and
// printing them.

#ifndef NACRE_VM_VALUE_NUM_H
#define NACRE_VM_VALUE_NUM_H

#include "vm/value/vm.h"

static inline bool is_int(Value v) { // int or bool
    return v.kind == K_INT || v.kind == K_BOOL || v.kind == K_BIGINT;
}
static inline bool is_number(Value v) { // Python's own numbers, not NumPy scalars
    return is_int(v) || v.kind == K_FLOAT || v.kind == K_COMPLEX;
}

// Arithmetic of Python numbers: ST_NOTIMPL when an operand is none. The slow half of the
// interpreter's arithmetic instructions.
Status num_binary(Vm *vm, BinaryOp op, Value a, Value b, Value *out);
Status num_compare(Vm *vm, CompareOp op, Value a, Value b, Value *out);
Status num_unary(Vm *vm, UnaryOp op, Value a, Value *out);
bool num_equal(Value a, Value b); // both numbers; 1 == 1.0 == True
int64_t num_hash(Value v);        // CPython's numeric hash

// Ints.
Status int_from_digits(Vm *vm, const char *digits, size_t len, int base, Value *out); // no sign,
                                        // no underscores; digits are valid for the base
Status int_from_text(Vm *vm, const char *text, size_t len, int base, Value *out); // int("…", base)
Status int_from_bytes_text(Vm *vm, const Bytes *bytes, int base, Value *out); // int(b"…", base)
Status int_from_double(Vm *vm, double d, Value *out); // truncates; OverflowError, ValueError (nan)
Status int_from_u64(Vm *vm, uint64_t u, Value *out);
Status int_small_text(Vm *vm, int64_t i, Value *out); // in decimal
Status int_repr(Vm *vm, Value v, int base, Buf *out); // digits with '-', no prefix
bool int_to_i64(Value v, int64_t *out);               // false when it does not fit
Status int_to_double(Vm *vm, Value v, double *out);   // OverflowError when too large
int int_sign(Value v);
Status int_bit_length(Vm *vm, Value v, int64_t *out);
Status int_pow_mod(Vm *vm, Value base, Value exponent, Value modulus, Value *out);

// Floats. The repr is the shortest text that reads back as the same double.
void float_repr(double d, Buf *out);
// printf-like conversion with exact rounding: format one of e E f F g G; alternate = '#'.
void float_format(double d, char format, int precision, bool alternate, Buf *out);
bool float_parse(const char *text, size_t len, double *out); // float("…"), white space allowed
int64_t float_hash(double d);
Status float_round(Vm *vm, double d, bool has_digits, int64_t digits, Value *out); // round()
Status float_divmod(Vm *vm, double a, double b, double *quotient, double *remainder);

// Complex. Returns owned or NULL.
Complex *complex_new(Vm *vm, double re, double im);
Status complex_out(Vm *vm, double re, double im, Value *out);
bool num_as_complex(Value v, double *re, double *im); // of any number; false: no number, or overflow
void complex_repr(double re, double im, Buf *out);
bool complex_parse(const char *text, size_t len, double *re, double *im);

#endif
