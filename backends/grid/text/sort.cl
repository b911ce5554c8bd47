// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Follows order.cl: stores sorted rows, or (is_places) the index in its row that each sorted element had.

KERNEL nacre_sort_end(GLOBAL const E *first, GLOBAL const E *second, GLOBAL const I *first_indices,
                      GLOBAL const I *second_indices, GLOBAL const uint32_t *varied, GLOBAL char *to, const GridSorted g) {
    const int64_t i = ITEM;
    int moved;
    if (i >= g.order.count) return;
    const int is_in_second = is_second(varied, g.order.pass, g.order, &moved);
    if (!g.is_places) {
        *(GLOBAL E *)(to + place_of(g.view, i)) = (is_in_second ? second : first)[i];
        return;
    }
    const int64_t index = !moved ? i : (int64_t)(is_in_second ? second_indices : first_indices)[i];
    *(GLOBAL int64_t *)(to + place_of(g.view, i)) = index % g.order.length;
}
