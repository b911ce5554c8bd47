// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Memory with several users.

#include "vm/plugin/lasting.h"

#include <stdlib.h>

#include "vm/graph/storage.h"

struct Lasting {
    atomic_int users;
    size_t bytes;   // size of the allocation, as the VM counts it
    Lasting *next;  // next on the VM's list
};

Lasting *lasting_new(Mem *mem, size_t bytes) {
    if (bytes > SIZE_MAX - sizeof(Lasting) - BUFFER_ALIGN) return NULL;
    bytes += sizeof(Lasting) + BUFFER_ALIGN;
    Lasting *lasting = mem_alloc_free(mem, bytes);
    if (!lasting) return NULL;
    atomic_init(&lasting->users, 1);
    lasting->bytes = bytes;
    lasting->next = NULL;
    return lasting;
}

void *lasting_memory(Lasting *lasting) {
    uintptr_t at = (uintptr_t)(lasting + 1);
    return (void *)((at + BUFFER_ALIGN - 1) / BUFFER_ALIGN * BUFFER_ALIGN);
}

void lasting_share(Lasting *lasting) {
    atomic_fetch_add(&lasting->users, 1);
}

void lasting_leave(Lasting *lasting) {
    if (atomic_fetch_sub(&lasting->users, 1) == 1) free(lasting);
}

void lasting_put(Lasting **list, Lasting *lasting) {
    lasting->next = *list;
    *list = lasting;
}

void lasting_collect(Lasting **list, Mem *mem, bool all) {
    while (*list) {
        Lasting *lasting = *list;
        if (!all && atomic_load(&lasting->users) > 1) {
            list = &lasting->next;
            continue;
        }
        *list = lasting->next;
        mem_uncount(mem, lasting->bytes);
        lasting_leave(lasting);
    }
}
