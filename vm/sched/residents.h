// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Storages that have memory of the device, so that some can leave it when there is no more.

#ifndef NACRE_VM_SCHED_RESIDENTS_H
#define NACRE_VM_SCHED_RESIDENTS_H

#include "vm/plugin/backend.h"

typedef struct Residents {
    Storage **list;
    size_t count, room;
    Storage *const *pinned; // operands of a kernel that are being brought, which stay
    int pinned_count;
} Residents;

// Gives a storage memory of the device. False: there is none.
bool residents_alloc(Vm *vm, const Device *device, Storage *storage);
bool residents_add(Vm *vm, Storage *storage); // it has some already; false: no memory
void residents_free(Vm *vm, Buffer *buffer); // takes it away, and waits before it is somebody else's
void residents_leave(Vm *vm, Storage *storage); // forgets that it has some
void residents_moved(Vm *vm, Storage *storage); // the storage's buffer was another's before
void residents_pin(Vm *vm, Storage *const *storages, int count); // borrowed until the next call
// The one that is on the device and whose last use is the longest ago; NULL: none but pinned ones.
Storage *residents_coldest(const Vm *vm);
void residents_end(Vm *vm); // forgets them

#endif
