// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Follows scan_tile.cl: scans by groups. A row is cut into chunks, each of which a group combines. Then a group scans
// these combinations. Then each chunk is scanned, starting with the combination of the chunks before it.

KERNEL nacre_scan_sums(GLOBAL const char *from, GLOBAL T *sums, const GridScan g) {
    LOCAL T tile[APART(TILE)];
    LOCAL T room[2 * LANES];
    const int64_t row = ROW, begin = GROUP * g.each, end = begin + g.each < g.length ? begin + g.each : g.length;
    if (row >= g.rows) return;
    const T sum = combine_all(from + place_of(g.from, row), begin, end, tile, room, g, UNTOLD);
    if (LANE == 0) sums[row * g.chunks + GROUP] = sum;
}

KERNEL nacre_scan_join(GLOBAL T *sums, const GridScan g) {
    LOCAL T tile[APART(TILE)];
    LOCAL T room[2 * LANES];
    const int64_t row = ROW;
    if (row >= g.rows) return;
    GLOBAL T *own = sums + row * g.chunks;
    T before = own[0];
    for (int64_t at = 0; at < g.chunks; at += TILE) {
        const int count = g.chunks - at < TILE ? (int)(g.chunks - at) : TILE;
        BARRIER;
        for (int i = LANE; i < count; i += LANES) tile[APART(i)] = own[at + i];
        BARRIER;
        const int place = combine_lanes(tile, room, count, UNTOLD), mine = own_count(count);
        T sum = before;
        if (LANE > 0 && mine > 0) sum = at == 0 ? room[place - 1] : combine(before, room[place - 1]);
        for (int j = 0; j < mine; j++) {
            const T x = tile[APART(LANE * EACH + j)];
            sum = at == 0 && LANE == 0 && j == 0 ? x : combine(sum, x);
            own[at + LANE * EACH + j] = sum;
        }
        const T all = room[place - LANE + last_lane(count)];
        before = at == 0 ? all : combine(before, all);
    }
}

KERNEL nacre_scan(GLOBAL const char *from, GLOBAL char *to, GLOBAL const T *sums, GLOBAL uint32_t *flags, const GridScan g) {
    LOCAL T tile[APART(TILE)];
    LOCAL T room[2 * LANES];
    const int64_t row = ROW, begin = GROUP * g.each, end = begin + g.each < g.length ? begin + g.each : g.length;
    if (row >= g.rows) return;
    GLOBAL const char *source = from + place_of(g.from, row);
    GLOBAL char *target = to + place_of(g.to, row);
    T before = tile[0];
    if (begin > 0) before = sums[row * g.chunks + GROUP - 1];
    for (int64_t at = begin; at < end; at += TILE) {
        const int count = load_tile(source, at, end, tile, g), place = combine_lanes(tile, room, count, UNTOLD);
        const int mine = own_count(count);
        T sum = before;
        if (LANE > 0 && mine > 0) sum = at == 0 ? room[place - 1] : combine(before, room[place - 1]);
        for (int j = 0; j < mine; j++) {
            const T x = tile[APART(LANE * EACH + j)], made = at + LANE + j == 0 ? x : combine(sum, x);
            if (at + LANE + j > 0) check(flags, made, sum, x);
            tile[APART(LANE * EACH + j)] = sum = made;
        }
        const T all = room[place - LANE + last_lane(count)];
        before = at == 0 ? all : combine(before, all);
        BARRIER;
        for (int i = LANE; i < count; i += LANES) put_T(target + (at + i) * g.to_stride, tile[APART(i)]);
    }
}
