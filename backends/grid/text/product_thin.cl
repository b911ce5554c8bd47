// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Matrix products with few columns: COLS, a constant. Their time is that of reading A.

// Rows of A are contiguous: g.lanes of the GRID_PRODUCT_LANES work items of a group share one.
KERNEL nacre_rows(GLOBAL const char *a, GLOBAL const char *b, GLOBAL const char *addend, GLOBAL char *c, GLOBAL S *sums,
                  GLOBAL uint32_t *flags, const GridProduct g) {
    LOCAL S room[COLS][GRID_PRODUCT_LANES];
    const bool is_row = ROW < g.count * g.parts; // no work item may leave before a barrier
    const int64_t row = is_row ? ROW : 0, number = row / g.parts;
    const int lanes = (int)g.lanes, lane = LANE % lanes;
    const int64_t i = GROUP * (GRID_PRODUCT_LANES / lanes) + LANE / lanes;
    const int64_t begin = row % g.parts * g.each, end = begin + g.each < g.depth ? begin + g.each : g.depth;
    S made[COLS];
    FIND_MATRICES(number);
    for (int j = 0; j < COLS; j++) made[j] = nothing();
    if (i < g.rows) {
        GLOBAL const char *from = a + i * g.a.row;
#pragma unroll 8
        for (int64_t k = begin + lane; k < end; k += lanes) {
            const S x = widened(*(GLOBAL const T *)(from + k * g.a.col));
            for (int j = 0; j < COLS; j++)
                made[j] = fused(made[j], x, widened(*(GLOBAL const T *)(b + k * g.b.row + j * g.b.col)));
        }
    }
    for (int j = 0; j < COLS; j++) room[j][LANE] = made[j];
    for (int some = lanes / 2; some > 0; some /= 2) {
        BARRIER;
        if (lane < some)
            for (int j = 0; j < COLS; j++) room[j][LANE] = plus(room[j][LANE], room[j][LANE + some]);
    }
    for (int j = 0; j < COLS; j++)
        if (is_row && lane == 0 && i < g.rows) {
            if (g.parts > 1) sums[kept_at(row, i, j, g)] = room[j][LANE];
            else FINISH(room[j][LANE], i, j);
        }
}

// Columns of A are contiguous: a work item computes a row of results.
KERNEL nacre_columns(GLOBAL const char *a, GLOBAL const char *b, GLOBAL const char *addend, GLOBAL char *c,
                     GLOBAL S *sums, GLOBAL uint32_t *flags, const GridProduct g) {
    const int64_t i = ITEM, row = ROW, number = row / g.parts;
    if (i >= g.rows || row >= g.count * g.parts) return;
    const int64_t begin = row % g.parts * g.each, end = begin + g.each < g.depth ? begin + g.each : g.depth;
    S made[COLS];
    FIND_MATRICES(number);
    for (int j = 0; j < COLS; j++) made[j] = nothing();
    GLOBAL const char *from = a + i * g.a.row;
#pragma unroll 8
    for (int64_t k = begin; k < end; k++) {
        const S x = widened(*(GLOBAL const T *)(from + k * g.a.col));
        for (int j = 0; j < COLS; j++)
            made[j] = fused(made[j], x, widened(*(GLOBAL const T *)(b + k * g.b.row + j * g.b.col)));
    }
    for (int j = 0; j < COLS; j++) {
        if (g.parts > 1) sums[kept_at(row, i, j, g)] = made[j];
        else FINISH(made[j], i, j);
    }
}
