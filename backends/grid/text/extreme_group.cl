// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Follows extreme.cl: argmax by groups, whose lanes read neighbouring elements.

#define LANES 128

// Returns the best of all lanes' elements.
TOGETHER Best best_of_lanes(NEAR Best *room, Best best) {
    room[LANE] = best;
    BARRIER;
    for (int step = LANES / 2; step > 0; step /= 2) {
        if (LANE < step) room[LANE] = best_of(room[LANE], room[LANE + step]);
        BARRIER;
    }
    return room[0];
}

KERNEL nacre_extreme(GLOBAL const char *from, GLOBAL char *to, GLOBAL int64_t *parts, const GridExtreme g) {
    LOCAL Best room[LANES];
    const int64_t row = ROW, part = GROUP;
    if (row >= g.rows) return;
    GLOBAL const char *at = from + place_of(g.from, row);
    const int64_t begin = part * g.each, end = begin + g.each < g.length ? begin + g.each : g.length;
    Best best = nothing();
    for (int64_t i = begin + LANE; i < end; i += LANES) best = best_of(best, candidate(at, i, g));
    best = best_of_lanes(room, best);
    if (LANE > 0) return;
    if (g.parts > 1) parts[row * g.parts + part] = best.at;
    else *(GLOBAL int64_t *)(to + place_of(g.to, row)) = best.at;
}

KERNEL nacre_extreme_join(GLOBAL const char *from, GLOBAL char *to, GLOBAL const int64_t *parts, const GridExtreme g) {
    LOCAL Best room[LANES];
    const int64_t row = ROW;
    if (row >= g.rows) return;
    GLOBAL const char *at = from + place_of(g.from, row);
    Best best = nothing();
    for (int64_t p = LANE; p < g.parts; p += LANES) best = best_of(best, candidate(at, parts[row * g.parts + p], g));
    best = best_of_lanes(room, best);
    if (LANE == 0) *(GLOBAL int64_t *)(to + place_of(g.to, row)) = best.at;
}
