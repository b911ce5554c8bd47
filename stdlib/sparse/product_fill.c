// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The second pass of a product of two sparse matrices: computes the lines, for each semiring and type.

#include "stdlib/sparse/elements.h"
#include "stdlib/sparse/product.h"

// Marks of the second pass are below -1, to be distinct from those of the first.
#define FILL_MARK(line) (-2 - (int32_t)(line))

// Sums of unused columns are ZERO (the neutral element of PLUS), so that the first product of a column is added like
// any other. A branch for it would be unpredictable. Sums stay in the dense array until the columns are sorted, then
// move to the result.
#define FILL_DENSE(name, I, ctype, ZERO, PLUS, TIMES)                                                        \
    static void dense_##name##_##I(const Product *p, Summing *s, int64_t from, int64_t end_line) {           \
        typedef ctype T;                                                                                     \
        const I *restrict a_indptr = p->a_indptr, *restrict a_at = p->a_indices;                             \
        const I *restrict b_indptr = p->b_indptr, *restrict b_at = p->b_indices;                             \
        const T *restrict a = p->a_data, *restrict b = p->b_data;                                            \
        T *restrict sums = s->sums, *restrict to = p->to_data;                                               \
        I *restrict to_at = p->to_indices;                                                                   \
        int32_t *restrict marks = s->marks, *restrict columns = s->columns;                                  \
        for (int64_t i = 0; !s->cleared && i < p->width; i++) sums[i] = ZERO;                                \
        s->cleared = true;                                                                                   \
        for (int64_t line = from; line < end_line; line++) {                                                 \
            const int32_t mark = FILL_MARK(line);                                                            \
            int64_t n = 0, begin = ((const I *)p->to_indptr)[line];                                          \
            for (int64_t k = a_indptr[line], end_a = a_indptr[line + 1]; k < end_a; k++) {                   \
                const T x = a[k];                                                                            \
                for (int64_t l = b_indptr[a_at[k]], end = b_indptr[a_at[k] + 1]; l < end; l++) {             \
                    const int64_t at = b_at[l];                                                              \
                    const T product = TIMES(x, b[l]);                                                        \
                    sums[at] = PLUS(sums[at], product);                                                      \
                    columns[n] = (int32_t)at;                                                                \
                    n += marks[at] != mark;                                                                  \
                    marks[at] = mark;                                                                        \
                }                                                                                            \
            }                                                                                                \
            sort_line(p, s, n, mark);                                                                        \
            for (int64_t i = 0; i < n; i++) {                                                                \
                to_at[begin + i] = (I)columns[i];                                                            \
                to[begin + i] = sums[columns[i]];                                                            \
                sums[columns[i]] = ZERO;                                                                     \
            }                                                                                                \
        }                                                                                                    \
    }

#define FILL_HASH(name, I, ctype, ZERO, PLUS, TIMES)                                                         \
    static void hash_##name##_##I(const Product *p, Summing *s, int64_t from, int64_t end_line) {            \
        typedef ctype T;                                                                                     \
        const I *a_indptr = p->a_indptr, *a_at = p->a_indices, *b_indptr = p->b_indptr, *b_at = p->b_indices; \
        const T *a = p->a_data, *b = p->b_data;                                                              \
        T *sums = s->sums, *to = p->to_data;                                                                 \
        I *to_at = p->to_indices;                                                                            \
        for (int64_t line = from; line < end_line; line++) {                                                 \
            int64_t n = 0, begin = ((const I *)p->to_indptr)[line];                                          \
            for (int64_t k = a_indptr[line]; k < a_indptr[line + 1]; k++)                                    \
                for (int64_t l = b_indptr[a_at[k]]; l < b_indptr[a_at[k] + 1]; l++) {                        \
                    const uint64_t slot = slot_of(p, s, b_at[l]);                                            \
                    const T product = TIMES(a[k], b[l]);                                                     \
                    if (s->keys[slot] < 0) {                                                                 \
                        s->keys[slot] = b_at[l];                                                             \
                        sums[slot] = ZERO;                                                                   \
                        s->taken[n] = (int64_t)slot;                                                         \
                        s->wide_columns[n++] = b_at[l];                                                      \
                    }                                                                                        \
                    sums[slot] = PLUS(sums[slot], product);                                                  \
                }                                                                                            \
            sort_line(p, s, n, 0);                                                                           \
            for (int64_t i = 0; i < n; i++) {                                                                \
                to_at[begin + i] = (I)s->wide_columns[i];                                                    \
                to[begin + i] = sums[slot_of(p, s, s->wide_columns[i])];                                     \
            }                                                                                                \
            empty_table(s, n);                                                                               \
        }                                                                                                    \
    }

#define FILL_INDEX(name, I, T, ZERO, PLUS, TIMES)                                                                  \
    FILL_DENSE(name, I, T, ZERO, PLUS, TIMES) FILL_HASH(name, I, T, ZERO, PLUS, TIMES)                                   \
    static void fill_##name##_##I(const Product *p, Summing *s, int64_t from, int64_t end) {                 \
        if (p->dense) dense_##name##_##I(p, s, from, end);                                                   \
        else hash_##name##_##I(p, s, from, end);                                                             \
    }
#define FILL(name, T, ZERO, PLUS, TIMES) FILL_INDEX(name, int32_t, T, ZERO, PLUS, TIMES) FILL_INDEX(name, int64_t, T, ZERO, PLUS, TIMES)

// --- Semirings -----------------------------------------------------------------------------------

#define PLUS_TIMES(A, ID, name, T, FORM, KIND, ...) FORM##_ENTRY(FILL(plus_times_##ID, T, 0, ADD_##KIND, MULTIPLY_##KIND))
NACRE_DTYPES(PLUS_TIMES, )

// If an operand is NaN these return the first one. As PLUS, whose first operand is the sum so far, they ignore NaN.
#define LEAST(a, b) MINIMUM(FLOAT, a, b)
#define GREATEST(a, b) MAXIMUM(FLOAT, a, b)
// The types that these semirings exist for. The language casts other real types to them; complex numbers have no order.
#define ORDERED(X) X(INT64, int64_t, INT) X(FLOAT32, float, FLOAT) X(FLOAT64, double, FLOAT)
#define LOWEST_INT INT64_MIN
#define HIGHEST_INT INT64_MAX
#define LOWEST_FLOAT (-INFINITY)
#define HIGHEST_FLOAT INFINITY
#define TROPICAL(ID, T, KIND)                              \
    FILL(min_plus_##ID, T, HIGHEST_##KIND, LEAST, ADD_##KIND)              \
    FILL(max_plus_##ID, T, LOWEST_##KIND, GREATEST, ADD_##KIND)           \
    FILL(min_times_##ID, T, HIGHEST_##KIND, LEAST, MULTIPLY_##KIND)        \
    FILL(max_times_##ID, T, LOWEST_##KIND, GREATEST, MULTIPLY_##KIND)     \
    FILL(min_max_##ID, T, HIGHEST_##KIND, LEAST, GREATEST)                 \
    FILL(max_min_##ID, T, LOWEST_##KIND, GREATEST, LEAST)
ORDERED(TROPICAL)

typedef struct Semiring {
    const char *name;
    FillFn fill[DT_COUNT][2];
} Semiring;

#define BOTH(name) {fill_##name##_int32_t, fill_##name##_int64_t},
#define PLUS_TIMES_ROW(A, ID, name, T, FORM, ...) FORM##_ENTRY([DT_##ID] = BOTH(plus_times_##ID))
#define ORDERED_ROW(name) \
    {#name, {[DT_INT64] = BOTH(name##_INT64) [DT_FLOAT32] = BOTH(name##_FLOAT32) [DT_FLOAT64] = BOTH(name##_FLOAT64)}},
static const Semiring semirings[] = {
    {"plus_times", {NACRE_DTYPES(PLUS_TIMES_ROW, )}},
    {"or_and", {[DT_BOOL] = BOTH(plus_times_BOOL)}}, // or and and are the arithmetic of bool
    ORDERED_ROW(min_plus) ORDERED_ROW(max_plus) ORDERED_ROW(min_times)
    ORDERED_ROW(max_times) ORDERED_ROW(min_max) ORDERED_ROW(max_min)
};

FillFn fill_of(const char *semiring, bool wide, DType type) {
    for (size_t i = 0; i < sizeof semirings / sizeof *semirings; i++)
        if (strcmp(semiring, semirings[i].name) == 0) return semirings[i].fill[type][wide];
    return NULL;
}
