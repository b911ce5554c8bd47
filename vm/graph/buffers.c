// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Caches host memory of buffers. Large freed blocks are kept for a while: the next temporary reuses
// one instead of pages that the system must clear first. Kept blocks never raise the peak: before
// memory would grow beyond the most that was in use at once so far, they are given back.
// So np.empty shows what this VM had there before, or zeros.
// Nothing is kept if the VM has a memory limit, or if each request must reach the host's allocator
// (`unpooled`): then unused blocks are freed at once.

#include "vm/graph/buffers.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "vm/graph/graph.h"

#if defined(__SANITIZE_ADDRESS__)
#define KEEP_BLOCKS false // a kept block would hide a use after free
#else
#define KEEP_BLOCKS true
#endif

enum { UNWRITTEN = 0xcb }; // stress fills unwritten arrays with this byte: neither zero nor NaN

enum { KEPT_MIN = 1 << 16, KEPT_PART = 8 }; // bytes; divisor of the machine's memory

static bool keeps(Vm *vm) {
    return KEEP_BLOCKS && vm->engine && vm->mem.pooled && vm->mem.limit == 0 && !graph_of(vm)->reserving.least;
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

// Frees kept blocks so that a new block does not raise the peak. A small one evicts nothing: a loop
// whose usage varies by a few bytes would otherwise free and clear a large block each time.
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

// Takes the smallest kept block that is large enough, but at most a quarter larger, out of the cache;
// NULL: none.
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

// Puts a freed block into the cache, evicting the oldest ones. False: it is too small or too large to be kept.
static bool keep_block(Vm *vm, BufferCache *cache, void *block, size_t bytes) {
    if (bytes < KEPT_MIN || bytes > kept_total(cache)) return false;
    while (cache->count == cache->limit ||
           (cache->count > 0 && cache->bytes + bytes > cache->total))
        give_back_oldest(vm, cache);
    cache->blocks[cache->count++] = (KeptBlock){block, bytes};
    cache->bytes += bytes;
    return true;
}

// Allocates a block, which is cleared unless all of it will be overwritten: memory that the host's
// allocator, or the C library, recycles may have been another VM's. Large blocks that the C library gets
// from the system are already zero.
static void *new_block(Vm *vm, size_t size, Fresh fresh) {
    return fresh == FRESH_ANY ? mem_alloc(&vm->mem, size) : mem_zalloc(&vm->mem, size);
}

// --- Reserving -----------------------------------------------------------------------------------

static Reserving *reserving_of(Vm *vm) {
    return vm->engine && graph_of(vm)->reserving.least ? &graph_of(vm)->reserving : NULL;
}

bool buffer_is_reserved(Vm *vm, const Buffer *buffer) {
    const Reserving *reserving = reserving_of(vm);
    return reserving && buffer->block_bytes >= reserving->least;
}

static bool reserve(Vm *vm, Reserving *reserving, Buffer *buffer) {
    const size_t size = buffer->bytes + BUFFER_ALIGN;
    void *block;
    if (size >= reserving->least) {
        block = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (block == MAP_FAILED) return false;
    } else if (!(block = mem_zalloc(&vm->mem, size))) return false;
    buffer->block = block;
    buffer->block_bytes = size;
    buffer->host = (char *)(((uintptr_t)block + BUFFER_ALIGN - 1) / BUFFER_ALIGN * BUFFER_ALIGN);
    buffer->valid |= PLACE_HOST;
    reserving->in_use += buffer->bytes;
    if (reserving->in_use > reserving->peak) reserving->peak = reserving->in_use;
    return true;
}

static void free_block(Vm *vm, const Buffer *buffer) {
    Reserving *reserving = buffer->block ? reserving_of(vm) : NULL;
    if (reserving) reserving->in_use -= buffer->block_bytes - BUFFER_ALIGN;
    if (reserving && buffer->block_bytes >= reserving->least) munmap(buffer->block, buffer->block_bytes);
    else mem_free(&vm->mem, buffer->block, buffer->block_bytes);
}

bool buffer_alloc_host(Vm *vm, Buffer *buffer, Fresh fresh) {
    if (buffer->bytes > SIZE_MAX / 2) return false;
    if (reserving_of(vm)) return reserve(vm, reserving_of(vm), buffer);
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
    if (!kept) free_block(vm, buffer);
    buffer->host = buffer->block = NULL;
    buffer->block_bytes = 0;
    buffer->valid &= (uint8_t)~PLACE_HOST;
}
