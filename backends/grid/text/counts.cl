// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Exclusive prefix sums: over the lanes of a group, and over an array of counts, which its sums replace.

#define LANES 128
#define COUNTS_EACH 8

// Returns the sum of the values of the lanes before this one; `total`: of all lanes. `room` has 2 * LANES elements, and
// may be used again at once: the half that the last step reads is written by the next call only after a barrier (LANES
// is an odd power of 2).
TOGETHER int64_t sum_before(NEAR int64_t *room, int64_t value, int64_t *total) {
    int half_at = 0;
    room[LANE] = value;
    BARRIER;
    for (int step = 1; step < LANES; step *= 2) {
        int64_t sum = room[half_at + LANE];
        if (LANE >= step) sum += room[half_at + LANE - step];
        half_at ^= LANES;
        room[half_at + LANE] = sum;
        BARRIER;
    }
    *total = room[half_at + LANES - 1];
    return room[half_at + LANE] - value;
}

static inline int64_t own_counts(GLOBAL const int64_t *counts, int64_t begin, int64_t n, int64_t own[COUNTS_EACH]) {
    int64_t sum = 0;
    for (int j = 0; j < COUNTS_EACH; j++) {
        own[j] = begin + j < n ? counts[begin + j] : 0;
        sum += own[j];
    }
    return sum;
}

static inline void put_own_counts(GLOBAL int64_t *counts, int64_t begin, int64_t n, const int64_t own[COUNTS_EACH],
                                  int64_t sum) {
    for (int j = 0; j < COUNTS_EACH; j++) {
        if (begin + j < n) counts[begin + j] = sum;
        sum += own[j];
    }
}

// Sums up the counts of each group's part.
KERNEL nacre_count_sums(GLOBAL const int64_t *counts, GLOBAL int64_t *sums, const GridCounts g) {
    LOCAL int64_t room[2 * LANES];
    int64_t own[COUNTS_EACH], total;
    const int64_t begin = GROUP * LANES * COUNTS_EACH + LANE * COUNTS_EACH;
    sum_before(room, own_counts(counts, begin, g.count, own), &total);
    if (LANE == 0) sums[GROUP] = total;
}

// Replaces the counts by their prefix sums, in one group.
KERNEL nacre_count_all(GLOBAL int64_t *counts, const GridCounts g) {
    LOCAL int64_t room[2 * LANES];
    int64_t own[COUNTS_EACH], total, before = 0;
    for (int64_t done = 0; done < g.count; done += LANES * COUNTS_EACH) {
        const int64_t begin = done + LANE * COUNTS_EACH;
        const int64_t sum = sum_before(room, own_counts(counts, begin, g.count, own), &total);
        put_own_counts(counts, begin, g.count, own, before + sum);
        before += total;
    }
}

// Replaces the counts by their prefix sums, each group its part; `sums`: the sums before the parts.
KERNEL nacre_count_parts(GLOBAL int64_t *counts, GLOBAL const int64_t *sums, const GridCounts g) {
    LOCAL int64_t room[2 * LANES];
    int64_t own[COUNTS_EACH], total;
    const int64_t begin = GROUP * LANES * COUNTS_EACH + LANE * COUNTS_EACH;
    const int64_t sum = sum_before(room, own_counts(counts, begin, g.count, own), &total);
    put_own_counts(counts, begin, g.count, own, sums[GROUP] + sum);
}
