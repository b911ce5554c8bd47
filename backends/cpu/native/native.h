// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Machine code for kernels' bodies: the emitter's C, built by the compiler found at run time. The
// tile interpreter runs until code is ready, or always if there is no compiler.

#ifndef NACRE_BACKENDS_CPU_NATIVE_NATIVE_H
#define NACRE_BACKENDS_CPU_NATIVE_NATIVE_H

#include "backends/cpu/native/code_store.h"
#include "backends/emit/emit.h"
#include "vm/plugin/backend.h"

typedef struct KernelCode KernelCode;

KernelCode *native_open(Vm *vm, CodeStore *store, Tier tier); // NULL: out of memory
void native_close(Vm *vm, KernelCode *native);                // accepts NULL

// Called by the VM's thread before a kernel runs: requests code that has become worthwhile, and
// collects finished code. Waits for the builds with TIER_KERNEL, or if the kernel has the hint HINT_COMPILE.
void native_attend(KernelCode *native, Vm *vm, const Kernel *kernel);

// Returns the code for a signature, or NULL if there is none yet; may be called by any thread. `kernel` is
// about to run, and its size counts towards compiling.
BodyFn native_body(KernelCode *native, const Form *form, const Kernel *kernel);

int native_ready(KernelCode *native); // number of signatures that have code
// Appends the source of signature `index` among those that have code, in order of first use. False: there are no more.
bool native_source(KernelCode *native, int index, Buf *out);

#endif
