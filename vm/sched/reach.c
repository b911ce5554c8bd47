// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Relates the elements of an access to the blocks of ranks.

#include "vm/sched/reach.h"

#include <stdlib.h>
#include <string.h>

#include "vm/sched/collective.h"

// --- The bytes that an access touches --------------------------------------------------------------

Extent reach(Space space, const KernAccess *access, int but) {
    Extent e = {access->offset, access->offset + (int64_t)dtype_size(access->dtype)};
    for (int d = 0; d < space.ndim; d++) {
        int64_t reach = d == but ? 0 : (space.shape[d] - 1) * access->strides[d];
        if (reach > 0) e.high += reach;
        else e.low += reach;
    }
    return e;
}

Extent reach_moved(Extent e, int64_t stride, Extent range) {
    if (extent_is_empty(range)) return (Extent){0, 0};
    int64_t first = range.low * stride, last = (range.high - 1) * stride;
    e.low += first < last ? first : last;
    e.high += first < last ? last : first;
    return e;
}

Extent reach_range(Space space, const KernAccess *access, int dim, Extent range) {
    return reach_moved(reach(space, access, dim), access->strides[dim], range);
}

// --- Ranges of indices -----------------------------------------------------------------------------

static int64_t floor_div(int64_t a, int64_t b) {
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static int64_t clamp(int64_t i, int64_t n) {
    return i < 0 ? 0 : i > n ? n : i;
}

Extent reach_indices_in(Extent at, int64_t step, int64_t n, Extent block) {
    int64_t low, high;
    if (step > 0) {
        low = -floor_div(at.low - block.low, step); // the first with at.low + low * step >= block.low
        high = floor_div(block.high - at.high, step) + 1;
    } else {
        low = -floor_div(block.high - at.high, -step);
        high = floor_div(at.low - block.low, -step) + 1;
    }
    return (Extent){clamp(low, n), clamp(high, n)};
}

static bool find_ranges(const RangesKey *key, const Partition *partition, int size, Extent *ranges) {
    int64_t total = 0;
    for (int r = 0; r < size; r++) {
        ranges[r] = reach_indices_in(key->at, key->step, key->count, block_of(partition, r));
        if (extent_is_empty(ranges[r])) ranges[r] = (Extent){0, 0};
        total += ranges[r].high - ranges[r].low;
    }
    return total == key->count;
}

bool reach_indices(const Link *link, Extent at, int64_t step, int64_t count, const Partition *partition, Extent *ranges) {
    const RangesKey key = {.at = at, .step = step, .count = count};
    return step != 0 && find_ranges(&key, partition, link->size, ranges);
}

// Caches the last result, since a kernel and often the next one ask for the same ranges, which takes long for many
// ranks.
bool reach_ranges(const Link *link, Space space, const KernAccess *access, int dim, const Partition *partition,
                  Extent *ranges) {
    KnownRanges *known = link->known_ranges;
    const RangesKey key = {partition->number, reach(space, access, dim), access->strides[dim], space.shape[dim]};
    if (key.step == 0) return false;
    // Link.trial is not cached, since its cuts change.
    if (!partition->number) return find_ranges(&key, partition, link->size, ranges);
    if (memcmp(&known->key, &key, sizeof key) != 0) {
        known->key = key;
        known->fit = find_ranges(&key, partition, link->size, known->ranges);
    }
    memcpy(ranges, known->ranges, (size_t)link->size * sizeof *ranges);
    return known->fit;
}

int reach_slowest(Space space, const KernAccess *access, AxisSet without) {
    int found = -1;
    for (int d = 0; d < space.ndim; d++) {
        bool is_unit = space.shape[d] <= 1 && space.ndim > 1;
        if (is_unit || access->strides[d] == 0 || without >> d & 1) continue;
        if (found < 0 || llabs(access->strides[d]) > llabs(access->strides[found])) found = d;
    }
    return found;
}

// Returns a cut between the elements of an index and those of the one before. If a row of the whole storage begins
// between them, returns that byte, so that an interior is cut like the array around it.
static int64_t cut_before(Extent at, int64_t step, int64_t index) {
    const int64_t last = at.low + index * step, row = last / step * step;
    return row >= at.high + (index - 1) * step ? row : last;
}

bool reach_cuts_of(const Link *link, int64_t bytes, Extent at, int64_t step, int64_t count, const Extent *ranges,
                   int64_t *cuts) {
    if (step <= 0 || at.high - at.low > step) return false;
    int64_t next = 0; // the first index that has no rank yet
    cuts[0] = 0;
    for (int r = 0; r < link->size; r++) {
        if (!extent_is_empty(ranges[r])) {
            if (ranges[r].low != next) return false;
            next = ranges[r].high;
        }
        int64_t cut = next == 0 ? 0 : next == count ? bytes : cut_before(at, step, next);
        cuts[r + 1] = cut < bytes ? cut : bytes;
    }
    return next == count;
}

bool reach_cuts(const Link *link, Space space, const KernAccess *access, int dim, const Extent *ranges,
                int64_t *cuts) {
    return reach_cuts_of(link, (int64_t)access->storage->buffer.bytes, reach(space, access, dim), access->strides[dim],
                         space.shape[dim], ranges, cuts);
}

int reach_owners(const Link *link, Space space, const KernAccess *access, const Partition *partition, AxisSet without,
                 Extent *ranges) {
    for (int dim; (dim = reach_slowest(space, access, without)) >= 0; without |= axis_bit(dim))
        if (reach_ranges(link, space, access, dim, partition, ranges)) return dim;
    return -1;
}

void reach_evenly_in(int parts, int64_t extent, Extent *ranges) {
    for (int p = 0; p < parts; p++) ranges[p] = (Extent){extent * p / parts, extent * (p + 1) / parts};
}

void reach_evenly(const Link *link, int64_t extent, Extent *ranges) {
    reach_evenly_in(link->size, extent, ranges);
}
