// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The hash table of dictionaries.
//
// Entries stand in insertion order, as in CPython since 3.6 (after Raymond Hettinger's design); an
// index of entry numbers, half empty, is probed in CPython's order: start at the low bits of the
// hash, then mix in the high ones five at a time. Up to SMALL entries there is no index: comparing
// a handful of hashes is faster than probing. Deleted entries leave holes that the next
// reorganisation closes.

#include <string.h>

#include "vm/value/dict_impl.h"
#include "vm/value/object.h"
#include "vm/value/seq.h"

enum { FIRST_CAP = 4, SMALL = 8, PERTURB_SHIFT = 5, EMPTY = -1, DELETED = -2 };
static const uint32_t max_cap = (uint32_t)1 << 30;

Dict *dict_new(Vm *vm) {
    return obj_new(vm, K_DICT, sizeof(Dict));
}

// Brings a module's dictionary up to date. Meanwhile its changes do not reach the module.
static Status names_again(Vm *vm, Dict *dict, const Module *module) {
    uint32_t pos = 0;
    Value key, slot;
    Status st = ST_OK;
    while (st == ST_OK && dict_next(module->slots_of, &pos, &key, &slot)) {
        const Value now = module->slots[slot.i];
        if (now.kind == K_UNDEF) dict_del_str(vm, dict, key.str);
        else st = dict_set_str(vm, dict, key.str, now);
    }
    return st;
}

Dict *dict_of_module(Vm *vm, Module *module) {
    Dict *dict = module->dict ? module->dict : obj_new(vm, K_DICT, sizeof(ModuleDict));
    if (!dict) return NULL;
    if (!module->dict) {
        module->dict = dict;
        dict->gc.obj.aux = DICT_OF_MODULE; // determines the object's size
        module->gc.obj.refs++;
        ((ModuleDict *)dict)->module = module;
    }
    dict->gc.obj.refs++;
    ((ModuleDict *)dict)->module = NULL;
    Status st = names_again(vm, dict, module);
    ((ModuleDict *)dict)->module = module;
    if (st == ST_OK) return dict;
    release_obj(vm, dict);
    return NULL;
}

// Repeats a change of a module's dictionary in the module. V_UNDEF removes.
static Status follow(Vm *vm, Dict *dict, Value key, Value value) {
    Module *module = dict->gc.obj.aux & DICT_OF_MODULE ? ((ModuleDict *)dict)->module : NULL;
    if (!module || key.kind != K_STR) return ST_OK;
    if (value.kind == K_UNDEF) { // needs no memory
        Value slot = dict_get_str(module->slots_of, key.str);
        if (slot.kind == K_INT) clear(vm, &module->slots[slot.i]);
        return ST_OK;
    }
    Str *name = str_intern(vm, key.str->data, key.str->len);
    if (!name) return vm_no_memory(vm);
    Status st = module_set_str(vm, module, name, retain(value));
    release_obj(vm, name);
    return st;
}

static inline Status followed(Vm *vm, Dict *dict, Value key, Value value) {
    return dict->gc.obj.aux ? follow(vm, dict, key, value) : ST_OK;
}

// --- Probing -----------------------------------------------------------------------------------

// Walks the index slots that are probed for a hash.
typedef struct Probe {
    uint64_t perturb;
    uint32_t at, mask;
} Probe;

static inline Probe probe_start(const Dict *dict, int64_t hash) {
    return (Probe){(uint64_t)hash, (uint32_t)hash & dict->mask, dict->mask};
}

static inline void probe_next(Probe *probe) {
    probe->perturb >>= PERTURB_SHIFT;
    probe->at = (uint32_t)(probe->at * 5 + probe->perturb + 1) & probe->mask;
}

// Computes whether the key held by an entry equals a key with the same hash.
typedef Status (*MatchFn)(Vm *vm, Value held, Value key, bool *same);

static inline Status match_str(Vm *vm, Value held, Value key, bool *same) {
    if (held.kind != K_STR) return op_eq(vm, held, key, same);
    *same = held.str == key.str || str_equal(held.str, key.str);
    return ST_OK;
}

static inline Status match_int(Vm *vm, Value held, Value key, bool *same) {
    if (held.kind != K_INT) return op_eq(vm, held, key, same);
    *same = held.i == key.i;
    return ST_OK;
}

static inline Status match_any(Vm *vm, Value held, Value key, bool *same) {
    return op_eq(vm, held, key, same);
}

// Matches a plain string, and ignores keys of other kinds, so that the look-up cannot fail.
static inline Status match_only_str(Vm *vm, Value held, Value key, bool *same) {
    (void)vm;
    *same = held.kind == K_STR && (held.str == key.str || str_equal(held.str, key.str));
    return ST_OK;
}

static inline __attribute__((always_inline)) Status
scan(Vm *vm, const Dict *dict, Value key, int64_t hash, MatchFn match, uint32_t *entry) {
    const DictEntry *e = dict->entries;
    for (uint32_t i = 0; i < dict->used; i++, e++) {
        bool same;
        if (e->hash != hash || e->key.kind == K_UNDEF) continue;
        Status st = match(vm, e->key, key, &same);
        if (st == ST_OK && !same) continue;
        *entry = i;
        return st;
    }
    return ST_STOP;
}

// Searches for a key; specialised by how keys are compared. ST_STOP: there is none.
static inline __attribute__((always_inline)) Status
search(Vm *vm, const Dict *dict, Value key, int64_t hash, MatchFn match, uint32_t *entry) {
    if (!dict->index) return scan(vm, dict, key, hash, match, entry);
    for (Probe probe = probe_start(dict, hash);; probe_next(&probe)) {
        int32_t i = dict->index[probe.at];
        if (i == EMPTY) return ST_STOP;
        if (i == DELETED || dict->entries[i].hash != hash) continue;
        bool same;
        Status st = match(vm, dict->entries[i].key, key, &same);
        if (st == ST_OK && !same) continue;
        *entry = (uint32_t)i;
        return st;
    }
}

Status dict_find(Vm *vm, const Dict *dict, Value key, int64_t hash, uint32_t *entry) {
    if (key.kind == K_STR) return search(vm, dict, key, hash, match_str, entry);
    if (key.kind == K_INT) return search(vm, dict, key, hash, match_int, entry);
    return search(vm, dict, key, hash, match_any, entry);
}

static bool find_str(const Dict *dict, Str *name, int64_t hash, uint32_t *entry) {
    return search(NULL, dict, v_obj(name), hash, match_only_str, entry) == ST_OK;
}

int64_t dict_probe(const Dict *dict, int64_t hash, int64_t after) {
    if (!dict->index) {
        for (int64_t i = after + 1; i < dict->used; i++)
            if (dict->entries[i].hash == hash && dict->entries[i].key.kind != K_UNDEF) return i;
        return -1;
    }
    int64_t step = 1, done = after < 0 ? 0 : after >> 32;
    for (Probe probe = probe_start(dict, hash);; probe_next(&probe), step++) {
        int32_t i = dict->index[probe.at];
        if (i == EMPTY) return -1;
        if (step > done && i != DELETED && dict->entries[i].hash == hash) return step << 32 | i;
    }
}

// --- Growing -----------------------------------------------------------------------------------

// Puts an entry's number into the first free index slot for its hash.
static void index_add(Dict *dict, int64_t hash, uint32_t entry) {
    Probe probe = probe_start(dict, hash);
    while (dict->index[probe.at] >= 0) probe_next(&probe);
    dict->filled += dict->index[probe.at] == EMPTY;
    dict->index[probe.at] = (int32_t)entry;
}

static size_t index_bytes(const Dict *dict) {
    return dict->index ? ((size_t)dict->mask + 1) * sizeof *dict->index : 0;
}

// Moves the live entries to a table for `cap` of them, the first `gap` places of which stay free.
static Status reorganise(Vm *vm, Dict *dict, uint32_t cap, uint32_t gap) {
    if (cap > max_cap) return vm_no_memory(vm);
    Dict old = *dict;
    DictEntry *entries = mem_alloc(&vm->mem, cap * sizeof *entries);
    uint32_t places = cap > SMALL ? 2 * cap : 0;
    int32_t *index = places ? mem_alloc(&vm->mem, places * sizeof *index) : NULL;
    if (!entries || (places && !index)) {
        mem_free(&vm->mem, entries, cap * sizeof *entries);
        mem_free(&vm->mem, index, places * sizeof *index);
        return vm_no_memory(vm);
    }
    if (index) memset(index, 0xff, places * sizeof *index);
    dict->entries = entries;
    dict->index = index;
    dict->mask = places ? places - 1 : 0;
    dict->cap = cap;
    dict->filled = 0;
    dict->used = dict->first = gap;
    memset(entries, 0, gap * sizeof *entries);
    for (uint32_t i = 0; i < old.used; i++) {
        if (old.entries[i].key.kind == K_UNDEF) continue;
        entries[dict->used] = old.entries[i];
        if (index) index_add(dict, old.entries[i].hash, dict->used);
        dict->used++;
    }
    mem_free(&vm->mem, old.entries, old.cap * sizeof *old.entries);
    mem_free(&vm->mem, old.index, index_bytes(&old));
    return ST_OK;
}

// Returns the smallest capacity that holds `count` entries.
static uint32_t cap_for(uint32_t count) {
    uint32_t cap = FIRST_CAP;
    while (cap < count) cap *= 2;
    return cap;
}

// Makes room for one more entry: closes the holes if they are many, else doubles.
static Status make_room(Vm *vm, Dict *dict) {
    uint32_t cap = dict->cap;
    if (cap == 0) {
        cap = FIRST_CAP;
    } else if (dict->count > cap - cap / 4) {
        cap *= 2;
    }
    return reorganise(vm, dict, cap, 0);
}

static inline bool is_full(const Dict *dict) {
    return dict->used == dict->cap || (uint64_t)dict->filled * 4 > (uint64_t)dict->mask * 3 + 3;
}

Status dict_set_hashed(Vm *vm, Dict *dict, Value key, int64_t hash, Value value) {
    if (is_full(dict) && make_room(vm, dict) != ST_OK) return ST_ERROR;
    uint32_t entry = dict->used++;
    dict->entries[entry] = (DictEntry){hash, retain(key), retain(value)};
    if (dict->index) index_add(dict, hash, entry);
    dict->count++;
    dict->version++;
    return followed(vm, dict, key, value);
}

// --- Removing ----------------------------------------------------------------------------------

// Replaces an entry's number in the index.
static void renumber(Dict *dict, uint32_t entry, int32_t number) {
    if (!dict->index) return;
    Probe probe = probe_start(dict, dict->entries[entry].hash);
    while (dict->index[probe.at] != (int32_t)entry) probe_next(&probe);
    dict->index[probe.at] = number;
}

// Leaves no hole at the end, and sets `first`.
static void trim(Dict *dict) {
    while (dict->used && dict->entries[dict->used - 1].key.kind == K_UNDEF) dict->used--;
    while (dict->first < dict->used && dict->entries[dict->first].key.kind == K_UNDEF) dict->first++;
    if (dict->first > dict->used) dict->first = dict->used;
}

void dict_take_entry(Vm *vm, Dict *dict, uint32_t entry, Value *key, Value *value) {
    DictEntry *e = &dict->entries[entry];
    followed(vm, dict, e->key, V_UNDEF);
    *key = e->key;
    *value = e->value;
    renumber(dict, entry, DELETED);
    e->key = e->value = V_UNDEF;
    dict->count--;
    dict->version++;
    trim(dict);
}

void dict_remove_entry(Vm *vm, Dict *dict, uint32_t entry) {
    Value key, value;
    dict_take_entry(vm, dict, entry, &key, &value);
    release(vm, key);
    release(vm, value);
}

void dict_clear(Vm *vm, Dict *dict) {
    Dict old = *dict;
    dict->entries = NULL;
    dict->index = NULL;
    dict->count = dict->used = dict->cap = dict->mask = dict->filled = dict->first = 0;
    dict->version++;
    for (uint32_t i = 0; i < old.used; i++) {
        release(vm, old.entries[i].key);
        release(vm, old.entries[i].value);
    }
    mem_free(&vm->mem, old.entries, old.cap * sizeof *old.entries);
    mem_free(&vm->mem, old.index, index_bytes(&old));
}

// --- Order -------------------------------------------------------------------------------------

// Makes room at an end, and returns the new number of an entry; UINT32_MAX when out of memory.
static uint32_t make_room_at_end(Vm *vm, Dict *dict, uint32_t entry, bool last) {
    uint32_t before = 0;
    for (uint32_t i = 0; i < entry; i++) before += dict->entries[i].key.kind != K_UNDEF;
    const uint32_t gap = last ? 0 : dict->count / 2 + 1;
    Status st = last                          ? make_room(vm, dict)
                : dict->count > max_cap / 2 ? vm_no_memory(vm)
                                            : reorganise(vm, dict, cap_for(dict->count + gap + gap), gap);
    return st == ST_OK ? gap + before : UINT32_MAX;
}

Status dict_move_entry(Vm *vm, Dict *dict, uint32_t entry, bool last) {
    if (entry == (last ? dict->used - 1 : dict->first)) return ST_OK;
    if (last ? dict->used == dict->cap : dict->first == 0) entry = make_room_at_end(vm, dict, entry, last);
    if (entry == UINT32_MAX) return ST_ERROR;
    const uint32_t to = last ? dict->used++ : --dict->first;
    renumber(dict, entry, (int32_t)to);
    dict->entries[to] = dict->entries[entry];
    dict->entries[entry].key = dict->entries[entry].value = V_UNDEF;
    dict->version++;
    trim(dict);
    return ST_OK;
}

// --- By key ------------------------------------------------------------------------------------

Status dict_get(Vm *vm, Dict *dict, Value key, Value *out) {
    int64_t hash;
    uint32_t entry;
    Status st = key_hash(vm, key, &hash);
    if (st == ST_OK) st = dict_find(vm, dict, key, hash, &entry);
    if (st == ST_OK) *out = dict->entries[entry].value;
    return st;
}

Status dict_set_known(Vm *vm, Dict *dict, Value key, int64_t hash, Value value) {
    uint32_t entry;
    Status st = dict_find(vm, dict, key, hash, &entry);
    if (st == ST_STOP) return dict_set_hashed(vm, dict, key, hash, value);
    if (st != ST_OK) return st;
    replace(vm, &dict->entries[entry].value, retain(value));
    return followed(vm, dict, key, value);
}

Status dict_set(Vm *vm, Dict *dict, Value key, Value value) {
    int64_t hash;
    Status st = key_hash(vm, key, &hash);
    return st == ST_OK ? dict_set_known(vm, dict, key, hash, value) : st;
}

Status dict_del(Vm *vm, Dict *dict, Value key) {
    int64_t hash;
    uint32_t entry;
    Status st = key_hash(vm, key, &hash);
    if (st == ST_OK) st = dict_find(vm, dict, key, hash, &entry);
    if (st == ST_OK) dict_remove_entry(vm, dict, entry);
    return st;
}

Status dict_pop(Vm *vm, Dict *dict, Value key, Value *out) {
    int64_t hash;
    uint32_t entry;
    Status st = key_hash(vm, key, &hash);
    if (st == ST_OK) st = dict_find(vm, dict, key, hash, &entry);
    if (st != ST_OK) return st;
    Value held;
    dict_take_entry(vm, dict, entry, &held, out);
    release(vm, held);
    return ST_OK;
}

// --- By name -----------------------------------------------------------------------------------

Value dict_get_str(const Dict *dict, Str *name) {
    uint32_t entry;
    return find_str(dict, name, str_hash(name), &entry) ? dict->entries[entry].value : V_UNDEF;
}

Status dict_set_str(Vm *vm, Dict *dict, Str *name, Value value) {
    int64_t hash = str_hash(name);
    uint32_t entry;
    if (!find_str(dict, name, hash, &entry))
        return dict_set_hashed(vm, dict, v_obj(name), hash, value);
    replace(vm, &dict->entries[entry].value, retain(value));
    return followed(vm, dict, v_obj(name), value);
}

bool dict_del_str(Vm *vm, Dict *dict, Str *name) {
    uint32_t entry;
    if (!find_str(dict, name, str_hash(name), &entry)) return false;
    dict_remove_entry(vm, dict, entry);
    return true;
}

Status dict_set_text(Vm *vm, Dict *dict, const char *name, Value owned) {
    Str *key = str_intern(vm, name, strlen(name));
    Status st = key ? dict_set_str(vm, dict, key, owned) : vm_no_memory(vm);
    release_obj(vm, key);
    release(vm, owned);
    return st;
}

// --- All entries -------------------------------------------------------------------------------

bool dict_next(const Dict *dict, uint32_t *pos, Value *key, Value *value) {
    if (*pos < dict->first) *pos = dict->first;
    while (*pos < dict->used) {
        const DictEntry *e = &dict->entries[(*pos)++];
        if (e->key.kind == K_UNDEF) continue;
        *key = e->key;
        *value = e->value;
        return true;
    }
    return false;
}

Dict *dict_copy(Vm *vm, const Dict *dict) {
    Dict *copy = dict_new(vm);
    if (!copy || dict->count == 0) return copy;
    if (reorganise(vm, copy, cap_for(dict->count), 0) != ST_OK) {
        release_obj(vm, copy);
        return NULL;
    }
    for (uint32_t i = 0; i < dict->used; i++) {
        const DictEntry *e = &dict->entries[i];
        if (e->key.kind == K_UNDEF) continue;
        copy->entries[copy->used] = (DictEntry){e->hash, retain(e->key), retain(e->value)};
        if (copy->index) index_add(copy, e->hash, copy->used);
        copy->used++;
    }
    copy->count = copy->used;
    return copy;
}

Status dict_reserve(Vm *vm, Dict *dict, uint32_t count) {
    return dict->cap || count <= FIRST_CAP ? ST_OK : reorganise(vm, dict, cap_for(count), 0);
}

Status dict_update(Vm *vm, Dict *dict, Dict *from) {
    if (dict == from) return ST_OK;
    Status st = ST_OK;
    for (uint32_t i = 0; i < from->used && st == ST_OK; i++) {
        const DictEntry *e = &from->entries[i];
        if (e->key.kind != K_UNDEF) st = dict_set_known(vm, dict, e->key, e->hash, e->value);
    }
    return st;
}
