// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Operations of a host on any value: items, attributes, iteration; variables and modules.

#include <string.h>

#include "vm/api/call.h"
#include "vm/value/class.h"
#include "vm/value/dict.h"
#include "vm/value/ops.h"
#include "vm/value/str.h"

// --- By name -------------------------------------------------------------------------------------

static Status name_of(Vm *vm, const char *text, Str **out) {
    size_t len = strlen(text);
    Status st = str_utf8_check(vm, text, len);
    return st == ST_OK ? vm_check(vm, *out = str_intern(vm, text, len)) : st;
}

Status api_call_builtin(Vm *vm, const char *name, const Value *args, uint32_t count, Value *out) {
    Str *key;
    *out = V_UNDEF;
    Status st = name_of(vm, name, &key);
    if (st != ST_OK) return st;
    Value function = dict_get_str(vm->builtins, key);
    release_obj(vm, key);
    return api_call(vm, function, args, count, out);
}

Status api_import(Vm *vm, const char *name, Value *out) {
    Str *key;
    Status st = name_of(vm, name, &key);
    if (st != ST_OK) return st;
    *out = retain(dict_get_str(vm->modules, key));
    if (out->kind == K_UNDEF) {
        const Value args[2] = {v_obj(key), v_bool(true)};
        st = api_by_code(vm, "import_dotted", args, 2, out);
    }
    release_obj(vm, key);
    return st;
}

Status api_call_of(Vm *vm, const char *module, const char *name, const Value *args, uint32_t count,
                   Value *out) {
    Value from, function;
    *out = V_UNDEF;
    Status st = api_import(vm, module, &from);
    if (st != ST_OK) return st;
    st = api_attribute(vm, from, name, &function);
    release(vm, from);
    if (st != ST_OK) return st;
    st = api_call(vm, function, args, count, out);
    release(vm, function);
    return st;
}

// --- Attributes ----------------------------------------------------------------------------------

Status api_attribute(Vm *vm, Value value, const char *name, Value *out) {
    Str *key;
    Status st = name_of(vm, name, &key);
    if (st != ST_OK) return st;
    const Value args[2] = {value, v_obj(key)};
    // Attributes of modules are plain unless a __getattr__ provides them.
    Value found = value.kind == K_MODULE ? module_get(value.module, key) : V_UNDEF;
    if (found.kind != K_UNDEF)
        *out = retain(found);
    else
        st = api_call_builtin(vm, "getattr", args, 2, out);
    release_obj(vm, key);
    return st;
}

NacreStatus nacre_attribute(NacreVm *handle, NacreValue *value, const char *name,
                            NacreValue **out) {
    if (!api_is_open(handle) || !api_is_held(handle, value) || !name || !out) return NACRE_MISUSE;
    Value result = V_UNDEF;
    api_begin(handle);
    Status st = api_attribute(&handle->vm, value->value, name, &result);
    return api_end(handle, st, result, out);
}

NacreStatus nacre_set_attribute(NacreVm *handle, NacreValue *value, const char *name,
                                NacreValue *item) {
    if (!api_is_open(handle) || !api_is_held(handle, value) || !api_is_held(handle, item) || !name)
        return NACRE_MISUSE;
    Vm *vm = &handle->vm;
    Value result = V_UNDEF;
    Str *key;
    api_begin(handle);
    Status st = name_of(vm, name, &key);
    if (st == ST_OK) {
        const Value args[3] = {value->value, v_obj(key), item->value};
        st = api_call_builtin(vm, "setattr", args, 3, &result);
        release_obj(vm, key);
    }
    return api_end(handle, st, result, NULL);
}

// --- Items ---------------------------------------------------------------------------------------

static Status length_of(Vm *vm, Value value, int64_t *length) {
    Status st = op_len(vm, value, length);
    if (st != ST_DEFER) return st;
    Value result;
    st = api_call_builtin(vm, "len", &value, 1, &result);
    if (st == ST_OK) *length = result.i;
    return st;
}

NacreStatus nacre_length(NacreVm *handle, NacreValue *value, int64_t *length) {
    if (!api_is_open(handle) || !api_is_held(handle, value) || !length) return NACRE_MISUSE;
    api_begin(handle);
    return api_end(handle, length_of(&handle->vm, value->value, length), V_UNDEF, NULL);
}

static Status item_of(Vm *vm, Value value, Value key, Value *out) {
    Status st = value.kind == K_INSTANCE || value.kind == K_CLASS ? ST_DEFER
                                                                  : op_getitem(vm, value, key, out);
    if (st != ST_DEFER && st != ST_TAIL && st != ST_NOTIMPL) return st;
    vm_clear_tail(vm);
    const Value args[2] = {value, key};
    return api_call_of(vm, "operator", "getitem", args, 2, out);
}

NacreStatus nacre_item(NacreVm *handle, NacreValue *value, NacreValue *key, NacreValue **out) {
    if (!api_is_open(handle) || !api_is_held(handle, value) || !api_is_held(handle, key) || !out)
        return NACRE_MISUSE;
    Value result = V_UNDEF;
    api_begin(handle);
    Status st = item_of(&handle->vm, value->value, key->value, &result);
    return api_end(handle, st, result, out);
}

NacreStatus nacre_at(NacreVm *handle, NacreValue *value, int64_t index, NacreValue **out) {
    if (!api_is_open(handle) || !api_is_held(handle, value) || !out) return NACRE_MISUSE;
    Value result = V_UNDEF;
    api_begin(handle);
    Status st = item_of(&handle->vm, value->value, v_int(index), &result);
    return api_end(handle, st, result, out);
}

Status api_set_item(Vm *vm, Value value, Value key, Value item) {
    Status st = value.kind == K_INSTANCE ? ST_DEFER : op_setitem(vm, value, key, item);
    if (st != ST_DEFER && st != ST_NOTIMPL) return st;
    Value result;
    const Value args[3] = {value, key, item};
    st = api_call_of(vm, "operator", "setitem", args, 3, &result);
    if (st == ST_OK) release(vm, result);
    return st;
}

NacreStatus nacre_set_item(NacreVm *handle, NacreValue *value, NacreValue *key, NacreValue *item) {
    if (!api_is_open(handle) || !api_is_held(handle, value) || !api_is_held(handle, key) ||
        !api_is_held(handle, item))
        return NACRE_MISUSE;
    api_begin(handle);
    Status st = api_set_item(&handle->vm, value->value, key->value, item->value);
    return api_end(handle, st, V_UNDEF, NULL);
}

NacreStatus nacre_delete_item(NacreVm *handle, NacreValue *value, NacreValue *key) {
    if (!api_is_open(handle) || !api_is_held(handle, value) || !api_is_held(handle, key))
        return NACRE_MISUSE;
    const Value args[2] = {value->value, key->value};
    Value result = V_UNDEF;
    api_begin(handle);
    Status st = api_call_of(&handle->vm, "operator", "delitem", args, 2, &result);
    return api_end(handle, st, result, NULL);
}

// --- Iteration -----------------------------------------------------------------------------------

NacreStatus nacre_iterate(NacreVm *handle, NacreValue *value, NacreValue **out) {
    if (!api_is_open(handle) || !api_is_held(handle, value) || !out) return NACRE_MISUSE;
    Value result = V_UNDEF;
    api_begin(handle);
    Status st = api_call_builtin(&handle->vm, "iter", &value->value, 1, &result);
    return api_end(handle, st, result, out);
}

static Status next_of(Vm *vm, Value iterator, Value *out) {
    Status st = iterator.kind == K_ITER ? op_next(vm, iterator, out) : ST_DEFER;
    if (st == ST_DEFER) st = api_call_builtin(vm, "next", &iterator, 1, out);
    if (st != ST_ERROR || !vm_error_is(vm, EXC_StopIteration)) return st;
    vm_clear_error(vm);
    return ST_STOP;
}

NacreStatus nacre_next(NacreVm *handle, NacreValue *iterator, NacreValue **out) {
    if (!api_is_open(handle) || !api_is_held(handle, iterator) || !out) return NACRE_MISUSE;
    Value result = V_UNDEF;
    api_begin(handle);
    Status st = next_of(&handle->vm, iterator->value, &result);
    return api_end(handle, st == ST_STOP ? ST_OK : st, result, out);
}

// --- Variables and modules -----------------------------------------------------------------------

static Status global_of(Vm *vm, const char *name, Value *out) {
    Str *key;
    Status st = name_of(vm, name, &key);
    if (st != ST_OK) return st;
    Value found = module_get(vm->interp->main, key);
    if (found.kind == K_UNDEF) {
        vm_raise(vm, EXC_NameError, "name '%s' is not defined", name);
        st = exc_about(vm, key, V_UNDEF);
    } else {
        *out = retain(found);
    }
    release_obj(vm, key);
    return st;
}

NacreStatus nacre_global(NacreVm *handle, const char *name, NacreValue **out) {
    if (!api_is_open(handle) || !name || !out) return NACRE_MISUSE;
    Value result = V_UNDEF;
    api_begin(handle);
    Status st = global_of(&handle->vm, name, &result);
    return api_end(handle, st, result, out);
}

NacreStatus nacre_set_global(NacreVm *handle, const char *name, NacreValue *value) {
    if (!api_is_open(handle) || !name || !api_is_held(handle, value)) return NACRE_MISUSE;
    Vm *vm = &handle->vm;
    api_begin(handle);
    Status st = str_utf8_check(vm, name, strlen(name));
    if (st == ST_OK) st = module_set(vm, vm->interp->main, name, retain(value->value));
    return api_end(handle, st, V_UNDEF, NULL);
}

NacreStatus nacre_import(NacreVm *handle, const char *name, NacreValue **out) {
    if (!api_is_open(handle) || !name || !out) return NACRE_MISUSE;
    Value result = V_UNDEF;
    api_begin(handle);
    Status st = api_import(&handle->vm, name, &result);
    return api_end(handle, st, result, out);
}
