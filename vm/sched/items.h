// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Loops of the program as kernels of the device: where arrays are while compiled code on the host runs loops on the
// device.

#ifndef NACRE_VM_SCHED_ITEMS_H
#define NACRE_VM_SCHED_ITEMS_H

#include "vm/region/items.h"
#include "vm/value/kind.h"
#include "vm/graph/storage.h"

// Returns whether the device runs loops, and work is placed there.
bool engine_has_items(const Vm *vm);
// Installs a function that is called when single elements are read repeatedly of an array that is on the device only,
// or distributed.
void engine_when_lingering(Vm *vm, void (*fn)(Vm *vm));
// Called for each array before compiled code with such loops is entered, after the pending nodes for all its arrays
// have run. Allocates host memory for the array. *away: its elements may stay on the device. Otherwise they are on the
// host, and stay there.
Status engine_items_open(Vm *vm, Storage *storage, bool written, bool *away);
// Returns whether a loop should run on the device: it has enough work, or one of its arrays is on the device only and
// has not been used in enough loops to be worth bringing to the host.
bool engine_items_worth(Vm *vm, ItemsSize size, Storage *const *storages, int count);
// Runs a loop on the device. `storages` are indexed by the region's arrays, NULL for those that the loop does not
// touch; `written` has a bit for each that it writes. *done: it was run; otherwise the device refused it or lacks
// memory.
Status engine_items_run(Vm *vm, RegionItems *items, Storage *const *storages, uint32_t written, bool *done);
// Brings an array's elements to the host's memory; with `written`, code on the host may then write them.
Status engine_items_home(Vm *vm, Storage *storage, bool written);
void engine_items_close(Vm *vm, Storage *storage); // called after the code: frees host memory without valid elements

#endif
