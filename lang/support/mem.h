// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Memory: one allocator object through which every byte of a VM passes.
//
// A host may supply its own allocation function; a limit and exact counters sit in front of it.
// Small requests are served from size-classed free lists carved out of larger chunks, unless
// `pooled` is off, in which case every request reaches the host's function one by one (what
// fault injection and leak checkers want).

#ifndef NACRE_LANG_SUPPORT_MEM_H
#define NACRE_LANG_SUPPORT_MEM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// One function for allocate (ptr == NULL), resize and free (new_size == 0); like realloc, but told
// the old size. Returns NULL on failure (never for a free). Alignment: 16 bytes.
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
    bool (*stopped)(void *ctx); // whether all requests are to be refused, so that what runs ends soon
    void (*grown)(void *ctx);   // more bytes than the mark are in use; the mark is gone
    void (*scarce)(void *ctx);  // a request would pass the limit: what can be given back at once should be
    void *ctx;
} MemWatch;

typedef struct Mem {
    MemFn fn;
    void *ctx;
    bool pooled;
    size_t limit;    // bytes in use may not pass this; 0 = no limit
    size_t mark;     // bytes in use above which `grown` is called; SIZE_MAX: none
    _Atomic size_t ceiling; // the least of these, or 0: a request that passes it is looked at closely
    const MemWatch *watch;  // NULL: nobody
    size_t in_use;   // bytes handed out now (requested sizes)
    size_t peak;
    uint64_t requests; // allocations and growths asked for
    uint64_t calls;    // of fn, but for those that free
    uint64_t refused;  // requests that failed
    MemFree *free_lists[MEM_CLASSES];
    char *bump, *bump_end;
    MemChunk *chunks;
    size_t chunk_bytes; // of all chunks
} Mem;

// fn == NULL: the C library's allocator.
void mem_init(Mem *mem, MemFn fn, void *ctx, bool pooled, size_t limit);

// Changes the limit, or the mark.
void mem_limit(Mem *mem, size_t limit);
void mem_mark(Mem *mem, size_t bytes);

// Has the next request ask whether it is stopped. For any thread, and signal handlers.
static inline void mem_stop(Mem *mem) {
    atomic_store_explicit(&mem->ceiling, 0, memory_order_relaxed);
}
// Whether requests are refused now because of that.
bool mem_stopped(Mem *mem);

// Gives every chunk back. All blocks must have been freed before.
void mem_destroy(Mem *mem);

// Return NULL when out of memory or past the limit. size > 0. mem_alloc does not clear. What
// mem_zalloc has cleared may be pages that the system makes when somebody looks at them.
void *mem_alloc(Mem *mem, size_t size);
void *mem_zalloc(Mem *mem, size_t size);

// Contents up to the smaller size survive; on failure the old block stays valid.
void *mem_realloc(Mem *mem, void *ptr, size_t old_size, size_t new_size);

// ptr may be NULL. `size` is the size the block was allocated with.
void mem_free(Mem *mem, void *ptr, size_t size);

// A block that is counted, but comes from the C library in any case: free() takes it, in any thread and even when the
// Mem is gone, and mem_uncount ends its being counted.
void *mem_alloc_free(Mem *mem, size_t size);
void mem_uncount(Mem *mem, size_t size);

// Grows an array's capacity geometrically so that it holds at least `need` items. Returns false
// (array untouched) when out of memory or when the size overflows.
bool mem_grow(Mem *mem, void **items, size_t *cap, size_t need, size_t item_size);

#endif
