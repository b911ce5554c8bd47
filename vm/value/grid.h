// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Iterators over the product of several ranges, of which the last varies fastest, as nacre.map[...] makes them. A point
// of one range is an int, others are tuples of ints.

#ifndef NACRE_VM_VALUE_GRID_H
#define NACRE_VM_VALUE_GRID_H

#include "vm/value/objects.h"
#include "vm/value/seq.h"

// One range of a grid. Iter.over is a tuple with start, step and length of each range; Iter.index counts the points
// produced, Iter.stop those that are left.
typedef struct GridAxis {
    int64_t start, step, length;
} GridAxis;
static inline int grid_rank(const Iter *it) {
    return (int)(it->over.tuple->len / 3);
}
static inline GridAxis grid_axis(const Iter *it, int axis) {
    const Value *of = &it->over.tuple->items[3 * axis];
    return (GridAxis){of[0].i, of[1].i, of[2].i};
}

static inline bool grid_is_plain(const Iter *it) { // all steps are 1
    for (int a = 0; a < grid_rank(it); a++)
        if (grid_axis(it, a).step != 1) return false;
    return true;
}

// Returns whether the next point begins a row: all ranges but the first are at their start.
static inline bool grid_begins_row(const Iter *it) {
    int64_t row = 1;
    for (int a = 1; a < grid_rank(it); a++) row *= grid_axis(it, a).length;
    return it->stop > 0 && it->index % row == 0;
}

// Makes a grid of ranges that are not big. ST_ERROR: no memory, or too many points.
Status grid_new(Vm *vm, const Range *const *ranges, size_t rank, Value *out);
Status grid_next(Vm *vm, Iter *it, Value *out);
// As iter_take_apart.
Status grid_apart(Vm *vm, Iter *it, uint32_t count, Value *slots);

#endif
