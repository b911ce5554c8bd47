// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Follows extreme.cl: argmax by single work items; neighbouring ones read neighbouring rows.

KERNEL nacre_extreme(GLOBAL const char *from, GLOBAL char *to, GLOBAL int64_t *parts, const GridExtreme g) {
    const int64_t row = ITEM, part = ROW;
    if (row >= g.rows || part >= g.parts) return;
    GLOBAL const char *at = from + place_of(g.from, row);
    const int64_t begin = part * g.each, end = begin + g.each < g.length ? begin + g.each : g.length;
    Best best = nothing();
    for (int64_t i = begin; i < end; i++) best = best_of(best, candidate(at, i, g));
    if (g.parts > 1) parts[part * g.rows + row] = best.at;
    else *(GLOBAL int64_t *)(to + place_of(g.to, row)) = best.at;
}

KERNEL nacre_extreme_join(GLOBAL const char *from, GLOBAL char *to, GLOBAL const int64_t *parts, const GridExtreme g) {
    const int64_t row = ITEM;
    if (row >= g.rows) return;
    GLOBAL const char *at = from + place_of(g.from, row);
    Best best = nothing();
    for (int64_t p = 0; p < g.parts; p++) best = best_of(best, candidate(at, parts[p * g.rows + row], g));
    *(GLOBAL int64_t *)(to + place_of(g.to, row)) = best.at;
}
