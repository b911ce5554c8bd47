// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The class int: its constructor, methods and slots, for both sizes.

#include "vm/value/asking.h"
#include "vm/value/bytes.h"
#include "vm/value/class.h"
#include "vm/value/int.h"
#include "vm/value/num_methods.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"
#include "vm/value/str.h"

static Value plain(Value v) { // an owned int of class int, for a bool too
    return v.kind == K_BOOL ? v_int(v.i) : retain(v);
}

static Value self_of(const Value *args) {
    return unwrap(args[0]);
}

// --- int(x, base) -------------------------------------------------------------------------------

// Converts values of kinds with a method for that (NumPy scalars), which must return an int.
static Status int_by_method(Vm *vm, Value x, NameId name, Value *out) {
    Value v;
    Status st = num_by_method(vm, x, name, &v);
    if (st != ST_OK) return st;
    if (is_int(v)) {
        *out = v;
        return ST_OK;
    }
    release(vm, v);
    return ST_NOTIMPL;
}

Status num_to_index(Vm *vm, Value x, Value *out) {
    Value v = unwrap(x);
    if (is_int(v)) {
        *out = plain(v);
        return ST_OK;
    }
    if (op_user_method(vm, x, NAME_index)) return op_ask_owned(vm, ASK_INDEX, x, out);
    return int_by_method(vm, v, NAME_index, out);
}

Status num_to_int(Vm *vm, Value x, Value *out) {
    if (op_user_method(vm, x, NAME_int_)) return op_ask_owned(vm, ASK_INT, x, out);
    Value v = unwrap(x);
    if (is_int(v)) {
        *out = plain(v);
        return ST_OK;
    }
    if (v.kind == K_FLOAT) return int_from_double(vm, v.f, out);
    if (op_user_method(vm, x, NAME_index) || op_user_method(vm, x, NAME_trunc))
        return op_ask_owned(vm, ASK_INT, x, out);
    if (v.kind == K_COMPLEX) return ST_NOTIMPL;
    Status st = int_by_method(vm, v, NAME_int_, out);
    return st == ST_NOTIMPL ? int_by_method(vm, v, NAME_index, out) : st;
}

static Status int_of_value(Vm *vm, Value x, Value *out) {
    Status st = num_to_int(vm, x, out);
    if (st != ST_NOTIMPL) return st;
    Value v = unwrap(x);
    if (v.kind == K_STR) return int_from_text(vm, v.str->data, v.str->len, 10, out);
    if (bytes_of(v)) return int_from_bytes_text(vm, bytes_of(v), 10, out);
    return vm_raise(vm, EXC_TypeError,
                    "int() argument must be a string, a bytes-like object or a real number, "
                    "not '%s'",
                    type_name(vm, x));
}

static Status int_of_text(Vm *vm, Value x, Value base, Value *out) {
    int64_t radix = -1;
    if (x.kind == K_UNDEF) return vm_raise(vm, EXC_TypeError, "int() missing string argument");
    if (unwrap(base).kind != K_BIGINT) {
        Status st = op_index(vm, base, &radix);
        if (st != ST_OK) return st;
    }
    if (radix != 0 && (radix < 2 || radix > 36))
        return vm_raise(vm, EXC_ValueError, "int() base must be >= 2 and <= 36, or 0");
    Value text = unwrap(x);
    if (bytes_of(text)) return int_from_bytes_text(vm, bytes_of(text), (int)radix, out);
    if (text.kind != K_STR)
        return vm_raise(vm, EXC_TypeError, "int() can't convert non-string with explicit base");
    return int_from_text(vm, text.str->data, text.str->len, (int)radix, out);
}

static Status int_construct(Vm *vm, const Value *args, Value *out) {
    if (args[1].kind != K_UNDEF) return int_of_text(vm, args[0], args[1], out);
    if (args[0].kind != K_UNDEF) return int_of_value(vm, args[0], out);
    *out = v_int(0);
    return ST_OK;
}

static const NativeDef construct_row = {"int", "x=?, /, base=?", int_construct, "int_slow", PURE};

static Status int_new(Vm *vm, const Value *args, Value *out) {
    Value v;
    Status st = int_construct(vm, args + 1, &v);
    return st == ST_OK ? num_new_instance(vm, args[0], v, out) : st;
}

// --- Methods ------------------------------------------------------------------------------------

static Status int_bit_length_method(Vm *vm, const Value *args, Value *out) {
    (void)vm;
    *out = v_int(int_bits(self_of(args)));
    return ST_OK;
}

static Status int_bit_count(Vm *vm, const Value *args, Value *out) {
    (void)vm;
    *out = v_int(int_count_ones(self_of(args)));
    return ST_OK;
}

static Status int_same(Vm *vm, const Value *args, Value *out) {
    (void)vm;
    *out = plain(self_of(args));
    return ST_OK;
}

static Status int_as_integer_ratio(Vm *vm, const Value *args, Value *out) {
    Value items[2] = {plain(self_of(args)), v_int(1)};
    return tuple_steal(vm, items, 2, out);
}

static Status int_float(Vm *vm, const Value *args, Value *out) {
    double d;
    Status st = int_to_double(vm, self_of(args), &d);
    if (st == ST_OK) *out = v_float(d);
    return st;
}

static Status int_round_method(Vm *vm, const Value *args, Value *out) {
    if (args[1].kind == K_UNDEF) return int_same(vm, args, out);
    int64_t digits;
    Status st = op_index(vm, args[1], &digits);
    return st == ST_OK ? int_round(vm, self_of(args), digits, out) : st;
}

static Status int_pow(Vm *vm, const Value *args, Value *out) {
    Value exponent = unwrap(args[1]), modulus = unwrap(args[2]);
    if (modulus.kind == K_NONE) return num_method_POW(vm, args, out);
    if (is_int(exponent) && is_int(modulus))
        return int_pow_mod(vm, self_of(args), exponent, modulus, out);
    *out = V_NOTIMPLEMENTED;
    return ST_OK;
}

static const NativeDef methods[] = {
    NUM_COMMON_ROWS,
    NUM_REAL_ROWS,
    {"__pow__", "self, value, mod=None, /", int_pow, NULL, PURE},
    {"__rpow__", "self, value, /", num_method_RPOW, NULL, PURE},
    NUM_BINARY_ROW(LSHIFT, "__lshift__", "__rlshift__"),
    NUM_BINARY_ROW(RSHIFT, "__rshift__", "__rrshift__"),
    NUM_BINARY_ROW(AND, "__and__", "__rand__"),
    NUM_BINARY_ROW(OR, "__or__", "__ror__"),
    NUM_BINARY_ROW(XOR, "__xor__", "__rxor__"),
    {"__new__", "cls, x=?, /, base=?", int_new, "int_new_slow", PURE},
    {"__int__", "self, /", int_same, NULL, PURE},
    {"__index__", "self, /", int_same, NULL, PURE},
    {"__float__", "self, /", int_float, NULL, PURE},
    {"__trunc__", "self, /", int_same, NULL, PURE},
    {"__floor__", "self, /", int_same, NULL, PURE},
    {"__ceil__", "self, /", int_same, NULL, PURE},
    {"__round__", "self, ndigits=?, /", int_round_method, "int_round_slow", PURE},
    {"as_integer_ratio", "self, /", int_as_integer_ratio, NULL, PURE},
    {"bit_count", "self, /", int_bit_count, NULL, PURE},
    {"bit_length", "self, /", int_bit_length_method, NULL, PURE},
    {"conjugate", "self, /", int_same, NULL, PURE},
    {"from_bytes", "cls, bytes, byteorder='big', *, signed=False", int_from_bytes,
     "int_from_bytes_slow", PURE},
    {"to_bytes", "self, length=1, byteorder='big', *, signed=False", int_to_bytes,
     "int_to_bytes_slow", PURE},
    {NULL, NULL, NULL, NULL, PURE},
};

// --- Attributes ---------------------------------------------------------------------------------

static Status attr_self(Vm *vm, Value self, Value *out) {
    (void)vm;
    *out = plain(self);
    return ST_OK;
}

static Status attr_zero(Vm *vm, Value self, Value *out) {
    (void)vm;
    (void)self;
    *out = v_int(0);
    return ST_OK;
}

static Status attr_one(Vm *vm, Value self, Value *out) {
    (void)vm;
    (void)self;
    *out = v_int(1);
    return ST_OK;
}

static const AttrDef attrs[] = {
    {"real", attr_self, NULL},
    {"imag", attr_zero, NULL},
    {"numerator", attr_self, NULL},
    {"denominator", attr_one, NULL},
    {0},
};

// --- Slots --------------------------------------------------------------------------------------

static Status int_truth(Vm *vm, Value self, bool *out) {
    (void)vm;
    *out = int_sign(self) != 0;
    return ST_OK;
}

static Status int_repr_slot(Vm *vm, Value self, Buf *out, int depth) {
    (void)depth;
    return int_repr(vm, self, 10, out);
}

static size_t big_size(const Obj *obj) {
    const BigInt *big = (const BigInt *)obj;
    return sizeof *big + (size_t)big->used * sizeof big->digits[0];
}

#define INT_SLOTS                                                                                  \
    .binary = num_binary_slot, .compare = num_compare, .unary = num_unary, .truth = int_truth,     \
    .hash = num_hash_slot, .repr = int_repr_slot, .construct = &construct_row, .methods = methods, \
    .attrs = attrs

const TypeSlots kind_INT = {INT_SLOTS};
const TypeSlots kind_BIGINT = {.size = big_size, INT_SLOTS};

// --- bool ---------------------------------------------------------------------------------------

static Status bool_construct(Vm *vm, const Value *args, Value *out) {
    bool truth = false;
    Status st = args[0].kind == K_UNDEF ? ST_OK : op_truth(vm, args[0], &truth);
    if (st == ST_OK) *out = v_bool(truth);
    return st;
}

static Status bool_repr(Vm *vm, Value self, Buf *out, int depth) {
    (void)vm;
    (void)depth;
    buf_puts(out, self.i ? "True" : "False");
    return ST_OK;
}

static const NativeDef bool_row = {"bool", "x=?, /", bool_construct, "bool_slow", PURE};

const TypeSlots kind_BOOL = {
    .binary = num_binary_slot,
    .compare = num_compare,
    .unary = num_unary,
    .truth = int_truth,
    .hash = num_hash_slot,
    .repr = bool_repr,
    .construct = &bool_row,
    .attrs = attrs,
};
