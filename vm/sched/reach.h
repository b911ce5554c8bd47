// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Relates the elements of an access to the blocks of ranks: finds the bytes that indices touch, and the indices whose
// elements lie in a block.

#ifndef NACRE_VM_SCHED_REACH_H
#define NACRE_VM_SCHED_REACH_H

#include "vm/kernel/kernel.h"
#include "vm/sched/blocks.h"

// An iteration space. The extents of its dimensions are borrowed.
typedef struct Space {
    int ndim;
    const int64_t *shape;
} Space;

static inline Space space_of(const Kernel *k) {
    return (Space){k->ndim, k->shape};
}

// Returns the indices below n whose bytes lie in a block. Index 0 touches the bytes `at`, and each further one those
// `step` further.
Extent reach_indices_in(Extent at, int64_t step, int64_t n, Extent block);
// Divide `extent` indices into even ranges: reach_evenly_in for so many parts, reach_evenly for the ranks.
void reach_evenly_in(int parts, int64_t extent, Extent *ranges);
void reach_evenly(const struct Link *link, int64_t extent, Extent *ranges);
// Returns the range of a storage's bytes that an access touches at index 0 of dimension `but`; with -1, at all indices
// of all dimensions.
Extent reach(Space space, const KernAccess *access, int but);
// Returns the bytes that the indices `range` touch, given those that index 0 touches, `first`. Indices are `stride`
// bytes from each other.
Extent reach_moved(Extent first, int64_t stride, Extent range);
// Returns the bytes that an access touches at the indices `range` of one dimension.
Extent reach_range(Space space, const KernAccess *access, int dim, Extent range);
// Finds for each rank the indices along `dim` whose elements lie in its block. Returns false if the elements of some
// index lie in two blocks.
bool reach_ranges(const struct Link *link, Space space, const KernAccess *access, int dim,
                  const Partition *partition, Extent *ranges);
// Returns a dimension along which reach_ranges succeeds, trying slowest dimensions first and skipping those in
// `without`; -1: there is none.
int reach_owners(const struct Link *link, Space space, const KernAccess *access, const Partition *partition,
                 AxisSet without, Extent *ranges);
// As reach_ranges, for `count` indices, of which index 0 touches the bytes `at`, and each further one those `step`
// further.
bool reach_indices(const struct Link *link, Extent at, int64_t step, int64_t count, const Partition *partition, Extent *ranges);
// Returns the dimension, other than those in `without`, with the largest stride; -1: the access moves along none.
int reach_slowest(Space space, const KernAccess *access, AxisSet without);
// Computes cuts of a new storage so that the elements of each rank's range of indices lie in its own block. Returns
// false if there are no such cuts: ranges are not in ascending order, or the bytes of indices overlap.
bool reach_cuts(const struct Link *link, Space space, const KernAccess *access, int dim, const Extent *ranges,
                int64_t *cuts);
// As reach_cuts, for a storage of so many bytes, and indices as in reach_indices.
bool reach_cuts_of(const struct Link *link, int64_t bytes, Extent at, int64_t step, int64_t count, const Extent *ranges,
                   int64_t *cuts);

#endif
