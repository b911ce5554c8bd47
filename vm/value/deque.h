// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// collections.deque: a list that grows and shrinks at both ends in constant time.

#ifndef NACRE_VM_VALUE_DEQUE_H
#define NACRE_VM_VALUE_DEQUE_H

#include "vm/value/seq.h"

typedef struct Deque {
    GcObj gc;
    Value *items; // those in use are items[head] … items[head + len - 1], of cap
    size_t head, len, cap;
    int64_t limit;  // maxlen; -1: none
    uint32_t edits; // counts changes, for iterators to detect them
} Deque;

static inline Deque *deque_of(Value v) {
    return (Deque *)v.obj;
}

static inline Value *deque_items(const Deque *d) {
    return d->items ? d->items + d->head : NULL;
}

Status deque_iter_next(Vm *vm, Iter *it, Value *out); // ITER_DEQUE, ITER_DEQUE_REVERSED
Status deque_reversed(Vm *vm, Value self, Value *out);
// Writes the repr, with a class's name in front of the items.
Status deque_repr_named(Vm *vm, Deque *deque, const char *name, Buf *out, int depth);

#endif
