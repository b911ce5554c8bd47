// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What the files of dry runs share.

#ifndef NACRE_VM_SCHED_DRY_IMPL_H
#define NACRE_VM_SCHED_DRY_IMPL_H

#include "vm/sched/dry.h"
#include "vm/sched/sched.h"

// What one rank has sent and received.
typedef struct Tally {
    uint64_t sent, received; // bytes
    uint64_t messages_sent, messages_received;
} Tally;

// An exchange that has been counted. An equal one, most often in a loop's next iteration, is not listed again.
typedef struct KnownExchange {
    uint64_t hash, used; // hash of partition, holdings and needs, 0: a free entry; Dry.seen when it was last seen
    uint64_t times;      // how often `tallies` have yet to be added to Dry.exchanged
    DryTraffic traffic;
    Tally *tallies;      // of each rank
} KnownExchange;

enum { KNOWN_MOST = 64 };

// The exchange that is being listed.
typedef struct Listing {
    KnownExchange *into;
    bool again;            // the exchange is known, so nothing is listed
    Tally (*tallies)[DRY_DISTANCES]; // of each rank, by distance
    int64_t *whole[DRY_DISTANCES];   // differences: how many more ranks need all of rank r's block than of rank r - 1's
    const Partition *partition;      // the partition that `whole` is about; NULL: `whole` is all 0
    int64_t *filled;                 // how many blocks before rank r's are not empty
    uint64_t *node_out, *node_in;    // bytes that leave and enter each node
} Listing;

typedef struct Dry {
    DryOptions options;
    int size;
    Listing listing;
    KnownExchange known[KNOWN_MOST];
    int known_count;
    uint64_t seen;
    Tally *exchanged; // of each rank, without the multiples that `known` still has (KnownExchange.times)
    Tally *rooted;    // of each rank as the root of broadcasts; received: what it did not receive, being the root
    uint64_t exchanges, gathers, broadcasts, gathered, broadcast; // the last two: bytes
    size_t beyond, peak; // the sum of Blocks.beyond; the most bytes of arrays that a rank has held
    SourceLine at;    // the line of the node that is being run
    bool is_at;       // `at` is set
    DryStep kernel;   // what is known so far of the kernel that is being run
    bool has_kernel;
    DryStream streams[DRY_STREAMS];
    int64_t shape[NDIM_MAX];
    AxisSet cut;            // dimensions that are cut
    int64_t part[NDIM_MAX]; // along each dimension, the number of indices of the largest part
    double largest, own; // number of indices in the largest part, and in rank 0's, along those that are cut
} Dry;

static inline Dry *dry_of(const Vm *vm) {
    return vm->engine->link.dry;
}

// Fills in the line of a step, and passes the step to the host program.
void dry_report(Vm *vm, DryStep *step);
void dry_note_memory(Vm *vm, size_t borrowed);

// dry_traffic.c
// Adds `count` extents to a hash.
uint64_t dry_hash(uint64_t hash, const Extent *all, int count);
// Looks up an exchange by its hash. True: its counts were known, and have been added again. False: its messages have
// to be listed, and are recorded under that hash; without `is_exact`, equal hashes say nothing.
bool dry_find(Dry *dry, uint64_t hash, bool is_exact);
bool traffic_new(Vm *vm, Dry *dry);
void traffic_free(Vm *vm, Dry *dry);
Tally traffic_of(const Dry *dry, int rank);

#endif
