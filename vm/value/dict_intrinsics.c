// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Natives for the slow paths of dictionaries and sets: tables walked by hash, so that keys can be compared by code
// written in the language. Entries are identified by number. A number is valid until the table changes; a stale one
// raises IndexError, and never crashes.

#include "vm/value/dict_intrinsics.h"

#include "vm/value/seq.h"
#include "vm/value/set_impl.h"
#include "vm/value/stepper.h"

static Status dict_arg(Vm *vm, Value v, Dict **dict) {
    Value inner = unwrap(v);
    if (inner.kind != K_DICT)
        return vm_raise(vm, EXC_TypeError, "a dict is required, not '%s'", type_name(vm, v));
    *dict = inner.dict;
    return ST_OK;
}

static Status int_arg(Vm *vm, Value v, int64_t *out) {
    if (v.kind == K_INT) {
        *out = v.i;
        return ST_OK;
    }
    return vm_raise(vm, EXC_TypeError, "an int is required, not '%s'", type_name(vm, v));
}

static Status stale(Vm *vm) {
    return vm_raise(vm, EXC_IndexError, "the table has changed");
}

static Status none(Status st, Value *out) {
    if (st == ST_OK) *out = V_NONE;
    return st;
}

// --- Dictionaries ------------------------------------------------------------------------------

static Status entry_arg(Vm *vm, const Value *args, DictEntry **entry) {
    Dict *dict = NULL;
    int64_t number = 0;
    if (dict_arg(vm, args[0], &dict) != ST_OK || int_arg(vm, args[1], &number) != ST_OK)
        return ST_ERROR;
    uint32_t at = (uint32_t)number; // of a candidate (dict_probe), the low 32 bits are the entry's number
    if (number < 0 || at >= dict->used || dict->entries[at].key.kind == K_UNDEF) return stale(vm);
    *entry = &dict->entries[at];
    return ST_OK;
}

static Status probe(Vm *vm, const Value *args, Value *out) {
    Dict *dict = NULL;
    int64_t hash = 0, after = 0;
    if (dict_arg(vm, args[0], &dict) != ST_OK || int_arg(vm, args[1], &hash) != ST_OK ||
        int_arg(vm, args[2], &after) != ST_OK)
        return ST_ERROR;
    *out = v_int(dict_probe(dict, hash, after));
    return ST_OK;
}

static Status entry_key(Vm *vm, const Value *args, Value *out) {
    DictEntry *entry;
    if (entry_arg(vm, args, &entry) != ST_OK) return ST_ERROR;
    *out = retain(entry->key);
    return ST_OK;
}

static Status entry_value(Vm *vm, const Value *args, Value *out) {
    DictEntry *entry;
    if (entry_arg(vm, args, &entry) != ST_OK) return ST_ERROR;
    *out = retain(entry->value);
    return ST_OK;
}

static Status entry_hash(Vm *vm, const Value *args, Value *out) {
    DictEntry *entry;
    if (entry_arg(vm, args, &entry) != ST_OK) return ST_ERROR;
    *out = v_int(entry->hash);
    return ST_OK;
}

static Status entry_set(Vm *vm, const Value *args, Value *out) {
    DictEntry *entry;
    if (entry_arg(vm, args, &entry) != ST_OK) return ST_ERROR;
    replace(vm, &entry->value, retain(args[2]));
    return none(ST_OK, out);
}

static Status entry_del(Vm *vm, const Value *args, Value *out) {
    DictEntry *entry;
    if (entry_arg(vm, args, &entry) != ST_OK) return ST_ERROR;
    dict_remove_entry(vm, unwrap(args[0]).dict, (uint32_t)args[1].i);
    return none(ST_OK, out);
}

static Status insert_hashed(Vm *vm, const Value *args, Value *out) {
    Dict *dict = NULL;
    int64_t hash = 0;
    if (dict_arg(vm, args[0], &dict) != ST_OK || int_arg(vm, args[2], &hash) != ST_OK)
        return ST_ERROR;
    return none(dict_set_hashed(vm, dict, args[1], hash, args[3]), out);
}

// Returns the number of the next live entry after a number, or -1; the dict may change during the walk.
static Status next_entry(Vm *vm, const Value *args, Value *out) {
    Dict *dict = NULL;
    int64_t after = 0;
    if (dict_arg(vm, args[0], &dict) != ST_OK || int_arg(vm, args[1], &after) != ST_OK)
        return ST_ERROR;
    int64_t at = after < -1 ? 0 : after + 1;
    if (at < dict->first) at = dict->first;
    while (at < dict->used && dict->entries[at].key.kind == K_UNDEF) at++;
    *out = v_int(at < dict->used ? at : -1);
    return ST_OK;
}

// Takes the pair of the last key, or of the first one; None: the dict is empty.
static Status pop_end(Vm *vm, const Value *args, Value *out) {
    Dict *dict = NULL;
    if (dict_arg(vm, args[0], &dict) != ST_OK) return ST_ERROR;
    if (dict->count == 0) return none(ST_OK, out);
    Tuple *pair = tuple_new(vm, 2);
    if (!pair) return vm_no_memory(vm);
    dict_take_entry(vm, dict, args[1].i ? dict->used - 1 : dict->first, &pair->items[0], &pair->items[1]);
    *out = v_obj(pair);
    return ST_OK;
}

static Status move_entry(Vm *vm, const Value *args, Value *out) {
    DictEntry *entry;
    if (entry_arg(vm, args, &entry) != ST_OK) return ST_ERROR;
    return none(dict_move_entry(vm, unwrap(args[0]).dict, (uint32_t)args[1].i, args[2].i != 0), out);
}

// Moves a key to the end, or to the front. False: there is no such key.
static Status move_key(Vm *vm, const Value *args, Value *out) {
    Dict *dict = NULL;
    int64_t hash;
    uint32_t entry;
    if (dict_arg(vm, args[0], &dict) != ST_OK) return ST_ERROR;
    Status st = key_hash(vm, args[1], &hash);
    if (st == ST_OK) st = dict_find(vm, dict, args[1], hash, &entry);
    if (st == ST_OK) st = dict_move_entry(vm, dict, entry, args[2].i != 0);
    if (st != ST_OK && st != ST_STOP) return st;
    *out = v_bool(st == ST_OK);
    return ST_OK;
}

// Counts an item in a dict whose values are ints. ST_DEFER: that needs code of the program, nothing has happened.
static Status tally_item(Vm *vm, Dict *dict, Value item) {
    int64_t hash;
    uint32_t entry;
    Status st = key_hash(vm, item, &hash);
    if (st == ST_OK) st = dict_find(vm, dict, item, hash, &entry);
    if (st == ST_STOP) return dict_set_hashed(vm, dict, item, hash, v_int(1));
    if (st != ST_OK) return st;
    Value *count = &dict->entries[entry].value;
    if (count->kind != K_INT || count->i == INT64_MAX) return ST_DEFER;
    count->i++;
    return ST_OK;
}

// tally(d, iterator): counts the items of an iterator. None: to its end. Otherwise the next item has to be counted by code
// of the language: it is in a tuple, or (False) has still to be taken from the iterator.
static Status tally(Vm *vm, const Value *args, Value *out) {
    Dict *dict = NULL;
    Status st = dict_arg(vm, args[0], &dict);
    for (size_t n = 1; st == ST_OK; n++) {
        Value item;
        st = args[1].kind == K_ITER      ? kind_ITER.next(vm, args[1], &item)
             : args[1].kind == K_STEPPER ? stepper_plain(vm, (Stepper *)args[1].obj, &item)
                                         : ST_NOTIMPL;
        if (st != ST_OK) break;
        st = tally_item(vm, dict, item);
        if (st == ST_DEFER || (st == ST_ERROR && vm->error.kind == K_UNDEF)) return tuple_steal(vm, &item, 1, out);
        release(vm, item);
        if (st == ST_OK) st = vm_poll_at(vm, n);
    }
    if (st == ST_ERROR && vm->error.kind != K_UNDEF) return st;
    *out = st == ST_STOP ? V_NONE : v_bool(false);
    return ST_OK;
}

static Status version(Vm *vm, const Value *args, Value *out) {
    Value inner = unwrap(args[0]);
    if (is_set(inner)) {
        *out = v_int(inner.set->version);
        return ST_OK;
    }
    Dict *dict = NULL;
    if (dict_arg(vm, args[0], &dict) != ST_OK) return ST_ERROR;
    *out = v_int(dict->version);
    return ST_OK;
}

// --- Sets --------------------------------------------------------------------------------------

static Status set_arg(Vm *vm, Value v, Set **set) {
    Value inner = unwrap(v);
    if (!is_set(inner))
        return vm_raise(vm, EXC_TypeError, "a set is required, not '%s'", type_name(vm, v));
    *set = inner.set;
    return ST_OK;
}

static Status place_arg(Vm *vm, const Value *args, Set **set, uint32_t *place) {
    int64_t number = 0;
    if (set_arg(vm, args[0], set) != ST_OK || int_arg(vm, args[1], &number) != ST_OK)
        return ST_ERROR;
    *place = (uint32_t)number;
    if (number < 0 || *place > (*set)->mask || !(*set)->table ||
        (*set)->table[*place].key.kind == K_UNDEF)
        return stale(vm);
    return ST_OK;
}

static Status probe_set(Vm *vm, const Value *args, Value *out) {
    Set *set = NULL;
    int64_t hash = 0, after = 0;
    if (set_arg(vm, args[0], &set) != ST_OK || int_arg(vm, args[1], &hash) != ST_OK ||
        int_arg(vm, args[2], &after) != ST_OK)
        return ST_ERROR;
    *out = v_int(set_probe(set, hash, after));
    return ST_OK;
}

static Status set_key(Vm *vm, const Value *args, Value *out) {
    Set *set = NULL;
    uint32_t place = 0;
    if (place_arg(vm, args, &set, &place) != ST_OK) return ST_ERROR;
    *out = retain(set->table[place].key);
    return ST_OK;
}

static Status set_del_at(Vm *vm, const Value *args, Value *out) {
    Set *set = NULL;
    uint32_t place = 0;
    if (place_arg(vm, args, &set, &place) != ST_OK) return ST_ERROR;
    set_remove_at(vm, set, place);
    return none(ST_OK, out);
}

static Status set_insert(Vm *vm, const Value *args, Value *out) {
    Set *set = NULL;
    int64_t hash = 0;
    if (set_arg(vm, args[0], &set) != ST_OK || int_arg(vm, args[2], &hash) != ST_OK)
        return ST_ERROR;
    return none(set_add_hashed(vm, set, args[1], hash), out);
}

static Status set_make_room(Vm *vm, const Value *args, Value *out) {
    Set *set = NULL;
    int64_t more = 0;
    if (set_arg(vm, args[0], &set) != ST_OK || int_arg(vm, args[1], &more) != ST_OK)
        return ST_ERROR;
    if (more < 0 || more > INT32_MAX) return vm_no_memory(vm);
    return none(set_reserve(vm, set, (uint32_t)more), out);
}

static Status set_exchange(Vm *vm, const Value *args, Value *out) {
    Set *a = NULL, *b = NULL;
    if (set_arg(vm, args[0], &a) != ST_OK || set_arg(vm, args[1], &b) != ST_OK) return ST_ERROR;
    set_swap(a, b);
    return none(ST_OK, out);
}

// Makes a frozenset of a set's elements without comparing them again.
static Status set_freeze(Vm *vm, const Value *args, Value *out) {
    Set *set = NULL;
    if (set_arg(vm, args[0], &set) != ST_OK) return ST_ERROR;
    Set *copy = set_copy(vm, set, true);
    if (!copy) return vm_no_memory(vm);
    *out = v_obj(copy);
    return ST_OK;
}

static Status is_frozen(Vm *vm, const Value *args, Value *out) {
    (void)vm;
    *out = v_bool(unwrap(args[0]).kind == K_FROZENSET);
    return ST_OK;
}

static Status builtin_of(Vm *vm, const Value *args, Value *out) {
    (void)vm;
    *out = retain(unwrap(args[0]));
    return ST_OK;
}

const NativeDef dict_intrinsics[] = {
    {"_probe", "d, hash, after, /", probe, NULL, PURE},
    {"_entry_key", "d, n, /", entry_key, NULL, PURE},
    {"_entry_value", "d, n, /", entry_value, NULL, PURE},
    {"_entry_hash", "d, n, /", entry_hash, NULL, PURE},
    {"_entry_set", "d, n, value, /", entry_set, NULL, PURE},
    {"_entry_del", "d, n, /", entry_del, NULL, PURE},
    {"_entry_next", "d, n, /", next_entry, NULL, PURE},
    {"_insert_hashed", "d, key, hash, value, /", insert_hashed, NULL, PURE},
    {"_entry_move", "d, n, last, /", move_entry, NULL, PURE},
    {"_pop_end", "d, last, /", pop_end, NULL, PURE},
    {"_move", "d, key, last, /", move_key, "dict_move_slow", PURE},
    {"_tally", "d, iterator, /", tally, NULL, PURE},
    {"_table_version", "table, /", version, NULL, PURE},
    {"_set_probe", "s, hash, after, /", probe_set, NULL, PURE},
    {"_set_key", "s, n, /", set_key, NULL, PURE},
    {"_set_del", "s, n, /", set_del_at, NULL, PURE},
    {"_set_insert", "s, key, hash, /", set_insert, NULL, PURE},
    {"_set_reserve", "s, more, /", set_make_room, NULL, PURE},
    {"_set_swap", "a, b, /", set_exchange, NULL, PURE},
    {"_set_freeze", "s, /", set_freeze, NULL, PURE},
    {"_set_is_frozen", "s, /", is_frozen, NULL, PURE},
    {"_builtin_of", "value, /", builtin_of, NULL, PURE},
    {0},
};
