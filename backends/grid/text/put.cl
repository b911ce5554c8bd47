// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Places that scatters write.

// Return the place that index number i selects: its offset in bytes, and its number among all places.
static inline int64_t place_at(GLOBAL const char *at, int64_t i, CONST_REF(GridPut) g) {
    return *(GLOBAL const int64_t *)(at + place_of(g.at, i)) * g.step;
}
static inline int64_t number_at(GLOBAL const char *at, int64_t i, CONST_REF(GridPut) g) {
    return (place_at(at, i, g) - g.lowest) / g.unit;
}
