// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Union, intersection, differences and order of sets.
//
// Which operand is iterated, and in which order elements are inserted, decides how the result prints,
// so these follow CPython 3.11 step by step. If a comparison of elements needs user code, the operation
// is deferred. Operations that change a set can then be repeated from the start with the same result,
// and an iterator that was emptied gets its items back.

#include "vm/value/seq.h"
#include "vm/value/set_impl.h"

// Returns the value to work on: for an instance whose class has no __iter__ of its own, the built-in value inside.
static Value operand(const Vm *vm, Value other) {
    return op_user_method(vm, other, NAME_iter) ? other : unwrap(other);
}

// --- Walking any iterable ----------------------------------------------------------------------

typedef Status (*EachFn)(Vm *vm, void *ctx, Value item);

static Status each_item(Vm *vm, const Value *items, size_t len, EachFn fn, void *ctx) {
    Status st = ST_OK;
    for (size_t i = 0; i < len && st == ST_OK; i++) st = fn(vm, ctx, items[i]);
    return st;
}

// Calls fn for each element. Lists and tuples cannot change during it: natives never call back.
static Status for_each(Vm *vm, Value iterable, EachFn fn, void *ctx) {
    if (iterable.kind == K_LIST)
        return each_item(vm, iterable.list->items, iterable.list->len, fn, ctx);
    if (iterable.kind == K_TUPLE)
        return each_item(vm, iterable.tuple->items, iterable.tuple->len, fn, ctx);
    Value list;
    Status st = op_to_list(vm, iterable, &list);
    if (st != ST_OK) return st;
    st = each_item(vm, list.list->items, list.list->len, fn, ctx);
    if (st == ST_DEFER) op_put_back(vm, iterable, list);
    release(vm, list);
    return st;
}

static Status each_add(Vm *vm, void *ctx, Value item) {
    return set_add(vm, ctx, item);
}

Status set_update(Vm *vm, Set *set, Value iterable) {
    Value other = operand(vm, iterable);
    if (is_set(other)) return set_merge(vm, set, other.set);
    if (other.kind == K_DICT) return set_merge_dict(vm, set, other.dict);
    return for_each(vm, other, each_add, set);
}

// Returns a finished set in *out, or releases it after a failure.
static Status finish(Vm *vm, Set *set, Status st, Value *out) {
    if (st == ST_OK) {
        *out = v_obj(set);
    } else {
        release_obj(vm, set);
    }
    return st;
}

static bool is_frozen(const Set *set) {
    return set->gc.obj.kind == K_FROZENSET;
}

Status set_from(Vm *vm, Value iterable, bool frozen, Value *out) {
    Set *set = set_new(vm, frozen);
    if (!set) return vm_no_memory(vm);
    return finish(vm, set, set_update(vm, set, iterable), out);
}

static Status copy_out(Vm *vm, const Set *set, Value *out) {
    Set *copy = set_copy(vm, set, is_frozen(set));
    return finish(vm, copy, copy ? ST_OK : vm_no_memory(vm), out);
}

Status set_union(Vm *vm, Set *a, Value other, Value *out) {
    Value same = operand(vm, other);
    if (is_set(same) && same.set == a) return copy_out(vm, a, out);
    Set *result = set_copy(vm, a, is_frozen(a));
    if (!result) return vm_no_memory(vm);
    return finish(vm, result, set_update(vm, result, other), out);
}

// --- Intersection ------------------------------------------------------------------------------

typedef struct Pair {
    Set *from, *to;
} Pair;

static Status has_known(Vm *vm, const Set *set, Value key, int64_t hash, bool *found) {
    uint32_t place;
    Status st = set_find(vm, set, key, hash, &place);
    *found = st == ST_OK;
    return st == ST_STOP ? ST_OK : st;
}

static Status add_if_common(Vm *vm, const Pair *pair, Value key, int64_t hash) {
    bool found;
    Status st = has_known(vm, pair->from, key, hash, &found);
    return st == ST_OK && found ? set_add_known(vm, pair->to, key, hash) : st;
}

static Status each_if_common(Vm *vm, void *ctx, Value item) {
    int64_t hash;
    Status st = key_hash(vm, item, &hash);
    return st == ST_OK ? add_if_common(vm, ctx, item, hash) : st;
}

static Status intersect_sets(Vm *vm, Set *a, Set *b, Set *to) {
    Set *small = b->used > a->used ? a : b;
    Pair pair = {small == a ? b : a, to};
    SetEntry entry;
    uint32_t pos = 0;
    Status st = ST_OK;
    while (st == ST_OK && set_next_entry(small, &pos, &entry))
        st = add_if_common(vm, &pair, entry.key, entry.hash);
    return st;
}

Status set_intersection(Vm *vm, Set *a, Value iterable, Value *out) {
    Value other = operand(vm, iterable);
    if (is_set(other) && other.set == a) return copy_out(vm, a, out);
    Set *result = set_new(vm, is_frozen(a));
    if (!result) return vm_no_memory(vm);
    Pair pair = {a, result};
    Status st = is_set(other) ? intersect_sets(vm, a, other.set, result)
                              : for_each(vm, other, each_if_common, &pair);
    return finish(vm, result, st, out);
}

// --- Difference --------------------------------------------------------------------------------

static Status each_discard(Vm *vm, void *ctx, Value item) {
    Status st = set_del(vm, ctx, item);
    return st == ST_STOP ? ST_OK : st;
}

static Status discard_all(Vm *vm, Set *a, const Set *other) {
    SetEntry entry;
    uint32_t pos = 0;
    Status st = ST_OK;
    while (st == ST_OK && set_next_entry(other, &pos, &entry)) {
        st = set_discard_known(vm, a, entry.key, entry.hash);
        if (st == ST_STOP) st = ST_OK;
    }
    return st;
}

// Removes the elements of `other` from a. A much larger `other` is first reduced to the common elements.
static Status discard_set(Vm *vm, Set *a, Set *other) {
    if (other->used >> 3 <= a->used) return discard_all(vm, a, other);
    Value common;
    Status st = set_intersection(vm, a, v_obj(other), &common);
    if (st != ST_OK) return st;
    st = discard_all(vm, a, common.set);
    release(vm, common);
    return st;
}

Status set_difference_update(Vm *vm, Set *a, Value iterable) {
    Value other = operand(vm, iterable);
    if (is_set(other) && other.set == a) {
        set_clear(vm, a);
        return ST_OK;
    }
    Status st =
        is_set(other) ? discard_set(vm, a, other.set) : for_each(vm, other, each_discard, a);
    return st == ST_OK ? set_shrink(vm, a) : st;
}

static Status copy_and_discard(Vm *vm, Set *a, Value other, Value *out) {
    Set *result = set_copy(vm, a, is_frozen(a));
    if (!result) return vm_no_memory(vm);
    return finish(vm, result, set_difference_update(vm, result, other), out);
}

static Status is_in(Vm *vm, Value other, const SetEntry *entry, bool *found) {
    if (other.kind != K_DICT) return has_known(vm, other.set, entry->key, entry->hash, found);
    uint32_t at;
    Status st = dict_find(vm, other.dict, entry->key, entry->hash, &at);
    *found = st == ST_OK;
    return st == ST_STOP ? ST_OK : st;
}

static Status add_missing(Vm *vm, const Set *a, Value other, Set *result) {
    SetEntry entry;
    uint32_t pos = 0;
    Status st = ST_OK;
    while (st == ST_OK && set_next_entry(a, &pos, &entry)) {
        bool found;
        st = is_in(vm, other, &entry, &found);
        if (st == ST_OK && !found) st = set_add_known(vm, result, entry.key, entry.hash);
    }
    return st;
}

Status set_difference(Vm *vm, Set *a, Value iterable, Value *out) {
    Value other = operand(vm, iterable);
    if (!is_set(other) && other.kind != K_DICT) return copy_and_discard(vm, a, other, out);
    uint32_t size = is_set(other) ? other.set->used : other.dict->count;
    if (a->used >> 2 > size) return copy_and_discard(vm, a, other, out);
    Set *result = set_new(vm, is_frozen(a));
    if (!result) return vm_no_memory(vm);
    return finish(vm, result, add_missing(vm, a, other, result), out);
}

// --- Symmetric difference ----------------------------------------------------------------------

// Removes the key if the set has it; otherwise adds it.
static Status toggle(Vm *vm, Set *a, Value key, int64_t hash) {
    Status st = set_discard_known(vm, a, key, hash);
    return st == ST_STOP ? set_add_known(vm, a, key, hash) : st;
}

static Status toggle_set(Vm *vm, Set *a, const Set *other) {
    SetEntry entry;
    uint32_t pos = 0;
    uint32_t place;
    // Toggling cannot be repeated, so every comparison is tried before anything changes.
    while (set_next_entry(other, &pos, &entry)) {
        Status st = set_find(vm, a, entry.key, entry.hash, &place);
        if (st != ST_OK && st != ST_STOP) return st;
    }
    Status st = ST_OK;
    pos = 0;
    while (st == ST_OK && set_next_entry(other, &pos, &entry))
        st = toggle(vm, a, entry.key, entry.hash);
    return st;
}

static Status toggle_dict(Vm *vm, Set *a, const Dict *other) {
    Status st = ST_OK;
    uint32_t place;
    for (uint32_t i = 0; i < other->used; i++) {
        const DictEntry *e = &other->entries[i];
        if (e->key.kind == K_UNDEF) continue;
        st = set_find(vm, a, e->key, e->hash, &place);
        if (st != ST_OK && st != ST_STOP) return st;
    }
    st = ST_OK;
    for (uint32_t i = 0; i < other->used && st == ST_OK; i++) {
        const DictEntry *e = &other->entries[i];
        if (e->key.kind != K_UNDEF) st = toggle(vm, a, e->key, e->hash);
    }
    return st;
}

Status set_symmetric_difference_update(Vm *vm, Set *a, Value iterable) {
    Value other = operand(vm, iterable);
    if (is_set(other) && other.set == a) {
        set_clear(vm, a);
        return ST_OK;
    }
    if (is_set(other)) return toggle_set(vm, a, other.set);
    if (other.kind == K_DICT) return toggle_dict(vm, a, other.dict);
    Value set;
    Status st = set_from(vm, other, is_frozen(a), &set);
    if (st != ST_OK) return st;
    st = toggle_set(vm, a, set.set);
    if (st == ST_DEFER) { // the iterable may have been emptied: give its items back
        Value list;
        if (op_to_list(vm, set, &list) == ST_OK) {
            op_put_back(vm, other, list);
            release(vm, list);
        } else {
            st = ST_ERROR;
        }
    }
    release(vm, set);
    return st;
}

Status set_symmetric_difference(Vm *vm, Set *a, Value other, Value *out) {
    Value result;
    Status st = set_from(vm, other, is_frozen(a), &result);
    if (st != ST_OK) return st;
    return finish(vm, result.set, set_symmetric_difference_update(vm, result.set, v_obj(a)), out);
}

// --- Order -------------------------------------------------------------------------------------

Status set_is_subset(Vm *vm, const Set *a, const Set *b, bool *out) {
    SetEntry entry;
    uint32_t pos = 0;
    bool found = a->used <= b->used;
    Status st = ST_OK;
    while (st == ST_OK && found && set_next_entry(a, &pos, &entry))
        st = has_known(vm, b, entry.key, entry.hash, &found);
    if (st == ST_OK) *out = found;
    return st;
}

static Status set_equal(Vm *vm, const Set *a, const Set *b, bool *out) {
    *out = false;
    if (a->used != b->used) return ST_OK;
    if (a->hash && b->hash && a->hash != b->hash) return ST_OK;
    return set_is_subset(vm, a, b, out);
}

Status set_order(Vm *vm, CompareOp op, const Set *a, const Set *b, Value *out) {
    bool result = false;
    Status st = ST_OK;
    switch (op) {
    case CMP_EQ:
    case CMP_NE:
        st = set_equal(vm, a, b, &result);
        if (op == CMP_NE) result = !result;
        break;
    case CMP_LE: st = set_is_subset(vm, a, b, &result); break;
    case CMP_GE: st = set_is_subset(vm, b, a, &result); break;
    case CMP_LT:
        if (a->used < b->used) st = set_is_subset(vm, a, b, &result);
        break;
    case CMP_GT:
        if (b->used < a->used) st = set_is_subset(vm, b, a, &result);
        break;
    default: return ST_NOTIMPL;
    }
    if (st == ST_OK) *out = v_bool(result);
    return st;
}

// Returns ST_STOP if the set `ctx` lacks the item.
static Status stop_if_missing(Vm *vm, void *ctx, Value item) {
    int64_t hash;
    bool found = true;
    Status st = key_hash(vm, item, &hash);
    if (st == ST_OK) st = has_known(vm, ctx, item, hash, &found);
    return st == ST_OK && !found ? ST_STOP : st;
}

// Leaves iterators to the slow path, as set_is_disjoint does.
Status set_is_superset(Vm *vm, const Set *a, Value iterable, bool *out) {
    Value other = operand(vm, iterable);
    if (is_set(other)) return set_is_subset(vm, other.set, a, out);
    if (other.kind == K_ITER) return ST_DEFER;
    Status st = for_each(vm, other, stop_if_missing, (void *)a);
    *out = st != ST_STOP;
    return st == ST_STOP ? ST_OK : st;
}

// Returns ST_STOP if the set `ctx` has the item.
static Status stop_if_common(Vm *vm, void *ctx, Value item) {
    int64_t hash;
    bool found = false;
    Status st = key_hash(vm, item, &hash);
    if (st == ST_OK) st = has_known(vm, ctx, item, hash, &found);
    return st == ST_OK && found ? ST_STOP : st;
}

static Status sets_are_disjoint(Vm *vm, Set *a, Value other, bool *out) {
    Value common;
    Status st = set_intersection(vm, a, other, &common);
    if (st != ST_OK) return st;
    *out = common.set->used == 0;
    release(vm, common);
    return ST_OK;
}

// Items after the first common one must stay in an iterator, so iterators take the slow path.
Status set_is_disjoint(Vm *vm, Set *a, Value iterable, bool *out) {
    Value other = operand(vm, iterable);
    if (is_set(other)) return sets_are_disjoint(vm, a, other, out);
    if (other.kind == K_ITER) return ST_DEFER;
    Status st = for_each(vm, other, stop_if_common, a);
    *out = st != ST_STOP;
    return st == ST_STOP ? ST_OK : st;
}
