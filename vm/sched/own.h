// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Kernels that the engine runs for its own purposes, without a node: on the host, and at once.

#ifndef NACRE_VM_SCHED_OWN_H
#define NACRE_VM_SCHED_OWN_H

#include "vm/kernel/kernel.h"

// Runs a kernel whose operands are in the host's memory, with their addresses set. Float flags are added to *flags.
Status own_run(Vm *vm, Kernel *k, uint32_t *flags);
// Copies elements between accesses of one dtype, whose addresses are set.
Status own_copy(Vm *vm, int ndim, const int64_t *shape, const KernAccess *from, const KernAccess *to);

// Sets elements to a value of their dtype. Addresses are set.
Status own_fill(Vm *vm, int ndim, const int64_t *shape, Scalar value, const KernAccess *to);

// Applies an elementwise op of two operands, all of one dtype. Addresses are set.
Status own_apply(Vm *vm, OpId op, int ndim, const int64_t *shape, const KernAccess *a, const KernAccess *b,
                 const KernAccess *to, uint32_t *flags);

// Returns an access of a view in the host's memory, with its address set.
KernAccess own_access(const View *view);

#endif
