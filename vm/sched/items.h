// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Loops of the program as kernels of the device: where their arrays are while code of the host runs that hands loops to
// the device.

#ifndef NACRE_VM_SCHED_ITEMS_H
#define NACRE_VM_SCHED_ITEMS_H

#include "vm/region/items.h"
#include "vm/value/kind.h"
#include "vm/graph/storage.h"

// Whether the device runs loops, and work is placed there.
bool engine_has_items(const Vm *vm);
// Calls it when one element after the other is read of an array that is on the device alone.
void engine_when_lingering(Vm *vm, void (*fn)(Vm *vm));
// Before such code is entered, once what is pending for all its arrays has run: finds memory of the host for the array,
// in which its elements need not be. *away: that is how it is; else they are, and stay there.
Status engine_items_open(Vm *vm, Storage *storage, bool written, bool *away);
// Whether the loop is better run on the device: there is work enough, or one of the arrays is there alone and not worth
// being brought home yet.
bool engine_items_worth(Vm *vm, ItemsSize size, Storage *const *storages, int count);
// Runs it there; storages by number of the region's arrays, NULL for those that it does not touch. *done: it has been
// run.
Status engine_items_run(Vm *vm, RegionItems *items, Storage *const *storages, uint32_t written, bool *done);
// Elements come home, where code may then write them.
Status engine_items_home(Vm *vm, Storage *storage, bool written);
void engine_items_close(Vm *vm, Storage *storage); // behind the code

#endif
