// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Elements at indices known only at run time, whichever ranks they lie on: what each rank wants of others, or has for
// them, is told in one small gather; then indices travel, and elements.

#ifndef NACRE_VM_SCHED_PLACES_H
#define NACRE_VM_SCHED_PLACES_H

#include "vm/sched/blocks.h"

// The elements that one index stands for: those of the other dimensions there. They lie in one rank's block.
typedef struct Unit {
    Storage *storage;
    int64_t offset, step; // an index p stands for offset + p * step, and the dimensions from there
    int ndim;
    int64_t shape[NDIM_MAX], strides[NDIM_MAX];
    size_t item;
    int64_t bytes;     // packed
    int64_t low, high; // the bytes that it touches, relative to where it begins
} Unit;

// Of a view, without the dimensions in `axes`.
void unit_of(Unit *unit, const View *view, AxisSet axes, int64_t step);
void unit_pack(const Unit *unit, int64_t place, char *to);

// Collective. Makes a storage of units, packed, one for each different index that this rank has. *numbers: for each
// index, which of the units is its own. Both are boxes (boxes.h).
Status places_fetch(Vm *vm, const Unit *unit, const int64_t *places, int64_t count, Storage **units,
                    Storage **numbers);
// Collective. Sends indices, and a unit for each, to the owners. Makes storages of the indices and units that are this
// rank's, in the order of ranks and then of each rank's indices. `everyone_has_all`: nothing needs to be sent.
typedef struct Scattered {
    const int64_t *places;
    const Unit *values; // index i stands for the unit of place i
    int64_t count;
    bool everyone_has_all;
} Scattered;
Status places_send(Vm *vm, const Unit *to, const Scattered *s, Storage **places, Storage **units, int64_t *count);

#endif
