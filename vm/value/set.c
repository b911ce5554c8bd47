// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The hash table of sets.
//
// A set prints and iterates in the order of its table, so scripts see the table: its sizes, its
// probe order and the moments it grows are those of CPython 3.11 (Objects/setobject.c). Probing begins
// at the place given by the low bits of the hash. LINEAR_PROBES more places are tried in a row, if they fit
// before the end of the table; then the high bits of the hash are mixed in. A new element takes the
// last place of a removed one that was passed on the way, if any.

#include <string.h>

#include "vm/value/object.h"
#include "vm/value/seq.h"
#include "vm/value/set_impl.h"

enum { MIN_PLACES = 8, LINEAR_PROBES = 9, PERTURB_SHIFT = 5, LARGE = 50000, REMOVED_HASH = -1 };
static const uint64_t max_places = (uint64_t)1 << 30;

Set *set_new(Vm *vm, bool frozen) {
    Set *set = obj_new(vm, frozen ? K_FROZENSET : K_SET, sizeof *set);
    if (set) set->mask = MIN_PLACES - 1; // the table itself is made for the first element
    return set;
}

static size_t table_bytes(const Set *set) {
    return ((size_t)set->mask + 1) * sizeof *set->table;
}

static inline bool is_live(const SetEntry *e) {
    return e->key.kind != K_UNDEF;
}
static inline bool is_empty(const SetEntry *e) {
    return e->key.kind == K_UNDEF && e->hash != REMOVED_HASH;
}

// --- Probing -----------------------------------------------------------------------------------

typedef struct Probe {
    uint64_t perturb, at;
    uint32_t mask;
} Probe;

static inline Probe probe_start(const Set *set, int64_t hash) {
    return (Probe){(uint64_t)hash, (uint64_t)hash & set->mask, set->mask};
}
// Returns how many places are tried in a row from the probe's place.
static inline uint32_t probe_run(const Probe *probe) {
    return probe->at + LINEAR_PROBES <= probe->mask ? LINEAR_PROBES + 1 : 1;
}
static inline void probe_next(Probe *probe) {
    probe->perturb >>= PERTURB_SHIFT;
    probe->at = (probe->at * 5 + 1 + probe->perturb) & probe->mask;
}

static inline Status match(Vm *vm, Value held, Value key, bool *same) {
    if (v_is(held, key)) {
        *same = true;
    } else if (held.kind == K_STR && key.kind == K_STR) {
        *same = str_equal(held.str, key.str);
    } else if (held.kind == K_INT && key.kind == K_INT) {
        *same = false;
    } else {
        return op_eq(vm, held, key, same);
    }
    return ST_OK;
}

// Finds the element, or (ST_STOP) the place where it would be put.
static Status search(Vm *vm, const Set *set, Value key, int64_t hash, uint32_t *place) {
    const SetEntry *removed = NULL;
    for (Probe probe = probe_start(set, hash);; probe_next(&probe)) {
        const SetEntry *e = &set->table[probe.at];
        for (uint32_t run = probe_run(&probe); run; run--, e++) {
            bool same = false;
            Status st = is_empty(e) ? ST_STOP : ST_OK;
            if (e->hash == hash && is_live(e)) st = match(vm, e->key, key, &same);
            if (e->hash == REMOVED_HASH) removed = e;
            if (st == ST_OK && !same) continue;
            *place = (uint32_t)((st == ST_STOP && removed ? removed : e) - set->table);
            return st;
        }
    }
}

Status set_find(Vm *vm, const Set *set, Value key, int64_t hash, uint32_t *place) {
    return set->table ? search(vm, set, key, hash, place) : ST_STOP;
}

int64_t set_probe(const Set *set, int64_t hash, int64_t after) {
    if (!set->table) return -1;
    int64_t step = 1, done = after < 0 ? 0 : after >> 32;
    for (Probe probe = probe_start(set, hash);; probe_next(&probe)) {
        const SetEntry *e = &set->table[probe.at];
        for (uint32_t run = probe_run(&probe); run; run--, e++, step++) {
            if (is_empty(e)) return -1;
            if (step > done && is_live(e) && e->hash == hash) return step << 32 | (e - set->table);
        }
    }
}

// Puts an element known to be absent into a table without removed ones.
static void insert_clean(Set *set, SetEntry entry) {
    for (Probe probe = probe_start(set, entry.hash);; probe_next(&probe)) {
        SetEntry *e = &set->table[probe.at];
        for (uint32_t run = probe_run(&probe); run; run--, e++) {
            if (is_live(e)) continue;
            *e = entry;
            return;
        }
    }
}

// --- Growing -----------------------------------------------------------------------------------

static Status ensure_table(Vm *vm, Set *set) {
    if (set->table) return ST_OK;
    set->table = mem_zalloc(&vm->mem, table_bytes(set));
    return vm_check(vm, set->table);
}

// Rebuilds the table with more places than `used`.
static Status resize(Vm *vm, Set *set, uint64_t used) {
    uint64_t places = MIN_PLACES;
    while (places <= used) places <<= 1;
    if (places > max_places) return vm_no_memory(vm);
    SetEntry *table = mem_zalloc(&vm->mem, places * sizeof *table);
    if (!table) return vm_no_memory(vm);
    Set old = *set;
    set->table = table;
    set->mask = (uint32_t)places - 1;
    set->fill = set->used;
    for (size_t i = 0; old.table && i <= old.mask; i++)
        if (is_live(&old.table[i])) insert_clean(set, old.table[i]);
    mem_free(&vm->mem, old.table, table_bytes(&old));
    return ST_OK;
}

static bool too_full(const Set *set, uint64_t more) {
    return (set->fill + more) * 5 >= (uint64_t)set->mask * 3;
}

Status set_reserve(Vm *vm, Set *set, uint32_t more) {
    if (!too_full(set, more)) return ST_OK;
    return resize(vm, set, ((uint64_t)set->used + more) * 2);
}

static Status resize_for_use(Vm *vm, Set *set) {
    return resize(vm, set, (uint64_t)set->used * (set->used > LARGE ? 2 : 4));
}

Status set_shrink(Vm *vm, Set *set) {
    return set->fill - set->used <= set->mask / 4 ? ST_OK : resize_for_use(vm, set);
}

// --- Adding and removing -----------------------------------------------------------------------

static Status put(Vm *vm, Set *set, uint32_t place, Value key, int64_t hash) {
    bool again = set->table[place].hash == REMOVED_HASH;
    set->table[place] = (SetEntry){hash, retain(key)};
    set->fill += !again;
    set->used++;
    set->version++;
    if (again || !too_full(set, 0)) return ST_OK;
    if (resize_for_use(vm, set) == ST_OK) return ST_OK;
    set->table[place] = (SetEntry){0}; // must stay in its initial state
    set->fill--;
    set->used--;
    release(vm, key);
    return ST_ERROR;
}

Status set_add_known(Vm *vm, Set *set, Value key, int64_t hash) {
    uint32_t place;
    if (ensure_table(vm, set) != ST_OK) return ST_ERROR;
    Status st = search(vm, set, key, hash, &place);
    return st == ST_STOP ? put(vm, set, place, key, hash) : st;
}

Status set_add_hashed(Vm *vm, Set *set, Value key, int64_t hash) {
    if (ensure_table(vm, set) != ST_OK) return ST_ERROR;
    uint32_t place = 0;
    bool removed = false;
    for (Probe probe = probe_start(set, hash);; probe_next(&probe)) {
        const SetEntry *e = &set->table[probe.at];
        for (uint32_t run = probe_run(&probe); run; run--, e++) {
            if (e->hash == REMOVED_HASH || (is_empty(e) && !removed))
                place = (uint32_t)(e - set->table);
            removed |= e->hash == REMOVED_HASH;
            if (is_empty(e)) return put(vm, set, place, key, hash);
        }
    }
}

Status set_add(Vm *vm, Set *set, Value key) {
    int64_t hash;
    Status st = key_hash(vm, key, &hash);
    return st == ST_OK ? set_add_known(vm, set, key, hash) : st;
}

void set_remove_at(Vm *vm, Set *set, uint32_t place) {
    SetEntry *e = &set->table[place];
    e->hash = REMOVED_HASH;
    set->used--;
    set->version++;
    clear(vm, &e->key);
}

Status set_discard_known(Vm *vm, Set *set, Value key, int64_t hash) {
    uint32_t place;
    Status st = set_find(vm, set, key, hash, &place);
    if (st == ST_OK) set_remove_at(vm, set, place);
    return st;
}

Status set_lookup_key(Vm *vm, Value key, Value *held, int64_t *hash) {
    *held = V_UNDEF;
    if (unwrap(key).kind != K_SET) {
        *held = retain(key);
        Status st = key_hash(vm, key, hash);
        if (st != ST_OK) clear(vm, held);
        return st;
    }
    Set *frozen = set_copy(vm, unwrap(key).set, true);
    if (!frozen) return vm_no_memory(vm);
    *held = v_obj(frozen);
    *hash = set_hash_elements(frozen);
    return ST_OK;
}

Status set_has(Vm *vm, Set *set, Value key, bool *out) {
    int64_t hash;
    uint32_t place;
    Value held;
    Status st = set_lookup_key(vm, key, &held, &hash);
    if (st != ST_OK) return st;
    st = set_find(vm, set, held, hash, &place);
    release(vm, held);
    if (st != ST_OK && st != ST_STOP) return st;
    *out = st == ST_OK;
    return ST_OK;
}

Status set_del(Vm *vm, Set *set, Value key) {
    int64_t hash;
    Value held;
    Status st = set_lookup_key(vm, key, &held, &hash);
    if (st != ST_OK) return st;
    st = set_discard_known(vm, set, held, hash);
    release(vm, held);
    return st;
}

// --- As a whole --------------------------------------------------------------------------------

bool set_next_entry(const Set *set, uint32_t *pos, SetEntry *entry) {
    if (!set->table) return false;
    while (*pos <= set->mask) {
        const SetEntry *e = &set->table[(*pos)++];
        if (!is_live(e)) continue;
        *entry = *e;
        return true;
    }
    return false;
}

bool set_next(const Set *set, uint32_t *pos, Value *key) {
    SetEntry entry;
    if (!set_next_entry(set, pos, &entry)) return false;
    *key = entry.key;
    return true;
}

void set_clear(Vm *vm, Set *set) {
    Set old = *set;
    set->table = NULL;
    set->mask = MIN_PLACES - 1;
    set->fill = set->used = 0;
    set->hash = 0;
    set->version++;
    for (size_t i = 0; old.table && i <= old.mask; i++) release(vm, old.table[i].key);
    mem_free(&vm->mem, old.table, table_bytes(&old));
}

// Copies the other set's table to the empty set, place by place.
static void copy_places(Set *set, const Set *other) {
    for (size_t i = 0; i <= other->mask; i++) {
        set->table[i] = other->table[i];
        retain(set->table[i].key);
    }
    set->fill = set->used = other->used;
}

static void copy_clean(Set *set, const Set *other) {
    SetEntry entry;
    uint32_t pos = 0;
    while (set_next_entry(other, &pos, &entry)) {
        retain(entry.key);
        insert_clean(set, entry);
    }
    set->fill = set->used = other->used;
}

Status set_merge(Vm *vm, Set *set, const Set *other) {
    if (other == set || other->used == 0) return ST_OK;
    if (set_reserve(vm, set, other->used) != ST_OK) return ST_ERROR;
    if (ensure_table(vm, set) != ST_OK) return ST_ERROR;
    if (set->fill == 0) {
        set->version++;
        if (set->mask == other->mask && other->fill == other->used) {
            copy_places(set, other);
        } else {
            copy_clean(set, other);
        }
        return ST_OK;
    }
    SetEntry entry;
    uint32_t pos = 0;
    Status st = ST_OK;
    while (st == ST_OK && set_next_entry(other, &pos, &entry))
        st = set_add_known(vm, set, entry.key, entry.hash);
    return st;
}

Status set_merge_dict(Vm *vm, Set *set, const Dict *dict) {
    if (set_reserve(vm, set, dict->count) != ST_OK) return ST_ERROR;
    Status st = ST_OK;
    for (uint32_t i = 0; i < dict->used && st == ST_OK; i++) {
        const DictEntry *e = &dict->entries[i];
        if (e->key.kind != K_UNDEF) st = set_add_known(vm, set, e->key, e->hash);
    }
    return st;
}

Set *set_copy(Vm *vm, const Set *set, bool frozen) {
    Set *copy = set_new(vm, frozen);
    if (copy && set_merge(vm, copy, set) == ST_OK) return copy;
    release_obj(vm, copy);
    return NULL;
}

void set_swap(Set *a, Set *b) {
    Set old = *a;
    a->table = b->table;
    a->mask = b->mask;
    a->fill = b->fill;
    a->used = b->used;
    a->hash = b->hash;
    a->version++;
    b->table = old.table;
    b->mask = old.mask;
    b->fill = old.fill;
    b->used = old.used;
    b->hash = old.hash;
}

// --- Hash and iteration ------------------------------------------------------------------------

static uint64_t shuffle_bits(uint64_t h) {
    return ((h ^ 89869747u) ^ (h << 16)) * 3644798167u;
}

// Computes CPython's hash, which is independent of the order of elements.
int64_t set_hash_elements(const Set *set) {
    uint64_t hash = 0;
    SetEntry entry;
    uint32_t pos = 0;
    while (set_next_entry(set, &pos, &entry)) hash ^= shuffle_bits((uint64_t)entry.hash);
    hash ^= ((uint64_t)set->used + 1) * 1927868237u;
    hash ^= (hash >> 11) ^ (hash >> 25);
    hash = hash * 69069u + 907133923u;
    return hash == UINT64_MAX ? 590923713 : (int64_t)hash;
}

Status set_iter_new(Vm *vm, Set *set, Value *out) {
    Iter *it = iter_new(vm, ITER_SET, v_obj(set));
    if (!it) return vm_no_memory(vm);
    it->version = set->used;
    *out = v_obj(it);
    return ST_OK;
}

// it->index is the next place, it->version the number of elements that the set must still have.
Status set_iter_next(Vm *vm, Iter *it, Value *out) {
    if (it->over.kind == K_UNDEF) return ST_STOP;
    const Set *set = it->over.set;
    if (it->version != set->used) {
        it->version = UINT32_MAX; // stays broken
        return vm_raise(vm, EXC_RuntimeError, "Set changed size during iteration");
    }
    Value key;
    uint32_t pos = (uint32_t)it->index;
    if (!set_next(set, &pos, &key)) {
        clear(vm, &it->over);
        return ST_STOP;
    }
    it->index = pos;
    *out = retain(key);
    return ST_OK;
}
