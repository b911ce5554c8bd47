// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Blocks of host memory that wait to be used again.

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
    size_t bytes; // of all
    size_t total; // that may be kept; 0: not known yet
    bool pattern;  // np.empty is neither zeros nor what was there before, so that whoever reads it is found out
    size_t peak;  // bytes in use at once so far, without those kept
} BufferCache;

// Gives all of them back.
void buffers_free(Vm *vm, BufferCache *cache);

#endif
