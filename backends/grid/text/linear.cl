// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Steps of LU and Cholesky factorisations of float64 or complex128 matrices, and of solutions by them. Between these
// steps, products of blocks are subtracted by nacre_tiles. `state` has a word for each matrix (STATE_SINGULAR).

#define STATE_SINGULAR 1u

static inline R size_of(S x) {
#if KIND == COMPLEX
    return fabs(x.re) + fabs(x.im);
#else
    return fabs(x);
#endif
}

static inline bool is_zero(S x) {
#if KIND == COMPLEX
    return x.re == 0 && x.im == 0;
#else
    return x == 0;
#endif
}

// Smith's algorithm: the larger part divides first.
static inline S quotient(S x, S y) {
#if KIND == COMPLEX
    S made;
    if (fabs(y.re) >= fabs(y.im)) {
        const R ratio = y.im / y.re, by = y.re + y.im * ratio;
        made.re = (x.re + x.im * ratio) / by;
        made.im = (x.im - x.re * ratio) / by;
    } else {
        const R ratio = y.re / y.im, by = y.re * ratio + y.im;
        made.re = (x.re * ratio + x.im) / by;
        made.im = (x.im * ratio - x.re) / by;
    }
    return made;
#else
    return x / y;
#endif
}

static inline S less_product(S sum, S x, S y) {
#if KIND == COMPLEX
    x.re = -x.re;
    x.im = -x.im;
    return fused(sum, x, y);
#else
    return fused(sum, -x, y);
#endif
}

static inline int64_t linear_at(CONST_REF(GridLinearSide) side, int64_t number, CONST_REF(GridLinear) g) {
    int64_t at = side.offset;
    for (int d = (int)g.ndim - 1; d >= 0; d--) {
        at += number % g.extent[d] * side.steps[d];
        number /= g.extent[d];
    }
    return at;
}

// --- Copies ----------------------------------------------------------------------------------------------

KERNEL nacre_load(GLOBAL const char *a, GLOBAL const char *b, GLOBAL S *w, const GridLinear g) {
    const int64_t item = ITEM, number = ROW, i = item / g.row, j = item % g.row;
    S value = nothing();
    if (item >= g.n * g.row || number >= g.count) return;
    a += linear_at(g.a, number, g);
    if (j >= g.n && g.is_given) value = *(GLOBAL const S *)(b + linear_at(g.b, number, g) + i * g.b.row + (j - g.n) * g.b.col);
    else if (j >= g.n) value = of_real((R)(j - g.n == i));
    else if (!g.is_upper) value = *(GLOBAL const S *)(a + i * g.a.row + j * g.a.col);
    else value = conjugate(*(GLOBAL const S *)(a + j * g.a.row + i * g.a.col));
    w[number * g.n * g.row + item] = value;
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

// Stores the result, which is in the columns from number g.left on: right-hand sides, or a triangle. Reports singular
// matrices.
KERNEL nacre_store(GLOBAL const S *w, GLOBAL char *x, GLOBAL const uint32_t *state, GLOBAL uint32_t *flags,
                   const GridLinear g) {
    const int64_t item = ITEM, number = ROW, i = item / g.cols, j = item % g.cols;
    if (item >= g.n * g.cols || number >= g.count) return;
    const bool is_lost = state[number] & STATE_SINGULAR;
    w += number * g.n * g.row + g.left;
    S value = is_lost ? no_number() : nothing();
#if IS_TRIANGLE
    if (!is_lost && (g.is_upper ? j >= i : j <= i)) value = g.is_upper ? conjugate(w[j * g.row + i]) : w[i * g.row + j];
#else
    if (!is_lost) value = w[i * g.row + j];
#endif
    *(GLOBAL S *)(x + linear_at(g.x, number, g) + i * g.x.row + j * g.x.col) = value;
    if (is_lost && item == 0 && !g.or_nan) MEET(flags, 0, FAILED);
}

// --- LU with partial pivoting ------------------------------------------------------------------------------

// Factors columns g.at … g.at + g.width, from row g.at on: a group for each matrix.
KERNEL nacre_panel(GLOBAL S *w, GLOBAL int32_t *pivots, GLOBAL uint32_t *state, const GridLinear g) {
    LOCAL R sizes[GRID_LINEAR_LANES];
    LOCAL int64_t places[GRID_LINEAR_LANES];
    const int lane = LANE, lanes = (int)g.lanes;
    const int64_t number = GROUP, end = g.at + g.width;
    w += number * g.n * g.row;
    for (int64_t c = g.at; c < end; c++) {
        R best = -1;
        int64_t place = c;
        for (int64_t i = c + lane; i < g.n; i += lanes) {
            const R size = size_of(w[i * g.row + c]);
            if (size > best) best = size, place = i;
        }
        sizes[lane] = best;
        places[lane] = place;
        for (int some = lanes / 2; some > 0; some /= 2) {
            BARRIER;
            if (lane < some) {
                const R other = sizes[lane + some];
                const bool wins = other > sizes[lane] || (other == sizes[lane] && places[lane + some] < places[lane]);
                if (wins) sizes[lane] = other, places[lane] = places[lane + some];
            }
        }
        BARRIER;
        const int64_t found = places[0];
        const S pivot = w[found * g.row + c];
        if (lane == 0) {
            pivots[number * g.n + c] = (int32_t)found;
            if (is_zero(pivot)) ATOMIC_OR(&state[number], STATE_SINGULAR);
        }
        BARRIER;
        for (int64_t j = g.at + lane; j < end && found != c; j += lanes) {
            const S kept = w[c * g.row + j];
            w[c * g.row + j] = w[found * g.row + j];
            w[found * g.row + j] = kept;
        }
        BARRIER;
        for (int64_t i = c + 1 + lane; i < g.n; i += lanes)
            if (!is_zero(pivot)) w[i * g.row + c] = quotient(w[i * g.row + c], pivot);
        BARRIER;
        const int64_t across = end - c - 1, all = across * (g.n - c - 1);
        for (int64_t e = lane; e < all; e += lanes) {
            const int64_t i = c + 1 + e / across, j = c + 1 + e % across;
            w[i * g.row + j] = less_product(w[i * g.row + j], w[i * g.row + c], w[c * g.row + j]);
        }
        BARRIER;
    }
}

// Exchanges rows as pivots g.at … g.at + g.width say, in order, in g.cols columns from g.left on.
KERNEL nacre_swap(GLOBAL S *w, GLOBAL const int32_t *pivots, const GridLinear g) {
    const int64_t j = ITEM, number = ROW;
    if (j >= g.cols || number >= g.count) return;
    w += number * g.n * g.row + g.left + j;
    for (int64_t i = g.at; i < g.at + g.width; i++) {
        const int64_t other = pivots[number * g.n + i];
        const S kept = w[i * g.row];
        if (other != i) {
            w[i * g.row] = w[other * g.row];
            w[other * g.row] = kept;
        }
    }
}

// X = L^-1 X for the rows of a diagonal block, in columns from g.left on. L is the block's lower triangle with ones on
// the diagonal.
KERNEL nacre_lower(GLOBAL S *w, const GridLinear g) {
    const int64_t j = ITEM, number = ROW;
    if (j >= g.cols || number >= g.count) return;
    w += number * g.n * g.row + g.at * g.row;
    GLOBAL S *x = w + g.left + j;
    for (int64_t i = 1; i < g.width; i++) {
        S sum = x[i * g.row];
        for (int64_t k = 0; k < i; k++) sum = less_product(sum, w[i * g.row + g.at + k], x[k * g.row]);
        x[i * g.row] = sum;
    }
}

// X = U^-1 X for the rows of a diagonal block, in columns from g.left on. U is the block's upper triangle.
KERNEL nacre_upper(GLOBAL S *w, GLOBAL const uint32_t *state, const GridLinear g) {
    const int64_t j = ITEM, number = ROW;
    if (j >= g.cols || number >= g.count || (state[number] & STATE_SINGULAR)) return;
    w += number * g.n * g.row + g.at * g.row;
    GLOBAL S *x = w + g.left + j;
    for (int64_t i = g.width - 1; i >= 0; i--) {
        S sum = x[i * g.row];
        for (int64_t k = i + 1; k < g.width; k++) sum = less_product(sum, w[i * g.row + g.at + k], x[k * g.row]);
        x[i * g.row] = quotient(sum, w[i * g.row + g.at + i]);
    }
}

// Computes the determinant's sign and the logarithm of its absolute value; or (is_given) the determinant.
KERNEL nacre_det(GLOBAL const S *w, GLOBAL const int32_t *pivots, GLOBAL const uint32_t *state, GLOBAL char *out,
                 GLOBAL uint32_t *flags, const GridLinear g) {
    const int64_t number = ITEM;
    if (number >= g.count) return;
    const bool is_regular = !(state[number] & STATE_SINGULAR);
    S sign = of_real((R)is_regular);
    double sum = is_regular ? 0.0 : -INFINITY;
    w += number * g.n * g.row;
    for (int64_t i = 0; i < g.n && is_regular; i++) {
        const S top = w[i * g.row + i];
        const R turn = pivots[number * g.n + i] != i ? (R)-1 : (R)1;
#if KIND == COMPLEX
        const R size = hypot(top.re, top.im);
        S phase;
        phase.re = turn * top.re / size;
        phase.im = turn * top.im / size;
        sign = times(sign, phase);
#else
        const R size = fabs(top);
        sign = turn * top < 0 ? -sign : sign;
#endif
        sum += log(size);
    }
    GLOBAL S *to = (GLOBAL S *)(out + linear_at(g.x, number, g));
    const double size = g.is_given ? exp(sum) : 1.0;
    to[0] = times(sign, of_real(size));
#if KIND == COMPLEX
    to[0].re = sign.re * size;
    to[0].im = sign.im * size;
#endif
    if (!g.is_given) to[1] = of_real(sum);
    if (size - size != 0 && sum - sum == 0) MEET(flags, 0, OVERFLOWS);
    if (sum != sum || is_nan(to[0])) MEET(flags, 0, INVALID); // as comparisons with NaN are on the host
}

// --- Cholesky ------------------------------------------------------------------------------------------------

// Factors a diagonal block into L L^H: a group for each matrix.
KERNEL nacre_diagonal(GLOBAL S *w, GLOBAL uint32_t *state, const GridLinear g) {
    const int lane = LANE, lanes = (int)g.lanes;
    const int64_t number = GROUP, width = g.width;
    w += number * g.n * g.row + g.at * (g.row + 1);
    for (int64_t c = 0; c < width; c++) {
#if KIND == COMPLEX
        const R square = w[c * g.row + c].re;
        const bool is_positive = square > 0;
#else
        const R square = w[c * g.row + c];
        const bool is_positive = !(square <= 0); // NaN makes NaN, as on the host
#endif
        const R root = sqrt(is_positive ? square : (R)1);
        BARRIER;
        if (lane == 0) {
            w[c * g.row + c] = of_real(root);
            if (!is_positive) ATOMIC_OR(&state[number], STATE_SINGULAR);
        }
        for (int64_t i = c + 1 + lane; i < width; i += lanes) w[i * g.row + c] = quotient(w[i * g.row + c], of_real(root));
        BARRIER;
        const int64_t left = width - c - 1;
        for (int64_t e = lane; e < left * left; e += lanes) {
            const int64_t i = c + 1 + e / left, j = c + 1 + e % left;
            if (j <= i) w[i * g.row + j] = less_product(w[i * g.row + j], w[i * g.row + c], conjugate(w[j * g.row + c]));
        }
        BARRIER;
    }
}

// X = X L^-H for the columns of a diagonal block, in g.cols rows from row g.left on. L is the block's lower triangle.
KERNEL nacre_below(GLOBAL S *w, const GridLinear g) {
    const int64_t item = ITEM, number = ROW;
    if (item >= g.cols || number >= g.count) return;
    w += number * g.n * g.row;
    GLOBAL S *x = w + (g.left + item) * g.row + g.at;
    w += g.at * (g.row + 1);
    for (int64_t j = 0; j < g.width; j++) {
        S sum = x[j];
        for (int64_t k = 0; k < j; k++) sum = less_product(sum, x[k], conjugate(w[j * g.row + k]));
        x[j] = quotient(sum, w[j * g.row + j]);
    }
}

// --- Factors by a vendor's library -----------------------------------------------------------------------------

// Converts the library's pivots to those of this text, which count from 0. Records matrices that are singular, or have
// no Cholesky factor.
KERNEL nacre_judge(GLOBAL const S *w, GLOBAL const int64_t *found, GLOBAL const int32_t *info, GLOBAL int32_t *pivots,
                   GLOBAL uint32_t *state, const GridLinear g) {
    const int64_t i = ITEM, number = ROW;
    if (i >= g.n || number >= g.count) return;
    const S top = w[number * g.n * g.row + i * (g.row + 1)];
#if IS_TRIANGLE
#if KIND == COMPLEX
    const bool is_bad = !(top.re > 0) || info[number];
#else
    const bool is_bad = top <= 0 || info[number];
#endif
#else
    const bool is_bad = is_zero(top);
    pivots[number * g.n + i] = (int32_t)found[number * g.n + i] - 1;
#endif
    if (is_bad) ATOMIC_OR(&state[number], STATE_SINGULAR);
}

// Copies right-hand sides from the rows of the copies to columns (g.left is 0), or back.
KERNEL nacre_turn(GLOBAL S *w, GLOBAL S *b, const GridLinear g) {
    const int64_t item = ITEM, number = ROW, i = item / g.sides, j = item % g.sides;
    if (item >= g.n * g.sides || number >= g.count) return;
    w += number * g.n * g.row + i * g.row + g.n + j;
    b += number * g.n * g.sides + i + j * g.n;
    if (g.left == 0) *b = *w;
    else *w = *b;
}
