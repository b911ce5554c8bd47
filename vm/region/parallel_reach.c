// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Bounds affine sums over all iterations, including those of inner loops, by their values at the ends of the counters.

#include "vm/region/parallel_reach.h"

#include "vm/region/parallel_slots.h"

static void span(Wide *low, Wide *high, Wide way) {
    *(way < 0 ? low : high) += way;
}

// The most iterations of each inner level; -1: unknown.
typedef struct MostRounds {
    Wide of[PARALLEL_LEVELS];
} MostRounds;

static bool find_most(const ParallelRun *run, int level, int64_t rounds, MostRounds *most) {
    const ParallelLevel *l = &run->loop->levels[level];
    if (!l->most || l->steps[level] != 0) return false;
    const Wide first = slots_value(run, &l->rounds, 0), last = slots_value(run, &l->rounds, rounds - 1);
    Wide none = 0, high = first > last ? first : last;
    for (int k = 1; k < run->loop->level_count; k++) {
        if (l->steps[k] == 0) continue;
        if (most->of[k] < 0) return false;
        if (most->of[k] > 1) span(&none, &high, (most->of[k] - 1) * l->steps[k]);
    }
    most->of[level] = high < 0 ? 0 : high;
    return high <= INT64_MAX;
}

static void find_all_most(const ParallelRun *run, int64_t rounds, MostRounds *most) {
    for (int k = 0; k < PARALLEL_LEVELS; k++) most->of[k] = -1;
    for (bool found = true; found;) { // repeated, since enclosing levels may come later in the list
        found = false;
        for (int k = 1; k < run->loop->level_count; k++)
            if (most->of[k] < 0) found |= find_most(run, k, rounds, most);
    }
}

// Widens low … high by what inner counters can add to a value. False: unknown.
static bool span_inner(const ParallelRun *run, const int64_t *inner, const MostRounds *most, Wide *low, Wide *high) {
    for (int l = 1; l < PARALLEL_INNER; l++) {
        if (inner[l] == 0) continue;
        const Wide times = run->loop->inner[l] ? most->of[run->loop->inner[l]] : -1;
        if (times < 0) return false;
        if (times > 1) span(low, high, (times - 1) * inner[l]);
    }
    return true;
}

static int64_t narrowed(Wide value) {
    return value < INT64_MIN / 4 ? INT64_MIN / 4 : value > INT64_MAX / 4 ? INT64_MAX / 4 : (int64_t)value;
}

// Returns the dimension with the largest stride, of those with more than one element.
static int outermost(const ParallelRun *run, const RegionArray *array) {
    int found = 0;
    for (int d = 1; d < array->ndim; d++) {
        const bool is_unit = slots_extent(run, array, found) <= 1;
        if (slots_extent(run, array, d) <= 1) continue;
        if (is_unit || magnitude_of(slots_stride(run, array, d)) > magnitude_of(slots_stride(run, array, found))) found = d;
    }
    return found;
}

// Only the outermost dimension moves from iteration to iteration; in the others the result covers what any iteration
// touches.
RoundsReach reach_of_access(const ParallelRun *run, int64_t rounds, const ParallelAccess *access) {
    const RegionArray *array = &run->region->arrays[access->array];
    const int along = outermost(run, array);
    Wide low = 0, high = slots_size(array), step = 0;
    MostRounds most;
    find_all_most(run, rounds, &most);
    for (int d = 0; d < array->ndim; d++) {
        const ParallelSum *sum = &access->index[d];
        const Wide stride = slots_stride(run, array, d);
        Wide first = 0, last = 0; // indexes
        if (!sum->known || !span_inner(run, access->inner[d], &most, &first, &last)) {
            last = slots_extent(run, array, d) - 1;
        } else if (d == along) {
            first += slots_value(run, sum, 0);
            last += slots_value(run, sum, 0);
            step = (Wide)sum->step * stride;
        } else {
            const Wide begin = slots_value(run, sum, 0), end = slots_value(run, sum, rounds - 1);
            first = slots_within(first + (begin < end ? begin : end), slots_extent(run, array, d));
            last = slots_within(last + (begin < end ? end : begin), slots_extent(run, array, d));
        }
        low += (stride < 0 ? last : first) * stride;
        high += (stride < 0 ? first : last) * stride;
    }
    return (RoundsReach){narrowed(low), narrowed(high), narrowed(step)};
}

RoundsReach reach_of_array(const ParallelRun *run, int array) {
    return reach_of_access(run, 1, &(const ParallelAccess){.array = array});
}

static bool is_in_range(const ParallelRun *run, const ParallelCheck *check, int64_t rounds, const MostRounds *most) {
    const Wide first = slots_value(run, &check->sum, 0), last = slots_value(run, &check->sum, rounds - 1);
    Wide low = first < last ? first : last, high = first < last ? last : first;
    if (!span_inner(run, check->inner, most, &low, &high)) return false;
    if (check->array == NO_ARRAY) return low >= INT64_MIN && high <= INT64_MAX;
    return low >= 0 && high < slots_extent(run, &run->region->arrays[check->array], check->dim);
}

bool reach_is_checked(const ParallelRun *run, int64_t rounds) {
    const RegionParallel *p = run->loop;
    MostRounds most;
    if (!p->checked) return false;
    find_all_most(run, rounds, &most);
    for (int i = 0; i < p->check_count; i++)
        if (!is_in_range(run, &p->checks[i], rounds, &most)) return false;
    return true;
}
