// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What somebody who knows better wishes for a node: how the passes are to group it, and how its kernel is to
// be run. It changes no result. The bits stand in a plan's key, so plans with other wishes are others.

#ifndef NACRE_VM_GRAPH_WISH_H
#define NACRE_VM_GRAPH_WISH_H

#include <stdint.h>

typedef uint32_t NodeWish; // 0: none

enum {
    WISH_APART = 1,     // it begins a kernel, with nothing that was written before
    WISH_TOGETHER = 2,  // it joins a kernel that it may be in, even where little is saved
    WISH_STORED = 4,    // its result is stored, whoever reads it
    WISH_OWN = 8,       // no part of a library routine that does several nodes
    WISH_PLAIN = 16,    // a kernel of its instructions as they are, without algebra
    WISH_HOST = 32,     // run on the host, whatever the device
    WISH_WHOLE = 64,    // not in bands of rows
    WISH_INTERPRET = 128,
    WISH_COMPILE = 256, // machine code is waited for
    WISH_TILE_AT = 9,   // the logarithm of a tile's elements, + 1: four bits
    WISH_THREADS_AT = 13, // threads at most: seven bits
    WISH_BITS = 20
};

static inline int wish_tile(NodeWish wish) { // elements; 0: none wished for
    int log = wish >> WISH_TILE_AT & 15;
    return log ? 1 << (log - 1) : 0;
}
static inline int wish_threads(NodeWish wish) {
    return wish >> WISH_THREADS_AT & 127;
}

// Of a kernel that two nodes are in: numbers are the first one's that has any.
static inline NodeWish wishes_joined(NodeWish a, NodeWish b) {
    const NodeWish tile = (NodeWish)15 << WISH_TILE_AT, threads = (NodeWish)127 << WISH_THREADS_AT;
    NodeWish joined = a | (b & ~(tile | threads));
    if (!(a & tile)) joined |= b & tile;
    if (!(a & threads)) joined |= b & threads;
    return joined;
}

#endif
