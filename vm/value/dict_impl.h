// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Shared by the files on dictionaries and sets: hashing keys, and access to entries by number.

#ifndef NACRE_VM_VALUE_DICT_IMPL_H
#define NACRE_VM_VALUE_DICT_IMPL_H

#include "vm/value/class.h"
#include "vm/value/dict.h"
#include "vm/value/num.h"
#include "vm/value/ops.h"
#include "vm/value/str.h"

// Computes CPython's hash of a small int: the int itself, but -2 for -1. Returns false if |i| is not below the modulus.
static inline bool small_int_hash(int64_t i, int64_t *hash) {
    const int64_t modulus = ((int64_t)1 << 61) - 1;
    *hash = i == -1 ? -2 : i;
    return i > -modulus && i < modulus;
}

static inline Status key_hash(Vm *vm, Value key, int64_t *hash) {
    if (key.kind == K_STR) {
        *hash = key.str->hash ? key.str->hash : str_hash(key.str);
        return ST_OK;
    }
    if (key.kind == K_INT && small_int_hash(key.i, hash)) return ST_OK;
    return op_hash(vm, key, hash);
}

// Finds the entry that holds the key; ST_STOP: there is none.
Status dict_find(Vm *vm, const Dict *dict, Value key, int64_t hash, uint32_t *entry);
Status dict_set_known(Vm *vm, Dict *dict, Value key, int64_t hash, Value value);
void dict_remove_entry(Vm *vm, Dict *dict, uint32_t entry);
// Removes an entry; its key and value become the caller's.
void dict_take_entry(Vm *vm, Dict *dict, uint32_t entry, Value *key, Value *value);
// Moves an entry behind the last one or before the first one.
Status dict_move_entry(Vm *vm, Dict *dict, uint32_t entry, bool last);

// Updates from a mapping or an iterable of pairs (dict_methods.c). May defer; then nothing has been consumed, and
// repeating the update from its start gives the same result.
Status dict_update_from(Vm *vm, Dict *dict, Value source);

// Makes a native iterator that was emptied into `list` (a K_LIST) iterate over that list, before a slow path starts
// again with the iterator. Other iterables are unchanged.
void op_put_back(Vm *vm, Value iterable, Value list);

#endif
