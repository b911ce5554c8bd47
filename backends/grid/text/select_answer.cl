// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Follows select.cl: one result for the whole mask.

// Computes, in one group, how many elements are true (ANSWER 0), whether any is (1), or whether all are (2). g.room:
// the number of counts.
KERNEL nacre_select_answer(GLOBAL const int64_t *counts, GLOBAL char *to, const GridSelect g) {
    LOCAL int64_t room[2 * LANES];
    int64_t sum = 0, total;
    for (int64_t i = LANE; i < g.room; i += LANES) sum += counts[i];
    sum_before(room, sum, &total);
    if (LANE > 0) return;
#if ANSWER == 0
    *(GLOBAL int64_t *)(to + g.to) = total;
#elif ANSWER == 1
    *(GLOBAL uint8_t *)(to + g.to) = total > 0;
#else
    *(GLOBAL uint8_t *)(to + g.to) = total == g.count;
#endif
}
