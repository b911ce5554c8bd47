// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Communication with the other ranks: collective steps that raise exceptions, and the engine's state as one of the
// ranks.

#ifndef NACRE_VM_SCHED_COLLECTIVE_H
#define NACRE_VM_SCHED_COLLECTIVE_H

#include "vm/plugin/ranks.h"
#include "vm/sched/traffic.h"
#include "vm/value/vm.h"

// The engine's link to the other ranks.
typedef struct Link {
    const Ranks *fns; // NULL: the program runs alone
    void *ctx;
    int rank, size;
    bool alone;          // rank 0 does something by itself, whose outcome it broadcasts later: there are no steps
    int apart;           // > 0: every rank works by itself (apart.h): there are no steps either
    size_t gc_count, gc_made; // the VM's when work apart began
    bool checks;         // before each collective step, ranks compare what they are about to do (StepKey)
    int64_t split_least; // bytes from which on an array is distributed
    uint64_t steps;      // collective steps so far
    bool failed;         // a step failed, so the ranks no longer agree
    // Raises the exception that another rank passed to `fail`. NULL: RuntimeError with its text.
    Status (*raise)(struct Vm *vm, const RanksFailure *failure);

    struct Dry *dry;     // state of a dry run (dry.h); NULL: an ordinary run

    uint64_t partition_number;     // of the newest partition
    struct Partition **partitions; // those in use, each only once
    size_t partition_count, partition_room;
    // The exchange that is being listed (blocks.h): this rank's messages, the storages that it brings bytes of, and
    // whether any rank has a message.
    Transfer *transfers;
    size_t transfer_count, transfer_room;
    struct Storage **wanted;
    size_t wanted_count, wanted_room;
    bool moves;
    bool posted;              // the exchange has begun, and blocks_finish has to follow
    RanksCounts before;       // the transport's counts before it began
    struct Overlap *overlap;  // work to be done before it does (overlap.h); NULL until the first
    struct Storage **temps; // boxes of the kernel that is being run (boxes.h), owned
    size_t temp_count, temp_room;
    // Each an extent per rank: parts of the kernel that is being run (split.c); scratch, as for an exchange's needs;
    // the indices along an access that each rank owns.
    struct Extent *ranges, *scratch, *owners;
    struct Partition *trial; // scratch: how a storage would be cut
    struct KnownRanges *known_ranges; // a cache of reach_indices
    int64_t *starts;     // scratch of split_mask.c and others: size + 1 numbers
    int64_t halo;        // bytes of the widest halo so far
    int64_t margin;      // the widest halo of a grid so far, in indices
    struct GridArrival *arrivals; // boxes that the exchange brings, to be unpacked after it (grid_impl.h)
    size_t arrival_count, arrival_room;
    struct Extent *grid_ranges;   // scratch of split_grid.c, for each cut and rank; NULL until the first use
    int64_t *grid_cuts;
    char element[16];    // the single element that was read last (blocks_element)
    Traffic traffic;
} Link;

// What the ranks compare with `checks`: equal on all of them if they agree about the step.
typedef struct StepKey {
    uint64_t kind; // a letter for the kind of step
    uint64_t hash; // of what the step is about: a size, an offset
} StepKey;

struct EngineOptions;
// Joins the ranks that the options name, if any. False: out of memory, or refused (EngineOptions.refused).
bool link_open(Vm *vm, const struct EngineOptions *options);
// Returns whether a number is the same on all ranks. With several ranks, returns false if it is 0. Collective.
bool link_has_equal(Vm *vm, int64_t number);
void link_close(Vm *vm); // does nothing if link_open was not called

Link *link_of(const Vm *vm);
static inline bool is_on_ranks(const Vm *vm) {
    const Link *link = link_of(vm);
    return link->size > 1 && !link->alone && !link->apart;
}

// Collective steps. They raise RuntimeError if a rank is gone, the exception of a rank that has failed, and with
// `checks` RuntimeError if ranks are about to do different things.
Status link_check(Vm *vm, StepKey key); // does only the comparison of `checks`
// An exchange has two halves; link_poke advances its messages in between, without waiting. The memory that the list names
// is the transport's until link_finish returns, or link_post fails.
Status link_post(Vm *vm, StepKey key, const Transfer *list, int count);
Status link_finish(Vm *vm, const Transfer *list, int count);
void link_poke(void *vm);
Status link_gather(Vm *vm, StepKey key, const void *own, void *all, size_t bytes);
Status link_broadcast(Vm *vm, StepKey key, int from, void *at, size_t bytes);
// Sends mail, which is no collective step: only the two ranks take part. Consumes the mail. Raises RuntimeError if the
// transport has no mail.
Status link_send(Vm *vm, int to, Mail *mail);
// Waits for the oldest mail of a rank with this context and tag. *out is the caller's to free.
Status link_receive(Vm *vm, int from, uint64_t context, int64_t tag, Mail **out);
// Reports to the other ranks that this one cannot continue. Their Link.raise is given `bytes`.
void link_fail(Vm *vm, const void *bytes, size_t len);

#endif
