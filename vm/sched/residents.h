// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The list of storages that have memory on the device, so that some can be evicted when it is full.

#ifndef NACRE_VM_SCHED_RESIDENTS_H
#define NACRE_VM_SCHED_RESIDENTS_H

#include "vm/plugin/backend.h"

typedef struct Residents {
    Storage **list;
    size_t count, room;
    Storage *const *pinned; // operands of a kernel that are being brought, which must not be evicted
    int pinned_count;
} Residents;

// Allocates memory of the device for a storage. False: there is none left.
bool residents_alloc(Vm *vm, const Device *device, Storage *storage);
bool residents_add(Vm *vm, Storage *storage); // lists a storage that has such memory already; false: no memory
void residents_free(Vm *vm, Buffer *buffer); // frees it; waits for kernels if others own it
bool residents_shares(const Vm *vm, const Buffer *buffer); // whether another storage has the same memory
void residents_leave(Vm *vm, Storage *storage); // removes a storage from the list
void residents_moved(Vm *vm, Storage *storage); // updates the list after the buffer came from another storage
void residents_pin(Vm *vm, Storage *const *storages, int count); // borrowed until the next call
// Returns the storage with a valid copy on the device that was used least recently; NULL: all others are pinned or
// shared.
Storage *residents_coldest(const Vm *vm);
void residents_end(Vm *vm); // frees the list

#endif
