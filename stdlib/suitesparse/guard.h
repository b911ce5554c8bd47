// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Leaves SuiteSparse in the middle of its work. SuiteSparse has no interrupts, but it calls the allocator and the dense
// kernels often, and the plug-in supplies both. They check whether the program is to be stopped. If so, they longjmp
// back to where SuiteSparse was called, and everything that was allocated since then is freed. The same happens when
// memory runs out, as some of SuiteSparse's functions do not check for that.

#ifndef NACRE_STDLIB_SUITESPARSE_GUARD_H
#define NACRE_STDLIB_SUITESPARSE_GUARD_H

#include "stdlib/sparse/sparse.h"

// Runs run(job), which calls SuiteSparse. Returns false and sets the call's error if the program is to be stopped, or
// memory runs out. `run` was then left at an arbitrary point, and everything that it allocated is freed already: none
// of that may be used or freed again. `run` must neither change what SuiteSparse allocated before, nor take locks.
bool guarded(SparseCall *call, void (*run)(void *job), void *job);

// Jumps out of this thread's guarded() if the program is to be stopped. Called between pieces of work that take
// milliseconds.
void guard_look(void);

// Runs an operation. What it allocates on this thread counts against the memory limit of the call's host.
void guard_call(SparseCall *call, void (*op)(SparseCall *call));

// Allocation for the plug-in and SuiteSparse, with the meaning of the C library's functions. The memory is not the
// VM's, since it outlives calls and may be freed where no VM is at hand; but the VM is asked whether its limit allows
// it.
void *guard_malloc(size_t bytes);
void *guard_calloc(size_t count, size_t size);
void *guard_realloc(void *block, size_t bytes);
void guard_free(void *block);

#endif
