// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Dictionaries and sets.

#ifndef NACRE_VM_VALUE_DICT_H
#define NACRE_VM_VALUE_DICT_H

#include "vm/value/vm.h"

// --- Dictionaries ------------------------------------------------------------------------------

Dict *dict_new(Vm *vm); // owned; NULL when out of memory
Dict *dict_of_module(Vm *vm, struct Module *module); // likewise; see ModuleDict

// ST_STOP: there is no such key. ST_DEFER: a key's __eq__/__hash__ is written in the language.
// *out is BORROWED here.
Status dict_get(Vm *vm, Dict *dict, Value key, Value *out);
Status dict_set(Vm *vm, Dict *dict, Value key, Value value);   // borrows both
Status dict_del(Vm *vm, Dict *dict, Value key);                // ST_STOP: no such key
Status dict_pop(Vm *vm, Dict *dict, Value key, Value *out);    // ST_STOP: no such key; owned out

// Looks up a str, interned or not; never defers, never fails. Returns borrowed, or V_UNDEF.
Value dict_get_str(const Dict *dict, Str *name);
Status dict_reserve(Vm *vm, Dict *dict, uint32_t count); // allocates room for `count` entries of an empty dict
Status dict_set_str(Vm *vm, Dict *dict, Str *name, Value value); // borrows
bool dict_del_str(Vm *vm, Dict *dict, Str *name);
Status dict_set_text(Vm *vm, Dict *dict, const char *name, Value owned); // consumes value

// Walks live entries: start with *pos = 0; false at the end. Borrowed results.
bool dict_next(const Dict *dict, uint32_t *pos, Value *key, Value *value);
Dict *dict_copy(Vm *vm, const Dict *dict);
Status dict_update(Vm *vm, Dict *dict, Dict *from);
void dict_clear(Vm *vm, Dict *dict);

// Probes with a known hash, for slow paths (keys whose __eq__ is user code). Returns the next candidate after `after`
// (-1 to start), or -1. The low 32 bits of a candidate are the number of the entry; the others are the position of
// the search, since a search may come to an entry twice.
int64_t dict_probe(const Dict *dict, int64_t hash, int64_t after);
Status dict_set_hashed(Vm *vm, Dict *dict, Value key, int64_t hash, Value value); // key is absent

// A view: d.keys(), d.values() or d.items(), according to the DictViewRole in gc.obj.aux.
typedef enum DictViewRole { VIEW_KEYS, VIEW_VALUES, VIEW_ITEMS } DictViewRole;
typedef struct DictView {
    GcObj gc;
    Dict *dict;
} DictView;
Status dict_view_new(Vm *vm, DictViewRole role, Dict *dict, Value *out); // borrows dict
extern const char *const dict_view_names[3]; // "dict_keys" …

// Iterators over dictionaries. kind_ITER's `next` calls dict_iter_next for the roles ITER_DICT_*. `reversed` walks
// backwards.
struct Iter;
Status dict_iter_new(Vm *vm, DictViewRole role, bool reversed, Dict *dict, Value *out);
Status dict_iter_entry(Vm *vm, struct Iter *it, Value *key, Value *value); // borrowed ones
Status dict_iter_next(Vm *vm, struct Iter *it, Value *out); // ST_STOP at the end
int64_t dict_iter_left(const struct Iter *it); // how many entries are left; 0 if the next step raises an exception

// --- Sets --------------------------------------------------------------------------------------

Set *set_new(Vm *vm, bool frozen);
Status set_add(Vm *vm, Set *set, Value key);
Status set_has(Vm *vm, Set *set, Value key, bool *out);
Status set_del(Vm *vm, Set *set, Value key);                   // ST_STOP: no such key
bool set_next(const Set *set, uint32_t *pos, Value *key);      // borrowed
Status set_update(Vm *vm, Set *set, Value iterable);           // may defer
int64_t set_probe(const Set *set, int64_t hash, int64_t after); // as dict_probe
Status set_add_hashed(Vm *vm, Set *set, Value key, int64_t hash);

// Iterators over sets, for the role ITER_SET.
Status set_iter_new(Vm *vm, Set *set, Value *out);
Status set_iter_next(Vm *vm, struct Iter *it, Value *out);

#endif
