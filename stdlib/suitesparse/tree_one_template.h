// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Loops for one right-hand side: a template, included by tree_loops.c for each instruction set.
// TARGET: attribute of functions for the instruction set
// WIDTH: numbers of a SIMD vector
// NAME(f): name of a function for it
//
// Blocks are read once, four columns at a time, in SIMD vectors of WIDTH numbers.

typedef double NAME(Lanes) __attribute__((vector_size(WIDTH * 8), aligned(8), may_alias));

TARGET static void NAME(sum_columns)(const TreeStep *s, const double *x, int64_t m, double *sums) {
    const double *a = s->block + s->width;
    int64_t j = 0, whole = m / WIDTH * WIDTH;
    for (; j < s->width; j += 4, a += 4 * s->height) {
        int64_t more = s->width - j;
        const double *b = more > 1 ? a + s->height : a, *c = more > 2 ? b + s->height : a,
                     *d = more > 3 ? c + s->height : a;
        double xa = x[j], xb = more > 1 ? x[j + 1] : 0, xc = more > 2 ? x[j + 2] : 0, xd = more > 3 ? x[j + 3] : 0;
        for (int64_t i = 0; i < whole; i += WIDTH) {
            NAME(Lanes) sum = (*(const NAME(Lanes) *)(a + i) * xa + *(const NAME(Lanes) *)(b + i) * xb) +
                              (*(const NAME(Lanes) *)(c + i) * xc + *(const NAME(Lanes) *)(d + i) * xd);
            NAME(Lanes) *to = (NAME(Lanes) *)(sums + i);
            if (j > 0) sum += *to;
            *to = sum;
        }
        for (int64_t i = whole; i < m; i++)
            sums[i] = (j > 0 ? sums[i] : 0) + ((a[i] * xa + b[i] * xb) + (c[i] * xc + d[i] * xd));
    }
}

TARGET static void NAME(dot_columns)(const TreeStep *s, const double *x, int64_t m, double *y) {
    const double *a = s->block + s->width;
    int64_t whole = m / WIDTH * WIDTH;
    for (int64_t j = 0; j < s->width; j += 4, a += 4 * s->height) {
        int64_t more = s->width - j;
        const double *from[4] = {a, more > 1 ? a + s->height : a, more > 2 ? a + 2 * s->height : a,
                                 more > 3 ? a + 3 * s->height : a};
        NAME(Lanes) sums[4] = {0};
        double rest[4] = {0};
        for (int64_t i = 0; i < whole; i += WIDTH)
            _Pragma("GCC unroll 4") for (int k = 0; k < 4; k++)
                sums[k] += *(const NAME(Lanes) *)(from[k] + i) * *(const NAME(Lanes) *)(x + i);
        for (int64_t i = whole; i < m; i++)
            _Pragma("GCC unroll 4") for (int k = 0; k < 4; k++) rest[k] += from[k][i] * x[i];
        for (int k = 0; k < 4 && k < more; k++) {
            for (int l = 0; l < WIDTH; l++) rest[k] += sums[k][l];
            y[j + k] -= rest[k];
        }
    }
}

TARGET static void NAME(forward)(const TreeStep *s) {
    double *x = s->y + s->column;
    const int32_t *rows = s->rows + s->width;
    int64_t m = s->height - s->width, low = rows_below_top(s);
    for (int64_t j = 0; j < s->width; j++) {
        const double *column = s->block + j * s->height;
        double xj = x[j] /= column[j];
        for (int64_t i = j + 1; i < s->width; i++) x[i] -= column[i] * xj;
    }
    if (m == 0) return;
    NAME(sum_columns)(s, x, m, s->room);
    for (int64_t i = 0; i < low; i++) s->y[rows[i]] -= s->room[i];
    for (int64_t i = low; i < m; i++) s->top[s->top_place[rows[i]]] -= s->room[i];
}

TARGET static void NAME(backward)(const TreeStep *s) {
    double *x = s->y + s->column;
    const int32_t *rows = s->rows + s->width;
    int64_t m = s->height - s->width;
    for (int64_t i = 0; i < m; i++) s->room[i] = s->y[rows[i]];
    if (m > 0) NAME(dot_columns)(s, s->room, m, x);
    for (int64_t j = s->width - 1; j >= 0; j--) {
        const double *column = s->block + j * s->height;
        double sum = x[j];
        for (int64_t i = j + 1; i < s->width; i++) sum -= column[i] * x[i];
        x[j] = sum / column[j];
    }
}

#undef TARGET
#undef WIDTH
#undef NAME
