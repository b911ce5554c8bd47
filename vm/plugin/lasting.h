// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Workspaces that may outlive their kernel, and even the VM: a long library call cannot be stopped, so when its kernel
// is abandoned, the call keeps the memory. The memory comes from the C library even if the host has an allocator of its
// own, as any thread may be the last user, at any time.

#ifndef NACRE_VM_PLUGIN_LASTING_H
#define NACRE_VM_PLUGIN_LASTING_H

#include "lang/support/mem.h"

typedef struct Lasting Lasting;

// Allocates memory with one user, the VM, which counts it. NULL: out of memory, or over the limit.
Lasting *lasting_new(Mem *mem, size_t bytes);
void *lasting_memory(Lasting *lasting); // aligned to BUFFER_ALIGN
// Add and remove a user; callable from any thread. The last user to leave frees the memory.
void lasting_share(Lasting *lasting);
void lasting_leave(Lasting *lasting);

// For the VM. Puts a workspace that its kernel no longer uses on a list, where it stays until it has no other user.
void lasting_put(Lasting **list, Lasting *lasting);
// Removes workspaces without other users from the list, or `all` workspaces: the VM no longer counts or uses them.
void lasting_collect(Lasting **list, Mem *mem, bool all);

#endif
