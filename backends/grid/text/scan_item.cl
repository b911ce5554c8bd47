// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Follows scan.cl: scans by single work items; neighbouring ones scan neighbouring rows. Rows may be cut into chunks as
// in scan_group.cl.

KERNEL nacre_scan_sums(GLOBAL const char *from, GLOBAL T *sums, const GridScan g) {
    const int64_t row = ITEM, chunk = ROW, begin = chunk * g.each;
    if (row >= g.rows || chunk >= g.chunks) return;
    const int64_t end = begin + g.each < g.length ? begin + g.each : g.length;
    GLOBAL const char *source = from + place_of(g.from, row);
    T sum = element(source, begin, g);
    for (int64_t i = begin + 1; i < end; i++) sum = combine(sum, element(source, i, g));
    sums[chunk * g.rows + row] = sum;
}

KERNEL nacre_scan_join(GLOBAL T *sums, const GridScan g) {
    const int64_t row = ITEM;
    if (row >= g.rows) return;
    T sum = sums[row];
    for (int64_t chunk = 1; chunk < g.chunks; chunk++) {
        sum = combine(sum, sums[chunk * g.rows + row]);
        sums[chunk * g.rows + row] = sum;
    }
}

KERNEL nacre_scan(GLOBAL const char *from, GLOBAL char *to, GLOBAL const T *sums, GLOBAL uint32_t *flags, const GridScan g) {
    const int64_t row = ITEM, chunk = ROW, begin = chunk * g.each;
    if (row >= g.rows || chunk >= g.chunks) return;
    const int64_t end = begin + g.each < g.length ? begin + g.each : g.length;
    GLOBAL const char *source = from + place_of(g.from, row);
    GLOBAL char *target = to + place_of(g.to, row);
    T sum = element(source, begin, g);
    if (chunk > 0) {
        const T before = sums[(chunk - 1) * g.rows + row], made = combine(before, sum);
        check(flags, made, before, sum);
        sum = made;
    }
    put_T(target + begin * g.to_stride, sum);
    // Loads EACH elements before it stores results, since the compiler cannot move loads over stores that may alias.
    for (int64_t i = begin + 1; i < end; i += EACH) {
        T own[EACH];
        for (int j = 0; j < EACH; j++)
            if (i + j < end) own[j] = element(source, i + j, g);
        for (int j = 0; j < EACH && i + j < end; j++) {
            const T made = combine(sum, own[j]);
            check(flags, made, sum, own[j]);
            put_T(target + (i + j) * g.to_stride, made);
            sum = made;
        }
    }
}
