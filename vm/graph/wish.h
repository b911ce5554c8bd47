// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Hints for a node, from a host or another expert: how passes group it, and how its kernel runs.
// Hints never change a result. They are part of a plan's key.

#ifndef NACRE_VM_GRAPH_WISH_H
#define NACRE_VM_GRAPH_WISH_H

#include <stdint.h>

typedef uint32_t NodeWish; // 0: none

enum {
    WISH_APART = 1,     // starts a new kernel, without earlier nodes
    WISH_TOGETHER = 2,  // joins a kernel if possible, even for small gains
    WISH_STORED = 4,    // stores its result, even if nothing outside reads it
    WISH_OWN = 8,       // is not fused into a library call
    WISH_PLAIN = 16,    // skips algebraic simplification
    WISH_HOST = 32,     // runs on the host, whatever the device
    WISH_WHOLE = 64,    // is not row-blocked
    WISH_INTERPRET = 128,
    WISH_COMPILE = 256, // waits for machine code
    WISH_TILE_AT = 9,   // log2 of a tile's elements, plus 1: four bits
    WISH_THREADS_AT = 13, // maximum of threads: seven bits
    WISH_BITS = 20
};

static inline int wish_tile(NodeWish wish) { // elements; 0: no hint
    int log = wish >> WISH_TILE_AT & 15;
    return log ? 1 << (log - 1) : 0;
}
static inline int wish_threads(NodeWish wish) {
    return wish >> WISH_THREADS_AT & 127;
}

// Merges the hints of two nodes in one kernel; numbers come from the first that has any.
static inline NodeWish wishes_joined(NodeWish a, NodeWish b) {
    const NodeWish tile = (NodeWish)15 << WISH_TILE_AT, threads = (NodeWish)127 << WISH_THREADS_AT;
    NodeWish joined = a | (b & ~(tile | threads));
    if (!(a & tile)) joined |= b & tile;
    if (!(a & threads)) joined |= b & threads;
    return joined;
}

#endif
