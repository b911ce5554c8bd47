// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Memory owned by others, which may have been freed too early. What can be detected is whether its
// pages are still mapped: large blocks are unmapped when freed, small ones are not. msync checks a
// whole range of pages, and with MS_ASYNC does nothing else.
// AddressSanitizer knows more: it is asked here about freed memory, since it does not see accesses
// by libraries and compiled kernels.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "vm/graph/storage.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>

static void touch_freed(char *from, size_t bytes) {
    const volatile char *freed = __asan_region_is_poisoned(from, bytes);
    if (freed) (void)*freed;
}
#else
static void touch_freed(char *from, size_t bytes) {
    (void)from;
    (void)bytes;
}
#endif

bool storage_is_there(const Storage *storage) {
    const Buffer *buffer = &storage->buffer;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)buffer->host / page * page;
    if (msync((void *)from, (uintptr_t)buffer->host + buffer->bytes - from, MS_ASYNC) != 0 && errno == ENOMEM)
        return false;
    touch_freed(buffer->host, buffer->bytes);
    return true;
}
