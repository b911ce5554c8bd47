// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// How SuiteSparse is left in the middle of its work. Its functions know of no interrupts, but they ask for memory and call
// dense kernels again and again, and both are the plug-in's own: those look whether the program is to be stopped, jump back
// to where SuiteSparse was called, and all that it had allocated since then is freed. So it is when there is no memory: not
// all of SuiteSparse's functions notice.

#ifndef NACRE_STDLIB_SUITESPARSE_GUARD_H
#define NACRE_STDLIB_SUITESPARSE_GUARD_H

#include "stdlib/sparse/sparse.h"

// Runs run(job), which calls SuiteSparse. False: the program is to be stopped, or there is no memory, and the call has the
// error; run was left at some point, and all that was allocated within is free again, so that nothing of it may be used or
// freed. It may neither change what SuiteSparse made before, nor take locks.
bool guarded(SparseCall *call, void (*run)(void *job), void *job);

// Leaves what is guarded on this thread, if the program is to be stopped. Between pieces of work that take milliseconds.
void guard_look(void);

// Runs an operation: what it allocates on this thread has to be allowed by its call's host.
void guard_call(SparseCall *call, void (*op)(SparseCall *call));

// The plug-in's memory, and SuiteSparse's, by the names of the C library's functions. It is not the VM's, as it outlives calls and is
// freed where no VM is at hand; the VM is asked whether it would have it.
void *guard_malloc(size_t bytes);
void *guard_calloc(size_t count, size_t size);
void *guard_realloc(void *block, size_t bytes);
void guard_free(void *block);

#endif
