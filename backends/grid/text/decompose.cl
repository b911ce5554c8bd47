// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Steps before and after factorisations of float64 or complex128 matrices by a vendor's library. `state` has a word for
// each matrix: whether it has NaN or infinities (STATE_…). `info` is not 0 if the library found no result.

#define STATE_NAN 1u
#define STATE_INFINITE 2u

static inline R real_part(S x) {
#if KIND == COMPLEX
    return x.re;
#else
    return x;
#endif
}

static inline S no_number(void) {
#if KIND == COMPLEX
    S made;
    made.re = made.im = NAN;
    return made;
#else
    return NAN;
#endif
}

static inline R square_of(S x) {
#if KIND == COMPLEX
    return fma(x.re, x.re, x.im * x.im);
#else
    return x * x;
#endif
}

static inline int64_t decompose_at(CONST_REF(GridDecomposeSide) side, int64_t number, CONST_REF(GridDecompose) g) {
    int64_t at = side.offset;
    for (int d = (int)g.ndim - 1; d >= 0; d--) {
        at += number % g.extent[d] * side.steps[d];
        number /= g.extent[d];
    }
    return at;
}

// --- Copies of operands -----------------------------------------------------------------------------------

static inline S element_of(GLOBAL const char *a, int64_t i, int64_t j, CONST_REF(GridDecompose) g) {
    const bool is_other = g.is_hermitian && (g.is_upper ? j < i : j > i);
    const S value = *(GLOBAL const S *)(a + (is_other ? j : i) * g.a.row + (is_other ? i : j) * g.a.col);
    if (g.is_hermitian && i == j) return of_real(real_part(value));
    return is_other ? conjugate(value) : value;
}

KERNEL nacre_load(GLOBAL const char *a, GLOBAL S *w, GLOBAL uint32_t *state, const GridDecompose g) {
    const int64_t item = ITEM, number = ROW, i = item % g.rows, j = item / g.rows;
    if (item >= g.rows * g.cols || number >= g.count) return;
    const S value = element_of(a + decompose_at(g.a, number, g), i, j, g);
    w[number * g.step + i + j * g.lead] = value;
    if (g.looks_by == GRID_LOOKS_NOT || !is_odd(value)) return;
    const uint32_t met = is_nan(value) ? STATE_NAN : STATE_INFINITE;
    ATOMIC_OR(&state[g.looks_by == GRID_LOOKS_COLUMN ? j : number], met);
    if (g.looks_by == GRID_LOOKS_COLUMN) ATOMIC_OR(&state[g.cols], met);
}

// Replaces matrices, or columns, with NaN or infinities by zeros, since the library might misbehave on them.
KERNEL nacre_tame(GLOBAL S *w, GLOBAL const uint32_t *state, const GridDecompose g) {
    const int64_t item = ITEM, number = ROW, i = item % g.rows, j = item / g.rows;
    if (item >= g.rows * g.cols || number >= g.count) return;
    if (state[g.looks_by == GRID_LOOKS_COLUMN ? j : number]) w[number * g.step + i + j * g.lead] = nothing();
}

// --- Blocks of results ----------------------------------------------------------------------------------------

static inline bool is_lost(int64_t number, GLOBAL const uint32_t *state, GLOBAL const int32_t *info) {
    return state[number] || info[number];
}

KERNEL nacre_put(GLOBAL const S *w, GLOBAL char *x, GLOBAL const uint32_t *state, GLOBAL const int32_t *info,
                 const GridDecompose g) {
    const int64_t item = ITEM, number = ROW, i = item / g.cols, j = item % g.cols;
    if (item >= g.rows * g.cols || number >= g.count) return;
    S value = nothing();
    if (is_lost(number, state, info)) value = no_number();
    else if (g.is_identity) value = of_real((R)(i == j));
    else if (!g.is_triangle || i <= j) value = w[number * g.step + i * g.down + j * g.across];
    if (g.is_conjugated) value = conjugate(value);
    *(GLOBAL S *)(x + decompose_at(g.x, number, g) + g.to + item * (int64_t)sizeof(S)) = value;
}

// Stores real numbers, padded by zeros to a whole number of elements. Reports matrices without a result.
KERNEL nacre_put_reals(GLOBAL const R *values, GLOBAL char *x, GLOBAL const uint32_t *state, GLOBAL const int32_t *info,
                       GLOBAL uint32_t *flags, const GridDecompose g) {
    const int64_t item = ITEM, number = ROW, each = (int64_t)(sizeof(S) / sizeof(R)), all = (g.rows + each - 1) / each * each;
    if (item >= all || number >= g.count) return;
    const R value = item < g.rows ? values[number * g.step + item] : 0;
    GLOBAL R *to = (GLOBAL R *)(x + decompose_at(g.x, number, g) + g.to);
    to[item] = is_lost(number, state, info) ? (R)NAN : value;
    if (item == 0 && ((state[number] & (uint32_t)g.reported) || info[number])) MEET(flags, 0, FAILED);
}

// Stores eigenvalues (row 0) and eigenvectors, all complex. For a conjugate pair of a real matrix the library returns
// the real and the imaginary part of one vector.
KERNEL nacre_put_eigen(GLOBAL const S *values, GLOBAL const S *w, GLOBAL char *x, GLOBAL const uint32_t *state,
                       GLOBAL const int32_t *info, GLOBAL uint32_t *flags, const GridDecompose g) {
    const int64_t item = ITEM, number = ROW, n = g.cols, i = item / n - 1, j = item % n;
    R re, im;
    if (item >= (g.rows + 1) * n || number >= g.count) return;
#if KIND == COMPLEX
    const S value = i < 0 ? values[number * n + j] : w[number * g.step + i + j * n];
    re = value.re;
    im = value.im;
#else
    const R turn = values[number * 2 * n + n + j];
    const int64_t first = turn < 0 && j > 0 ? j - 1 : j, second = first + 1 < n ? first + 1 : first;
    w += number * g.step + i;
    re = i < 0 ? values[number * 2 * n + j] : w[first * n];
    im = i < 0 ? turn : turn == 0 ? 0 : turn < 0 ? -w[second * n] : w[second * n];
#endif
    GLOBAL R *to = (GLOBAL R *)(x + decompose_at(g.x, number, g)) + 2 * item;
    const bool none = is_lost(number, state, info);
    to[0] = none ? (R)NAN : re;
    to[1] = none ? (R)NAN : im;
    if (item == 0 && none) MEET(flags, 0, FAILED);
}

// --- Least squares: X = V S^-1 U^H B, from copies by columns ---------------------------------------------------

static inline bool is_counted(GLOBAL const R *values, int64_t r, CONST_REF(GridLeast) g) {
    return values[r] > g.rcond * values[0];
}

// Adds up the lanes' elements of `sums`; the sum is in the first one.
#define SUM_UP(add)                                                        \
    for (int some = GRID_DECOMPOSE_LANES / 2; some > 0; some /= 2) {       \
        BARRIER;                                                           \
        if (LANE < some) sums[LANE] = add(sums[LANE], sums[LANE + some]);  \
    }                                                                      \
    BARRIER

// Computes elements (r, j) of S^-1 U^H B, a group for each. If the transpose of the matrix was factored, the
// transpose's V^T takes the place of U.
KERNEL nacre_parts(GLOBAL const S *u, GLOBAL const S *vt, GLOBAL const R *values, GLOBAL const S *b, GLOBAL S *c,
                   const GridLeast g) {
    LOCAL S sums[GRID_DECOMPOSE_LANES];
    const int64_t r = GROUP % g.k, j = GROUP / g.k;
    S sum = nothing();
    for (int64_t i = LANE; i < g.m; i += GRID_DECOMPOSE_LANES)
        sum = fused(sum, conjugate(g.is_wide ? vt[r + i * g.k] : u[i + r * g.m]), b[i + j * g.m]);
    sums[LANE] = sum;
    SUM_UP(plus);
    if (LANE == 0) {
        const R by = values[r];
        S made = sums[0];
#if KIND == COMPLEX
        made.re /= by;
        made.im /= by;
#else
        made /= by;
#endif
        c[r + j * g.k] = is_counted(values, r, g) ? made : nothing();
    }
}

// Returns whether side j, a column of B, has no solution: it has NaN or infinities; or the largest element of all sides
// is infinite.
static inline bool is_side_lost(GLOBAL const uint32_t *sides, int64_t j, CONST_REF(GridLeast) g) {
    return sides[j] || sides[g.sides] == STATE_INFINITE;
}

KERNEL nacre_answer(GLOBAL const S *u, GLOBAL const S *vt, GLOBAL const S *c, GLOBAL char *out, GLOBAL const uint32_t *state,
                    GLOBAL const int32_t *info, GLOBAL const uint32_t *sides, const GridLeast g) {
    const int64_t item = ITEM, i = item / g.sides, j = item % g.sides;
    S sum = nothing();
    if (item >= g.n * g.sides) return;
    for (int64_t r = 0; r < g.k; r++)
        sum = fused(sum, conjugate(g.is_wide ? u[i + r * g.n] : vt[r + i * g.k]), c[r + j * g.k]);
    GLOBAL S *x = (GLOBAL S *)(out + g.x);
    x[item] = is_lost(0, state, info) || is_side_lost(sides, j, g) ? no_number() : sum;
}

// Replaces B by the squares of the elements of B - A X.
KERNEL nacre_differ(GLOBAL const char *a, GLOBAL const char *out, GLOBAL S *b, const GridLeast g) {
    const int64_t item = ITEM, i = item % g.m, j = item / g.m;
    GLOBAL const S *x = (GLOBAL const S *)(out + g.x);
    if (item >= g.m * g.sides) return;
    S sum = nothing();
    for (int64_t k = 0; k < g.n; k++)
        sum = fused(sum, *(GLOBAL const S *)(a + g.a.offset + i * g.a.row + k * g.a.col), x[k * g.sides + j]);
    b[item] = of_real(square_of(minus(b[item], sum)));
}

static inline R add_up(R x, R y) {
    return x + y;
}

// Computes the sum of squares of each side, a group for each. Pads the sums by 0 to a whole number of elements.
KERNEL nacre_rest(GLOBAL const S *b, GLOBAL char *out, GLOBAL const uint32_t *state, GLOBAL const int32_t *info,
                  GLOBAL const uint32_t *sides, const GridLeast g) {
    LOCAL R sums[GRID_DECOMPOSE_LANES];
    const int64_t j = GROUP, each = (int64_t)(sizeof(S) / sizeof(R));
    GLOBAL R *to = (GLOBAL R *)(out + g.to);
    R sum = 0;
    for (int64_t i = LANE; i < g.m && g.m > g.n; i += GRID_DECOMPOSE_LANES) sum += real_part(b[i + j * g.m]);
    sums[LANE] = sum;
    SUM_UP(add_up);
    if (LANE == 0) {
        const bool none = is_lost(0, state, info);
        const bool is_nothing = g.m <= g.n || (!sides[j] && is_side_lost(sides, j, g));
        to[j] = none || (sides[j] && g.m > g.n) ? (R)NAN : is_nothing ? 0 : sums[0];
        if (j == g.sides - 1 && g.sides % each) to[g.sides] = none ? (R)NAN : 0;
    }
}

// Stores the rank, then the singular values, each padded by zeros to a whole number of elements.
KERNEL nacre_rank(GLOBAL const R *values, GLOBAL char *out, GLOBAL const uint32_t *state, GLOBAL const int32_t *info,
                  GLOBAL uint32_t *flags, const GridLeast g) {
    const int64_t item = ITEM, each = (int64_t)(sizeof(S) / sizeof(R)), all = (g.k + each - 1) / each * each;
    const bool none = is_lost(0, state, info);
    GLOBAL R *to = (GLOBAL R *)(out + g.to);
    if (item >= all + each) return;
    R value = 0;
    if (item == 0)
        for (int64_t r = 0; r < g.k && is_counted(values, r, g); r++) value += 1;
    else if (item >= each && item - each < g.k) value = values[item - each];
    to[item] = none ? (R)NAN : value;
    if (item == 0 && none) MEET(flags, 0, FAILED);
}
