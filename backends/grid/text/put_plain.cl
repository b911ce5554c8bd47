// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Behind put.cl: scatter, where the last one wins. T: a word of an element's size.

KERNEL nacre_put_claim(GLOBAL const char *at, GLOBAL uint32_t *winners, const GridPut g) {
    const int64_t i = g.begin + ITEM;
    if (i < g.end) ATOMIC_MAX(&winners[number_at(at, i, g)], (uint32_t)(i - g.begin + 1));
}

KERNEL nacre_put(GLOBAL const char *at, GLOBAL const char *many, GLOBAL char *one, GLOBAL const uint32_t *winners,
                 const GridPut g) {
    const int64_t i = g.begin + ITEM / g.rest, rest = ITEM % g.rest;
    if (i >= g.end || winners[number_at(at, i, g)] != (uint32_t)(i - g.begin + 1)) return;
    *(GLOBAL T *)(one + place_of(g.one, rest) + place_at(at, i, g)) =
        *(GLOBAL const T *)(many + place_of(g.many, i * g.rest + rest));
}
