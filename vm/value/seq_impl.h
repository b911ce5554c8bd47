// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Shared by the sequence kinds and str: reading indexes, bounds and counts from arguments.

#ifndef NACRE_VM_VALUE_SEQ_IMPL_H
#define NACRE_VM_VALUE_SEQ_IMPL_H

#include "vm/value/class.h"
#include "vm/value/num.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"

// Whether None is allowed as an index argument.
typedef enum BoundRule { BOUND_OR_NONE, BOUND_ONLY } BoundRule;

// A bound of a slice: `fallback` for what is not given (and for None); too large ints saturate.
Status seq_bound(Vm *vm, Value v, BoundRule rule, int64_t fallback, int64_t *out);
// Counts a negative bound from the end and limits it to 0 … len.
int64_t seq_clamp(int64_t bound, int64_t len);
// The start and end arguments of index(), count() and the like.
Status seq_range_args(Vm *vm, Value start, Value end, BoundRule rule, int64_t len, int64_t *from,
                      int64_t *to);
// An integer as key: TypeError("<what> indices must be integers or slices, not str").
Status seq_key(Vm *vm, Value key, const char *what, int64_t *out);
// An argument that Python keeps in a ssize_t: OverflowError when it does not fit.
Status seq_size_arg(Vm *vm, Value v, int64_t *out);
// The count of a repetition, at least 0; ST_NOTIMPL when v is no integer.
Status seq_repeat_count(Vm *vm, Value v, int64_t *out);
// Fills `total` bytes with copies of the first `unit`; an interrupt may end it.
Status seq_fill(Vm *vm, char *data, size_t unit, size_t total);

// op_eq without the call for the commonest pairs.
static inline Status seq_eq(Vm *vm, Value a, Value b, bool *out) {
    if (a.kind == K_INT && b.kind == K_INT) {
        *out = a.i == b.i;
        return ST_OK;
    }
    return op_eq(vm, a, b, out);
}

// Compares two runs of values as Python compares lists.
Status seq_compare_items(Vm *vm, CompareOp op, const Value *a, size_t a_len, const Value *b,
                         size_t b_len, Value *out);
// The first position in from … to of an item equal to v; -1 when there is none.
Status seq_find(Vm *vm, const Value *items, size_t from, size_t to, Value v, int64_t *out);
Status seq_count(Vm *vm, const Value *items, size_t len, Value v, int64_t *out);
// Writes the items with commas between them.
Status seq_repr_items(Vm *vm, const Value *items, size_t len, Buf *out, int depth);

// Guards the repr of a container that may hold itself: false if its repr is already running.
static inline bool repr_enter(Obj *obj) {
    if (obj->flags & OBJ_IN_REPR) return false;
    obj->flags |= OBJ_IN_REPR;
    return true;
}
static inline void repr_leave(Obj *obj) {
    obj->flags &= (uint8_t)~OBJ_IN_REPR;
}

Status seq_unhashable(Vm *vm, Value self, int64_t *out); // the `hash` slot of list, slice

// --- Ranges whose bounds may be big ------------------------------------------------------------

// obj.aux of a Range: bounds or length do not fit int64; the object is a BigRange and the int64
// fields describe an empty range.
enum { RANGE_BIG = 1 };
typedef struct BigRange {
    Range range;
    Value start, stop, step, len; // ints
} BigRange;
static inline bool range_is_big(const Range *range) {
    return range->obj.aux & RANGE_BIG;
}

// slice.indices for any ints: start, stop, step and the count of items, as owned values.
typedef struct SliceValues {
    Value start, stop, step, count;
} SliceValues;
Status slice_resolve_values(Vm *vm, const Slice *slice, Value len, SliceValues *out);
void slice_values_release(Vm *vm, SliceValues *values);

// Exact int arithmetic, for what may be big. Operands are ints; results are owned.
Status big_op(Vm *vm, BinaryOp op, Value a, Value b, Value *out);
int big_cmp(Vm *vm, Value a, Value b);
// Items from start to stop by step (not 0).
Status range_count(Vm *vm, Value start, Value stop, Value step, Value *out);

Status range_reversed(Vm *vm, Value self, Value *out); // an iterator from the end
Status seq_reversed(Vm *vm, Value self, Value *out);   // the same for any built-in sequence

// --- Iterators ---------------------------------------------------------------------------------

// True when an iterator can be run to its end without the interpreter.
static inline bool iter_is_native(Value it) {
    return it.kind != K_GEN && it.kind != K_INSTANCE && it.kind != K_STEPPER;
}

// Constructors of what is stepped natively; ST_DEFER when something of it is not (iter_functions.c).
Status iter_make_enumerate(Vm *vm, const Value *args, Value *out);
Status iter_make_zip(Vm *vm, const Value *args, Value *out);
Status iter_make_reversed(Vm *vm, const Value *args, Value *out);

#endif
