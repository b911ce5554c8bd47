// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Convolution: sum number k is ZERO plus v[i] * a[k - i] for all i for which a[k - i] exists, the largest i first. T:
// the type of sums, SIZE: bytes of an element.

KERNEL nacre_convolve(GLOBAL const char *a, GLOBAL const char *v, GLOBAL char *to, const GridSlide g) {
    const int64_t at = ITEM, k = g.first + at;
    if (at >= g.count) return;
    int64_t i = k < g.m - 1 ? k : g.m - 1, end = k - g.n;
    T sum = ZERO;
    if (end < -1) end = -1;
    for (; i > end; i--)
        sum = added(sum, multiplied(get_T(a + g.a + (k - i) * SIZE), get_T(v + g.v + i * g.v_stride)));
    put_T(to + g.to + at * SIZE, sum);
}
