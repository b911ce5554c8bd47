// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Talking to the other ranks: collective steps with the VM's errors, and the engine's part of being one of many.

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
    bool alone;          // rank 0 does something by itself, and the others are told later: there are no steps
    int apart;           // > 0: every rank works by itself (apart.h): there are no steps either
    size_t gc_count, gc_made; // of the VM when that began
    bool checks;         // compare what every rank is about to do before each collective step
    int64_t split_least; // bytes from which on an array is distributed
    uint64_t steps;      // collective steps so far
    bool failed;         // a step failed: the ranks no longer agree
    // Raises the exception that another rank passed to `fail`. NULL: RuntimeError with its text.
    Status (*raise)(struct Vm *vm, const RanksFailure *failure);

    struct Dry *dry;     // nothing is run, and all ranks are counted (dry.h); NULL: a run

    uint64_t partition_number;     // of the next one
    struct Partition **partitions; // in use
    size_t partition_count, partition_room;
    // The exchange that is being listed (blocks.h): its messages here, whose bytes it brings, and whether any rank has one.
    Transfer *transfers;
    size_t transfer_count, transfer_room;
    struct Storage **wanted;
    size_t wanted_count, wanted_room;
    bool moves;
    struct Storage **temps; // boxes of the kernel that is being run (boxes.h), owned
    size_t temp_count, temp_room;
    // One extent per rank: of the kernel that is being run (split.c); of an exchange; of the blocks along an access.
    struct Extent *ranges, *scratch, *owners;
    struct Partition *trial; // scratch: how a storage would be cut
    struct KnownRanges *known_ranges; // those that split.c has found last
    int64_t *starts;     // scratch of split_mask.c: size + 1
    int64_t halo;        // bytes of the widest halo so far
    int64_t margin;      // the widest halo of a grid so far, in indices
    struct GridArrival *arrivals; // of the exchange that is being listed: boxes to be unpacked (grid_impl.h)
    size_t arrival_count, arrival_room;
    struct Extent *grid_ranges;   // scratch of split_grid.c, for each cut and rank; NULL until it is needed
    int64_t *grid_cuts;
    char element[16];    // the one that was read last
    Traffic traffic;
} Link;

// What the ranks compare with `checks`: equal on all of them if they agree about the step.
typedef struct StepKey {
    uint64_t kind; // of the step: a letter
    uint64_t hash; // of what it is about
} StepKey;

struct EngineOptions;
// Joins the ranks that the options name, if any. False: out of memory, or refused (EngineOptions.refused).
bool link_open(Vm *vm, const struct EngineOptions *options);
// Collective: whether a number, other than 0, is the same on all ranks.
bool link_has_equal(Vm *vm, int64_t number);
void link_close(Vm *vm); // harmless when not joined

Link *link_of(const Vm *vm);
static inline bool is_on_ranks(const Vm *vm) {
    const Link *link = link_of(vm);
    return link->size > 1 && !link->alone && !link->apart;
}

// Collective steps. RuntimeError if a rank is gone, another rank's exception if it has failed, and with
// `checks` RuntimeError where ranks part.
Status link_check(Vm *vm, StepKey key); // no more than that: nothing without `checks`
Status link_exchange(Vm *vm, StepKey key, const Transfer *list, int count);
Status link_gather(Vm *vm, StepKey key, const void *own, void *all, size_t bytes);
Status link_broadcast(Vm *vm, StepKey key, int from, void *at, size_t bytes);
// Mail, which is no step: others know nothing of it. RuntimeError where the transport has none. Takes the mail over.
Status link_send(Vm *vm, int to, Mail *mail);
// The oldest mail of a rank with this context and tag, which is the caller's then.
Status link_receive(Vm *vm, int from, uint64_t context, int64_t tag, Mail **out);
// Reports to the others that this rank cannot go on; `bytes` is what their `raise` is given.
void link_fail(Vm *vm, const void *bytes, size_t len);

#endif
