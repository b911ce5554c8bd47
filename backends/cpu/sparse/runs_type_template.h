// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Rows of a run times a vector, for one type: a template, included by runs_template.h.
// T: float or double
// NAME(f): name of a function for T
// OF(x): name of a type or constant for T

// Computes as many rows as fill `vectors` vectors. Several are summed at once, since each addition waits for the one
// before.
static inline __attribute__((always_inline)) void NAME(run_band)(const T *data, int64_t entries, const T *x,
                                                                  const int64_t *columns, int vectors, T *to) {
    OF(lanes_t) sums[4] = {{0}}, from;
    for (const char *at = (const char *)data, *end = at + vectors * (int64_t)PRODUCT_BYTES * entries; at < end; at += LINE_BYTES)
        __builtin_prefetch(at + AHEAD_BYTES);
    for (int64_t k = 0; k < entries; k++)
        _Pragma("GCC unroll 4") for (int v = 0; v < vectors; v++) {
            const T *at = data + v * (int64_t)OF(width) * entries + k;
            memcpy(&from, x + columns[k] + v * (int64_t)OF(width), sizeof from);
            sums[v] += (OF(lanes_t))NAME(APART)(at, entries) * from;
        }
    memcpy(to, sums, (size_t)vectors * sizeof *sums);
}

// Computes `rows` rows of `entries` entries each, of which columns move by one from row to row.
static void NAME(run_rows)(const void *matrix, int64_t entries, const void *vector, const int64_t *columns, int64_t rows,
                           void *result) {
    enum { MOST = PRODUCT_BYTES == 64 ? 2 : 4 };
    const T *data = matrix, *x = vector;
    T *to = result;
    int64_t row = 0;
    for (; row + MOST * (int64_t)OF(width) <= rows; row += MOST * (int64_t)OF(width))
        NAME(run_band)(data + row * entries, entries, x + row, columns, MOST, to + row);
    for (; row + (int64_t)OF(width) <= rows; row += (int64_t)OF(width))
        NAME(run_band)(data + row * entries, entries, x + row, columns, 1, to + row);
    if (row < rows && rows >= (int64_t)OF(width)) { // computes some rows again, to the same bits
        row = rows - (int64_t)OF(width);
        NAME(run_band)(data + row * entries, entries, x + row, columns, 1, to + row);
        return;
    }
    for (; row < rows; row++) {
        T sum = 0;
        for (int64_t k = 0; k < entries; k++) sum += data[row * entries + k] * x[columns[k] + row];
        to[row] = sum;
    }
}

#undef T
#undef NAME
#undef OF
