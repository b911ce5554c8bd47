// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Bytes that a kernel moves and operations that it does, for reports.

#ifndef NACRE_VM_KERNEL_FIGURES_H
#define NACRE_VM_KERNEL_FIGURES_H

#include "vm/kernel/kernel.h"

int64_t
kernel_elements(const Kernel *kernel); // of its iteration space, or of a library node's result
// Different bytes that a view, or one of a loop's accesses, touches.
int64_t view_bytes(const View *view);
int64_t access_bytes(const Kernel *kernel, const KernAccess *access);
// Operations on numbers, each counted as one; of complex numbers as many as real ones are needed. Of
// library nodes the textbook's figure, 0 where there is none.
double kernel_operations(const Kernel *kernel);

#endif
