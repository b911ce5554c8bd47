// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Machine code whose parallel loops the device runs, so that arrays need not be brought home for it.

#ifndef NACRE_VM_JIT_ITEMS_H
#define NACRE_VM_JIT_ITEMS_H

#include "vm/jit/infer.h"
#include "vm/region/parallel_run.h"

// One run of such code.
typedef struct ItemsRun {
    Vm *vm;
    const LoopPlace *place;
    Variant *variant;
    bool on;     // loops may be run on the device
    uint32_t stays; // arrays whose elements are the host's all the while
    Storage *storages[REGION_ARRAYS];
    Status st; // ST_ERROR: an exception is set, and code leaves as soon as it can
} ItemsRun;

// Whether code touches elements in such loops alone.
bool items_suit(const Region *region);
// Before code is entered, with its arrays' storages in place.
Status items_open(ItemsRun *run);
void items_close(ItemsRun *run);
// Makes the iterations of a loop on the device and returns how many: all; or none, and the elements that it touches are home.
int64_t items_make(ItemsRun *run, const ParallelRun *loop, RegionSlot *state);

#endif
