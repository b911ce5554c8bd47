// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Small matrix products, and products with short sums: a work item computes each result.

KERNEL nacre_each(GLOBAL const char *a, GLOBAL const char *b, GLOBAL const char *addend, GLOBAL char *c, GLOBAL S *sums,
                  GLOBAL uint32_t *flags, const GridProduct g) {
    const int64_t size = g.rows * g.cols, item = ITEM, number = item / size, i = item % size / g.cols, j = item % g.cols;
    S sum = nothing();
    if (item >= g.count * size) return;
    FIND_MATRICES(number);
    for (int64_t k = 0; k < g.depth; k++)
        sum = fused(sum, widened(*(GLOBAL const T *)(a + i * g.a.row + k * g.a.col)),
                    widened(*(GLOBAL const T *)(b + k * g.b.row + j * g.b.col)));
    FINISH(sum, i, j);
}
