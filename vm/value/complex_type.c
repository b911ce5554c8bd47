// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The class complex: its constructor, methods and slots.

#include "vm/value/class.h"
#include "vm/value/num_methods.h"
#include "vm/value/num_text.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"
#include "vm/value/str.h"

// --- complex(real, imag) ------------------------------------------------------------------------

// A converted argument: its parts, and whether it was a complex number.
typedef struct Part {
    double re, im;
    bool is_complex;
} Part;

static bool needs_code(Vm *vm, Value v, bool special) {
    return (special && op_user_method(vm, v, NAME_complex_)) ||
           op_user_method(vm, v, NAME_float_) || op_user_method(vm, v, NAME_index);
}

static Status bad_part(Vm *vm, Value v, bool first) {
    if (first)
        return vm_raise(vm, EXC_TypeError,
                        "complex() first argument must be a string or a number, not '%s'",
                        type_name(vm, v));
    return vm_raise(vm, EXC_TypeError, "complex() second argument must be a number, not '%s'",
                    type_name(vm, v));
}

// Converts values of kinds with methods for that (NumPy scalars).
static Status part_by_method(Vm *vm, Value x, Part *out) {
    Value v;
    Status st = num_by_method(vm, x, NAME_complex_, &v);
    if (st == ST_NOTIMPL) st = num_by_method(vm, x, NAME_float_, &v);
    if (st == ST_NOTIMPL) st = num_by_method(vm, x, NAME_index, &v);
    if (st != ST_OK) return st;
    out->is_complex = v.kind == K_COMPLEX;
    bool good = num_as_complex(v, &out->re, &out->im);
    release(vm, v);
    return good ? ST_OK : ST_NOTIMPL;
}

// Converts an argument. ST_NOTIMPL: it is no number. Only the first argument may have a __complex__ method.
static Status part_of(Vm *vm, Value arg, bool first, Part *out) {
    Value v = unwrap(arg);
    if (needs_code(vm, arg, first)) return ST_DEFER;
    if (is_int(v)) {
        *out = (Part){.is_complex = false};
        return int_to_double(vm, v, &out->re);
    }
    if (is_number(v)) {
        out->is_complex = v.kind == K_COMPLEX;
        num_as_complex(v, &out->re, &out->im);
        return ST_OK;
    }
    return part_by_method(vm, v, out);
}

Status num_to_complex(Vm *vm, Value x, double *re, double *im) {
    Part part = {0};
    Status st = part_of(vm, x, true, &part);
    if (st != ST_OK) return st;
    *re = part.re;
    *im = part.im;
    return ST_OK;
}

// Returns whether an underscore stands anywhere but between two digits.
static bool bad_underscore(const Str *text) {
    NumText t = num_text(text->data, text->len);
    int before = 0;
    for (int c; (c = num_text_peek(&t)) != NUM_TEXT_END; before = c, num_text_next(&t))
        if ((c == '_' && !is_decimal_digit(before)) || (before == '_' && !is_decimal_digit(c)))
            return true;
    return before == '_';
}

static Status complex_of_text(Vm *vm, const Str *text, Value *out) {
    double re, im;
    if (complex_parse(text->data, text->len, &re, &im)) return complex_out(vm, re, im, out);
    if (bad_underscore(text)) {
        Str *quoted;
        if (num_quote(vm, text, &quoted) != ST_OK) return ST_ERROR;
        Status st = vm_raise(vm, EXC_ValueError, "could not convert string to complex: %s",
                             quoted->data);
        release_obj(vm, quoted);
        return st;
    }
    return vm_raise(vm, EXC_ValueError, "complex() arg is a malformed string");
}

static Status complex_construct(Vm *vm, const Value *args, Value *out) {
    bool has_imag = args[1].kind != K_UNDEF;
    Value real = unwrap(args[0]), imag = unwrap(args[1]);
    if (real.kind == K_COMPLEX && args[0].kind == K_COMPLEX && !has_imag) {
        *out = retain(real);
        return ST_OK;
    }
    if (real.kind == K_STR) {
        if (!has_imag) return complex_of_text(vm, real.str, out);
        return vm_raise(vm, EXC_TypeError,
                        "complex() can't take second arg if first is a string");
    }
    if (imag.kind == K_STR)
        return vm_raise(vm, EXC_TypeError, "complex() second arg can't be a string");
    Part a = {0}, b = {0};
    Status st = real.kind == K_UNDEF ? ST_OK : part_of(vm, args[0], true, &a);
    if (st == ST_NOTIMPL) return bad_part(vm, args[0], true);
    if (st == ST_OK && has_imag) st = part_of(vm, args[1], false, &b);
    if (st == ST_NOTIMPL) return bad_part(vm, args[1], false);
    if (st != ST_OK) return st;
    double re = b.is_complex ? a.re - b.im : a.re;
    double im = !has_imag ? a.im : a.is_complex ? b.re + a.im : b.re;
    return complex_out(vm, re, im, out);
}

static const NativeDef construct_row = {"complex", "real=?, imag=?", complex_construct,
                                        "complex_slow", PURE};

static Status complex_new_method(Vm *vm, const Value *args, Value *out) {
    Value v;
    Status st = complex_construct(vm, args + 1, &v);
    return st == ST_OK ? num_new_instance(vm, args[0], v, out) : st;
}

// --- Methods and slots --------------------------------------------------------------------------

static Status complex_conjugate(Vm *vm, const Value *args, Value *out) {
    const Complex *c = unwrap(args[0]).complex;
    return complex_out(vm, c->re, -c->im, out);
}

static Status complex_same(Vm *vm, const Value *args, Value *out) {
    (void)vm;
    *out = retain(unwrap(args[0]));
    return ST_OK;
}

static const NativeDef methods[] = {
    NUM_COMMON_ROWS,
    NUM_POW_ROW,
    {"__new__", "cls, real=?, imag=?", complex_new_method, "complex_new_slow", PURE},
    {"__complex__", "self, /", complex_same, NULL, PURE},
    {"conjugate", "self, /", complex_conjugate, NULL, PURE},
    {NULL, NULL, NULL, NULL, PURE},
};

static Status attr_real(Vm *vm, Value self, Value *out) {
    (void)vm;
    *out = v_float(self.complex->re);
    return ST_OK;
}

static Status attr_imag(Vm *vm, Value self, Value *out) {
    (void)vm;
    *out = v_float(self.complex->im);
    return ST_OK;
}

static const AttrDef attrs[] = {{"real", attr_real, NULL}, {"imag", attr_imag, NULL}, {0}};

static size_t complex_size(const Obj *obj) {
    (void)obj;
    return sizeof(Complex);
}

static Status complex_truth(Vm *vm, Value self, bool *out) {
    (void)vm;
    *out = self.complex->re != 0 || self.complex->im != 0;
    return ST_OK;
}

static Status complex_repr_slot(Vm *vm, Value self, Buf *out, int depth) {
    (void)vm;
    (void)depth;
    complex_repr(self.complex->re, self.complex->im, out);
    return ST_OK;
}

const TypeSlots kind_COMPLEX = {
    .size = complex_size,
    .binary = num_binary_slot,
    .compare = num_compare,
    .unary = num_unary,
    .truth = complex_truth,
    .hash = num_hash_slot,
    .repr = complex_repr_slot,
    .construct = &construct_row,
    .methods = methods,
    .attrs = attrs,
};
