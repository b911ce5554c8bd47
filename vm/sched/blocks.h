// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Distributed buffers: how a storage is cut over the ranks, what each rank holds of it, and bringing
// what it does not hold. A storage is in PLACE_RANKS if each rank has its own block only.
//
// What every rank holds and needs follows from the program, so each rank computes it for all: only elements
// travel, never descriptions of them. All functions that say so are collective.

#ifndef NACRE_VM_SCHED_BLOCKS_H
#define NACRE_VM_SCHED_BLOCKS_H

#include "vm/graph/storage.h"

// Bytes low … high of a storage; empty if low >= high.
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
// The least one that has both.
static inline Extent extent_hull(Extent a, Extent b) {
    if (extent_is_empty(a)) return b;
    if (extent_is_empty(b)) return a;
    return (Extent){a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
}

// Rank r owns the bytes cuts[r] … cuts[r + 1] of a storage. Immutable, and shared by the storages that are cut alike.
typedef struct Partition {
    uint32_t refs;
    uint64_t number; // which no other one has had; 0: a trial
    int64_t cuts[];
} Partition;
// The ranks that own something of a part: first … last, and perhaps some without any between them. False: there is none.
bool owners_of(const Partition *partition, int ranks, Extent part, int *first, int *last);

// Of which indices the elements lie in each block: index 0 touches the bytes `at`, each one is a step further.
typedef struct RangesKey {
    uint64_t partition; // its number
    Extent at;
    int64_t step, count;
} RangesKey;
typedef struct KnownRanges {
    RangesKey key;
    bool fit;        // no element lies in two blocks
    Extent ranges[]; // one per rank
} KnownRanges;

struct Link;
size_t partition_bytes(const struct Link *link);

// Of a buffer in PLACE_RANKS; and of one in PLACE_HOST that was gathered, which is cut so again for the next kernel.
typedef struct Blocks {
    Partition *partition;
    int reads;     // of single elements since somebody wrote
    int64_t beyond; // of a dry run: bytes that the rank with the widest window has above this one
    Extent window; // what the memory of this rank has room for. Buffer.host is where byte 0 would be
    Extent held[]; // per rank: the current bytes that it has, which are its block and a halo around it
} Blocks;

static inline bool is_cut(const Storage *storage) {
    return storage->buffer.valid == PLACE_RANKS;
}
static inline Extent block_of(const Partition *partition, int rank) {
    return (Extent){partition->cuts[rank], partition->cuts[rank + 1]};
}

// Cuts a storage that every rank has, or that nobody has written yet. The memory of a new one is its block and room
// for a halo. Not collective.
Status blocks_cut(Vm *vm, Storage *storage, const int64_t *cuts);
// An exchange: messages are listed, those of boxes (boxes.h) among them, and then sent all at once. Collective.
void blocks_begin(Vm *vm);
// Lists what has to come until every rank r holds needs[r], which the exchange makes so.
Status blocks_want(Vm *vm, Storage *storage, const Extent *needs);
// Lists one message.
bool blocks_list(Vm *vm, int peer, bool sends, void *at, int64_t bytes);
Status blocks_exchange(Vm *vm);
// An exchange of one storage.
Status blocks_bring(Vm *vm, Storage *storage, const Extent *needs);
// Bytes that `blocks_want` would have sent, over all ranks.
int64_t blocks_missing(const struct Link *link, const Storage *storage, const Extent *needs);
// Collective: makes a cut storage valid on every rank's host. How it was cut is remembered.
Status blocks_gather(Vm *vm, Storage *storage);
// The storage is cut again as it was before it was gathered, without a message; does nothing where it was not.
void blocks_resume(Vm *vm, Storage *storage);
// Collective: one element, by its owner; after some of these, the whole storage. Valid until the next call.
const char *blocks_element(Vm *vm, Storage *storage, int64_t offset, size_t bytes);
// So many reads cost about as much as gathering: whatever the program goes on to do, it pays twice at most what it had to.
int64_t blocks_reads_most(const Storage *storage);
bool blocks_are_wanted(Vm *vm, const Storage *storage); // GraphHooks.distributed
Status blocks_divide(Vm *vm, const View *view, int64_t *from, int64_t *to); // GraphHooks.divide
// Every rank has written in its own block: halos are stale.
void blocks_written(Vm *vm, Storage *storage);
// The same, of blocks and halos: what each rank had of still[r] is current still.
void blocks_written_within(Vm *vm, Storage *storage, const Extent *still);
// RuntimeError or SystemError where this rank works by itself, and cannot ask others.
Status blocks_refuse_alone(Vm *vm);
// Makes room for so much in this rank's memory of a cut storage.
Status blocks_room(Vm *vm, Storage *storage, Extent wanted);
// Frees the description, and leaves the memory.
void blocks_drop(Vm *vm, Buffer *buffer);

#endif
