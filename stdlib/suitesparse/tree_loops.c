// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// One supernode's step of a solution, forward (L) and backward (its transpose), for one right-hand side and for eight.

#include "stdlib/suitesparse/tree.h"

// Returns how many of the rows below the triangle are not the top's, by binary search.
static int64_t rows_below_top(const TreeStep *s) {
    int64_t from = s->width, end = s->height;
    while (from < end) {
        int64_t middle = (from + end) / 2;
        if (s->rows[middle] < s->limit) from = middle + 1;
        else end = middle;
    }
    return from - s->width;
}

// Defines the loops for one right-hand side. Blocks are read once, four columns at a time, in SIMD vectors of WIDTH
// numbers.
#define ONE(NAME, TARGET, WIDTH)                                                                                           \
    typedef double Lanes_##NAME __attribute__((vector_size(WIDTH * 8), aligned(8), may_alias));                            \
    TARGET static void sum_columns_##NAME(const TreeStep *s, const double *x, int64_t m, double *sums) {                   \
        const double *a = s->block + s->width;                                                                             \
        int64_t j = 0, whole = m / (WIDTH) * (WIDTH);                                                                      \
        for (; j < s->width; j += 4, a += 4 * s->height) {                                                                 \
            int64_t more = s->width - j;                                                                                   \
            const double *b = more > 1 ? a + s->height : a, *c = more > 2 ? b + s->height : a,                             \
                         *d = more > 3 ? c + s->height : a;                                                                \
            double xa = x[j], xb = more > 1 ? x[j + 1] : 0, xc = more > 2 ? x[j + 2] : 0, xd = more > 3 ? x[j + 3] : 0;    \
            for (int64_t i = 0; i < whole; i += (WIDTH)) {                                                                 \
                Lanes_##NAME sum = (*(const Lanes_##NAME *)(a + i) * xa + *(const Lanes_##NAME *)(b + i) * xb) +           \
                                   (*(const Lanes_##NAME *)(c + i) * xc + *(const Lanes_##NAME *)(d + i) * xd);            \
                Lanes_##NAME *to = (Lanes_##NAME *)(sums + i);                                                             \
                if (j > 0) sum += *to;                                                                                     \
                *to = sum;                                                                                                 \
            }                                                                                                              \
            for (int64_t i = whole; i < m; i++)                                                                            \
                sums[i] = (j > 0 ? sums[i] : 0) + ((a[i] * xa + b[i] * xb) + (c[i] * xc + d[i] * xd));                     \
        }                                                                                                                  \
    }                                                                                                                      \
    TARGET static void dot_columns_##NAME(const TreeStep *s, const double *x, int64_t m, double *y) {                      \
        const double *a = s->block + s->width;                                                                             \
        int64_t whole = m / (WIDTH) * (WIDTH);                                                                             \
        for (int64_t j = 0; j < s->width; j += 4, a += 4 * s->height) {                                                    \
            int64_t more = s->width - j;                                                                                   \
            const double *from[4] = {a, more > 1 ? a + s->height : a, more > 2 ? a + 2 * s->height : a,                    \
                                     more > 3 ? a + 3 * s->height : a};                                                    \
            Lanes_##NAME sums[4] = {0};                                                                                    \
            double rest[4] = {0};                                                                                          \
            for (int64_t i = 0; i < whole; i += (WIDTH))                                                                   \
                _Pragma("GCC unroll 4") for (int k = 0; k < 4; k++)                                                        \
                    sums[k] += *(const Lanes_##NAME *)(from[k] + i) * *(const Lanes_##NAME *)(x + i);                      \
            for (int64_t i = whole; i < m; i++)                                                                            \
                _Pragma("GCC unroll 4") for (int k = 0; k < 4; k++) rest[k] += from[k][i] * x[i];                          \
            for (int k = 0; k < 4 && k < more; k++) {                                                                      \
                for (int l = 0; l < (WIDTH); l++) rest[k] += sums[k][l];                                                   \
                y[j + k] -= rest[k];                                                                                       \
            }                                                                                                              \
        }                                                                                                                  \
    }                                                                                                                      \
    TARGET static void forward_##NAME(const TreeStep *s) {                                                                 \
        double *x = s->y + s->column;                                                                                      \
        const int32_t *rows = s->rows + s->width;                                                                          \
        int64_t m = s->height - s->width, low = rows_below_top(s);                                                         \
        for (int64_t j = 0; j < s->width; j++) {                                                                           \
            const double *column = s->block + j * s->height;                                                               \
            double xj = x[j] /= column[j];                                                                                 \
            for (int64_t i = j + 1; i < s->width; i++) x[i] -= column[i] * xj;                                             \
        }                                                                                                                  \
        if (m == 0) return;                                                                                                \
        sum_columns_##NAME(s, x, m, s->room);                                                                              \
        for (int64_t i = 0; i < low; i++) s->y[rows[i]] -= s->room[i];                                                     \
        for (int64_t i = low; i < m; i++) s->top[s->top_place[rows[i]]] -= s->room[i];                                     \
    }                                                                                                                      \
    TARGET static void backward_##NAME(const TreeStep *s) {                                                                \
        double *x = s->y + s->column;                                                                                      \
        const int32_t *rows = s->rows + s->width;                                                                          \
        int64_t m = s->height - s->width;                                                                                  \
        for (int64_t i = 0; i < m; i++) s->room[i] = s->y[rows[i]];                                                        \
        if (m > 0) dot_columns_##NAME(s, s->room, m, x);                                                                   \
        for (int64_t j = s->width - 1; j >= 0; j--) {                                                                      \
            const double *column = s->block + j * s->height;                                                               \
            double sum = x[j];                                                                                             \
            for (int64_t i = j + 1; i < s->width; i++) sum -= column[i] * x[i];                                            \
            x[j] = sum / column[j];                                                                                        \
        }                                                                                                                  \
    }

// With eight right-hand sides a row of y is one SIMD vector, and each element of a block is multiplied by a whole row.
typedef double Row __attribute__((vector_size(TREE_COLUMNS * 8), aligned(8), may_alias));

#define MANY(NAME, TARGET)                                                                                           \
    TARGET static void forward_many_##NAME(const TreeStep *s) {                                                      \
        enum { ROWS = 8 };                                                                                           \
        Row *y = (Row *)s->y, *x = y + s->column, *top = (Row *)s->top;                                              \
        int64_t low = s->width + rows_below_top(s);                                                                  \
        for (int64_t j = 0; j < s->width; j++) {                                                                     \
            const double *column = s->block + j * s->height;                                                         \
            Row xj = x[j] = x[j] * (1 / column[j]);                                                                  \
            for (int64_t i = j + 1; i < s->width; i++) x[i] -= column[i] * xj;                                       \
        }                                                                                                            \
        for (int64_t i = s->width; i < s->height; i += ROWS) {                                                       \
            Row sums[ROWS] = {0};                                                                                    \
            int64_t rows = s->height - i;                                                                            \
            if (rows >= ROWS) {                                                                                      \
                for (int64_t j = 0; j < s->width; j++)                                                               \
                    _Pragma("GCC unroll 8") for (int k = 0; k < ROWS; k++)                                           \
                        sums[k] += s->block[i + k + j * s->height] * x[j];                                           \
                rows = ROWS;                                                                                         \
            } else                                                                                                   \
                for (int64_t k = 0; k < rows; k++)                                                                   \
                    for (int64_t j = 0; j < s->width; j++) sums[k] += s->block[i + k + j * s->height] * x[j];        \
            for (int64_t k = 0; k < rows; k++) {                                                                     \
                int32_t row = s->rows[i + k];                                                                        \
                if (i + k < low) y[row] -= sums[k];                                                                  \
                else top[s->top_place[row]] -= sums[k];                                                              \
            }                                                                                                        \
        }                                                                                                            \
    }                                                                                                                \
    TARGET static void backward_many_##NAME(const TreeStep *s) {                                                     \
        Row *y = (Row *)s->y, *x = y + s->column, *room = (Row *)s->room;                                            \
        int64_t m = s->height - s->width;                                                                            \
        for (int64_t i = 0; i < m; i++) room[i] = y[s->rows[s->width + i]];                                          \
        for (int64_t j = 0; j < s->width; j += 4) {                                                                  \
            int64_t more = s->width - j;                                                                             \
            const double *a = s->block + s->width + j * s->height, *b = more > 1 ? a + s->height : a,                \
                         *c = more > 2 ? b + s->height : a, *d = more > 3 ? c + s->height : a;                       \
            Row sa = {0}, sb = {0}, sc = {0}, sd = {0};                                                              \
            for (int64_t i = 0; i < m; i++) {                                                                        \
                sa += a[i] * room[i];                                                                                \
                sb += b[i] * room[i];                                                                                \
                sc += c[i] * room[i];                                                                                \
                sd += d[i] * room[i];                                                                                \
            }                                                                                                        \
            x[j] -= sa;                                                                                              \
            if (more > 1) x[j + 1] -= sb;                                                                            \
            if (more > 2) x[j + 2] -= sc;                                                                            \
            if (more > 3) x[j + 3] -= sd;                                                                            \
        }                                                                                                            \
        for (int64_t j = s->width - 1; j >= 0; j--) {                                                                \
            const double *column = s->block + j * s->height;                                                         \
            Row sum = x[j];                                                                                          \
            for (int64_t i = j + 1; i < s->width; i++) sum -= column[i] * x[i];                                      \
            x[j] = sum * (1 / column[j]);                                                                            \
        }                                                                                                            \
    }

#if defined(__x86_64__)
ONE(avx512, __attribute__((target("avx512f"))), 8)
MANY(avx512, __attribute__((target("avx512f"))))
ONE(avx2, __attribute__((target("avx2,fma"))), 4)
MANY(avx2, __attribute__((target("avx2,fma"))))
#endif
ONE(any, , 2)
MANY(any, )

TreeLoops tree_loops(void) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f"))
        return (TreeLoops){forward_avx512, backward_avx512, forward_many_avx512, backward_many_avx512};
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return (TreeLoops){forward_avx2, backward_avx2, forward_many_avx2, backward_many_avx2};
#endif
    return (TreeLoops){forward_any, backward_any, forward_many_any, backward_many_any};
}
