// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Estimates a kernel's memory traffic and operation count, for reports.

#ifndef NACRE_VM_KERNEL_FIGURES_H
#define NACRE_VM_KERNEL_FIGURES_H

#include "vm/kernel/kernel.h"

int64_t
kernel_elements(const Kernel *kernel); // size of the iteration space, or of a library node's result
// Return the number of distinct bytes touched by a view, or by one access of a loop.
int64_t view_bytes(const View *view);
int64_t access_bytes(const Kernel *kernel, const KernAccess *access);
// Returns the number of arithmetic operations. A complex operation counts as its real operations. A library node
// counts as in textbooks, and 0 if they have no figure for it.
double kernel_operations(const Kernel *kernel);

#endif
