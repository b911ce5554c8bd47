// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The allocator of mem.h: counters and a limit in front of the host's function, and size-classed free
// lists for small blocks.

#include "lang/support/mem.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGES_LEAST = 64 * 1024 }; // bytes from which calloc, which may return fresh pages, beats memset

// A new chunk is a quarter (1 / CHUNK_SHARE) of all chunks so far, at most 8 MiB, which large pages suit.
enum { CHUNK_LEAST = 64 * 1024, CHUNK_MOST = 8 << 20, CHUNK_SHARE = 4, CHUNK_HEADER = 32 };

// AddressSanitizer sees neither the end of a block inside a chunk nor its release to a free list:
// in its builds every request goes to the host's function.
#if defined(__SANITIZE_ADDRESS__)
enum { POOLING = 0 };
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
enum { POOLING = 0 };
#else
enum { POOLING = 1 };
#endif
#else
enum { POOLING = 1 };
#endif

// Asks the system for large pages for a large block. A page fault costs about as much as writing the
// page; with large pages there are few.
static void want_large_pages(void *block, size_t size) {
    enum { LARGE = 1 << 22, PAGE = 4096 };
    if (!block || size < LARGE) return;
    uintptr_t from = ((uintptr_t)block + PAGE - 1) / PAGE * PAGE;
    uintptr_t to = ((uintptr_t)block + size) / PAGE * PAGE;
    madvise((void *)from, to - from, MADV_HUGEPAGE); // advice: failure does not matter
}

static void *libc_fn(void *ctx, void *ptr, size_t old_size, size_t new_size) {
    (void)ctx;
    (void)old_size;
    if (new_size == 0) {
        free(ptr);
        return NULL;
    }
    void *block = realloc(ptr, new_size);
    want_large_pages(block, new_size);
    return block;
}

void mem_init(Mem *mem, MemFn fn, void *ctx, bool pooled, size_t limit) {
    memset(mem, 0, sizeof *mem);
    mem->fn = fn ? fn : libc_fn;
    mem->ctx = ctx;
    mem->pooled = pooled && POOLING;
    mem->mark = SIZE_MAX;
    mem_limit(mem, limit);
}

static bool is_stopped(const Mem *mem) {
    return mem->watch && mem->watch->stopped(mem->watch->ctx);
}

// Sets the ceiling. mem_stop comes after the owner's own flag is set, so the flag is tested after the
// store here: if the store overwrote a concurrent mem_stop, the ceiling becomes 0 again.
static void set_ceiling(Mem *mem) {
    size_t ceiling = mem->limit && mem->limit < mem->mark ? mem->limit : mem->mark;
    atomic_store(&mem->ceiling, ceiling);
    if (is_stopped(mem)) atomic_store(&mem->ceiling, 0);
}

void mem_limit(Mem *mem, size_t limit) {
    mem->limit = limit;
    set_ceiling(mem);
}

void mem_mark(Mem *mem, size_t bytes) {
    mem->mark = bytes;
    set_ceiling(mem);
}

bool mem_stopped(Mem *mem) {
    if (atomic_load_explicit(&mem->ceiling, memory_order_relaxed)) return false;
    set_ceiling(mem);
    return is_stopped(mem);
}

void mem_destroy(Mem *mem) {
    while (mem->chunks) {
        MemChunk *next = mem->chunks->next;
        mem->fn(mem->ctx, mem->chunks, mem->chunks->size, 0);
        mem->chunks = next;
    }
}

static void *host_alloc(Mem *mem, void *ptr, size_t old_size, size_t new_size) {
    mem->calls++;
    return mem->fn(mem->ctx, ptr, old_size, new_size);
}

static inline size_t class_of(size_t size) {
    return (size + MEM_CLASS_BYTES - 1) / MEM_CLASS_BYTES;
}

static bool chunk_add(Mem *mem) {
    size_t size = mem->chunk_bytes / CHUNK_SHARE / CHUNK_LEAST * CHUNK_LEAST;
    size = size < CHUNK_LEAST ? CHUNK_LEAST : size > CHUNK_MOST ? CHUNK_MOST : size;
    MemChunk *chunk = host_alloc(mem, NULL, 0, size);
    if (!chunk) return false;
    chunk->next = mem->chunks;
    chunk->size = size;
    mem->chunks = chunk;
    mem->chunk_bytes += size;
    mem->bump = (char *)chunk + CHUNK_HEADER;
    mem->bump_end = (char *)chunk + size;
    return true;
}

static void *small_from_chunk(Mem *mem, size_t bytes) {
    if ((size_t)(mem->bump_end - mem->bump) < bytes && !chunk_add(mem)) return NULL;
    void *block = mem->bump;
    mem->bump += bytes;
    return block;
}

static bool is_within(const Mem *mem, size_t bytes) {
    return !mem->limit || (bytes <= mem->limit && mem->in_use <= mem->limit - bytes);
}

// Decides about a request that passes the ceiling. Calls the owner back if it passes the mark or the
// limit. Returns whether it is allowed.
static bool passes(Mem *mem, size_t bytes) {
    if (is_stopped(mem)) return false;
    if (!is_within(mem, bytes) && mem->watch) mem->watch->scarce(mem->watch->ctx);
    bool fits = is_within(mem, bytes);
    if (fits && (bytes > mem->mark || mem->in_use > mem->mark - bytes)) {
        mem->mark = SIZE_MAX;
        if (mem->watch) mem->watch->grown(mem->watch->ctx);
    }
    set_ceiling(mem);
    return fits;
}

static inline bool mem_charge(Mem *mem, size_t bytes) {
    mem->requests++;
    size_t ceiling = atomic_load_explicit(&mem->ceiling, memory_order_relaxed);
    if ((bytes > ceiling || mem->in_use > ceiling - bytes) && !passes(mem, bytes)) {
        mem->refused++;
        return false;
    }
    mem->in_use += bytes;
    if (mem->in_use > mem->peak) mem->peak = mem->in_use;
    return true;
}

void *mem_alloc(Mem *mem, size_t size) {
    if (!mem_charge(mem, size)) return NULL;
    void *block;
    if (mem->pooled && size <= MEM_SMALL) {
        size_t cls = class_of(size);
        MemFree *head = mem->free_lists[cls];
        if (head) {
            mem->free_lists[cls] = head->next;
            return head;
        }
        block = small_from_chunk(mem, cls * MEM_CLASS_BYTES);
    } else {
        block = host_alloc(mem, NULL, 0, size);
    }
    if (!block) {
        mem->in_use -= size;
        mem->refused++;
    }
    return block;
}

// Allocates by calloc, which does not clear pages that have just come from the system.
static void *libc_zeroed(Mem *mem, size_t size) {
    if (!mem_charge(mem, size)) return NULL;
    mem->calls++;
    void *block = calloc(1, size);
    want_large_pages(block, size);
    if (!block) {
        mem->in_use -= size;
        mem->refused++;
    }
    return block;
}

void *mem_zalloc(Mem *mem, size_t size) {
    if (mem->fn == libc_fn && size >= PAGES_LEAST) return libc_zeroed(mem, size);
    void *block = mem_alloc(mem, size);
    if (block) memset(block, 0, size);
    return block;
}

void *mem_alloc_free(Mem *mem, size_t size) {
    if (!mem_charge(mem, size)) return NULL;
    void *block = libc_fn(NULL, NULL, 0, size);
    if (!block) {
        mem->in_use -= size;
        mem->refused++;
    }
    return block;
}

void mem_uncount(Mem *mem, size_t size) {
    mem->in_use -= size;
}

void mem_free(Mem *mem, void *ptr, size_t size) {
    if (!ptr) return;
    mem->in_use -= size;
    if (mem->pooled && size <= MEM_SMALL) {
        MemFree *block = ptr;
        size_t cls = class_of(size);
        block->next = mem->free_lists[cls];
        mem->free_lists[cls] = block;
    } else {
        mem->fn(mem->ctx, ptr, size, 0);
    }
}

void *mem_realloc(Mem *mem, void *ptr, size_t old_size, size_t new_size) {
    if (!ptr) return mem_alloc(mem, new_size);
    bool small = mem->pooled && (old_size <= MEM_SMALL || new_size <= MEM_SMALL);
    if (!small) {
        if (new_size > old_size && !mem_charge(mem, new_size - old_size)) return NULL;
        void *block = host_alloc(mem, ptr, old_size, new_size);
        if (!block) {
            if (new_size > old_size) mem->in_use -= new_size - old_size;
            mem->refused++;
            return NULL;
        }
        if (new_size < old_size) mem->in_use -= old_size - new_size;
        return block;
    }
    void *block = mem_alloc(mem, new_size);
    if (!block) return NULL;
    memcpy(block, ptr, old_size < new_size ? old_size : new_size);
    mem_free(mem, ptr, old_size);
    return block;
}

bool mem_grow(Mem *mem, void **items, size_t *cap, size_t need, size_t item_size) {
    if (need <= *cap) return true;
    size_t want = *cap + *cap / 2 + 4;
    if (want < need) want = need;
    if (want > SIZE_MAX / 2 / item_size) return false;
    void *grown = mem_realloc(mem, *items, *cap * item_size, want * item_size);
    if (!grown) return false;
    *items = grown;
    *cap = want;
    return true;
}
