// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Keeps a device's memory in free lists by size, since a call of the driver costs more than most kernels. All work on
// the memory goes through one queue in order, so memory that was given back can be handed out at once: its next use is
// enqueued after its last one.

#ifndef NACRE_BACKENDS_GRID_POOL_H
#define NACRE_BACKENDS_GRID_POOL_H

#include <stdbool.h>
#include <stddef.h>

#include "lang/support/mem.h"

typedef struct GridHeap {
    void *(*take)(void *device, size_t bytes); // NULL: there is none
    void (*give)(void *device, void *memory, size_t bytes);
} GridHeap;

typedef struct GridFree GridFree;

enum { GRID_SIZES = 8 * 64 }; // 8 for each power of 2: an eighth is wasted at most

typedef struct GridPool {
    const GridHeap *heap;
    void *device;
    Mem *mem;
    size_t kept, most; // bytes in the lists; if they would exceed `most`, all are returned to the driver
    GridFree *lists[GRID_SIZES], *spare;
} GridPool;

void grid_pool_open(GridPool *pool, Mem *mem, const GridHeap *heap, void *device, size_t most);
void grid_pool_close(GridPool *pool); // leaves memory alone that was not given back; the pool may be unopened
// NULL: the device has none left, even with all that was kept.
void *grid_pool_take(GridPool *pool, size_t bytes);
void grid_pool_give(GridPool *pool, void *memory, size_t bytes); // `bytes`: as in grid_pool_take

#endif
