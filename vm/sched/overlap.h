// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Overlaps communication with computation. While the messages of a kernel's operands travel, a rank computes the elements
// of its part that need none of them, the inner part. It then waits, and computes the edges.

#ifndef NACRE_VM_SCHED_OVERLAP_H
#define NACRE_VM_SCHED_OVERLAP_H

#include "vm/sched/blocks.h"
#include "vm/sched/operands.h"

struct Link;

// After blocks_post: decides whether a kernel, which has been reduced to this rank's part and not been simplified, is run
// in this way. `inner`: the indices along each dimension that need nothing that travels. If so, overlap_run has to run
// it; if not, blocks_finish has to be called first. Each rank decides for itself.
bool overlap_begin(Vm *vm, const Kernel *kernel, const Extent *inner);
bool overlap_begin_rows(Vm *vm, const Kernel *kernel, int dim); // finds `inner` where operands are cut along `dim`
// Returns whether overlap_begin has returned true for the kernel that is being run.
bool overlap_has_begun(const Vm *vm);
// Runs the kernel, and finishes the exchange. `kernel` is that of overlap_begin, simplified. Adds to its flags.
Status overlap_run(Vm *vm, const Device *device, const Kernel *kernel, uint32_t *flags);
// Finishes the exchange of a kernel that failed before it could be run; the exception that is set stays. Does nothing
// without an exchange.
void overlap_abandon(Vm *vm);
void overlap_free(Vm *vm, struct Link *link);

// Returns whether a part with so many elements is worth being computed on its own.
bool overlap_pays(const Vm *vm, int64_t elements);

#endif
