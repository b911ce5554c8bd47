// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Follows scan.cl: reductions of pieces of an axis, by a work item for each. A piece ends where the next one begins,
// the last one at the end of the axis. If the next one does not begin later, the piece is one element.

KERNEL nacre_pieces(GLOBAL const char *from, GLOBAL const char *places, GLOBAL char *to, GLOBAL uint32_t *flags,
                    const GridScan g) {
    const int64_t row = ITEM, piece = ROW;
    if (row >= g.rows || piece >= g.chunks) return;
    GLOBAL const int64_t *begins = (GLOBAL const int64_t *)(places + g.places);
    const int64_t begin = begins[piece], end = piece + 1 < g.chunks ? begins[piece + 1] : g.length;
    GLOBAL const char *source = from + place_of(g.from, row);
    T sum = element(source, begin, g);
    for (int64_t i = begin + 1; i < end; i++) {
        const T x = element(source, i, g), made = combine(sum, x);
        check(flags, made, sum, x);
        sum = made;
    }
    put_T(to + place_of(g.to, row) + piece * g.to_stride, sum);
}
