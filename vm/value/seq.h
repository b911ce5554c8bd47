// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Tuples, lists, ranges, slices and the iterators over built-in kinds.

#ifndef NACRE_VM_VALUE_SEQ_H
#define NACRE_VM_VALUE_SEQ_H

#include "vm/value/vm.h"

// Returns a new tuple (owned), or NULL when out of memory. Its items are V_UNDEF: the caller fills them before any
// other code sees the tuple.
Tuple *tuple_new(Vm *vm, size_t len);
Status tuple_of(Vm *vm, const Value *items, size_t len, Value *out); // copies (retains) items
Status tuple_steal(Vm *vm, Value *items, size_t len, Value *out);    // moves items out, leaves UNDEF
                                                                     // (also on failure: released)
List *list_new(Vm *vm, size_t capacity);
Status list_steal(Vm *vm, Value *items, size_t len, Value *out);
Status list_append(Vm *vm, List *list, Value owned);   // consumes, also on failure
Status list_extend(Vm *vm, List *list, Value iterable); // ST_DEFER: nothing taken yet
Status list_to_tuple(Vm *vm, List *list, Value *out);
Status list_insert(Vm *vm, List *list, int64_t index, Value owned);

// In-place stable sort of native comparable items (list_sort.c). ST_DEFER when a comparison needs
// user code: the items are untouched then. `keys` may be NULL or parallel to items.
Status seq_sort(Vm *vm, Value *items, Value *keys, size_t len, bool reverse);

Status range_new(Vm *vm, Value start, Value stop, Value step, Value *out);
Status slice_new(Vm *vm, Value start, Value stop, Value step, Value *out); // borrows
// Resolves a slice against a length as Python's slice.indices: count items from start by step.
Status slice_resolve(Vm *vm, const Slice *slice, int64_t len, int64_t *start, int64_t *stop,
                     int64_t *step, int64_t *count);
// Wraps a negative index and checks it: IndexError("list index out of range") with `what` = list.
Status seq_index(Vm *vm, int64_t *index, int64_t len, const char *what);

// One object kind for all native iterators; its role says what it iterates over. Iterators over a list see
// its changes; those over a dict or set raise an exception if its size has changed.
typedef enum IterRole {
    ITER_RANGE, ITER_LIST, ITER_LIST_REVERSED, ITER_TUPLE, ITER_STR, ITER_BYTES, ITER_DICT_KEYS,
    ITER_DICT_VALUES, ITER_DICT_ITEMS, ITER_DICT_REVERSED, ITER_SET, ITER_ARRAY, ITER_ENUMERATE,
    ITER_ZIP, ITER_GETITEM_REVERSED, ITER_FILE, ITER_BIG_RANGE, ITER_TUPLE_REVERSED,
    ITER_GRID, // grid.h
    ITER_DEQUE, ITER_DEQUE_REVERSED,
} IterRole;

typedef struct Iter {
    GcObj gc; // gc.obj.aux: IterRole
    Value over;     // what it iterates over; V_UNDEF once exhausted. zip: a tuple of iterators
    int64_t index;  // next position, range's next value, enumerate's count
    int64_t stop;   // range: values left
    int64_t step;   // range's step
    Value extra;    // enumerate: big start; zip: strict
    uint32_t version;
    uint32_t turn;
    Tuple *made[2]; // enumerate, zip: the last two results, reused if nothing else holds them
} Iter;

// The method __length_hint__ of native iterators and of steppers of reversed().
Status iter_length_hint(Vm *vm, const Value *args, Value *out);
Iter *iter_new(Vm *vm, IterRole role, Value over); // borrows over; NULL when out of memory

// Makes iter(range(*args)) without a range object, for valid arguments that are small ints. ST_NOTIMPL: the arguments
// are others.
Status range_loop(Vm *vm, const Value *args, uint32_t count, Value *out);

// Stores the `count` components of the next item in slots, without making a tuple, for iterators whose items
// are tuples made on the way (zip, enumerate, items of a dict). ST_NOTIMPL: this is another iterator, and nothing
// has happened. ST_STOP and errors leave the slots alone.
Status iter_take_apart(Vm *vm, Iter *it, uint32_t count, Value *slots);

#endif
