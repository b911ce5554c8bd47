// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Hints for a node, from a host or another expert: how passes group it, and how its kernel runs.
// Hints never change a result. They are part of a plan's key.

#ifndef NACRE_VM_GRAPH_HINTS_H
#define NACRE_VM_GRAPH_HINTS_H

#include <stdint.h>

typedef uint32_t NodeHints; // 0: none

enum {
    HINT_APART = 1,     // starts a new kernel, without earlier nodes
    HINT_TOGETHER = 2,  // joins a kernel if possible, even for small gains
    HINT_STORED = 4,    // stores its result, even if nothing outside reads it
    HINT_OWN = 8,       // is not fused into a library call
    HINT_PLAIN = 16,    // skips algebraic simplification
    HINT_HOST = 32,     // runs on the host, whatever the device
    HINT_WHOLE = 64,    // is not row-blocked
    HINT_INTERPRET = 128,
    HINT_COMPILE = 256, // waits for machine code
    HINT_TILE_AT = 9,   // log2 of a tile's elements, plus 1: four bits
    HINT_THREADS_AT = 13, // maximum of threads: seven bits
    HINT_BITS = 20
};

static inline int hint_tile(NodeHints hints) { // elements; 0: no hint
    int log = hints >> HINT_TILE_AT & 15;
    return log ? 1 << (log - 1) : 0;
}
static inline int hint_threads(NodeHints hints) {
    return hints >> HINT_THREADS_AT & 127;
}

// Merges the hints of two nodes in one kernel; numbers come from the first that has any.
static inline NodeHints hints_joined(NodeHints a, NodeHints b) {
    const NodeHints tile = (NodeHints)15 << HINT_TILE_AT, threads = (NodeHints)127 << HINT_THREADS_AT;
    NodeHints joined = a | (b & ~(tile | threads));
    if (!(a & tile)) joined |= b & tile;
    if (!(a & threads)) joined |= b & threads;
    return joined;
}

#endif
