// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What sharing a kernel out along a dimension costs, in bytes that ranks send. Parts are the indices link->ranges.

#ifndef NACRE_VM_SCHED_SPLIT_COST_H
#define NACRE_VM_SCHED_SPLIT_COST_H

#include "vm/sched/reach.h"

// How a kernel would be shared out along a dimension.
typedef struct Cost {
    int64_t bytes;   // that travel, over all ranks
    uint32_t packed; // loads that come as boxes
    uint32_t boxed;  // stores that are made in boxes, and sent to owners
} Cost;

// False: it cannot be. `in_place`: without boxes.
bool cost_of(const struct Link *link, const Kernel *k, int dim, bool in_place, Cost *cost);

bool storage_is_own(const Storage *storage); // memory of others stays whole
bool storage_is_large(const struct Link *link, const Storage *storage); // so that it is to be distributed
int parts_of(const struct Link *link); // ranks that have one

// --- Stores ----------------------------------------------------------------------------------------
// A reduction along the dimension: each rank has a part of every value.
bool store_is_partial(const Kernel *k, int store, int dim);
// Whether each rank's part of a store goes to its own block. *cuts: a storage that is whole has to be cut for that, as
// link->trial has it.
bool store_fits(const struct Link *link, const Kernel *k, int store, int dim, bool *cuts);
// How a storage of which each rank makes elements of others would be cut: as it is, or evenly (link->trial). Leaves the
// ranges of its owners at link->scratch. Returns the dimension along which they differ; -1: it cannot be.
int store_owners(const struct Link *link, const Kernel *k, int store);
// An earlier store into the same storage; -1: there is none.
int store_target_before(const Kernel *k, int store);
int64_t store_bytes(const Kernel *k, int store);

// --- Loads -----------------------------------------------------------------------------------------
bool load_is_first(const Kernel *k, int load); // of those of its storage
// What every rank's part reads of a storage, by all loads together, at link->scratch.
void load_needs(const struct Link *link, const Kernel *k, int dim, const Storage *storage);

#endif
