// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Where the elements of an access lie among the blocks of ranks: the bytes that indices touch, and the indices whose
// elements a block has.

#ifndef NACRE_VM_SCHED_REACH_H
#define NACRE_VM_SCHED_REACH_H

#include "vm/kernel/kernel.h"
#include "vm/sched/blocks.h"

// What indices are of: extents of dimensions, borrowed.
typedef struct Space {
    int ndim;
    const int64_t *shape;
} Space;

static inline Space space_of(const Kernel *k) {
    return (Space){k->ndim, k->shape};
}

// The indices below n whose elements lie in a block: index 0 touches `at`, and each one is a step further.
Extent reach_indices_in(Extent at, int64_t step, int64_t n, Extent block);
// Even ranges of so many indices, for so many parts; for the ranks.
void reach_evenly_in(int parts, int64_t extent, Extent *ranges);
void reach_evenly(const struct Link *link, int64_t extent, Extent *ranges);
// Of index 0 along dimension `but`, which is -1 for all dimensions: lowest and highest byte, relative to the storage.
Extent reach(Space space, const KernAccess *access, int but);
// Moves what index 0 touches along by the indices from … to, each `stride` bytes from the one before.
Extent reach_moved(Extent first, int64_t stride, Extent range);
// What the indices from … to along one dimension touch.
Extent reach_range(Space space, const KernAccess *access, int dim, Extent range);
// Per rank the indices along `dim` whose elements its block has. False: the elements of some index lie in two blocks.
bool reach_ranges(const struct Link *link, Space space, const KernAccess *access, int dim,
                  const Partition *partition, Extent *ranges);
// Finds the dimension along which reach_ranges succeeds, trying the slowest first. Skips those in `without`. -1: none.
int reach_owners(const struct Link *link, Space space, const KernAccess *access, const Partition *partition,
                 AxisSet without, Extent *ranges);
// As reach_ranges, for so many indices, of which index 0 touches the bytes `at`, and each one is `step` bytes further.
bool reach_indices(const struct Link *link, Extent at, int64_t step, int64_t count, const Partition *partition, Extent *ranges);
// The dimension along which an access moves furthest from one index to the next; -1: it has only one element.
int reach_slowest(Space space, const KernAccess *access, AxisSet without);
// Cuts of a new storage so that each rank's range of indices is in its own block. False: they lie across each other.
bool reach_cuts(const struct Link *link, Space space, const KernAccess *access, int dim, const Extent *ranges,
                int64_t *cuts);
// The same of a storage of so many bytes, for indices as reach_indices has them.
bool reach_cuts_of(const struct Link *link, int64_t bytes, Extent at, int64_t step, int64_t count, const Extent *ranges,
                   int64_t *cuts);

#endif
