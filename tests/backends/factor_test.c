// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The steps of factorisations, for every instruction set that this processor has, against plain
// loops; and content_of.

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "backends/cpu/linalg/linalg.h"

#define CHECK(condition, ...)                                                                   \
    ((condition) ? (void)0                                                                      \
                 : (void)(printf("line %d: %s: ", __LINE__, #condition), printf(__VA_ARGS__),   \
                          printf("\n"), failures++))
static int failures;

enum { MOST = 40 };
static const double TOLERANCE = 1e-12;

static void fill(double *at, int64_t count, uint64_t seed) {
    for (int64_t i = 0; i < count; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        at[i] = (double)(int64_t)(seed >> 40) / (1 << 23) - 1;
    }
}

static void check_subtract(const Loops *loops, int64_t rows, int64_t depth, int64_t cols,
                           bool turned_a) {
    static double a[MOST * MOST], b[MOST * MOST], c[MOST * MOST], want[MOST * MOST];
    int64_t a_row = turned_a ? 1 : MOST, a_col = turned_a ? MOST : 1;
    fill(a, MOST * MOST, 1);
    fill(b, MOST * MOST, 2);
    fill(c, MOST * MOST, 3);
    memcpy(want, c, sizeof c);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++)
            for (int64_t k = 0; k < depth; k++)
                want[i * MOST + j] -= a[i * a_row + k * a_col] * b[k * MOST + j];
    loops->subtract_product(a, a_row, a_col, b, MOST, c, MOST, rows, depth, cols);
    double worst = 0;
    for (int64_t i = 0; i < MOST * MOST; i++) worst = fmax(worst, fabs(c[i] - want[i]));
    CHECK(worst < TOLERANCE, "%d x %d x %d: %g", (int)rows, (int)depth, (int)cols, worst);
}

// Rows that changed places, times the factors, are the matrix again.
static void check_panel(const Loops *loops, int64_t rows, int64_t count) {
    double panel[MOST * STEP], before[MOST * STEP];
    int64_t pivots[STEP];
    fill(panel, rows * STEP, (uint64_t)(rows * 100 + count));
    memcpy(before, panel, (size_t)(rows * STEP) * sizeof *panel);
    CHECK(loops->lu_panel(panel, rows, count, pivots), "%d rows", (int)rows);
    for (int64_t i = 0; i < count; i++)
        for (int64_t c = 0; c < STEP; c++) {
            double t = before[i * STEP + c];
            before[i * STEP + c] = before[pivots[i] * STEP + c];
            before[pivots[i] * STEP + c] = t;
        }
    double worst = 0, largest = 0;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t c = 0; c < STEP; c++) {
            double sum = 0;
            int64_t depth = i < count ? i : count;
            for (int64_t k = 0; k < depth && k <= c; k++)
                sum += panel[i * STEP + k] * panel[k * STEP + c];
            if (i < count ? c >= i : c >= count) sum += panel[i * STEP + c];
            worst = fmax(worst, fabs(sum - before[i * STEP + c]));
            if (c < count && i > c) largest = fmax(largest, fabs(panel[i * STEP + c]));
        }
    CHECK(worst < TOLERANCE, "%d rows, %d columns: %g", (int)rows, (int)count, worst);
    CHECK(largest <= 1, "a factor of %g: no partial pivoting", largest);
}

static void check_singular(const Loops *loops) {
    double panel[4 * STEP] = {0};
    int64_t pivots[STEP];
    panel[0] = 1e-310; // 1 / it is infinite
    panel[STEP] = 5e-311;
    CHECK(!loops->lu_panel(panel, 4, 2, pivots), "a column of zeros");
    CHECK(fabs(panel[STEP] - 0.5) < 1e-9, "divided by a very small pivot: %g", panel[STEP]);
}

static void check_cholesky(const Loops *loops, int64_t n) {
    double a[STEP * STEP] = {0}, square[STEP * STEP] = {0}, root[STEP * STEP];
    fill(root, STEP * STEP, (uint64_t)n);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            for (int64_t k = 0; k < n; k++)
                square[i * STEP + j] += root[i * STEP + k] * root[j * STEP + k];
            square[i * STEP + j] += i == j;
        }
    memcpy(a, square, sizeof a);
    CHECK(loops->cholesky_block(a, STEP, n), "n = %d", (int)n);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i; j < n; j++) {
            double sum = 0;
            for (int64_t k = 0; k <= i; k++) sum += a[k * STEP + i] * a[k * STEP + j];
            CHECK(fabs(sum - square[i * STEP + j]) < TOLERANCE, "n = %d: %g", (int)n, sum);
        }
    square[(n - 1) * (STEP + 1)] = -1;
    CHECK(!loops->cholesky_block(square, STEP, n), "not positive definite");
}

static void check(const Loops *loops) {
    for (int64_t rows = 0; rows <= 9; rows++)
        for (int64_t depth = 0; depth <= 9; depth++)
            for (int64_t cols = 0; cols <= MOST; cols += STEP)
                for (int turned_a = 0; turned_a < 2; turned_a++)
                    check_subtract(loops, rows, depth, cols, turned_a);
    for (int64_t count = 1; count <= STEP; count++) {
        for (int64_t rows = count; rows <= MOST; rows += 3) check_panel(loops, rows, count);
        check_cholesky(loops, count);
    }
    check_singular(loops);
}

int main(void) {
    check(&loops_baseline);
#if defined(__x86_64__)
    if (has_avx2()) check(&loops_avx2);
    if (has_avx512()) check(&loops_avx512);
#endif
    const double some[] = {1, -HUGE_VAL, 2, NAN};
    CHECK(content_of(some, 1) == CONTENT_FINITE, "1");
    CHECK(content_of(some, 3) == CONTENT_INFINITE, "infinity");
    CHECK(content_of(some, 4) == CONTENT_NAN, "NaN");
    if (failures == 0) printf("ok\n");
    return failures != 0;
}
