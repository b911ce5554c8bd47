// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Host memory of buffers. Large blocks that were given up are kept for a while: the next temporary of
// an expression, or of a loop, takes one of them instead of pages that the system has to clear first.
// What is kept never raises the peak: before memory grows by a large block beyond what was in use at once so far,
// kept ones are given back.
//
// So what np.empty shows is what this VM has had there before, or zeros.
//
// Nothing is kept where the VM has a memory limit, or where each request has to reach the host's
// allocator (`unpooled`): there a block that is not used is given back at once.

#include "vm/graph/buffers.h"

#include <string.h>
#include <unistd.h>

#include "vm/graph/graph.h"

#if defined(__SANITIZE_ADDRESS__)
#define KEEP_BLOCKS false // a kept block would hide that somebody still uses it
#else
#define KEEP_BLOCKS true
#endif

enum { UNWRITTEN = 0xcb }; // each byte of an array that nobody has written, under stress: no zero, and no NaN

enum { KEPT_MIN = 1 << 16, KEPT_PART = 8 }; // bytes; of the machine's memory, one part in so many

static bool keeps(const Vm *vm) {
    return KEEP_BLOCKS && vm->engine && vm->mem.pooled && vm->mem.limit == 0;
}

static void take_out(BufferCache *cache, int i) {
    cache->bytes -= cache->blocks[i].bytes;
    cache->count--;
    memmove(cache->blocks + i, cache->blocks + i + 1,
            (size_t)(cache->count - i) * sizeof *cache->blocks);
}

static void give_back_oldest(Vm *vm, BufferCache *cache) {
    KeptBlock oldest = cache->blocks[0];
    take_out(cache, 0);
    mem_free(&vm->mem, oldest.block, oldest.bytes);
}

// Before a new block is asked for. A small one drives out none: with them a loop has now a few bytes more, now less,
// and would lose and clear a large block each time.
static void make_way(Vm *vm, BufferCache *cache, size_t bytes) {
    size_t used = vm->mem.in_use - cache->bytes + bytes;
    if (used > cache->peak) cache->peak = used;
    while (bytes >= KEPT_MIN && cache->count > 0 && vm->mem.in_use + bytes > cache->peak) give_back_oldest(vm, cache);
}

void buffers_free(Vm *vm, BufferCache *cache) {
    while (cache->count > 0) {
        KeptBlock last = cache->blocks[cache->count - 1];
        take_out(cache, cache->count - 1);
        mem_free(&vm->mem, last.block, last.bytes);
    }
}

// The smallest block that is large enough, and not much larger.
static void *kept_block(BufferCache *cache, size_t *bytes) {
    int best = -1;
    for (int i = 0; i < cache->count; i++) {
        size_t size = cache->blocks[i].bytes;
        if (size < *bytes || size - *bytes > *bytes / 4) continue;
        if (best < 0 || size < cache->blocks[best].bytes) best = i;
    }
    if (best < 0) return NULL;
    void *block = cache->blocks[best].block;
    *bytes = cache->blocks[best].bytes;
    take_out(cache, best);
    return block;
}

static size_t kept_total(BufferCache *cache) {
    if (cache->total) return cache->total;
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    cache->total = pages > 0 && page > 0 ? (size_t)pages / KEPT_PART * (size_t)page : (size_t)1 << 30;
    return cache->total;
}

// False: there is no room for it.
static bool keep_block(Vm *vm, BufferCache *cache, void *block, size_t bytes) {
    if (bytes < KEPT_MIN || bytes > kept_total(cache)) return false;
    while (cache->count == cache->limit ||
           (cache->count > 0 && cache->bytes + bytes > cache->total))
        give_back_oldest(vm, cache);
    cache->blocks[cache->count++] = (KeptBlock){block, bytes};
    cache->bytes += bytes;
    return true;
}

// Of the C library's large blocks, those that come from the system are zeros without being written. What the host's
// own allocator, or the C library, hands out again may be another VM's, and is cleared.
static void *new_block(Vm *vm, size_t size, Fresh fresh) {
    return fresh == FRESH_ANY ? mem_alloc(&vm->mem, size) : mem_zalloc(&vm->mem, size);
}

bool buffer_alloc_host(Vm *vm, Buffer *buffer, Fresh fresh) {
    if (buffer->bytes > SIZE_MAX / 2) return false;
    size_t size = buffer->bytes + BUFFER_ALIGN;
    BufferCache *cache = keeps(vm) ? &graph_of(vm)->kept : NULL;
    void *block = cache && size >= KEPT_MIN ? kept_block(cache, &size) : NULL;
    if (block && fresh == FRESH_ZEROED) memset(block, 0, size);
    if (!block && cache) make_way(vm, cache, size);
    if (!block) block = new_block(vm, size, fresh);
    if (!block && cache && cache->count > 0) {
        buffers_free(vm, cache);
        block = new_block(vm, size, fresh);
    }
    if (!block) return false;
    if (fresh == FRESH_OWN && graph_of(vm)->kept.pattern) memset(block, UNWRITTEN, size);
    buffer->block = block;
    buffer->block_bytes = size;
    uintptr_t at = ((uintptr_t)block + BUFFER_ALIGN - 1) / BUFFER_ALIGN * BUFFER_ALIGN;
    buffer->host = (char *)at;
    buffer->valid |= PLACE_HOST;
    return true;
}

void buffer_free_host(Vm *vm, Buffer *buffer) {
    bool kept = buffer->block && keeps(vm) &&
                keep_block(vm, &graph_of(vm)->kept, buffer->block, buffer->block_bytes);
    if (!kept) mem_free(&vm->mem, buffer->block, buffer->block_bytes);
    buffer->host = buffer->block = NULL;
    buffer->block_bytes = 0;
    buffer->valid &= (uint8_t)~PLACE_HOST;
}
