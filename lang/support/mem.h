// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Memory: one allocator object through which every byte of a VM passes.
//
// A host may supply its own allocation function; a limit and exact counters sit in front of it.
// Small requests are served from size-classed free lists, whose blocks are cut from larger chunks.
// Without `pooled`, every request goes to the host's function, as fault injection and leak checkers
// need.

#ifndef NACRE_LANG_SUPPORT_MEM_H
#define NACRE_LANG_SUPPORT_MEM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Allocates (ptr == NULL), resizes or frees (new_size == 0), like realloc with the old size given.
// Returns NULL on failure and for a free, which cannot fail. Alignment: 16 bytes.
typedef void *(*MemFn)(void *ctx, void *ptr, size_t old_size, size_t new_size);

enum { MEM_CLASS_BYTES = 16, MEM_CLASSES = 33, MEM_SMALL = MEM_CLASS_BYTES * (MEM_CLASSES - 1) };

typedef struct MemFree {
    struct MemFree *next;
} MemFree;

typedef struct MemChunk {
    struct MemChunk *next;
    size_t size;
} MemChunk;

// Callbacks of the owner of the memory. They are called only by requests that pass the ceiling.
typedef struct MemWatch {
    bool (*stopped)(void *ctx); // returns whether all requests are refused, so that the program ends soon
    void (*grown)(void *ctx);   // bytes in use pass the mark; the mark has been removed before the call
    void (*scarce)(void *ctx);  // a request would pass the limit; free what can be freed at once
    void *ctx;
} MemWatch;

typedef struct Mem {
    MemFn fn;
    void *ctx;
    bool pooled;
    size_t limit;    // bytes in use may not pass this; 0 = no limit
    size_t mark;     // bytes in use above which `grown` is called; SIZE_MAX: none
    _Atomic size_t ceiling; // min(limit, mark), or 0 after mem_stop; a request that passes it is checked further
    const MemWatch *watch;  // or NULL
    size_t in_use;   // bytes handed out now (requested sizes)
    size_t peak;
    uint64_t requests; // allocations and growths asked for
    uint64_t calls;    // of fn, except those that free
    uint64_t refused;  // requests that failed
    MemFree *free_lists[MEM_CLASSES];
    char *bump, *bump_end;
    MemChunk *chunks;
    size_t chunk_bytes; // of all chunks
} Mem;

// Initialises an allocator over `fn`, or over the C library's if `fn` is NULL. limit 0: no limit.
void mem_init(Mem *mem, MemFn fn, void *ctx, bool pooled, size_t limit);

// Changes the limit, or the mark.
void mem_limit(Mem *mem, size_t limit);
void mem_mark(Mem *mem, size_t bytes);

// Makes the next request call `stopped`. Any thread and signal handlers may call this.
static inline void mem_stop(Mem *mem) {
    atomic_store_explicit(&mem->ceiling, 0, memory_order_relaxed);
}
// Returns whether requests are refused now because `stopped` says so.
bool mem_stopped(Mem *mem);

// Frees all chunks. All blocks must have been freed before.
void mem_destroy(Mem *mem);

// Return NULL when out of memory or past the limit. size > 0. mem_alloc does not clear. Memory of
// mem_zalloc may be pages that the system provides at the first access.
void *mem_alloc(Mem *mem, size_t size);
void *mem_zalloc(Mem *mem, size_t size);

// Resizes a block and returns it. The contents up to the smaller size are kept. NULL on failure; the old
// block stays valid then.
void *mem_realloc(Mem *mem, void *ptr, size_t old_size, size_t new_size);

// Frees a block, which was allocated with `size` bytes. ptr may be NULL.
void mem_free(Mem *mem, void *ptr, size_t size);

// Allocates a counted block from the C library, whatever `fn` is. Any thread may free() it, even after the Mem is
// destroyed; mem_uncount takes it out of the count.
void *mem_alloc_free(Mem *mem, size_t size);
void mem_uncount(Mem *mem, size_t size);

// Grows an array's capacity geometrically so that it holds at least `need` items. Returns false
// (array untouched) when out of memory or when the size overflows.
bool mem_grow(Mem *mem, void **items, size_t *cap, size_t need, size_t item_size);

#endif
