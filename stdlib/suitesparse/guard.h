// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// How SuiteSparse is left in the middle of its work. Its functions know of no interrupts, but they ask for memory and call
// dense kernels again and again, and both are the plug-in's own: those look whether the program is to be stopped, jump back
// to where SuiteSparse was called, and all that it had allocated since then is freed.

#ifndef NACRE_STDLIB_SUITESPARSE_GUARD_H
#define NACRE_STDLIB_SUITESPARSE_GUARD_H

#include "stdlib/sparse/sparse.h"

// Runs run(job), which calls SuiteSparse. False: the program is to be stopped, run was left at some point, and what SuiteSparse
// has allocated is free again: nothing that was made within may be used or freed. It may neither change what SuiteSparse
// made before, nor take locks or memory of its own.
bool guarded(SparseCall *call, void (*run)(void *job), void *job);

// Leaves what is guarded on this thread, if the program is to be stopped. Between pieces of work that take milliseconds.
void guard_look(void);

// Memory for SuiteSparse, by the names of the C library's functions.
void *guard_malloc(size_t bytes);
void *guard_calloc(size_t count, size_t size);
void *guard_realloc(void *block, size_t bytes);
void guard_free(void *block);

#endif
