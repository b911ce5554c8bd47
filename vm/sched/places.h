// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Gathers and scatters elements at indices that are known only at run time, whichever ranks own them. Ranks first tell
// each other by a gather how many indices they have for each owner; then indices are exchanged, and elements.

#ifndef NACRE_VM_SCHED_PLACES_H
#define NACRE_VM_SCHED_PLACES_H

#include "vm/sched/blocks.h"

// The elements at one index of some dimensions, along all the others. They lie in one rank's block.
typedef struct Unit {
    Storage *storage;
    int64_t offset, step; // the elements of index p begin at offset + p * step, and extend along these dimensions:
    int ndim;
    int64_t shape[NDIM_MAX], strides[NDIM_MAX];
    size_t item;       // bytes of an element
    int64_t bytes;     // bytes of all elements, packed
    int64_t low, high; // the bytes that the elements span, relative to where they begin
} Unit;

// Describes the units of a view, with all dimensions except those in `axes`.
void unit_of(Unit *unit, const View *view, AxisSet axes, int64_t step);
void unit_pack(const Unit *unit, int64_t place, char *to);

// Fetches a packed unit for each distinct index that this rank has. *numbers: for each index, the number of its unit.
// *units and *numbers are boxes (boxes.h). Collective.
Status places_fetch(Vm *vm, const Unit *unit, const int64_t *places, int64_t count, Storage **units,
                    Storage **numbers);
// What places_send sends: `count` indices with a unit for each. `everyone_has_all`: all ranks have the same indices and
// units, so that nothing needs to be sent.
typedef struct Scattered {
    const int64_t *places;
    const Unit *values; // the unit with index i belongs to places[i]
    int64_t count;
    bool everyone_has_all;
} Scattered;
// Sends indices, and a unit for each, to the units' owners. *places and *units are boxes with the *count indices and
// units that this rank owns, ordered by the rank that they come from and then as that rank had them. Collective.
Status places_send(Vm *vm, const Unit *to, const Scattered *s, Storage **places, Storage **units, int64_t *count);

#endif
