// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Binding the arguments of a call to the parameters of a signature.

#include "vm/value/signature_bind.h"

#include "vm/value/dict.h"
#include "vm/value/seq.h"
#include "vm/value/str.h"

static int named_count(const Signature *sig) {
    return sig->positional + sig->keyword_only;
}

// Returns the number of the parameter that may be given by this name, or -1.
static int find_param(const Signature *sig, const Str *name) {
    int named = named_count(sig);
    for (int i = sig->positional_only; i < named; i++)
        if (sig->params[i].name == name) return i;
    for (int i = sig->positional_only; i < named; i++)
        if (str_equal(sig->params[i].name, name)) return i;
    return -1;
}

static BindFailure bind_rest(Vm *vm, const Call *call, Value *slots) {
    const Signature *sig = call->sig;
    int slot = named_count(sig);
    size_t taken = (size_t)sig->positional < call->count ? (size_t)sig->positional : call->count;
    if (sig->has_varargs) {
        Value *rest = &slots[slot++];
        if (tuple_of(vm, call->args + taken, call->count - taken, rest) != ST_OK)
            return BIND_RAISED;
    }
    if (sig->has_varkw) {
        Dict *dict = dict_new(vm);
        if (vm_check(vm, dict) != ST_OK) return BIND_RAISED;
        slots[slot] = v_obj(dict);
    }
    return BIND_OK;
}

static BindFailure bind_keyword(Vm *vm, Call *call, Value *slots, Str *name, Value value) {
    const Signature *sig = call->sig;
    int at = find_param(sig, name);
    call->name = name;
    call->index = at;
    if (at < 0) {
        if (!sig->has_varkw) return BIND_UNEXPECTED;
        Dict *dict = slots[sig->total - 1].dict;
        return dict_set_str(vm, dict, name, value) == ST_OK ? BIND_OK : BIND_RAISED;
    }
    if (slots[at].kind != K_UNDEF) return BIND_MULTIPLE;
    slots[at] = retain(value);
    return BIND_OK;
}

static BindFailure bind_defaults(const Signature *sig, Value *slots) {
    int named = named_count(sig);
    for (int i = 0; i < named; i++) {
        if (slots[i].kind != K_UNDEF) continue;
        if (!sig->params[i].optional)
            return i < sig->positional ? BIND_MISSING : BIND_MISSING_KEYWORD;
        slots[i] = retain(sig->params[i].fallback);
    }
    return BIND_OK;
}

static BindFailure bind_general(Vm *vm, Call *call, Value *slots) {
    const Signature *sig = call->sig;
    for (int i = 0; i < sig->positional && (size_t)i < call->count; i++)
        slots[i] = retain(call->args[i]);
    BindFailure failure = bind_rest(vm, call, slots);
    for (size_t k = 0; failure == BIND_OK && call->names && k < call->names->len; k++)
        failure =
            bind_keyword(vm, call, slots, call->names->items[k].str, call->args[call->count + k]);
    if (failure != BIND_OK) return failure;
    if (call->count > (size_t)sig->positional && !sig->has_varargs) return BIND_TOO_MANY;
    return bind_defaults(sig, slots);
}

static void unbind(Vm *vm, const Signature *sig, Value *slots) {
    for (int i = 0; i < sig->total; i++) clear(vm, &slots[i]);
}

static Status bind_slowly(Vm *vm, const Signature *sig, const Value *args, size_t count,
                          const Tuple *names, Value *slots) {
    Call call = {.sig = sig, .args = args, .count = count, .names = names, .slots = slots};
    BindFailure failure = bind_general(vm, &call, slots);
    if (failure == BIND_OK) return ST_OK;
    if (failure != BIND_RAISED) signature_error(vm, failure, &call);
    unbind(vm, sig, slots);
    return ST_ERROR;
}

Status signature_bind(Vm *vm, const Signature *sig, const Value *args, size_t count,
                      const Tuple *names, Value *slots) {
    if (!names && sig->total == sig->positional && count <= (size_t)sig->positional &&
        count >= (size_t)sig->required) {
        size_t i = 0;
        for (; i < count; i++) slots[i] = retain(args[i]);
        for (; i < (size_t)sig->positional; i++) slots[i] = retain(sig->params[i].fallback);
        return ST_OK;
    }
    return bind_slowly(vm, sig, args, count, names, slots);
}
