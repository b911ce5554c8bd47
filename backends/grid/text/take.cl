// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Gather. T: a word of an element's size.

KERNEL nacre_take(GLOBAL const char *one, GLOBAL const char *at, GLOBAL char *many, const GridPlaces g) {
    const int64_t i = ITEM;
    if (i >= g.count) return;
    const int64_t place = *(GLOBAL const int64_t *)(at + place_of(g.at, i / g.rest));
    *(GLOBAL T *)(many + place_of(g.many, i)) = *(GLOBAL const T *)(one + place_of(g.one, i % g.rest) + place * g.step);
}
