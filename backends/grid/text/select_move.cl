// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Follows select.cl: moves selected elements, or stores their indices. SELECT_OP: 0 compress, 1 expand, 2 nonzero; T: a
// word of an element's size.

#if SELECT_OP == 2
static inline void put_place(GLOBAL int64_t *to, int64_t place, CONST_REF(GridSelect) g) {
    for (int d = (int)g.ndim - 1; d > 0; d--) {
        to[d] = place % g.extent[d];
        place /= g.extent[d];
    }
    if (g.ndim > 0) to[0] = place;
}
#endif

KERNEL nacre_select_move(GLOBAL const uint8_t *mask, GLOBAL const int64_t *counts, GLOBAL const char *from, GLOBAL char *to,
                         const GridSelect g) {
    LOCAL int64_t room[2 * LANES];
    LOCAL uint16_t picked[BLOCK];
    int64_t total;
    uint32_t bits = bits_of(mask + g.mask, own_begin(), g.count);
    int at = (int)sum_before(room, __builtin_popcountll((uint64_t)bits), &total);
    for (int j = 0; j < EACH; j++)
        if (bits >> j & 1) picked[at++] = (uint16_t)(LANE * EACH + j);
    BARRIER;
    const int64_t base = counts[GROUP], begin = GROUP * BLOCK;
    if (base + total > g.room) total = g.room - base;
    for (int64_t j = LANE; j < total; j += LANES) {
        const int64_t place = begin + picked[j], number = base + j;
#if SELECT_OP == 0
        ((GLOBAL T *)(to + g.to))[number] = ((GLOBAL const T *)(from + g.from))[place];
#elif SELECT_OP == 1
        ((GLOBAL T *)(to + g.to))[place] = ((GLOBAL const T *)(from + g.from))[number];
#else
        put_place((GLOBAL int64_t *)(to + g.to) + number * g.ndim, g.first + place, g);
#endif
    }
}
