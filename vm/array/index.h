// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Private to indexing: keys are parsed (index_key.c), masks and index arrays select elements
// (index_mask.c, index_walk.c), which are read (index_get.c), written (index_set.c) or combined
// with operands (index_at.c).

#ifndef NACRE_VM_ARRAY_INDEX_H
#define NACRE_VM_ARRAY_INDEX_H

#include "vm/array/array.h"

enum { KEYS_MAX = 2 * NDIM_MAX };

typedef struct Keys {
    Value items[KEYS_MAX];
    Value owned[KEYS_MAX]; // arrays made from lists
    int count;
} Keys;

// An index array and the dimension that it indexes.
typedef struct Advanced {
    int dim;
    Value array;    // int64; owned
    int axis;       // axis of the indexed array, for errors
    bool unchecked; // may be negative or out of range
    bool number;    // an int among index arrays
} Advanced;

typedef struct Selection {
    View view;        // after basic indexing
    Advanced advanced[NDIM_MAX];
    int advanced_count;
    bool by_arrays;   // some key is an index array or a mask
    bool by_mask;     // one mask over all dimensions
    bool all_ints;    // every dimension was indexed by an int: the result is a scalar
    int gap;          // number of index arrays before an Ellipsis
    bool copies;      // a 0-dimensional array served as an int: reads give a copy, not a view
} Selection;

// The operation by which ufunc.at combines an operand into elements.
typedef struct Meet {
    OpId op;
    bool as_at; // warnings call it "at"
} Meet;

// A selection by index arrays: each element of the broadcast index arrays selects a sub-view of the
// dimensions that have no index array.
typedef struct Walk {
    int64_t shape[NDIM_MAX]; // of the broadcast index arrays
    int ndim;
    View result;             // shape of the whole result
    int at;                  // position of the broadcast dimensions in the result
} Walk;

// --- Keys (index_key.c) ------------------------------------------------------------------------

// Parses a key. Always call index_keys_free and index_selection_free afterwards, also on failure.
Status index_keys(Vm *vm, Value key, Keys *keys);
void index_keys_free(Vm *vm, Keys *keys);
Status index_select(Vm *vm, Array *array, const Keys *keys, Selection *s);
void index_selection_free(Vm *vm, Selection *s);
bool index_is_mask(Value v);
Status index_too_many(Vm *vm, int ndim, int used);
Status index_too_large(Vm *vm, int ndim); // error for a result with too many dimensions
void view_push_dim(View *v, int64_t extent, int64_t stride);

// Computes the offset of the element that ints select, one per dimension; false: other keys, or out of range.
static inline bool index_element(Array *array, const Value *indexes, int count, int64_t *out) {
    if (count != array->ndim) return false;
    int64_t offset = array->offset;
    for (int d = 0; d < count; d++) {
        if (indexes[d].kind != K_INT) return false;
        int64_t i = indexes[d].i, extent = array_shape(array)[d];
        if (i < 0) i += extent;
        if (i < 0 || i >= extent) return false;
        offset += i * array_strides(array)[d];
    }
    *out = offset;
    return true;
}

// --- Masks (index_mask.c) ----------------------------------------------------------------------

// Returns whether the key is one mask of the array's own shape. The next two read and write what it selects.
bool index_is_whole_mask(Value self, const Keys *keys);
Status index_get_masked(Vm *vm, Value self, Value mask, Value *out);
Status index_set_masked(Vm *vm, Value self, Value mask, Value value);
// Makes the mask contiguous (*flat, owned), and counts its true elements.
Status index_count_masked(Vm *vm, Value mask, Value *flat, int64_t *count);
// Writes a contiguous row of values of the array's type into a contiguous array.
Status index_put_masked(Vm *vm, Value self, Value flat, Value values);

// Makes a node (for graph_try) for few elements of a row, selected by contiguous int64 indices; the
// caller sets the other operand, or the output. NULL: not applicable.
Node *index_row_node(Vm *vm, OpId op, Array *row, const Keys *keys);

// --- Index arrays (index_walk.c) ---------------------------------------------------------------

// Broadcasts the index arrays. IndexError.
Status index_walk(Vm *vm, const Selection *s, Walk *w);
// Checks bounds, before index_move. IndexError.
Status index_check(Vm *vm, const Selection *s, const Walk *w);
// Records a gather (`take`) or a scatter between the selected elements and `dense`, which has the result's shape. A
// scatter copies `dense` to the selected elements. If `meet` is not NULL, it combines both by that op, in the loop type.
Status index_move(Vm *vm, const Selection *s, const Walk *w, View *dense, bool take, const Meet *meet);

#endif
