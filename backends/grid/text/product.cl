// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Matrix products on a device: what all methods share. A sum of one part is stored as a result at once, after the
// further steps of a GEMM. If sums have several parts, each part is kept in `sums`, and nacre_join adds the parts up,
// always in order. STEPS is a bit set of the steps of KernGemm; TELLS: flags are reported.

#define SCALES (STEPS >> 1 & 1)
#define SCALES_ADDEND (STEPS >> 2 & 1)
#define ADDS (STEPS >> 3 & 1)
#define SUBTRACTS (STEPS >> 4 & 1)
#define ADDEND_FIRST (STEPS >> 5 & 1)

typedef union {
    int64_t word[2];
    T value;
} Number;

static inline S number_of(int64_t first, int64_t second) {
    Number n;
    n.word[0] = first;
    n.word[1] = second;
    return widened(n.value);
}

// Returns the bytes from the first product of a stack to product `number`, for A (operand 0), B (1) or C (2). An addend
// of a stack is stepped like C.
static inline int64_t stacked(CONST_REF(GridProduct) g, int64_t number, int operand) {
    int64_t at = 0;
    for (int d = (int)g.ndim - 1; d >= 0; d--) {
        at += number % g.extent[d] * g.steps[operand][d];
        number /= g.extent[d];
    }
    return at;
}

#if TELLS
static inline void tell_step(S made, S x, S y, int step, GLOBAL uint32_t *flags, CONST_REF(GridProduct) g) {
    const uint32_t met = is_odd(made) ? met_by_two(made, x, y) : 0;
    if (met) MEET(flags, g.sites[step], met);
}
#define STEP_MADE(made, x, y, step) tell_step(made, x, y, step, flags, g)
#else
#define STEP_MADE(made, x, y, step)
#endif

// Rounds a value as if it were stored in an array of the type between two steps.
static inline S rounded(S x) {
#if STEPS >> 1 && KIND == HALF
    return widened(narrowed(x));
#else
    return x;
#endif
}

// IS_TOLD: whether a sum of products may have raised flags. TELL_SUM reports the flags of the sum of result i, j.
#if TELLS
#define IS_TOLD(sum) is_odd(widened(narrowed(sum)))
#define TELL_SUM(i, j)                                                                                                 \
    do {                                                                                                               \
        const uint32_t met = met_in(a + (i) * g.a.row, g.a.col, b + (j) * g.b.col, g.b.row, g.depth);                  \
        if (met) MEET(flags, g.sites[0], met);                                                                         \
    } while (0)
#else
#define IS_TOLD(sum) 0
#define TELL_SUM(i, j)
#endif

// Applies the further steps to the sum of result i, j, and stores it; `c` and `addend` point to element 0, 0.
static inline void put_result(S sum, int64_t i, int64_t j, GLOBAL const char *addend, GLOBAL char *c,
                              GLOBAL uint32_t *flags, CONST_REF(GridProduct) g) {
    S value = rounded(sum);
#if SCALES
    const S alpha = number_of(g.alpha[0], g.alpha[1]), scaled = rounded(times(value, alpha));
    STEP_MADE(scaled, value, alpha, 1);
    value = scaled;
#endif
#if ADDS
    S other = widened(*(GLOBAL const T *)(addend + i * g.addend.row + j * g.addend.col));
#if SCALES_ADDEND
    const S beta = number_of(g.beta[0], g.beta[1]), another = rounded(times(other, beta));
    STEP_MADE(another, other, beta, 2);
    other = another;
#endif
#if !SUBTRACTS
    const S total = rounded(plus(value, other));
#elif ADDEND_FIRST
    const S total = rounded(minus(other, value));
#else
    const S total = rounded(minus(value, other));
#endif
    STEP_MADE(total, value, other, 3);
    value = total;
#endif
    *(GLOBAL T *)(c + i * g.c.row + j * g.c.col) = narrowed(value);
}

#define FINISH(sum, i, j)                              \
    do {                                               \
        if (IS_TOLD(sum)) TELL_SUM(i, j);              \
        put_result(sum, i, j, addend, c, flags, g);    \
    } while (0)

// Returns the index in `sums` of a part of result i, j; `row` numbers the parts of all products.
static inline int64_t kept_at(int64_t row, int64_t i, int64_t j, CONST_REF(GridProduct) g) {
    return (row * g.rows + i) * g.cols + j;
}

#define FIND_MATRICES(number)                          \
    a += g.a.offset + stacked(g, number, 0);           \
    b += g.b.offset + stacked(g, number, 1);           \
    c += g.c.offset + stacked(g, number, 2);           \
    addend += g.addend.offset + stacked(g, number, 2)

KERNEL nacre_join(GLOBAL const char *a, GLOBAL const char *b, GLOBAL const char *addend, GLOBAL char *c, GLOBAL S *sums,
                  GLOBAL uint32_t *flags, const GridProduct g) {
    const int64_t size = g.rows * g.cols, item = ITEM, number = item / size, i = item % size / g.cols, j = item % g.cols;
    if (item >= g.count * size) return;
    S sum = nothing();
    FIND_MATRICES(number);
    for (int64_t part = 0; part < g.parts; part++) sum = plus(sum, sums[kept_at(number * g.parts + part, i, j, g)]);
    FINISH(sum, i, j);
}

// Reports the flags of products that a vendor's library has computed.
KERNEL nacre_look(GLOBAL const char *a, GLOBAL const char *b, GLOBAL const char *addend, GLOBAL char *c, GLOBAL S *sums,
                  GLOBAL uint32_t *flags, const GridProduct g) {
    const int64_t size = g.rows * g.cols, item = ITEM, number = item / size, i = item % size / g.cols, j = item % g.cols;
    if (item >= g.count * size) return;
    FIND_MATRICES(number);
    if (IS_TOLD(widened(*(GLOBAL const T *)(c + i * g.c.row + j * g.c.col)))) TELL_SUM(i, j);
}
