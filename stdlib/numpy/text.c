// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Module _numpy_text: natives for numpy's print options. numpy/_printing.ncr has the names of options and
// checks them.

#include <math.h>

#include "stdlib/stdlib.h"
#include "vm/array/array.h"
#include "vm/value/ops.h"
#include "vm/value/str.h"

// --- Options ----------------------------------------------------------------------------------

// Reads a limit, a number that may be infinite, or an int of any size, which is clamped.
static Status limit_from(Vm *vm, Value v, int64_t *out) {
    const int64_t most = (int64_t)1 << 60; // leaves room for adding widths and for doubling
    double x;
    if (v.kind == K_INT) {
        *out = v.i > most ? most : v.i < -most ? -most : v.i;
        return ST_OK;
    }
    Status st = op_as_double(vm, v, &x);
    if (st != ST_OK) return st == ST_DEFER ? op_refused(vm) : st;
    double bound = (double)most;
    *out = (int64_t)(x > bound ? bound : x < -bound ? -bound : floor(x));
    return ST_OK;
}

static FloatMode mode_from(const Str *name) {
    static const char *const names[] = {"maxprec", "fixed", "unique", "maxprec_equal"};
    for (int i = 0; i < 4; i++)
        if (str_is(name, names[i])) return (FloatMode)i;
    return FLOAT_MAXPREC;
}

// Reads the options. args: precision, threshold, edgeitems, linewidth, suppress, sign, floatmode.
static Status options_from(Vm *vm, const Value *args, PrintOptions *out) {
    *out = vm->print;
    int64_t *const numbers[] = {&out->precision, &out->threshold, &out->edge_items,
                                &out->line_width};
    for (int i = 0; i < 4; i++)
        if (limit_from(vm, args[i], numbers[i]) != ST_OK) return ST_ERROR;
    if (out->edge_items < 0) out->edge_items = 0;
    if (args[4].kind != K_BOOL || args[5].kind != K_STR || args[5].str->len != 1 ||
        args[6].kind != K_STR)
        return vm_raise(vm, EXC_TypeError, "print options of the wrong type");
    out->suppress = args[4].i;
    out->sign = args[5].str->data[0];
    out->mode = mode_from(args[6].str);
    return ST_OK;
}

static Status fn_set_options(Vm *vm, const Value *args, Value *out) {
    PrintOptions options;
    if (options_from(vm, args, &options) != ST_OK) return ST_ERROR;
    for (int i = 7; i < 9; i++)
        if (args[i].kind != K_STR)
            return vm_raise(vm, EXC_TypeError, "object of type '%s' has no len()",
                            type_name(vm, args[i]));
    Str *nan = vm->print.nan, *inf = vm->print.inf;
    vm->print = options;
    vm->print.nan = retain(args[7]).str;
    vm->print.inf = retain(args[8]).str;
    release_obj(vm, nan);
    release_obj(vm, inf);
    *out = V_NONE;
    return ST_OK;
}

// --- Texts of arrays ----------------------------------------------------------------------------

enum { A_STRING, A_REPR, A_STR };

static Status put_text(Vm *vm, const Value *args, Array *array, Buf *text) {
    PrintOptions options;
    ArrayFrame frame;
    if (options_from(vm, args + 2, &options) != ST_OK) return ST_ERROR;
    if (args[0].i == A_REPR) return array_repr_as(vm, array, &options, text);
    if (args[0].i == A_STR) return array_str_as(vm, array, &options, text);
    if (args[9].kind != K_STR)
        return vm_raise(vm, EXC_TypeError, "separator must be str, not %s",
                        type_name(vm, args[9]));
    frame = (ArrayFrame){.separator = args[9].str->data, .separator_len = args[9].str->len};
    if (array_long(vm, args[10], &frame.prefix) != ST_OK ||
        array_long(vm, args[11], &frame.suffix) != ST_OK)
        return op_refused(vm);
    return array_text(vm, array, &options, &frame, text);
}

static Status fn_text(Vm *vm, const Value *args, Value *out) {
    Buf text;
    if (args[1].kind != K_ARRAY) return vm_raise(vm, EXC_TypeError, "an array is required");
    buf_init(&text, &vm->mem);
    if (put_text(vm, args, args[1].array, &text) == ST_OK) return str_buf_out(vm, &text, out);
    buf_free(&text);
    return ST_ERROR;
}

#define OPTIONS "precision, threshold, edgeitems, linewidth, suppress, sign, floatmode"

const NativeDef numpy_text_functions[] = {
    {"set_options", OPTIONS ", nanstr, infstr, /", fn_set_options, NULL, PURE},
    {"text", "kind, a, " OPTIONS ", separator, prefix, suffix, /", fn_text, NULL, INNER},
    {0},
};
