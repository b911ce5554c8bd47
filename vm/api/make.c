// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Values of the script made of values of C.

#include <string.h>

#include "vm/api/call.h"
#include "vm/value/bytes.h"
#include "vm/value/dict.h"
#include "vm/value/num.h"
#include "vm/value/seq.h"
#include "vm/value/str.h"

char *api_copied(Vm *vm, const char *text) {
    size_t bytes = strlen(text) + 1;
    char *copy = mem_alloc(&vm->mem, bytes);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

void api_free_text(Vm *vm, const char *text) {
    if (text) mem_free(&vm->mem, (char *)(uintptr_t)text, strlen(text) + 1);
}

static NacreValue *made(NacreVm *handle, Status st, Value value) {
    NacreValue *hold = st == ST_OK ? api_hold(handle, value) : NULL;
    if (hold) return hold;
    api_clear_outcome(handle);
    api_failed(handle);
    return NULL;
}

static NacreValue *plain(NacreVm *handle, Value value) {
    return api_is_open(handle) ? made(handle, ST_OK, value) : NULL;
}

NacreValue *nacre_none(NacreVm *handle) {
    return plain(handle, V_NONE);
}

NacreValue *nacre_ellipsis(NacreVm *handle) {
    return plain(handle, V_ELLIPSIS);
}

NacreValue *nacre_bool(NacreVm *handle, int truth) {
    return plain(handle, v_bool(truth != 0));
}

NacreValue *nacre_int(NacreVm *handle, int64_t number) {
    return plain(handle, v_int(number));
}

NacreValue *nacre_float(NacreVm *handle, double number) {
    return plain(handle, v_float(number));
}

NacreValue *nacre_uint(NacreVm *handle, uint64_t number) {
    if (!api_is_open(handle)) return NULL;
    Value value = V_UNDEF;
    Status st = int_from_u64(&handle->vm, number, &value);
    return made(handle, st, value);
}

NacreValue *nacre_complex(NacreVm *handle, double real, double imaginary) {
    if (!api_is_open(handle)) return NULL;
    Value value = V_UNDEF;
    Status st = complex_out(&handle->vm, real, imaginary, &value);
    return made(handle, st, value);
}

NacreValue *nacre_text(NacreVm *handle, const char *text, size_t len) {
    if (!api_is_open(handle) || !text) return NULL;
    Vm *vm = &handle->vm;
    Value value = V_UNDEF;
    Status st = len <= UINT32_MAX ? str_utf8_check(vm, text, len)
                                  : vm_raise(vm, EXC_OverflowError, "a text has at most 4 GiB");
    if (st == ST_OK) st = str_out(vm, str_new(vm, text, len), &value);
    return made(handle, st, value);
}

NacreValue *nacre_bytes(NacreVm *handle, const void *data, size_t len) {
    if (!api_is_open(handle) || (!data && len)) return NULL;
    Value value = V_UNDEF;
    Status st = bytes_out(&handle->vm, bytes_new(&handle->vm, data ? data : "", len), &value);
    return made(handle, st, value);
}

NacreValue *nacre_tuple(NacreVm *handle, size_t count, NacreValue *const *items) {
    if (!api_is_open(handle) || !api_are_held(handle, count, items)) return NULL;
    Tuple *tuple = tuple_new(&handle->vm, count);
    if (!tuple) return made(handle, vm_no_memory(&handle->vm), V_UNDEF);
    for (size_t i = 0; i < count; i++) tuple->items[i] = retain(items[i]->value);
    return made(handle, ST_OK, v_obj(tuple));
}

NacreValue *nacre_list(NacreVm *handle, size_t count, NacreValue *const *items) {
    if (!api_is_open(handle) || !api_are_held(handle, count, items)) return NULL;
    Vm *vm = &handle->vm;
    List *list = list_new(vm, count);
    Status st = vm_check(vm, list);
    for (size_t i = 0; st == ST_OK && i < count; i++)
        st = list_append(vm, list, retain(items[i]->value));
    if (st == ST_OK) return made(handle, st, v_obj(list));
    release_obj(vm, list);
    return made(handle, st, V_UNDEF);
}

NacreValue *nacre_dict(NacreVm *handle, size_t count, NacreValue *const *keys,
                       NacreValue *const *values) {
    if (!api_is_open(handle) || !api_are_held(handle, count, keys) ||
        !api_are_held(handle, count, values))
        return NULL;
    Vm *vm = &handle->vm;
    api_begin(handle);
    Dict *dict = dict_new(vm);
    Status st = vm_check(vm, dict);
    for (size_t i = 0; st == ST_OK && i < count; i++)
        st = api_set_item(vm, v_obj(dict), keys[i]->value, values[i]->value);
    NacreValue *hold = NULL;
    if (st != ST_OK) release_obj(vm, dict);
    api_end(handle, st, st == ST_OK ? v_obj(dict) : V_UNDEF, &hold);
    return hold;
}

NacreValue *nacre_slice(NacreVm *handle, NacreValue *start, NacreValue *stop, NacreValue *step) {
    if (!api_is_open(handle)) return NULL;
    NacreValue *const parts[3] = {start, stop, step};
    Value bounds[3], value = V_UNDEF;
    for (int i = 0; i < 3; i++) {
        if (parts[i] && !api_is_held(handle, parts[i])) return NULL;
        bounds[i] = parts[i] ? parts[i]->value : V_NONE;
    }
    Status st = slice_new(&handle->vm, bounds[0], bounds[1], bounds[2], &value);
    return made(handle, st, value);
}
