// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Innermost steps of factorisations (factor.c) for matrices that fit into the cache. Compiled with
// the loops, once per instruction set, including fused multiply-adds.
// Rows are padded to a multiple of STEP elements, so no step has a remainder.

// `rows` and `vectors` are constants at each inlining.
static inline __attribute__((always_inline)) void subtract_tile(
    const double *a, int64_t a_row, int64_t a_col, const double *b, int64_t b_row, double *c,
    int64_t c_row, int64_t depth, int rows, int vectors) {
    double_lanes_t sums[BAND][2], from[2];
    _Pragma("GCC unroll 8") for (int r = 0; r < rows; r++)
        _Pragma("GCC unroll 2") for (int v = 0; v < vectors; v++)
            memcpy(&sums[r][v], c + r * c_row + v * double_width, sizeof *from);
    for (int64_t k = 0; k < depth; k++) {
        _Pragma("GCC unroll 2") for (int v = 0; v < vectors; v++)
            memcpy(&from[v], b + k * b_row + v * double_width, sizeof *from);
        _Pragma("GCC unroll 8") for (int r = 0; r < rows; r++) {
            double_lanes_t x = a[r * a_row + k * a_col] - (double_lanes_t){0};
            _Pragma("GCC unroll 2") for (int v = 0; v < vectors; v++)
                sums[r][v] = LESS_double(x, from[v], sums[r][v]);
        }
    }
    _Pragma("GCC unroll 8") for (int r = 0; r < rows; r++)
        _Pragma("GCC unroll 2") for (int v = 0; v < vectors; v++)
            memcpy(c + r * c_row + v * double_width, &sums[r][v], sizeof *from);
}

// C -= A @ B; B and C have unit column strides, `cols` is a multiple of STEP.
static void subtract_product(const double *a, int64_t a_row, int64_t a_col, const double *b,
                             int64_t b_row, double *c, int64_t c_row, int64_t rows, int64_t depth,
                             int64_t cols) {
    for (int64_t j = 0; j < cols;) {
        if (cols - j >= double_panel) {
            BY_BANDS(rows, subtract_tile(a + i * a_row, a_row, a_col, b + j, b_row,
                                         c + i * c_row + j, c_row, depth, band, 2))
            j += double_panel;
        } else {
            BY_BANDS(rows, subtract_tile(a + i * a_row, a_row, a_col, b + j, b_row,
                                         c + i * c_row + j, c_row, depth, band, 1))
            j += double_width;
        }
    }
}

static int64_t largest_below(const double *column, int64_t rows) {
    int64_t best = 0;
    double top = fabs(column[0]);
    for (int64_t i = 1; i < rows; i++) {
        double x = fabs(column[i * STEP]);
        if (x > top) {
            top = x;
            best = i;
        }
    }
    return best;
}

// LU factors with partial pivoting of `count` columns in rows of STEP elements; the other columns
// are updated, too. `pivots` records row exchanges. False: a pivot was 0.
static bool lu_panel(double *panel, int64_t rows, int64_t count, int64_t *pivots) {
    typedef double Row __attribute__((vector_size(STEP * sizeof(double))));
    typedef int64_t Mask __attribute__((vector_size(STEP * sizeof(int64_t))));
    const Mask places = {0, 1, 2, 3, 4, 5, 6, 7};
    bool regular = true;
    for (int64_t j = 0; j < count; j++) {
        Row pivot, row;
        int64_t best = j + largest_below(panel + j * STEP + j, rows - j);
        pivots[j] = best;
        memcpy(&pivot, panel + best * STEP, sizeof pivot);
        memcpy(panel + best * STEP, panel + j * STEP, sizeof pivot);
        memcpy(panel + j * STEP, &pivot, sizeof pivot);
        double top = pivot[j];
        if (top == 0) {
            regular = false;
            continue;
        }
        double scale = 1 / top;
        bool divide = !isfinite(scale); // the inverse of a very small pivot would overflow
        Mask behind = places > j;
        pivot = (Row)((Mask)pivot & behind);
        for (int64_t i = j + 1; i < rows; i++) {
            double *at = panel + i * STEP, factor = divide ? at[j] / top : at[j] * scale;
            memcpy(&row, at, sizeof row);
            Row reduced = row - factor * pivot;
            row = (Row)(((Mask)reduced & behind) | ((Mask)row & ~behind));
            memcpy(at, &row, sizeof row);
            at[j] = factor;
        }
    }
    return regular;
}

// The same for complex numbers, whose magnitudes are |re| + |im|, as in LAPACK's pivoting.
static int64_t largest_pair_below(const double *re, const double *im, int64_t rows) {
    int64_t best = 0;
    double top = fabs(re[0]) + fabs(im[0]);
    for (int64_t i = 1; i < rows; i++) {
        double x = fabs(re[i * STEP]) + fabs(im[i * STEP]);
        if (x > top) {
            top = x;
            best = i;
        }
    }
    return best;
}

static void exchange_step(double *a, double *b) {
    for (int i = 0; i < STEP; i++) {
        double kept = a[i];
        a[i] = b[i];
        b[i] = kept;
    }
}

static bool lu_panel_complex(double *re, double *im, int64_t rows, int64_t count, int64_t *pivots) {
    bool regular = true;
    for (int64_t j = 0; j < count; j++) {
        int64_t best = j + largest_pair_below(re + j * STEP + j, im + j * STEP + j, rows - j);
        double *pivot_re = re + j * STEP, *pivot_im = im + j * STEP, by_re[STEP], by_im[STEP];
        pivots[j] = best;
        exchange_step(pivot_re, re + best * STEP);
        exchange_step(pivot_im, im + best * STEP);
        double _Complex top = pair_c128(pivot_re[j], pivot_im[j]);
        double re_top = pivot_re[j], im_top = pivot_im[j], square = re_top * re_top + im_top * im_top;
        if (re_top == 0 && im_top == 0) {
            regular = false;
            continue;
        }
        bool odd = !(square > 0x1p-900 && square < 0x1p900);
        for (int64_t c = 0; c < STEP; c++) {
            by_re[c] = c > j ? pivot_re[c] : 0;
            by_im[c] = c > j ? pivot_im[c] : 0;
        }
        for (int64_t i = j + 1; i < rows; i++) {
            double *at_re = re + i * STEP, *at_im = im + i * STEP;
            double a = at_re[j], b = at_im[j];
            // For the pivot itself this is exactly 1, so that equal rows cancel to 0.
            double x = (a * re_top + b * im_top) / square, y = (b * re_top - a * im_top) / square;
            if (odd) {
                double _Complex factor = div_c128(pair_c128(a, b), top);
                x = __real__ factor, y = __imag__ factor;
            }
            for (int64_t c = 0; c < STEP; c++) {
                at_re[c] = at_re[c] - x * by_re[c] + y * by_im[c];
                at_im[c] = at_im[c] - x * by_im[c] - y * by_re[c];
            }
            at_re[j] = x;
            at_im[j] = y;
        }
    }
    return regular;
}

// A = U^T U for n <= STEP rows; reads and writes the upper triangle, destroys the lower one.
static bool cholesky_block(double *a, int64_t row, int64_t n) {
    for (int64_t j = 0; j < n; j++) {
        double *at = a + j * row, top = at[j];
        if (top <= 0) return false; // NaN passes this test
        double root = sqrt(top);
        for (int64_t c = j; c < STEP; c++) at[c] /= root;
        for (int64_t i = j + 1; i < n; i++) {
            double factor = at[i], *to = a + i * row;
            for (int64_t c = i; c < STEP; c++) to[c] -= factor * at[c];
        }
    }
    return true;
}
