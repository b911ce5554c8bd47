// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Machine code for kernels' bodies: the emitter's C, built by the compiler that is found where the
// program runs. The tile interpreter goes on while it is built, and for good where there is no
// compiler.

#ifndef NACRE_BACKENDS_CPU_NATIVE_NATIVE_H
#define NACRE_BACKENDS_CPU_NATIVE_NATIVE_H

#include "backends/cpu/native/code_store.h"
#include "backends/emit/emit.h"
#include "vm/plugin/backend.h"

typedef struct KernelCode KernelCode;

KernelCode *native_open(Vm *vm, CodeStore *store, Tier tier); // NULL: no memory
void native_close(Vm *vm, KernelCode *native);                // NULL is fine

// By the VM's thread, before a kernel runs: asks for what has become worth it, and takes what is
// done. The kernel's own code is waited for with TIER_KERNEL, and where that is wished for.
void native_attend(KernelCode *native, Vm *vm, const Kernel *kernel);

// By any thread: the code for a form, or NULL as long as there is none. `kernel` is what is going
// to run, and says how much work there is.
BodyFn native_body(KernelCode *native, const Form *form, const Kernel *kernel);

int native_ready(KernelCode *native); // forms that have code
// The source of the form with that number, in the order in which they were met, among those that
// have code. False: there are no more.
bool native_source(KernelCode *native, int index, Buf *out);

#endif
