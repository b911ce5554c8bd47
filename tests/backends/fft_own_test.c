// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Own Fourier transforms against sums in long doubles, for every kind of row, in both precisions, of lengths
// with small and large factors; errors are in units of the largest that FFT analyses allow, by norm.

#include "backends/cpu/fft/fft_own.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int failures;

enum { ROWS = 2, MOST_POINTS = 2000 };

// What row `r` has at k; what is behind the middle of real rows' transforms follows from the rest.
static double input(int64_t r, int64_t k) {
    return sin(1.3 * (double)(k * k % 1009) + (double)r) + 0.25 * (double)(k % 7 + 1);
}

static long double complex roots[MOST_POINTS], whole[MOST_POINTS]; // exp(-2πi k/n); what is transformed

// The whole row that a transform is of.
static long double complex element(const FftRows *rows, int64_t r, int64_t k) {
    int64_t n = rows->points;
    if (rows->kind == FFT_HALVED) return input(r, k);
    if (rows->kind != FFT_RESTORED) return input(r, 2 * k) + I * input(r, 2 * k + 1);
    bool mirrored = 2 * k > n, lone = k == 0 || 2 * k == n;
    int64_t at = mirrored ? n - k : k;
    double im = lone ? 0 : input(r, 2 * at + 1);
    return input(r, 2 * at) + I * (mirrored ? -im : im);
}

static void put(const FftRows *rows, void *at, int64_t i, double value) {
    if (rows->narrow) ((float *)at)[i] = (float)value;
    else ((double *)at)[i] = value;
}

static double get(const FftRows *rows, const void *at, int64_t i) {
    return rows->narrow ? (double)((const float *)at)[i] : ((const double *)at)[i];
}

static void check(const FftRows *rows, const void *out, double most) {
    int64_t n = rows->points, length = rows->kind == FFT_HALVED ? n / 2 + 1 : n;
    bool inverse = rows->kind == FFT_INVERSE || rows->kind == FFT_RESTORED;
    for (int64_t r = 0; r < rows->count; r++) {
        long double error = 0, norm = 0;
        for (int64_t k = 0; k < n; k++) {
            long double angle = 8 * atanl(1) * (long double)k / (long double)n;
            roots[k] = cosl(angle) - I * sinl(angle);
            whole[k] = element(rows, r, k);
        }
        for (int64_t t = 0; t < length; t++) {
            long double complex sum = 0, got;
            for (int64_t k = 0; k < n; k++) {
                int64_t turn = k * t % n;
                sum += whole[k] * roots[inverse && turn ? n - turn : turn];
            }
            int64_t at = r * rows->out_row + t;
            got = rows->kind == FFT_RESTORED ? get(rows, out, at) : get(rows, out, 2 * at) + I * get(rows, out, 2 * at + 1);
            error += powl(cabsl(got - sum), 2);
            norm += powl(cabsl(sum), 2);
        }
        double relative = (double)sqrtl(error / norm);
        if (relative <= most) continue;
        printf("kind %d, %s, %lld points, row %lld: error %g\n", rows->kind, rows->narrow ? "float" : "double",
               (long long)n, (long long)r, relative);
        failures++;
    }
}

static bool has_small_factors(int64_t n) {
    for (int p = 2; p <= 31; p++)
        while (n % p == 0) n /= p;
    return n == 1;
}

static void try(FftKind kind, bool narrow, int64_t n) {
    FftRows rows = {.kind = kind, .narrow = narrow, .points = n, .count = ROWS, .in_row = n + 3, .out_row = n + 5};
    size_t bytes = ROWS * (size_t)(n + 5) * 2 * sizeof(double), room = fft_own_scratch(&rows);
    void *in = calloc(1, bytes), *out = calloc(1, bytes), *scratch = malloc(room);
    FftOwn *plan = fft_own_new(&rows);
    double unit = narrow ? FLT_EPSILON : DBL_EPSILON;
    double most = unit * (1 + (narrow ? 0 : (has_small_factors(n) ? 0.5 : 2) * log2((double)n)));
    for (int64_t r = 0; r < ROWS; r++)
        for (int64_t k = 0; k < (kind == FFT_RESTORED ? n / 2 + 1 : n); k++) {
            int64_t at = r * rows.in_row + k;
            long double complex at_k = element(&rows, r, k);
            if (kind == FFT_HALVED) {
                put(&rows, in, at, (double)creall(at_k));
                continue;
            }
            put(&rows, in, 2 * at, (double)creall(at_k));
            put(&rows, in, 2 * at + 1, (double)cimagl(at_k));
        }
    fft_own_execute(plan, in, out, scratch);
    check(&rows, out, most);
    fft_own_free(plan);
    free(in);
    free(out);
    free(scratch);
}

int main(void) {
    static const int64_t others[] = {127, 128, 169, 243, 251, 256, 360, 509, 625, 713, 961, 1000, 1024, 1009, 1111};
    for (int kind = FFT_FORWARD; kind <= FFT_RESTORED; kind++)
        for (int narrow = 0; narrow < 2; narrow++) {
            for (int64_t n = 1; n <= 100; n++) try(kind, narrow, n);
            for (size_t i = 0; i < sizeof others / sizeof *others; i++) try(kind, narrow, others[i]);
        }
    fft_own_free(NULL);
    printf("%d failures\n", failures);
    return failures > 0;
}
