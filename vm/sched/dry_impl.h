// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What the files of dry runs share.

#ifndef NACRE_VM_SCHED_DRY_IMPL_H
#define NACRE_VM_SCHED_DRY_IMPL_H

#include "vm/sched/dry.h"
#include "vm/sched/sched.h"

// Of one rank.
typedef struct Tally {
    uint64_t sent, received; // bytes
    uint64_t messages_sent, messages_received;
} Tally;

// An exchange that has been counted: the same one, most often that of the loop's round before, needs no second look.
typedef struct KnownExchange {
    uint64_t hash, used; // of partition, holdings and needs, 0: none; when it was last seen
    uint64_t times;      // that `tallies` have to be counted still
    DryTraffic traffic;
    Tally *tallies;      // of each rank
} KnownExchange;

enum { KNOWN_MOST = 64 };

// The exchange that is being listed.
typedef struct Listing {
    KnownExchange *into;
    bool again;            // it is known: nothing is listed
    Tally (*tallies)[DRY_DISTANCES]; // of each rank
    int64_t *whole[DRY_DISTANCES];   // so many more ranks lack all of rank r's block than lack that of rank r - 1
    const Partition *partition;      // if there are any of these; else NULL
    int64_t *filled;                 // how many blocks before r are not empty
    uint64_t *node_out, *node_in;    // bytes
} Listing;

typedef struct Dry {
    DryOptions options;
    int size;
    Listing listing;
    KnownExchange known[KNOWN_MOST];
    int known_count;
    uint64_t seen;
    Tally *exchanged; // of each rank, but for what is in `known`
    Tally *rooted;    // what it broadcast, above the others
    uint64_t exchanges, gathers, broadcasts, gathered, broadcast; // the last two: bytes
    size_t beyond, peak; // bytes of blocks on the rank that has most, above rank 0's; at most held by a rank
    SourceLine at;    // of the node that is being run
    bool is_at;
    DryStep kernel;   // what is known of it so far
    bool has_kernel;
    DryStream streams[DRY_STREAMS];
    int64_t shape[NDIM_MAX];
    int64_t largest, own; // number of indices in the largest part, and in rank 0's
} Dry;

static inline Dry *dry_of(const Vm *vm) {
    return vm->engine->link.dry;
}

// Fills in where it is, and tells the host.
void dry_report(Vm *vm, DryStep *step);
void dry_note_memory(Vm *vm, size_t borrowed);

// dry_traffic.c
bool traffic_new(Vm *vm, Dry *dry);
void traffic_free(Vm *vm, Dry *dry);
Tally traffic_of(const Dry *dry, int rank);

#endif
