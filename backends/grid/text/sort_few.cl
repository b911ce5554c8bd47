// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Follows keys.cl: sorts short rows. A work item for each element counts the elements of its row that precede it in the
// order, which gives its place.

KERNEL nacre_sort_few(GLOBAL const char *from, GLOBAL char *to, const GridFew g) {
    const int64_t i = ITEM;
    if (i >= g.count) return;
    const int64_t begin = i - i % g.length;
    const E own = *(GLOBAL const E *)(from + place_of(g.from, i));
    const Keys keys = keys_of(own, g.sort);
    int64_t target = begin;
    for (int64_t j = begin; j < begin + g.length; j++) {
        const Keys other = keys_of(*(GLOBAL const E *)(from + place_of(g.from, j)), g.sort);
        target += j < i ? !is_before(keys, other) : is_before(other, keys);
    }
    if (g.is_places) *(GLOBAL int64_t *)(to + place_of(g.to, target)) = i - begin;
    else *(GLOBAL E *)(to + place_of(g.to, target)) = own;
}

KERNEL nacre_sort_copy(GLOBAL const E *from, GLOBAL char *to, const GridFew g) {
    const int64_t i = ITEM;
    if (i < g.count) *(GLOBAL E *)(to + place_of(g.to, i)) = from[i];
}
