// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What a kernel reads and writes, on its way to being launched: where its memory is, and whether a result
// can take over an operand's.

#ifndef NACRE_VM_SCHED_OPERANDS_H
#define NACRE_VM_SCHED_OPERANDS_H

#include "vm/sched/sched.h"

// Everything that the kernel reads or writes, the latter from *written on: how many.
enum { KERNEL_STORAGES = KERN_LOADS + KERN_STORES + NODE_INPUTS + 1 };
int kernel_storages(const Kernel *kernel, Storage *found[KERNEL_STORAGES], int *written);

// Brings all operands to the device's place, and finds memory there for results.
Status operands_bring(Vm *vm, const Device *device, const Kernel *kernel);
// Addresses, once all is there; and that the device has written the results.
void operands_find(const Device *device, Kernel *kernel);
void operands_written(Vm *vm, const Device *device, const Kernel *kernel);
void operands_busy(const Kernel *kernel, Event event); // until then
char *operand_base(const Device *device, const Storage *storage);

static inline bool is_blank(const Buffer *buffer) { // has no memory yet
    return !buffer->host && !buffer->device;
}

// Swaps the memory of operands of which nobody wants to know any more with that of blank results; once
// more, and it is as before.
typedef struct Exchange {
    Storage *from[KERN_STORES], *to[KERN_STORES];
    int count;
} Exchange;

// `dying`: loads, as bits, whose memory nobody needs behind the kernel. The kernel reads them where its
// results will be from now on.
void exchange_find(const Device *device, Kernel *kernel, uint32_t dying, Exchange *found);
void exchange_swap(Vm *vm, const Exchange *exchange);
// The same for a GEMM's addend, whose memory nobody needs, if the backend would have it so.
void exchange_find_addend(const Device *device, Kernel *kernel, Exchange *found);

#endif
