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

// Reads a bound of a slice: `fallback` if it is not given or None. Ints that are too large saturate.
Status seq_bound(Vm *vm, Value v, BoundRule rule, int64_t fallback, int64_t *out);
// Counts a negative bound from the end and limits it to 0 … len.
int64_t seq_clamp(int64_t bound, int64_t len);
// Reads the start and end arguments of methods like index() and count().
Status seq_range_args(Vm *vm, Value start, Value end, BoundRule rule, int64_t len, int64_t *from,
                      int64_t *to);
// Reads an integer key, or raises TypeError("<what> indices must be integers or slices, not str").
Status seq_key(Vm *vm, Value key, const char *what, int64_t *out);
// Reads an int argument that CPython keeps in a ssize_t: OverflowError when it does not fit.
Status seq_size_arg(Vm *vm, Value v, int64_t *out);
// Reads the count of a repetition; 0 for negative ones. ST_NOTIMPL: v is no integer.
Status seq_repeat_count(Vm *vm, Value v, int64_t *out);
// Fills `total` bytes with copies of the first `unit` bytes. ST_ERROR: it was interrupted.
Status seq_fill(Vm *vm, char *data, size_t unit, size_t total);

// op_eq, with the most frequent case inline.
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
// Finds the first position in from … to of an item equal to v; -1 when there is none.
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

// A slice resolved as slice.indices does, for ints of any size, and its count of items. All are owned.
typedef struct SliceValues {
    Value start, stop, step, count;
} SliceValues;
Status slice_resolve_values(Vm *vm, const Slice *slice, Value len, SliceValues *out);
void slice_values_release(Vm *vm, SliceValues *values);

// Compute with ints of any size. Results are owned.
Status big_op(Vm *vm, BinaryOp op, Value a, Value b, Value *out);
int big_cmp(Vm *vm, Value a, Value b);
// Counts the items from start to stop by step (not 0).
Status range_count(Vm *vm, Value start, Value stop, Value step, Value *out);

Status range_reversed(Vm *vm, Value self, Value *out); // an iterator from the end
Status seq_reversed(Vm *vm, Value self, Value *out);   // the same for any built-in sequence

// --- Iterators ---------------------------------------------------------------------------------

// True when an iterator can be run to its end without the interpreter.
static inline bool iter_is_native(Value it) {
    return it.kind != K_GEN && it.kind != K_INSTANCE && it.kind != K_STEPPER;
}

// Constructors of native iterators; ST_DEFER if an argument's iterator is not native (iter_functions.c).
Status iter_make_enumerate(Vm *vm, const Value *args, Value *out);
Status iter_make_zip(Vm *vm, const Value *args, Value *out);
Status iter_make_reversed(Vm *vm, const Value *args, Value *out);

#endif
