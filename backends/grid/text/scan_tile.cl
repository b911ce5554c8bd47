// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Follows scan.cl: tiles of a row. A group loads a tile into LOCAL memory, neighbouring lanes neighbouring elements,
// and combines it there, each lane a run of EACH elements (4 or 8). The order of elements is kept.

#define LANES 128
#define TILE (LANES * EACH)
#define APART(i) ((i) + (i) / EACH) // with gaps, so that the lanes' runs are in different banks

// Loads up to TILE elements from number `begin` on. Returns their number.
TOGETHER int load_tile(GLOBAL const char *row, int64_t begin, int64_t end, NEAR T *tile, CONST_REF(GridScan) g) {
    const int count = end - begin < TILE ? (int)(end - begin) : TILE;
    BARRIER;
    for (int i = LANE; i < count; i += LANES) tile[APART(i)] = element(row, begin + i, g);
    BARRIER;
    return count;
}

// Combines two elements, and raises flags unless `flags` is UNTOLD. Scans check flags at their results instead.
static inline T meet(GLOBAL uint32_t *flags, T x, T y) {
    const T made = combine(x, y);
    if (flags) check(flags, made, x, y);
    return made;
}
#define UNTOLD ((GLOBAL uint32_t *)0)

static inline int own_count(int count) {
    const int rest = count - LANE * EACH;
    return rest < 0 ? 0 : rest < EACH ? rest : EACH;
}

// Combines the elements of a tile up to each lane's last one. Returns the index in `room` (2 * LANES elements) of this
// lane's combination; those of other lanes are next to it.
TOGETHER int combine_lanes(NEAR const T *tile, NEAR T *room, int count, GLOBAL uint32_t *flags) {
    const int own = own_count(count);
    int half_at = 0;
    if (own > 0) {
        T sum = tile[APART(LANE * EACH)];
        for (int j = 1; j < own; j++) sum = meet(flags, sum, tile[APART(LANE * EACH + j)]);
        room[LANE] = sum;
    }
    BARRIER;
    for (int step = 1; step < LANES; step *= 2) {
        const int next = half_at ^ LANES;
        if (own > 0 && LANE >= step) room[next + LANE] = meet(flags, room[half_at + LANE - step], room[half_at + LANE]);
        else if (own > 0) room[next + LANE] = room[half_at + LANE];
        half_at = next;
        BARRIER;
    }
    return half_at + LANE;
}

// Returns the last lane that has elements.
static inline int last_lane(int count) {
    return (count - 1) / EACH;
}

// Returns the combination of elements begin … end - 1, at least one, to all lanes.
TOGETHER T combine_all(GLOBAL const char *row, int64_t begin, int64_t end, NEAR T *tile, NEAR T *room,
                            CONST_REF(GridScan) g, GLOBAL uint32_t *flags) {
    T sum = element(row, begin, g);
    for (int64_t at = begin; at < end; at += TILE) {
        const int count = load_tile(row, at, end, tile, g), place = combine_lanes(tile, room, count, flags) - LANE;
        const T all = room[place + last_lane(count)];
        sum = at == begin ? all : meet(flags, sum, all);
    }
    return sum;
}
