// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Compiled code whose parallel loops the device runs, so that its arrays need not be brought to the host.

#ifndef NACRE_VM_JIT_ITEMS_H
#define NACRE_VM_JIT_ITEMS_H

#include "vm/jit/away.h"

// Returns whether a device can run all parallel loops of a region, and only these access elements.
bool items_suit(const Region *region);
// Prepares the arrays in run->storages before code is entered: sets run->stays.
Status items_open(AwayRun *run);
void items_close(AwayRun *run);
// Runs the iterations of a loop on the device. Returns how many it ran: all, or 0; then the elements that the loop
// accesses are in the host's memory, or run->st is an error.
int64_t items_make(AwayRun *run, const ParallelRun *loop, RegionSlot *state);

#endif
