// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Copy on write of arrays on a device. A kernel that only copies whole arrays is not launched: operand and result share
// the device's memory (Storage.sharer) until one of them is written. The written one then gets memory of its own, and
// only the elements that its kernel does not write are copied. So `old = x.copy(); x[1:-1] = f(old)` copies the edges
// only.

#ifndef NACRE_VM_SCHED_LAZY_COPY_H
#define NACRE_VM_SCHED_LAZY_COPY_H

#include "vm/sched/sched.h"

// If the kernel, which has been simplified, only copies whole arrays that are on the device, makes results share their
// operands' memory and returns true. The kernel then needs no launch.
bool lazy_copy_begin(Vm *vm, const Kernel *kernel);

// Storages that a kernel writes, and those that they shared memory with (owned).
typedef struct Separated {
    Storage *written[KERN_STORES + 1], *sharer[KERN_STORES + 1];
    int count;
} Separated;

// Called before a kernel whose operands are on the device is launched: gives each storage that it writes memory of its
// own, and lets its loads of such a storage read the sharer. `site` is blamed for failures. *refused: the device does not
// run a copy, so the host has to run the kernel. Then, and after an error, nothing is separated.
Status lazy_copy_separate(Vm *vm, const Device *device, Kernel *kernel, const Site *site, Separated *out, bool *refused);
// One of them follows: the kernel was launched; or it was not, and the storages share memory again.
void lazy_copy_done(Vm *vm, Separated *separated);
void lazy_copy_rejoin(Vm *vm, Separated *separated);

// Copies the storage's elements to memory of its own, if it shares memory; called before others than kernels write it.
Status lazy_copy_finish(Vm *vm, Storage *storage);
// Gives up the storage's share, and so its copy on the device. Does nothing if it shares no memory.
void lazy_copy_leave(Vm *vm, Storage *storage);

#endif
