// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Memory of the device that other libraries of the process use, too: arrays that were handed out to them, and memory
// of theirs. Its home is the device: it stays there, and kernels write it in place. What the host has written is copied
// there before the host program goes on. The VM's work runs after what others put into the default stream before a call
// of the host program, and before what they put there after the call.

#ifndef NACRE_VM_SCHED_SHARING_H
#define NACRE_VM_SCHED_SHARING_H

#include "vm/graph/storage.h"

// DLPack's type of the VM's device; 0: there is none, or its memory is not shared.
int32_t sharing_type(const Vm *vm);
// Computes what the storage waits for. *there: it is on that device, and can be shared there.
Status sharing_find(Vm *vm, Storage *storage, bool *there);
// Its home is the device from now on, wherever it was. With `writes`, what reads the old value is run before.
Status sharing_lend(Vm *vm, Storage *storage, bool writes);
// A storage over memory of the device's that is somebody else's; as storage_over.
Storage *sharing_adopt(Vm *vm, void *memory, size_t bytes, void *owner, void (*give_back)(Vm *vm, void *owner));
// Whether its memory on the device is the VM's to free.
static inline bool sharing_is_own(const Storage *storage) {
    return !storage->home || storage_is_lent(storage);
}
// Makes what is at home valid: the host's memory, if that is where others see it.
Status sharing_update(Vm *vm, Storage *storage);
// What is put into a stream of others from now on comes behind what has been launched. RuntimeError without such a
// stream.
Status sharing_order(Vm *vm, int64_t stream);

// When the host program calls, and before it goes on.
void sharing_enter(Vm *vm);
void sharing_leave(Vm *vm);

// The VM ends before such a storage does: takes it out of the engine, which leaves the device open. Once the
// engine has gone, the memory is freed, and in the end the device closed.
typedef struct Left {
    const struct Backend *backend;
    void *ctx; // NULL: there is none
} Left;
Left sharing_retire(Vm *vm, Storage *storage);
void sharing_free(Vm *vm, Left left, Storage *storage);
void sharing_close(Vm *vm, Left left);

#endif
