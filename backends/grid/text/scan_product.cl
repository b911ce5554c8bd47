// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Follows scan_wide.cl and scan_tile.cl: running products of floats by groups, as in scan_group.cl. A part's product
// may leave the range of floats where the row's does not, or the other way round. A row in which any product does is
// marked. A marked row is computed again, one element after the other, up to a product that is 0, infinite or NaN
// (`places`). From there on only zeros, infinities, NaN and signs of the factors matter, whose products are exact in
// any order. They are multiplied in phase 1, in parallel again.

static inline V factor(GLOBAL const char *row, int64_t at, CONST_REF(GridScan) g) {
    return to_V(get_F(row + at * g.from_stride));
}

static inline V class_of(V x) {
    if (x == 0 || x - x != 0) return x;
    return x < 0 ? (V)-1 : (V)1;
}

static inline V begun_at(GLOBAL const char *target, int64_t place, CONST_REF(GridScan) g) {
    return place < 0 ? (V)1 : get_V(target + place * g.to_stride);
}

// Loads factors into `tile`, and returns their number. In phase 1 `first`, the product up to `place`, stands for all
// elements up to `place`.
TOGETHER int load_factors(GLOBAL const char *row, int64_t begin, int64_t end, int64_t place, V first, GLOBAL uint32_t *mark,
                          NEAR T *tile, CONST_REF(GridScan) g) {
    const int count = end - begin < TILE ? (int)(end - begin) : TILE;
    BARRIER;
    for (int i = LANE; i < count; i += LANES) {
        const int64_t at = begin + i;
        V x = at < place ? (V)1 : at == place ? first : factor(row, at, g);
        if (g.phase && at > place) x = class_of(x);
        tile[APART(i)] = wide(x);
        if (!g.phase) check(mark, wide(x), wide(x), wide(x));
    }
    BARRIER;
    return count;
}

KERNEL nacre_product_sums(GLOBAL const char *from, GLOBAL const char *to, GLOBAL T *sums, GLOBAL uint32_t *marks,
                          GLOBAL const int64_t *places, const GridScan g) {
    LOCAL T tile[APART(TILE)];
    LOCAL T room[2 * LANES];
    const int64_t row = ROW, begin = GROUP * g.each, end = begin + g.each < g.length ? begin + g.each : g.length;
    if (row >= g.rows || (g.phase && !marks[row])) return;
    GLOBAL uint32_t *told = g.phase ? UNTOLD : marks + row;
    const int64_t place = g.phase ? places[row] : -1;
    const V first = begun_at(to + place_of(g.to, row), place, g);
    T product = wide(1);
    for (int64_t at = begin; at < end; at += TILE) {
        const int count = load_factors(from + place_of(g.from, row), at, end, place, first, told, tile, g);
        const int mine = combine_lanes(tile, room, count, told);
        product = meet(told, product, room[mine - LANE + last_lane(count)]);
    }
    if (LANE == 0) sums[row * g.chunks + GROUP] = product;
}

KERNEL nacre_product_join(GLOBAL T *sums, GLOBAL uint32_t *marks, const GridScan g) {
    LOCAL T tile[APART(TILE)];
    LOCAL T room[2 * LANES];
    const int64_t row = ROW;
    if (row >= g.rows || (g.phase && !marks[row])) return;
    GLOBAL uint32_t *told = g.phase ? UNTOLD : marks + row;
    GLOBAL T *own = sums + row * g.chunks;
    T before = wide(1);
    for (int64_t at = 0; at < g.chunks; at += TILE) {
        const int count = g.chunks - at < TILE ? (int)(g.chunks - at) : TILE;
        BARRIER;
        for (int i = LANE; i < count; i += LANES) tile[APART(i)] = own[at + i];
        BARRIER;
        const int place = combine_lanes(tile, room, count, told), mine = own_count(count);
        T product = LANE > 0 && mine > 0 ? meet(told, before, room[place - 1]) : before;
        for (int j = 0; j < mine; j++) {
            product = meet(told, product, tile[APART(LANE * EACH + j)]);
            own[at + LANE * EACH + j] = product;
        }
        before = meet(told, before, room[place - LANE + last_lane(count)]);
    }
}

KERNEL nacre_product_scan(GLOBAL const char *from, GLOBAL char *to, GLOBAL const T *sums, GLOBAL uint32_t *marks,
                          GLOBAL const int64_t *places, GLOBAL uint32_t *flags, const GridScan g) {
    LOCAL T tile[APART(TILE)];
    LOCAL T room[2 * LANES];
    const int64_t row = ROW, begin = GROUP * g.each, end = begin + g.each < g.length ? begin + g.each : g.length;
    if (row >= g.rows || (g.phase && !marks[row])) return;
    GLOBAL char *target = to + place_of(g.to, row);
    GLOBAL uint32_t *told = g.phase ? UNTOLD : marks + row;
    const int64_t place = g.phase ? places[row] : -1;
    const V first = begun_at(target, place, g);
    T before = begin > 0 ? sums[row * g.chunks + GROUP - 1] : wide(1);
    for (int64_t at = begin; at < end; at += TILE) {
        const int count = load_factors(from + place_of(g.from, row), at, end, place, first, told, tile, g);
        const int own = combine_lanes(tile, room, count, told), mine = own_count(count);
        T product = LANE > 0 && mine > 0 ? meet(told, before, room[own - 1]) : before;
        for (int j = 0; j < mine; j++) {
            const T x = tile[APART(LANE * EACH + j)], made = meet(told, product, x);
            if (g.phase && at + LANE * EACH + j > place) check_told(flags, narrow(made), narrow(product), narrow(x));
            if (!g.phase && !is_plain(size_of(wide(narrow(made))), LEAST)) marks[row] = 1;
            tile[APART(LANE * EACH + j)] = product = made;
        }
        before = meet(told, before, room[own - LANE + last_lane(count)]);
        BARRIER;
        for (int i = LANE; i < count; i += LANES)
            if (at + i > place) put_V(target + (at + i) * g.to_stride, narrow(tile[APART(i)]));
    }
}

KERNEL nacre_product_again(GLOBAL const char *from, GLOBAL char *to, GLOBAL const uint32_t *marks, GLOBAL int64_t *places,
                           GLOBAL uint32_t *flags, const GridScan g) {
    const int64_t row = ITEM;
    if (row >= g.rows || !marks[row]) return;
    GLOBAL const char *source = from + place_of(g.from, row);
    GLOBAL char *target = to + place_of(g.to, row);
    V product = factor(source, 0, g);
    int64_t made_to = 0;
    put_V(target, product);
    while (made_to + 1 < g.length && product != 0 && product - product == 0) {
        V own[EACH];
        int count = 0;
        for (int j = 0; j < EACH; j++)
            if (made_to + 1 + j < g.length) own[count++] = factor(source, made_to + 1 + j, g);
        for (int j = 0; j < count && product != 0 && product - product == 0; j++) {
            const V made = times(product, own[j]);
            check_told(flags, made, product, own[j]);
            product = made;
            put_V(target + ++made_to * g.to_stride, product);
        }
    }
    places[row] = made_to;
}
