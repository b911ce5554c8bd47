// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Cache of free blocks of host memory.

#ifndef NACRE_VM_GRAPH_BUFFERS_H
#define NACRE_VM_GRAPH_BUFFERS_H

#include "vm/graph/storage.h"

enum { KEPT_BLOCKS = 16 };

typedef struct KeptBlock {
    void *block;
    size_t bytes;
} KeptBlock;

typedef struct BufferCache {
    KeptBlock blocks[KEPT_BLOCKS]; // oldest first
    int count, limit; // at most KEPT_BLOCKS
    size_t bytes; // total of all blocks
    size_t total; // limit of that total; 0: not known yet
    bool pattern;  // fill new arrays with a pattern, to expose reads of np.empty
    size_t peak;  // most bytes in use at once so far, without kept blocks
} BufferCache;

// Memory of arrays in a dry run. It is always cleared, and freed blocks are not kept. Of large blocks only the address
// range is reserved, which counts towards no limit.
enum { RESERVE_LEAST = 1 << 16 }; // size in bytes from which a block is large
typedef struct Reserving {
    size_t least;        // RESERVE_LEAST; 0: this is no dry run
    size_t in_use, peak; // bytes that a rank would hold now; at most so far
} Reserving;

// Frees all kept blocks.
void buffers_free(Vm *vm, BufferCache *cache);

#endif
