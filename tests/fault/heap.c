// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The allocator of heap.h. Each block carries its size in front, so that a block given back with
// a wrong size is noticed; blocks come from malloc one by one, so that sanitizers see each of them.

#include "heap.h"

#include <stdlib.h>
#include <string.h>

typedef struct Header {
    size_t size;
    size_t mark;
} Header;
enum { LIVE = 0x51AC, DEAD = 0xDEAD };
_Static_assert(sizeof(Header) % 16 == 0, "blocks stay aligned to 16 bytes");

void heap_arm(Heap *heap, uint64_t fail_at, bool sticky) {
    heap->requests = heap->refused = 0;
    heap->fail_at = fail_at;
    heap->sticky = sticky;
}

static bool refuse(Heap *heap) {
    heap->requests++;
    bool now = heap->fail_at && (heap->requests == heap->fail_at ||
                                 (heap->sticky && heap->requests > heap->fail_at));
    heap->refused += now;
    return now;
}

static void *give(Heap *heap, size_t size) {
    Header *header = malloc(sizeof *header + size);
    if (!header) return NULL;
    *header = (Header){size, LIVE};
    heap->blocks++;
    heap->bytes += size;
    return memset(header + 1, 0xA5, size); // whoever counts on zeros shall see it
}

static void take(Heap *heap, void *block, size_t size) {
    Header *header = (Header *)block - 1;
    if (header->size != size || header->mark != LIVE) heap->wrong_sizes++;
    heap->blocks--;
    heap->bytes -= header->size;
    size_t real = header->size;
    header->mark = DEAD;
    memset(block, 0x5A, real);
    free(header);
}

void *heap_alloc(void *ctx, void *block, size_t old_size, size_t new_size) {
    Heap *heap = ctx;
    if (new_size == 0) {
        if (block) take(heap, block, old_size);
        return NULL;
    }
    if (refuse(heap)) return NULL;
    void *fresh = give(heap, new_size);
    if (!fresh || !block) return fresh;
    memcpy(fresh, block, old_size < new_size ? old_size : new_size);
    take(heap, block, old_size);
    return fresh;
}
