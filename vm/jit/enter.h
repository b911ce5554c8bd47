// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Converts between the interpreter's values and a region's slots.

#ifndef NACRE_VM_JIT_ENTER_H
#define NACRE_VM_JIT_ENTER_H

#include "vm/jit/away.h"
#include "vm/region/parallel_run.h"

// Everything that leaving needs, allocated on entry, so that leaving cannot run out of memory.
typedef struct EnterRoom {
    RegionSlot slots[REGION_SLOTS];
    Value *values; // new values of variables
    size_t value_room;
    Value iters[EXIT_ITERS]; // new iterators
    Value views[EXIT_VIEWS]; // new arrays, of REGION_DIMS dimensions at most
    Value made[MADE_ARRAYS]; // arrays allocated by running code
    char *bases[REGION_ARRAYS], *bases_made[MADE_ARRAYS];
    char *scratch; // SCRATCH_BYTES, or NULL
    ParallelRoom parallel;
} EnterRoom;

enum { SCRATCH_BYTES = SCRATCH_ELEMENTS * 8 };
void enter_room_free(Vm *vm, EnterRoom *room);
void enter_room_visit(const EnterRoom *room, Visitor *visitor);

// Returns whether one of the variant's arrays is distributed.
bool arrays_are_distributed(Vm *vm, const LoopPlace *place, const Variant *variant, const Frame *frame);
// Returns whether each array has fewer than `below` elements, and none is valid on a device only.
bool arrays_are_little(const LoopPlace *place, const Variant *variant, const Frame *frame, int64_t below);
// Returns whether no array is pending or valid on a device only.
bool arrays_are_here(const LoopPlace *place, const Variant *variant, const Frame *frame);

// Returns whether the variables have the types that a variant was made for.
bool variant_fits(Vm *vm, const LoopPlace *place, const Variant *variant, const Frame *frame);

// Runs a fitting, compiled variant in the running frame; `away` says where its arrays stay. ST_OK: frames, registers
// and globals have the values of exit number *exit, where the program continues. ST_NOTIMPL: an array is empty, or
// the frames would pass the recursion limit. Otherwise ST_ERROR; nothing has changed, unless the exception was raised
// after code had been entered.
Status enter(Vm *vm, EnterRoom *room, const LoopPlace *place, Variant *variant, Away away, int32_t *exit,
             int64_t *rounds);

#endif
