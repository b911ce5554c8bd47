// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Searches in a sorted row, by the keys of keys.cl.

KERNEL nacre_search(GLOBAL const char *row, GLOBAL const char *wanted, GLOBAL char *to, const GridSearch g) {
    const int64_t i = ITEM;
    if (i >= g.count) return;
    const Keys key = keys_of(*(GLOBAL const E *)(wanted + place_of(g.wanted, i)), g.sort);
    int64_t low = 0, n = g.length;
    while (n > 0) {
        const int64_t middle = n / 2;
        const Keys other = keys_of(*(GLOBAL const E *)(row + g.row + (low + middle) * g.stride), g.sort);
        const int is_beyond = g.right ? !is_before(key, other) : is_before(other, key);
        low += is_beyond ? middle + 1 : 0;
        n = is_beyond ? n - middle - 1 : middle;
    }
    *(GLOBAL int64_t *)(to + place_of(g.to, i)) = low;
}
