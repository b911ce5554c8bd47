// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Machine code whose parallel loops the device runs, so that arrays need not be brought home for it.

#ifndef NACRE_VM_JIT_ITEMS_H
#define NACRE_VM_JIT_ITEMS_H

#include "vm/jit/away.h"

// Returns whether a device can run all parallel loops of a region, and only these access elements.
bool items_suit(const Region *region);
// Before code is entered, with its arrays' storages in place.
Status items_open(AwayRun *run);
void items_close(AwayRun *run);
// Makes the iterations of a loop on the device and returns how many: all; or none, and the elements that it touches are home.
int64_t items_make(AwayRun *run, const ParallelRun *loop, RegionSlot *state);

#endif
