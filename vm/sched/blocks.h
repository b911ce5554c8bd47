// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Distributed buffers: how a storage is cut over the ranks, what each rank holds of it, and bringing
// what it does not hold. A storage is in PLACE_RANKS if each rank has its own block only.
//
// What every rank holds and needs follows from the program, so each rank computes it for all ranks: messages have
// elements only, never descriptions of them. Functions whose comment says so are collective.

#ifndef NACRE_VM_SCHED_BLOCKS_H
#define NACRE_VM_SCHED_BLOCKS_H

#include "vm/graph/storage.h"

// A range of a storage's bytes, or of indices: low … high - 1. Empty if low >= high.
typedef struct Extent {
    int64_t low, high;
} Extent;

static inline bool extent_is_empty(Extent e) {
    return e.low >= e.high;
}
static inline bool extent_has(Extent outer, Extent inner) {
    return extent_is_empty(inner) || (outer.low <= inner.low && inner.high <= outer.high);
}
static inline Extent extent_meet(Extent a, Extent b) {
    return (Extent){a.low > b.low ? a.low : b.low, a.high < b.high ? a.high : b.high};
}
// Returns the smallest extent that contains both.
static inline Extent extent_hull(Extent a, Extent b) {
    if (extent_is_empty(a)) return b;
    if (extent_is_empty(b)) return a;
    return (Extent){a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
}

// Rank r owns the bytes cuts[r] … cuts[r + 1] - 1 of a storage. Immutable, and shared by storages with equal cuts.
typedef struct Partition {
    uint32_t refs;
    uint64_t number; // never used twice; 0: Link.trial, which is scratch
    int64_t cuts[];
} Partition;
// Finds the ranks that own bytes of a part: first … last, among which some may own none. Returns false if there is
// none.
bool owners_of(const Partition *partition, int ranks, Extent part, int *first, int *last);

// What the ranges of indices in each block (reach_indices) depend on: index 0 touches the bytes `at`, and each further
// one of `count` indices the bytes `step` further.
typedef struct RangesKey {
    uint64_t partition; // Partition.number
    Extent at;
    int64_t step, count;
} RangesKey;
typedef struct KnownRanges {
    RangesKey key;
    bool fit;        // no index touches two blocks
    Extent ranges[]; // one per rank
} KnownRanges;

struct Link;
size_t partition_bytes(const struct Link *link);

// How a buffer in PLACE_RANKS is distributed. A gathered buffer keeps its Blocks, so that it can be cut in the same way
// for the next kernel (blocks_resume).
typedef struct Blocks {
    Partition *partition;
    int reads;     // single elements read since the last write
    int64_t beyond; // in a dry run: bytes by which the largest window of any rank exceeds this rank's
    Extent window; // the bytes that this rank's memory has room for; Buffer.host is where byte 0 would be
    Extent held[]; // per rank: the bytes of which it has current values: its block and a halo around it
} Blocks;

static inline bool is_cut(const Storage *storage) {
    return storage->buffer.valid == PLACE_RANKS;
}
static inline Extent block_of(const Partition *partition, int rank) {
    return (Extent){partition->cuts[rank], partition->cuts[rank + 1]};
}

// Cuts a storage that every rank has whole, or that has no memory yet. In the latter case allocates memory for this
// rank's block and a halo. Not collective.
Status blocks_cut(Vm *vm, Storage *storage, const int64_t *cuts);
// Begins an exchange with an empty list of messages. blocks_want, blocks_list and boxes.h add to it, and
// blocks_exchange sends all at once. Collective.
void blocks_begin(Vm *vm);
// Lists the messages that are missing for every rank r to hold needs[r], and sets Blocks.held to what it will be after
// the exchange.
Status blocks_want(Vm *vm, Storage *storage, const Extent *needs);
// Lists one message of the exchange. Returns false when out of memory.
bool blocks_list(Vm *vm, int peer, bool sends, void *at, int64_t bytes);
Status blocks_exchange(Vm *vm);
// The two halves of blocks_exchange. In between, the bytes that are sent must not be written, and those that are brought
// neither read nor written. blocks_finish does nothing if no exchange has begun.
Status blocks_post(Vm *vm);
Status blocks_finish(Vm *vm);
// Returns the bytes of a storage that message number `n` of the exchange sends; empty: it sends none of its.
Extent blocks_sent(const struct Link *link, size_t n, const Storage *storage);
// Makes an exchange for one storage: begins it, lists, and sends.
Status blocks_bring(Vm *vm, Storage *storage, const Extent *needs);
// Returns how many bytes all ranks together would receive by blocks_want.
int64_t blocks_missing(const struct Link *link, const Storage *storage, const Extent *needs);
// Collective: makes a cut storage valid on every rank's host. How it was cut is remembered.
Status blocks_gather(Vm *vm, Storage *storage);
// Cuts a gathered storage again as it was cut before, without a message. Does nothing if it was not gathered.
void blocks_resume(Vm *vm, Storage *storage);
// Returns the address of one element, which its owner broadcasts; after blocks_reads_most such reads, gathers the
// storage instead. The address is valid until the next call. NULL: an exception is set. Collective.
const char *blocks_element(Vm *vm, Storage *storage, int64_t offset, size_t bytes);
// Returns the number of single-element reads that cost about as much as gathering. Gathering after as many costs at
// most twice what was necessary, whatever the program does afterwards.
int64_t blocks_reads_most(const Storage *storage);
bool blocks_are_wanted(Vm *vm, const Storage *storage); // GraphHooks.distributed
Status blocks_divide(Vm *vm, const View *view, int64_t *from, int64_t *to); // GraphHooks.divide
// Notes that every rank has written its own block, which makes halos stale.
void blocks_written(Vm *vm, Storage *storage);
// As blocks_written, but ranks have written halos, too: what rank r holds of the bytes still[r] stays current.
void blocks_written_within(Vm *vm, Storage *storage, const Extent *still);
// Raises RuntimeError or SystemError if this rank works by itself, so that it cannot communicate.
Status blocks_refuse_alone(Vm *vm);
// Enlarges this rank's memory of a cut storage until its window contains the bytes `wanted`.
Status blocks_room(Vm *vm, Storage *storage, Extent wanted);
// Frees Buffer.blocks, but not the memory of the elements.
void blocks_drop(Vm *vm, Buffer *buffer);

#endif
