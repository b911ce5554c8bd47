// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Follows put.cl and order.cl: finds the last index of each place by sorting indices by place, if the indices are few
// compared with all places.

#define HAS_WON(i) winners[i]

KERNEL nacre_put_numbers(GLOBAL const char *at, GLOBAL E *numbers, const GridPut g) {
    const int64_t i = ITEM;
    if (i < g.end) numbers[i] = (E)number_at(at, i, g);
}

KERNEL nacre_put_claim(GLOBAL const E *first, GLOBAL const E *second, GLOBAL const I *first_indices,
                       GLOBAL const I *second_indices, GLOBAL const uint32_t *varied, GLOBAL uint32_t *winners,
                       const GridPutOrder g) {
    const int64_t s = ITEM;
    int moved;
    if (s >= g.put.end) return;
    const int is_in_second = is_second(varied, g.order.pass, g.order, &moved);
    GLOBAL const E *numbers = is_in_second ? second : first;
    GLOBAL const I *indices = is_in_second ? second_indices : first_indices;
    winners[moved ? (int64_t)indices[s] : s] = s + 1 == g.put.end || numbers[s + 1] != numbers[s];
}
