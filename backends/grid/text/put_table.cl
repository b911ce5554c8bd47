// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Follows put.cl: finds the last index of each place by a table of all places.

#define HAS_WON(i) (winners[number_at(at, i, g)] == (uint32_t)((i) - g.begin + 1))

KERNEL nacre_put_claim(GLOBAL const char *at, GLOBAL uint32_t *winners, const GridPut g) {
    const int64_t i = g.begin + ITEM;
    if (i < g.end) ATOMIC_MAX(&winners[number_at(at, i, g)], (uint32_t)(i - g.begin + 1));
}
