// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The class float: its constructor, methods and slots.

#include <math.h>

#include "vm/value/asking.h"
#include "vm/value/bytes.h"
#include "vm/value/class.h"
#include "vm/value/float_text.h"
#include "vm/value/int.h"
#include "vm/value/num_methods.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"
#include "vm/value/str_impl.h"

static double self_of(const Value *args) {
    return unwrap(args[0]).f;
}

// --- float(x) -----------------------------------------------------------------------------------

static Status float_of_text(Vm *vm, const Str *text, Value *out) {
    double d;
    if (float_parse(text->data, text->len, &d)) {
        *out = v_float(d);
        return ST_OK;
    }
    Str *quoted;
    if (num_quote(vm, text, &quoted) != ST_OK) return ST_ERROR;
    Status st = vm_raise(vm, EXC_ValueError, "could not convert string to float: %s",
                         quoted->data);
    release_obj(vm, quoted);
    return st;
}

static Status float_of_bytes(Vm *vm, const Bytes *bytes, Value *out) {
    double d;
    if (bytes_ascii(bytes->data, bytes->len) && float_parse(bytes->data, bytes->len, &d)) {
        *out = v_float(d);
        return ST_OK;
    }
    Buf repr;
    buf_init(&repr, &vm->mem);
    bytes_repr(bytes, &repr);
    Status st = repr.failed ? vm_no_memory(vm)
                            : vm_raise(vm, EXC_ValueError, "could not convert string to float: %.*s",
                                       (int)(repr.len < INT32_MAX ? repr.len : INT32_MAX), repr.data);
    buf_free(&repr);
    return st;
}

static Status bad_argument(Vm *vm, Value x) {
    return vm_raise(vm, EXC_TypeError,
                    "float() argument must be a string or a real number, not '%s'",
                    type_name(vm, x));
}

// Converts values of kinds with methods for that (NumPy scalars).
static Status float_by_method(Vm *vm, Value x, Value *out) {
    Value v;
    double d;
    Status st = num_by_method(vm, x, NAME_float_, &v);
    if (st == ST_NOTIMPL) st = num_by_method(vm, x, NAME_index, &v);
    if (st == ST_NOTIMPL) return bad_argument(vm, x);
    if (st != ST_OK) return st;
    st = op_as_double(vm, v, &d);
    release(vm, v);
    if (st == ST_OK) *out = v_float(d);
    return st;
}

static Status float_of_value(Vm *vm, Value x, Value *out) {
    if (op_user_method(vm, x, NAME_float_)) return op_ask_owned(vm, ASK_FLOAT, x, out);
    Value v = unwrap(x);
    double d;
    if (v.kind == K_FLOAT) {
        *out = v_float(v.f);
        return ST_OK;
    }
    if (is_int(v)) {
        Status st = int_to_double(vm, v, &d);
        if (st == ST_OK) *out = v_float(d);
        return st;
    }
    if (v.kind == K_STR) return float_of_text(vm, v.str, out);
    if (bytes_of(v)) return float_of_bytes(vm, bytes_of(v), out);
    if (op_user_method(vm, x, NAME_index)) return op_ask_owned(vm, ASK_FLOAT, x, out);
    if (v.kind == K_INSTANCE || v.kind == K_COMPLEX) return bad_argument(vm, x);
    return float_by_method(vm, v, out);
}

static Status float_construct(Vm *vm, const Value *args, Value *out) {
    if (args[0].kind != K_UNDEF) return float_of_value(vm, args[0], out);
    *out = v_float(0.0);
    return ST_OK;
}

static const NativeDef construct_row = {"float", "x=?, /", float_construct, "float_slow", PURE};

static Status float_new(Vm *vm, const Value *args, Value *out) {
    Value v;
    Status st = float_construct(vm, args + 1, &v);
    return st == ST_OK ? num_new_instance(vm, args[0], v, out) : st;
}

// --- Methods ------------------------------------------------------------------------------------

static Status float_is_integer(Vm *vm, const Value *args, Value *out) {
    (void)vm;
    double d = self_of(args);
    *out = v_bool(isfinite(d) && d == floor(d));
    return ST_OK;
}

static Status float_as_integer_ratio(Vm *vm, const Value *args, Value *out) {
    double d = self_of(args);
    if (isinf(d))
        return vm_raise(vm, EXC_OverflowError, "cannot convert Infinity to integer ratio");
    if (isnan(d)) return vm_raise(vm, EXC_ValueError, "cannot convert NaN to integer ratio");
    Value items[2];
    Status st = int_ratio_of_double(vm, d, &items[0], &items[1]);
    return st == ST_OK ? tuple_steal(vm, items, 2, out) : st;
}

static Status float_hex(Vm *vm, const Value *args, Value *out) {
    Buf text;
    buf_init(&text, &vm->mem);
    float_hex_write(self_of(args), &text);
    return str_buf_out(vm, &text, out);
}

static Status float_fromhex(Vm *vm, const Value *args, Value *out) {
    Value text = unwrap(args[1]);
    if (text.kind != K_STR)
        return vm_raise(vm, EXC_TypeError, "bad argument type for built-in operation");
    double d = 0;
    switch (float_hex_scan(text.str->data, text.str->len, &d)) {
    case HEX_OK: break;
    case HEX_TOO_LARGE:
        return vm_raise(vm, EXC_OverflowError,
                        "hexadecimal value too large to represent as a float");
    case HEX_INVALID:
        return vm_raise(vm, EXC_ValueError, "invalid hexadecimal floating-point string");
    }
    Value v = v_float(d);
    if (args[0].kind == K_CLASS && args[0].cls != vm->classes[K_FLOAT])
        return vm_tail(vm, args[0], &v, 1);
    *out = v;
    return ST_OK;
}

static Status float_same(Vm *vm, const Value *args, Value *out) {
    (void)vm;
    *out = v_float(self_of(args));
    return ST_OK;
}

static Status float_trunc(Vm *vm, const Value *args, Value *out) {
    return int_from_double(vm, self_of(args), out);
}

static Status float_floor(Vm *vm, const Value *args, Value *out) {
    return int_from_double(vm, floor(self_of(args)), out);
}

static Status float_ceil(Vm *vm, const Value *args, Value *out) {
    return int_from_double(vm, ceil(self_of(args)), out);
}

static Status float_round_method(Vm *vm, const Value *args, Value *out) {
    int64_t digits = 0;
    bool given = args[1].kind > K_NONE;
    Status st = given ? op_index(vm, args[1], &digits) : ST_OK;
    return st == ST_OK ? float_round(vm, self_of(args), given, digits, out) : st;
}

static const NativeDef methods[] = {
    NUM_COMMON_ROWS,
    NUM_POW_ROW,
    NUM_REAL_ROWS,
    {"__new__", "cls, x=?, /", float_new, "float_new_slow", PURE},
    {"__int__", "self, /", float_trunc, NULL, PURE},
    {"__float__", "self, /", float_same, NULL, PURE},
    {"__trunc__", "self, /", float_trunc, NULL, PURE},
    {"__floor__", "self, /", float_floor, NULL, PURE},
    {"__ceil__", "self, /", float_ceil, NULL, PURE},
    {"__round__", "self, ndigits=None, /", float_round_method, "float_round_slow", PURE},
    {"as_integer_ratio", "self, /", float_as_integer_ratio, NULL, PURE},
    {"conjugate", "self, /", float_same, NULL, PURE},
    {"fromhex", "cls, string, /", float_fromhex, NULL, PURE},
    {"hex", "self, /", float_hex, NULL, PURE},
    {"is_integer", "self, /", float_is_integer, NULL, PURE},
    {NULL, NULL, NULL, NULL, PURE},
};

static Status attr_real(Vm *vm, Value self, Value *out) {
    (void)vm;
    *out = self;
    return ST_OK;
}

static Status attr_imag(Vm *vm, Value self, Value *out) {
    (void)vm;
    (void)self;
    *out = v_float(0.0);
    return ST_OK;
}

static const AttrDef attrs[] = {{"real", attr_real, NULL}, {"imag", attr_imag, NULL}, {0}};

// --- Slots --------------------------------------------------------------------------------------

static Status float_truth(Vm *vm, Value self, bool *out) {
    (void)vm;
    *out = self.f != 0;
    return ST_OK;
}

static Status float_repr_slot(Vm *vm, Value self, Buf *out, int depth) {
    (void)vm;
    (void)depth;
    float_repr(self.f, out);
    return ST_OK;
}

const TypeSlots kind_FLOAT = {
    .binary = num_binary_slot,
    .compare = num_compare,
    .unary = num_unary,
    .truth = float_truth,
    .hash = num_hash_slot,
    .repr = float_repr_slot,
    .construct = &construct_row,
    .methods = methods,
    .attrs = attrs,
};
