// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Walks over the elements of arrays by number (walk.c, flat.c).

#ifndef NACRE_VM_ARRAY_WALK_H
#define NACRE_VM_ARRAY_WALK_H

#include "vm/array/array.h"

enum { FLAT_ARRAY, FLAT_WALK }; // gc.obj.aux of the kind flatiter

typedef struct Flat {
    GcObj gc;
    Value array;   // owned
    int64_t index; // index of the next element
} Flat;

typedef struct ArrayWalk {
    Flat flat;       // as an object of its kind: over the first of the views
    Value views;     // a tuple of arrays with one shape
    Value axes;      // of places (see array_walk); an empty tuple: these are asked for elsewhere
    Value made[2];   // the last two items given out; each is reused once nothing else holds it
    int64_t at, end; // the element at hand, and where the walk ends
    int64_t chunk;   // elements in an item, which is a view of one dimension; 0: a view of an element
    bool started;    // element `at` has been given
    bool plain;      // the methods here do all there is to do for a step
    bool elements, several, turn;
} ArrayWalk;

// Byte offset of element i, in C order, from the start of the storage.
int64_t array_offset_of(Array *array, int64_t i);
Status array_element_at(Vm *vm, Array *array, int64_t i, Value *out);

Status array_walk(Vm *vm, const Value *args, Value *out);
void walk_visit(Obj *obj, Visitor *visitor);
void walk_drop(Vm *vm, Obj *obj);
Status array_walk_at(Vm *vm, const Value *args, Value *out);
Status array_walk_go(Vm *vm, const Value *args, Value *out);
extern const NativeDef array_walk_methods[]; // of classes that hold a walk as `_walk`

#endif
