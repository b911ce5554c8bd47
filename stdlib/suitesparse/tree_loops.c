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
#define TARGET __attribute__((target("avx512f")))
#define WIDTH 8
#define NAME(f) f##_avx512
#include "stdlib/suitesparse/tree_one_template.h"
MANY(avx512, __attribute__((target("avx512f"))))
#define TARGET __attribute__((target("avx2,fma")))
#define WIDTH 4
#define NAME(f) f##_avx2
#include "stdlib/suitesparse/tree_one_template.h"
MANY(avx2, __attribute__((target("avx2,fma"))))
#endif
#define TARGET
#define WIDTH 2
#define NAME(f) f##_any
#include "stdlib/suitesparse/tree_one_template.h"
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
