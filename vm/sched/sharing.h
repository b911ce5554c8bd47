// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Memory of the device that other libraries of the process use, too: arrays that were lent to them, and memory of
// theirs. Such a storage's home is the device: its memory stays there, and kernels write it in place. What the VM
// writes on the host is copied there before it returns to the host program. The VM's work runs after what others put
// into the default stream before a call of the host program, and before what they put there after the call.

#ifndef NACRE_VM_SCHED_SHARING_H
#define NACRE_VM_SCHED_SHARING_H

#include "vm/graph/storage.h"

// Returns DLPack's type of the VM's device; 0: there is no device, or its memory cannot be shared.
int32_t sharing_type(const Vm *vm);
// Runs the nodes that a storage depends on. *there: it is on the device, and can be shared there.
Status sharing_find(Vm *vm, Storage *storage, bool *there);
// Makes the device the storage's home, wherever it was. With `writes`, others may write it, so that nodes that read the
// old value are run first.
Status sharing_lend(Vm *vm, Storage *storage, bool writes);
// Makes a storage over memory of the device that `owner` owns; as storage_over.
Storage *sharing_adopt(Vm *vm, void *memory, size_t bytes, void *owner, void (*give_back)(Vm *vm, void *owner));
// Returns whether the VM has to free the storage's memory on the device.
static inline bool sharing_is_own(const Storage *storage) {
    return !storage->home || storage_is_lent(storage);
}
// Makes the storage's copy at home valid, which is the one that others see: on the device, or else on the host.
Status sharing_update(Vm *vm, Storage *storage);
// Makes work that others put into a stream from now on wait for all kernels launched so far. Raises RuntimeError if
// there is no such stream.
Status sharing_order(Vm *vm, int64_t stream);

// Called when the host program calls the VM, and before the VM returns to it.
void sharing_enter(Vm *vm);
void sharing_leave(Vm *vm);

// For a shared storage that outlives its VM. sharing_retire takes it out of the engine, which leaves the device open.
// After the engine has stopped, sharing_free frees the memory, and sharing_close finally the device.
typedef struct Left {
    const struct Backend *backend;
    void *ctx; // NULL: there is no device
} Left;
Left sharing_retire(Vm *vm, Storage *storage);
void sharing_free(Vm *vm, Left left, Storage *storage);
void sharing_close(Vm *vm, Left left);

#endif
