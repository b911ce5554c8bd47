// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Selection by masks on contiguous elements: each group has a block of the mask. First selected elements are counted,
// and the counts are replaced by their prefix sums (counts.cl). Then the numbers of the selected elements are collected
// in LOCAL memory, so that neighbouring lanes move neighbouring elements.

#define EACH 16
#define BLOCK (LANES * EACH)

// Returns EACH elements of the mask from number `begin` on, as bits.
static inline uint32_t bits_of(GLOBAL const uint8_t *mask, int64_t begin, int64_t count) {
    uint32_t bits = 0;
    const int n = count - begin < EACH ? (int)(count - begin) : EACH;
    if (n == EACH && ((uint64_t)(mask + begin) & 7) == 0) {
        GLOBAL const uint64_t *words = (GLOBAL const uint64_t *)(mask + begin);
        for (int w = 0; w < 2; w++)
            for (int j = 0; words[w] != 0 && j < 8; j++) bits |= (uint32_t)((words[w] >> 8 * j & 255) != 0) << (8 * w + j);
        return bits;
    }
    for (int j = 0; j < n; j++) bits |= (uint32_t)(mask[begin + j] != 0) << j;
    return bits;
}

static inline int64_t own_begin(void) {
    return GROUP * BLOCK + LANE * EACH;
}

KERNEL nacre_select_count(GLOBAL const uint8_t *mask, GLOBAL int64_t *counts, const GridSelect g) {
    LOCAL int64_t room[2 * LANES];
    int64_t total;
    sum_before(room, __builtin_popcountll((uint64_t)bits_of(mask + g.mask, own_begin(), g.count)), &total);
    if (LANE == 0) counts[GROUP] = total;
}
