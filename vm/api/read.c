// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Types of values, and conversion of the script's values to C.

#include "vm/api/call.h"
#include "vm/array/array.h"
#include "vm/value/bytes.h"
#include "vm/value/class.h"
#include "vm/value/num.h"
#include "vm/value/ops.h"

// --- Types ---------------------------------------------------------------------------------------

NacreKind nacre_kind(const NacreVm *handle, const NacreValue *value) {
    if (!api_is_alive(handle) || !api_is_held(handle, value)) return NACRE_KIND_OTHER;
    switch ((Kind)value->value.kind) {
    case K_NONE: return NACRE_KIND_NONE;
    case K_BOOL: return NACRE_KIND_BOOL;
    case K_INT:
    case K_BIGINT: return NACRE_KIND_INT;
    case K_FLOAT: return NACRE_KIND_FLOAT;
    case K_COMPLEX: return NACRE_KIND_COMPLEX;
    case K_SCALAR:
    case K_COMPLEX_SCALAR: return NACRE_KIND_SCALAR;
    case K_STR: return NACRE_KIND_TEXT;
    case K_BYTES: return NACRE_KIND_BYTES;
    case K_TUPLE: return NACRE_KIND_TUPLE;
    case K_LIST: return NACRE_KIND_LIST;
    case K_DICT: return NACRE_KIND_DICT;
    case K_SET:
    case K_FROZENSET: return NACRE_KIND_SET;
    case K_ARRAY: return NACRE_KIND_ARRAY;
    case K_MODULE: return NACRE_KIND_MODULE;
    default: break;
    }
    bool callable = false;
    op_is_callable((Vm *)&handle->vm, value->value, &callable);
    return callable ? NACRE_KIND_CALLABLE : NACRE_KIND_OTHER;
}

const char *nacre_type_name(NacreVm *handle, const NacreValue *value) {
    if (!api_is_alive(handle) || !api_is_held(handle, value)) return "";
    return class_of(&handle->vm, value->value)->name->data;
}

int nacre_same(const NacreValue *a, const NacreValue *b) {
    return a && b && a->vm && a->vm == b->vm && v_is(a->value, b->value);
}

// --- Numbers -------------------------------------------------------------------------------------

static Status truth_of(Vm *vm, Value value, int *truth) {
    bool answer;
    Status st = op_truth(vm, value, &answer);
    if (st == ST_OK) *truth = answer;
    if (st != ST_DEFER) return st;
    Value result;
    st = api_call_of(vm, "operator", "truth", &value, 1, &result);
    if (st == ST_OK) *truth = result.i != 0;
    return st;
}

NacreStatus nacre_as_truth(NacreVm *handle, NacreValue *value, int *truth) {
    if (!api_is_open(handle) || !api_is_held(handle, value) || !truth) return NACRE_MISUSE;
    api_begin(handle);
    return api_end(handle, truth_of(&handle->vm, value->value, truth), V_UNDEF, NULL);
}

static Status int_of(Vm *vm, Value value, int64_t *number) {
    if (unwrap(value).kind == K_BIGINT)
        return vm_raise(vm, EXC_OverflowError, "Python int too large to convert to C long");
    Status st = op_index(vm, value, number);
    if (st != ST_DEFER) return st;
    Value result;
    st = api_call_of(vm, "operator", "index", &value, 1, &result);
    if (st != ST_OK) return st;
    st = int_of(vm, result, number);
    release(vm, result);
    return st;
}

NacreStatus nacre_as_int(NacreVm *handle, NacreValue *value, int64_t *number) {
    if (!api_is_open(handle) || !api_is_held(handle, value) || !number) return NACRE_MISUSE;
    if (value->value.kind == K_INT) {
        *number = value->value.i;
        return NACRE_OK;
    }
    api_begin(handle);
    return api_end(handle, int_of(&handle->vm, value->value, number), V_UNDEF, NULL);
}

static Status float_of(Vm *vm, Value value, double *number) {
    Status st = op_as_double(vm, value, number);
    if (st != ST_DEFER) return st;
    Value result;
    st = api_call_builtin(vm, "float", &value, 1, &result);
    if (st != ST_OK) return st;
    st = op_as_double(vm, result, number);
    release(vm, result);
    return st;
}

NacreStatus nacre_as_float(NacreVm *handle, NacreValue *value, double *number) {
    if (!api_is_open(handle) || !api_is_held(handle, value) || !number) return NACRE_MISUSE;
    if (value->value.kind == K_FLOAT) {
        *number = value->value.f;
        return NACRE_OK;
    }
    api_begin(handle);
    return api_end(handle, float_of(&handle->vm, value->value, number), V_UNDEF, NULL);
}

static bool is_complex(Value value) {
    return value.kind == K_COMPLEX || value.kind == K_COMPLEX_SCALAR ||
           (value.kind == K_ARRAY && dtype_kind(value.array->dtype) == DK_COMPLEX);
}

static Status complex_of(Vm *vm, Value value, double *real, double *imaginary) {
    Value result;
    if (!is_complex(unwrap(value))) {
        *imaginary = 0;
        return float_of(vm, value, real);
    }
    Status st = api_call_builtin(vm, "complex", &value, 1, &result);
    if (st != ST_OK) return st;
    *real = result.complex->re;
    *imaginary = result.complex->im;
    release(vm, result);
    return ST_OK;
}

NacreStatus nacre_as_complex(NacreVm *handle, NacreValue *value, double *real, double *imaginary) {
    if (!api_is_open(handle) || !api_is_held(handle, value) || !real || !imaginary)
        return NACRE_MISUSE;
    double re, im;
    api_begin(handle);
    Status st = complex_of(&handle->vm, value->value, &re, &im);
    if (st == ST_OK) {
        *real = re;
        *imaginary = im;
    }
    return api_end(handle, st, V_UNDEF, NULL);
}

// --- Text ----------------------------------------------------------------------------------------

static Status wrong_kind(Vm *vm, const char *wanted, Value value) {
    return vm_raise(vm, EXC_TypeError, "expected %s, got '%s' object", wanted,
                    type_name(vm, value));
}

NacreStatus nacre_as_text(NacreVm *handle, NacreValue *value, const char **text, size_t *len) {
    if (!api_is_open(handle) || !api_is_held(handle, value) || !text) return NACRE_MISUSE;
    api_begin(handle);
    Value v = unwrap(value->value);
    bool good = v.kind == K_STR;
    if (good) {
        *text = v.str->data;
        if (len) *len = v.str->len;
    }
    return api_end(handle, good ? ST_OK : wrong_kind(&handle->vm, "str", value->value), V_UNDEF,
                   NULL);
}

NacreStatus nacre_as_bytes(NacreVm *handle, NacreValue *value, const void **data, size_t *len) {
    if (!api_is_open(handle) || !api_is_held(handle, value) || !data || !len) return NACRE_MISUSE;
    api_begin(handle);
    const Bytes *bytes = bytes_of(value->value);
    if (bytes) {
        *data = bytes->data;
        *len = bytes->len;
    }
    return api_end(handle, bytes ? ST_OK : wrong_kind(&handle->vm, "bytes", value->value), V_UNDEF,
                   NULL);
}

static NacreStatus text_by(NacreVm *handle, const char *function, NacreValue *value,
                           NacreValue **out) {
    if (!api_is_open(handle) || !api_is_held(handle, value) || !out) return NACRE_MISUSE;
    Value result = V_UNDEF;
    api_begin(handle);
    Status st = api_call_builtin(&handle->vm, function, &value->value, 1, &result);
    return api_end(handle, st, result, out);
}

NacreStatus nacre_str(NacreVm *handle, NacreValue *value, NacreValue **out) {
    return text_by(handle, "str", value, out);
}

NacreStatus nacre_repr(NacreVm *handle, NacreValue *value, NacreValue **out) {
    return text_by(handle, "repr", value, out);
}
