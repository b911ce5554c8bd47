// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Shared by the classes int, bool, float and complex: operator methods, conversions through other kinds' methods,
// slots.

#ifndef NACRE_VM_VALUE_NUM_METHODS_H
#define NACRE_VM_VALUE_NUM_METHODS_H

#include "vm/value/format.h"
#include "vm/value/num.h"

// Slots.
Status num_binary_slot(Vm *vm, BinaryOp op, bool in_place, Value a, Value b, Value *out);
Status num_hash_slot(Vm *vm, Value self, int64_t *out);

// Calls the native method of that name of v's kind (NumPy scalars have __int__, __float__ …);
// ST_NOTIMPL when there is none.
Status num_by_method(Vm *vm, Value v, NameId name, Value *out);

// Convert a number of any kind to an int, as int(x) does, or (num_to_index) only if it is an integer. ST_NOTIMPL: x is
// not such a number. ST_DEFER: its class has the conversion, written in the language.
Status num_to_int(Vm *vm, Value x, Value *out);
Status num_to_index(Vm *vm, Value x, Value *out);
// The same for complex(x); OverflowError for an int that is too large.
Status num_to_complex(Vm *vm, Value x, double *re, double *im);

// Returns the result of a class's __new__: `value` itself for the built-in class, otherwise an instance of
// cls that contains it. Consumes value.
Status num_new_instance(Vm *vm, Value cls, Value value, Value *out);

// Makes the repr of a text as an owned str, for messages that quote it.
Status num_quote(Vm *vm, const Str *text, Str **out);

// Operator methods. Unlike the generic ones (dunder.h), these return NotImplemented for operands of a larger class
// of numbers, as int.__add__(1, 2.0) does.
#define BINARY(name, symbol, method, reflected, in_place)              \
    Status num_method_##name(Vm *vm, const Value *args, Value *out);   \
    Status num_method_R##name(Vm *vm, const Value *args, Value *out);
#define COMPARE(name, symbol, method, reflected) \
    Status num_method_##name(Vm *vm, const Value *args, Value *out);
#include "vm/value/ops.def"

// Rows for a table of methods.
#define NUM_BINARY_ROW(name, method, reflected)                           \
    {method, "self, value, /", num_method_##name, NULL, PURE},            \
    {reflected, "self, value, /", num_method_R##name, NULL, PURE}
#define NUM_COMPARE_ROW(name, method) {method, "self, value, /", num_method_##name, NULL, PURE}

// Rows that all classes of numbers have. __pow__ is not one of them, since int's takes a modulus.
#define NUM_COMMON_ROWS                                                   \
    NUM_BINARY_ROW(ADD, "__add__", "__radd__"),                           \
    NUM_BINARY_ROW(SUB, "__sub__", "__rsub__"),                           \
    NUM_BINARY_ROW(MUL, "__mul__", "__rmul__"),                           \
    NUM_BINARY_ROW(DIV, "__truediv__", "__rtruediv__"),                   \
    NUM_COMPARE_ROW(LT, "__lt__"), NUM_COMPARE_ROW(LE, "__le__"),         \
    NUM_COMPARE_ROW(EQ, "__eq__"), NUM_COMPARE_ROW(NE, "__ne__"),         \
    NUM_COMPARE_ROW(GT, "__gt__"), NUM_COMPARE_ROW(GE, "__ge__"),         \
    {"__format__", "self, format_spec, /", format_method, NULL, PURE}

#define NUM_POW_ROW NUM_BINARY_ROW(POW, "__pow__", "__rpow__")

// Rows of the classes of real numbers.
#define NUM_REAL_ROWS                                                     \
    NUM_BINARY_ROW(FLOORDIV, "__floordiv__", "__rfloordiv__"),            \
    NUM_BINARY_ROW(MOD, "__mod__", "__rmod__"),                           \
    NUM_BINARY_ROW(DIVMOD, "__divmod__", "__rdivmod__")

#endif
