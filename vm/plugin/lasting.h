// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Workspaces that may outlast their kernel, and even the VM: a library that is in the middle of a long call cannot be
// told to stop, so when the kernel is left, the memory stays with the call. It comes from the C library whatever the
// host's function is, as any thread may be the last to use it, at any time.

#ifndef NACRE_VM_PLUGIN_LASTING_H
#define NACRE_VM_PLUGIN_LASTING_H

#include "lang/support/mem.h"

typedef struct Lasting Lasting;

// Allocates memory with one user, the VM, which counts it. NULL: out of memory, or over the limit.
Lasting *lasting_new(Mem *mem, size_t bytes);
void *lasting_memory(Lasting *lasting); // aligned to BUFFER_ALIGN
// Another user, and one less; any thread. The last one frees it.
void lasting_share(Lasting *lasting);
void lasting_leave(Lasting *lasting);

// For the VM. Puts a workspace that the kernel no longer uses on a list until it has no other user.
void lasting_put(Lasting **list, Lasting *lasting);
// Takes those from the list that only the VM uses, and counts them no longer; all of them, if `all`.
void lasting_collect(Lasting **list, Mem *mem, bool all);

#endif
