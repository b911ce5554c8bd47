// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Follows scan_tile.cl: reductions of pieces of an axis (pieces_item.cl), by a group for each.

KERNEL nacre_pieces(GLOBAL const char *from, GLOBAL const char *places, GLOBAL char *to, GLOBAL uint32_t *flags,
                    const GridScan g) {
    LOCAL T tile[APART(TILE)];
    LOCAL T room[2 * LANES];
    const int64_t row = ROW, piece = GROUP;
    if (row >= g.rows) return;
    GLOBAL const int64_t *begins = (GLOBAL const int64_t *)(places + g.places);
    const int64_t begin = begins[piece], end = piece + 1 < g.chunks ? begins[piece + 1] : g.length;
    GLOBAL const char *source = from + place_of(g.from, row);
    const T first = element(source, begin, g);
    T sum = first;
    if (begin + 1 < end) {
        const T rest = combine_all(source, begin + 1, end, tile, room, g, flags);
        sum = combine(first, rest);
        check(flags, sum, first, rest);
    }
    if (LANE == 0) put_T(to + place_of(g.to, row) + piece * g.to_stride, sum);
}
