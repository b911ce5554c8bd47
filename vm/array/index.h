// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Indexing, inside: a key is taken apart (index_key.c), masks and index arrays say where elements
// lie (index_mask.c, index_walk.c), and elements are read (index_get.c), written (index_set.c) or
// meet operands (index_at.c).

#ifndef NACRE_VM_ARRAY_INDEX_H
#define NACRE_VM_ARRAY_INDEX_H

#include "vm/array/array.h"

enum { KEYS_MAX = 2 * NDIM_MAX };

typedef struct Keys {
    Value items[KEYS_MAX];
    Value owned[KEYS_MAX]; // arrays made of lists
    int count;
} Keys;

// An index array and the dimension of the view it selects from.
typedef struct Advanced {
    int dim;
    Value array;    // int64; owned
    int axis;       // of the array that is indexed, for errors
    bool unchecked; // may be negative or beyond
    bool number;    // an int among index arrays
} Advanced;

typedef struct Selection {
    View view;        // after the basic part
    Advanced advanced[NDIM_MAX];
    int advanced_count;
    bool by_arrays;   // some key is an index array or a mask
    bool by_mask;     // one mask over all dimensions
    bool all_ints;    // every dimension was indexed by an int: the result is a scalar
    int gap;          // how many index arrays stand in front of an Ellipsis
    bool copies;      // an array without dimensions stands for an int: what is read is no view
} Selection;

// The operation of ufunc.at.
typedef struct Meet {
    OpId op;
    bool as_at; // what warnings call it
} Meet;

// A selection by index arrays: for each combination of the broadcast index arrays, a sub-view of the
// dimensions without one.
typedef struct Walk {
    int64_t shape[NDIM_MAX]; // of the index arrays, broadcast
    int ndim;
    View result;             // shape of the whole result
    int at;                  // where the broadcast dimensions stand in the result
} Walk;

// --- Keys (index_key.c) ------------------------------------------------------------------------

// The parts of a key. index_keys_free is due whatever the answer; so is index_selection_free.
Status index_keys(Vm *vm, Value key, Keys *keys);
void index_keys_free(Vm *vm, Keys *keys);
Status index_select(Vm *vm, Array *array, const Keys *keys, Selection *s);
void index_selection_free(Vm *vm, Selection *s);
bool index_is_mask(Value v);
Status index_too_many(Vm *vm, int ndim, int used);
Status index_too_large(Vm *vm, int ndim); // of a result with so many dimensions
void view_push_dim(View *v, int64_t extent, int64_t stride);

// Where the element lies that ints name, one for each dimension; false: not such a case.
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

// One mask of the array's own shape, and what it selects; `number` is no array.
bool index_is_whole_mask(Value self, const Keys *keys);
Status index_get_masked(Vm *vm, Value self, Value mask, Value *out);
Status index_set_masked(Vm *vm, Value self, Value mask, Value value);
// The mask as a contiguous one (owned), and how many elements it selects.
Status index_count_masked(Vm *vm, Value mask, Value *flat, int64_t *count);
// Writes so many values, a contiguous row of the array's type, into an array that is contiguous, too.
Status index_put_masked(Vm *vm, Value self, Value flat, Value values);

// A node for few elements of a row, where contiguous int64 indexes say (graph_try); its other operand, or the output,
// is to be filled in. NULL: it is another case.
Node *index_row_node(Vm *vm, OpId op, Array *row, const Keys *keys);

// --- Index arrays (index_walk.c) ---------------------------------------------------------------

// Broadcasts the index arrays. IndexError.
Status index_walk(Vm *vm, const Selection *s, Walk *w);
// That what they name exists; index_move needs it. IndexError.
Status index_check(Vm *vm, const Selection *s, const Walk *w);
// Records that elements move between the selected places and `dense`, of the result's shape; or, with
// `meet`, that those of `dense`, which are of its loop's type, meet them.
Status index_move(Vm *vm, const Selection *s, const Walk *w, View *dense, bool take, const Meet *meet);

#endif
