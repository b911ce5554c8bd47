// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Computes what partitioning a kernel along a dimension costs, in bytes that ranks send.

#include "vm/sched/split_cost.h"

#include <string.h>

#include "vm/sched/boxes.h"
#include "vm/sched/operands.h"
#include "vm/sched/rule.h"
#include "vm/sched/sched.h"

static bool is_reduction(const Kernel *k, int store) {
    return store < k->reduction_count;
}

bool store_is_partial(const Kernel *k, int store, int dim) {
    return is_reduction(k, store) && k->reduced >> dim & 1;
}

bool storage_is_own(const Storage *storage) {
    return !storage->owner && !storage->doubted;
}

static bool is_new(const Storage *storage) {
    return storage_is_own(storage) && is_blank(&storage->buffer) && !is_cut(storage);
}

bool storage_is_large(const Link *link, const Storage *storage) {
    return (int64_t)storage->buffer.bytes >= link->split_least;
}

static bool same_ranges(const Link *link, const Extent *a, const Extent *b) {
    return memcmp(a, b, (size_t)link->size * sizeof *a) == 0;
}

bool store_fits(const Link *link, const Kernel *k, int s, int dim, bool *cuts) {
    const KernAccess *to = &k->stores[s].to;
    *cuts = false;
    if (!storage_is_own(to->storage)) return false;
    if (is_cut(to->storage)) {
        return reach_ranges(link, space_of(k), to, dim, to->storage->buffer.blocks->partition, link->scratch) &&
               same_ranges(link, link->ranges, link->scratch);
    }
    *cuts = true;
    return to->strides[dim] != 0 && reach_cuts(link, space_of(k), to, dim, link->ranges, link->trial->cuts);
}

static size_t largest_load(const Kernel *k) {
    size_t most = 0;
    for (int i = 0; i < k->load_count; i++)
        if (k->loads[i].storage->buffer.bytes > most) most = k->loads[i].storage->buffer.bytes;
    return most;
}

static bool is_read(const Kernel *k, const Storage *storage) {
    for (int i = 0; i < k->load_count; i++)
        if (k->loads[i].storage == storage) return true;
    return false;
}

// Returns whether partial results of reduction s can be combined. The op must allow it (op_has_parts). The result must
// not be cut, read by the kernel, or larger than the largest operand.
static bool partial_fits(const Kernel *k, int s) {
    const Storage *to = k->stores[s].to.storage;
    if (!op_has_parts((OpId)k->reductions[s].op, k->stores[s].to.dtype)) return false;
    return !is_read(k, to) && !is_cut(to) && to->buffer.bytes <= largest_load(k);
}

int store_owners(const Link *link, const Kernel *k, int s) {
    const KernAccess *to = &k->stores[s].to;
    const Space space = space_of(k);
    if (!storage_is_own(to->storage)) return -1;
    if (is_cut(to->storage))
        return reach_owners(link, space, to, to->storage->buffer.blocks->partition, 0, link->scratch);
    int dim = reach_slowest(space, to, 0);
    if (dim < 0) return -1;
    reach_evenly(link, k->shape[dim], link->scratch);
    return reach_cuts(link, space, to, dim, link->scratch, link->trial->cuts) ? dim : -1;
}

int store_target_before(const Kernel *k, int s) {
    for (int o = 0; o < s; o++)
        if (k->stores[o].to.storage == k->stores[s].to.storage) return o;
    return -1;
}

// Returns whether a store into a whole storage has the same owners as an earlier store `other`, once the storage is cut
// for that one. Stores into different rows, as of a concatenation, have different owners.
static bool fits_beside(const Link *link, const Kernel *k, int s, int other, int dim) {
    const Space space = space_of(k);
    return reach_cuts(link, space, &k->stores[other].to, dim, link->ranges, link->trial->cuts) &&
           reach_ranges(link, space, &k->stores[s].to, dim, link->trial, link->scratch) &&
           same_ranges(link, link->ranges, link->scratch);
}

int64_t store_bytes(const Kernel *k, int s) {
    int64_t bytes = (int64_t)dtype_size(k->stores[s].to.dtype);
    for (int d = 0; d < k->ndim; d++)
        if (k->stores[s].to.strides[d] != 0) bytes *= k->shape[d];
    return bytes;
}

int parts_of(const Link *link) {
    int parts = 0;
    for (int r = 0; r < link->size; r++) parts += !extent_is_empty(link->ranges[r]);
    return parts;
}

// Adds the cost of combining partial results. They are gathered by all ranks, unless they are large: then each rank
// receives and combines those of the elements that it will own. Returns false if they cannot be combined.
static bool cost_partial(const Link *link, const Kernel *k, int s, bool in_place, Cost *cost) {
    const Storage *to = k->stores[s].to.storage;
    const int64_t bytes = store_bytes(k, s);
    if (!partial_fits(k, s)) return false;
    if (!in_place && storage_is_large(link, to) && is_new(to) && !k->reductions[s].begun && store_owners(link, k, s) >= 0) {
        cost->boxed |= (uint32_t)1 << s;
        cost->bytes += bytes * (parts_of(link) - 1);
    } else {
        cost->bytes += bytes * (parts_of(link) - 1) * link->size;
    }
    return true;
}

// Adds the cost of a store into a box: the elements that other ranks own. Returns false if this is not possible.
static bool cost_moved(const Link *link, const Kernel *k, int s, int dim, Cost *cost) {
    const int owners = store_owners(link, k, s);
    if (owners < 0 || (is_reduction(k, s) && k->reductions[s].begun)) return false;
    int64_t bytes = store_bytes(k, s);
    for (int r = 0; r < link->size; r++) {
        Extent part = link->ranges[r], own = link->scratch[r];
        if (owners == dim) part = extent_meet(part, own);
        if (extent_is_empty(part) || extent_is_empty(own)) continue;
        int64_t kept = store_bytes(k, s) / k->shape[dim] * (part.high - part.low);
        bytes -= owners == dim ? kept : kept / k->shape[owners] * (own.high - own.low);
    }
    cost->bytes += bytes;
    cost->boxed |= (uint32_t)1 << s;
    return true;
}

static bool cost_stores(const Link *link, const Kernel *k, int dim, bool in_place, Cost *cost) {
    bool cuts;
    for (int s = 0; s < k->store_count; s++) {
        const int other = store_target_before(k, s);
        const bool partial = store_is_partial(k, s, dim);
        if (other >= 0 && (partial || store_is_partial(k, other, dim) || cost->boxed >> other & 1)) return false;
        if (other >= 0 && !is_cut(k->stores[s].to.storage)) {
            if (!fits_beside(link, k, s, other, dim)) return false;
        } else if (partial) {
            if (!cost_partial(link, k, s, in_place, cost)) return false;
        } else if (!store_fits(link, k, s, dim, &cuts) && (other >= 0 || in_place || !cost_moved(link, k, s, dim, cost))) {
            return false;
        }
    }
    return true;
}

bool load_is_first(const Kernel *k, int load) {
    for (int i = 0; i < load; i++)
        if (k->loads[i].storage == k->loads[load].storage) return false;
    return true;
}

void load_needs(const Link *link, const Kernel *k, int dim, const Storage *storage) {
    uint32_t done = 0;
    memset(link->scratch, 0, (size_t)link->size * sizeof *link->scratch);
    for (int i = 0; i < k->load_count; i++) {
        const int64_t stride = k->loads[i].strides[dim];
        Extent first = {0, 0}; // what all loads with this stride touch at index 0
        if (k->loads[i].storage != storage || done >> i & 1) continue;
        for (int o = i; o < k->load_count; o++) {
            if (k->loads[o].storage != storage || k->loads[o].strides[dim] != stride) continue;
            first = extent_hull(first, reach(space_of(k), &k->loads[o], dim));
            done |= (uint32_t)1 << o;
        }
        for (int r = 0; r < link->size; r++)
            link->scratch[r] = extent_hull(link->scratch[r], reach_moved(first, stride, link->ranges[r]));
    }
}

// Computes what bringing a storage as a box for each load of it costs. Returns whether this is less than `hull`, the
// bytes that ranges would send; local copies into boxes are counted as well.
static bool boxes_win(const Link *link, const Kernel *k, int dim, int load, int64_t hull, int64_t *travel, uint32_t *packed) {
    enum { COPY = 8 }; // bytes that are copied locally in the time in which one is sent
    int64_t copies = 0;
    *travel = 0;
    *packed = 0;
    for (int i = load; i < k->load_count; i++) {
        int64_t missing, copied;
        if (k->loads[i].storage != k->loads[load].storage) continue;
        if (!boxes_missing(link, space_of(k), &k->loads[i], dim, &missing, &copied)) return false;
        *travel += missing;
        copies += copied;
        *packed |= (uint32_t)1 << i;
        if (*travel + copies / COPY >= hull) return false;
    }
    return true;
}

// Adds the cost of bringing a cut operand: as a range of bytes, or as boxes if that is cheaper.
static void cost_load(const Link *link, const Kernel *k, int dim, int load, bool in_place, Cost *cost) {
    const Storage *storage = k->loads[load].storage;
    uint32_t packed;
    int64_t travel;
    load_needs(link, k, dim, storage);
    const int64_t hull = blocks_missing(link, storage, link->scratch);
    if (!in_place && boxes_win(link, k, dim, load, hull, &travel, &packed)) {
        cost->packed |= packed;
        cost->bytes += travel;
    } else {
        cost->bytes += hull;
    }
}

bool cost_of(const Link *link, const Kernel *k, int dim, bool in_place, Cost *cost) {
    *cost = (Cost){.bytes = 0};
    if (!cost_stores(link, k, dim, in_place, cost)) return false;
    for (int i = 0; i < k->load_count; i++)
        if (is_cut(k->loads[i].storage) && load_is_first(k, i)) cost_load(link, k, dim, i, in_place, cost);
    return true;
}
