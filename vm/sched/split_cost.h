// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Computes what partitioning a kernel along a dimension costs, in bytes that ranks send. Parts are the indices
// link->ranges.

#ifndef NACRE_VM_SCHED_SPLIT_COST_H
#define NACRE_VM_SCHED_SPLIT_COST_H

#include "vm/sched/reach.h"

// The cost of partitioning a kernel along a dimension.
typedef struct Cost {
    int64_t bytes;   // bytes sent, over all ranks
    uint32_t packed; // loads that come as boxes
    uint32_t boxed;  // stores that go into boxes, which are sent to the elements' owners
} Cost;

// Computes the cost. Returns false if the kernel cannot be cut along `dim`. `in_place`: boxes are not allowed.
bool cost_of(const struct Link *link, const Kernel *k, int dim, bool in_place, Cost *cost);

bool storage_is_own(const Storage *storage); // false: others own or see its memory, so it is never distributed
bool storage_is_large(const struct Link *link, const Storage *storage); // whether it is large enough to be distributed
int parts_of(const struct Link *link); // the number of ranks that have a part

// --- Stores ----------------------------------------------------------------------------------------
// Returns whether a store is a reduction along the dimension, so that each rank has partial results.
bool store_is_partial(const Kernel *k, int store, int dim);
// Returns whether each rank's part of a store lies in its own block. *cuts: the storage is whole, and has to be cut
// like link->trial for that.
bool store_fits(const struct Link *link, const Kernel *k, int store, int dim, bool *cuts);
// Finds the owners of a store whose parts lie across the storage's blocks: those it has, or even ones if it is whole
// (then link->trial are the cuts). Sets link->scratch to the owners' ranges. Returns the dimension along which owners
// differ; -1: there is none.
int store_owners(const struct Link *link, const Kernel *k, int store);
// Returns the first earlier store into the same storage; -1: there is none.
int store_target_before(const Kernel *k, int store);
int64_t store_bytes(const Kernel *k, int store);

// --- Loads -----------------------------------------------------------------------------------------
bool load_is_first(const Kernel *k, int load); // whether no earlier load is of the same storage
// Sets link->scratch to the bytes of a storage that each rank's part reads, by all loads together.
void load_needs(const struct Link *link, const Kernel *k, int dim, const Storage *storage);

#endif
