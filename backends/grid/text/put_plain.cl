// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Follows one of put_table.cl, put_few.cl and put_sorted.cl: a scatter in which the last index of a place wins.
// HAS_WON(i): whether this is index number i. T: a word of an element's size.

KERNEL nacre_put(GLOBAL const char *at, GLOBAL const char *many, GLOBAL char *one, GLOBAL const uint32_t *winners,
                 const GridPut g) {
    const int64_t i = g.begin + ITEM / g.rest, rest = ITEM % g.rest;
    if (i >= g.end || !HAS_WON(i)) return;
    *(GLOBAL T *)(one + place_of(g.one, rest) + place_at(at, i, g)) =
        *(GLOBAL const T *)(many + place_of(g.many, i * g.rest + rest));
}
