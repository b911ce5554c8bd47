// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Free lists of device memory.

#include "backends/grid/pool.h"

#include <stdint.h>

struct GridFree {
    GridFree *next;
    void *memory;
};

void grid_pool_open(GridPool *pool, Mem *mem, const GridHeap *heap, void *device, size_t most) {
    *pool = (GridPool){.heap = heap, .device = device, .mem = mem, .most = most};
}

// Rounds up to at least 256 bytes and to one of eight sizes between powers of 2. Returns the number of the free list of
// this size; -1: too many bytes.
static int round_up(size_t *bytes) {
    enum { LEAST = 256, EIGHTH = 3 };
    size_t size = *bytes < LEAST ? LEAST : *bytes;
    if (size > SIZE_MAX / 4) return -1;
    int power = 63 - __builtin_clzll((unsigned long long)size);
    size_t step = (size_t)1 << (power - EIGHTH);
    size = (size + step - 1) / step * step;
    power = 63 - __builtin_clzll((unsigned long long)size); // it may have become the next power
    *bytes = size;
    return power * 8 + (int)(size >> (power - EIGHTH) & 7);
}

static void *pop(GridPool *pool, GridFree **list, size_t bytes) {
    GridFree *found = *list;
    void *memory = found->memory;
    *list = found->next;
    found->next = pool->spare;
    pool->spare = found;
    pool->kept -= bytes;
    return memory;
}

static void give_back_all(GridPool *pool) {
    for (int i = 0; i < GRID_SIZES; i++) {
        size_t bytes = ((size_t)8 + (size_t)(i & 7)) << (i / 8 > 3 ? i / 8 - 3 : 0);
        while (pool->lists[i]) pool->heap->give(pool->device, pop(pool, &pool->lists[i], bytes), bytes);
    }
}

void grid_pool_close(GridPool *pool) {
    if (!pool->heap) return;
    give_back_all(pool);
    for (GridFree *node = pool->spare, *next; node; node = next) {
        next = node->next;
        mem_free(pool->mem, node, sizeof *node);
    }
    pool->heap = NULL;
}

void *grid_pool_take(GridPool *pool, size_t bytes) {
    int list = round_up(&bytes);
    if (list < 0) return NULL;
    if (pool->lists[list]) return pop(pool, &pool->lists[list], bytes);
    void *memory = pool->heap->take(pool->device, bytes);
    if (memory || !pool->kept) return memory;
    give_back_all(pool);
    return pool->heap->take(pool->device, bytes);
}

static GridFree *node_of(GridPool *pool) {
    GridFree *node = pool->spare;
    if (!node) return mem_alloc(pool->mem, sizeof *node);
    pool->spare = node->next;
    return node;
}

void grid_pool_give(GridPool *pool, void *memory, size_t bytes) {
    int list = round_up(&bytes);
    if (pool->kept + bytes > pool->most) give_back_all(pool);
    GridFree *node = bytes > pool->most ? NULL : node_of(pool);
    if (!node) {
        pool->heap->give(pool->device, memory, bytes);
        return;
    }
    *node = (GridFree){pool->lists[list], memory};
    pool->lists[list] = node;
    pool->kept += bytes;
}
