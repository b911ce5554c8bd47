// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Follows put.cl, for few indices: each is compared with all later ones, to find the last index of each place.

#define HAS_WON(i) winners[i]

KERNEL nacre_put_claim(GLOBAL const char *at, GLOBAL uint32_t *winners, const GridPut g) {
    const int64_t i = ITEM;
    if (i >= g.end) return;
    const int64_t place = place_at(at, i, g);
    int64_t j = i + 1;
    while (j < g.end && place_at(at, j, g) != place) j++;
    winners[i] = j == g.end;
}
