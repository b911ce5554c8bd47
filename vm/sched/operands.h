// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Operands and results of a kernel that is about to be launched: where their memory is, and whether a result can take
// over an operand's memory (buffer donation).

#ifndef NACRE_VM_SCHED_OPERANDS_H
#define NACRE_VM_SCHED_OPERANDS_H

#include "vm/sched/sched.h"

// Lists the storages that a kernel reads, and from index *written on those that it writes. Returns their number.
enum { KERNEL_STORAGES = KERN_LOADS + KERN_STORES + NODE_INPUTS + 1 };
int kernel_storages(const Kernel *kernel, Storage *found[KERNEL_STORAGES], int *written);

// Brings all operands to the device's place, and allocates memory there for results.
Status operands_bring(Vm *vm, const Device *device, const Kernel *kernel);
// Sets the kernel's addresses, once operands_bring has succeeded.
void operands_find(const Device *device, Kernel *kernel);
void operands_written(Vm *vm, const Device *device, const Kernel *kernel); // notes that the device writes the results
void operands_busy(const Kernel *kernel, Event event); // notes that the kernel uses the storages until this event
char *operand_base(const Device *device, const Storage *storage);

static inline bool is_blank(const Buffer *buffer) { // has no memory yet
    return !buffer->host && !buffer->device;
}

// Swaps of memory between operands that nothing reads after the kernel and results without memory. exchange_swap makes
// them, and called again undoes them.
typedef struct Exchange {
    Storage *from[KERN_STORES], *to[KERN_STORES];
    int count;
} Exchange;

// Finds results that can take over the memory of a load. `dying`: loads, as bits, whose memory nobody needs after the
// kernel. Changes such loads to read from the results' storages.
void exchange_find(const Device *device, Kernel *kernel, uint32_t dying, Exchange *found);
void exchange_swap(Vm *vm, const Exchange *exchange);
// As exchange_find, for the addend of a GEMM whose memory nobody needs afterwards, if the backend supports that.
void exchange_find_addend(const Device *device, Kernel *kernel, Exchange *found);

#endif
