// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Shared by the files on sets.

#ifndef NACRE_VM_VALUE_SET_IMPL_H
#define NACRE_VM_VALUE_SET_IMPL_H

#include "vm/value/dict_impl.h"

static inline bool is_set(Value v) {
    return v.kind == K_SET || v.kind == K_FROZENSET;
}

// --- The table (set.c) -------------------------------------------------------------------------

// Finds the place of an element. ST_STOP: the set does not have it.
Status set_find(Vm *vm, const Set *set, Value key, int64_t hash, uint32_t *place);
Status set_add_known(Vm *vm, Set *set, Value key, int64_t hash); // does nothing when there already
void set_remove_at(Vm *vm, Set *set, uint32_t place);
Status set_discard_known(Vm *vm, Set *set, Value key, int64_t hash); // ST_STOP: not there
// Reads the next element with its hash; start with *pos = 0. False: there are no more.
bool set_next_entry(const Set *set, uint32_t *pos, SetEntry *entry);
// As CPython's set_merge: one big resize, plain copies where possible.
Status set_merge(Vm *vm, Set *set, const Set *other);
Status set_merge_dict(Vm *vm, Set *set, const Dict *dict); // its keys
// Grows once before `more` elements are added, as CPython does when their number is known.
Status set_reserve(Vm *vm, Set *set, uint32_t more);
void set_clear(Vm *vm, Set *set);
Status set_shrink(Vm *vm, Set *set); // after many removals
void set_swap(Set *a, Set *b);       // exchanges contents
Set *set_copy(Vm *vm, const Set *set, bool frozen);

// Computes the hash of a key to look up. *held (owned) is the key to use: for a set, which is unhashable, a
// frozen copy of it.
Status set_lookup_key(Vm *vm, Value key, Value *held, int64_t *hash);

// --- Algebra (set_algebra.c) -------------------------------------------------------------------
// `other` is any value: a set, a dict or another iterable. Results are new sets of a's kind. All
// follow CPython in what is iterated and in which order elements are inserted.

Status set_union(Vm *vm, Set *a, Value other, Value *out);
Status set_intersection(Vm *vm, Set *a, Value other, Value *out);
Status set_difference(Vm *vm, Set *a, Value other, Value *out);
Status set_symmetric_difference(Vm *vm, Set *a, Value other, Value *out);
Status set_difference_update(Vm *vm, Set *a, Value other);
Status set_symmetric_difference_update(Vm *vm, Set *a, Value other);
Status set_from(Vm *vm, Value iterable, bool frozen, Value *out); // a new set
Status set_is_subset(Vm *vm, const Set *a, const Set *b, bool *out);
Status set_is_superset(Vm *vm, const Set *a, Value other, bool *out);
Status set_is_disjoint(Vm *vm, Set *a, Value other, bool *out);

// <, <=, ==, !=, >=, > of two sets.
Status set_order(Vm *vm, CompareOp op, const Set *a, const Set *b, Value *out);
int64_t set_hash_elements(const Set *set); // frozenset's hash

// Writes a repr with the name of a class around the elements; NULL: without, as plain sets print.
Status set_repr_named(Vm *vm, Set *set, const char *name, Buf *out, int depth);

#endif
