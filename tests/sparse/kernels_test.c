// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The dense kernels under SuiteSparse (stdlib/suitesparse/blas.h) against sums written out, for sizes around those of
// their tiles, every transposition, side and triangle.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stdlib/suitesparse/blas.h"

enum { STRIDE = 260, SIZE = STRIDE * STRIDE, TRIALS = 150 };

static unsigned long seed = 1;
static double number(void) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) / 0x1p53 - 0.5;
}
static int below(int n) {
    return (int)((number() + 0.5) * n);
}

// The largest difference that was seen, or NaN.
static double worst;
static void compare(Complex difference) {
    double size = cabs(difference);
    if (!(size <= worst)) worst = size;
}

// For numbers T with routines P: `element` is that of op(A), `side` of a triangle of it.
#define CHECKS(P, T, RANK, OUTER, RANDOM)                                                                                 \
    static T a_##P[SIZE], b_##P[SIZE], c_##P[SIZE], d_##P[SIZE];                                                          \
    static T element_##P(const T *x, char trans, int i, int j) {                                                          \
        T value = trans == 'N' ? x[i + j * STRIDE] : x[j + i * STRIDE];                                                   \
        return trans == 'C' ? (T)conj(value) : value;                                                                     \
    }                                                                                                                     \
    static T side_##P(const T *x, char uplo, char trans, char diag, int i, int j) {                                       \
        if (i == j) return diag == 'U' ? 1 : element_##P(x, trans, i, j);                                                 \
        return (i > j) == ((uplo == 'L') == (trans == 'N')) ? element_##P(x, trans, i, j) : 0;                            \
    }                                                                                                                     \
    static void fill_##P(void) {                                                                                          \
        for (int i = 0; i < SIZE; i++) {                                                                                  \
            a_##P[i] = RANDOM / 16;                                                                                       \
            b_##P[i] = RANDOM;                                                                                            \
            c_##P[i] = d_##P[i] = RANDOM;                                                                                 \
        }                                                                                                                 \
        for (int i = 0; i < STRIDE; i++) a_##P[i + i * STRIDE] += 4;                                                      \
    }                                                                                                                     \
    static void check_products_##P(int m, int n, int k, char ta, char tb) {                                               \
        const int stride = STRIDE;                                                                                        \
        T alpha = RANDOM, beta = below(3) ? RANDOM : below(2);                                                            \
        fill_##P();                                                                                                       \
        P##gemm_(&ta, &tb, &m, &n, &k, &alpha, a_##P, &stride, b_##P, &stride, &beta, c_##P, &stride);                    \
        for (int i = 0; i < m; i++)                                                                                       \
            for (int j = 0; j < n; j++) {                                                                                 \
                T sum = 0;                                                                                                \
                for (int l = 0; l < k; l++) sum += element_##P(a_##P, ta, i, l) * element_##P(b_##P, tb, l, j);           \
                compare(alpha * sum + beta * d_##P[i + j * STRIDE] - c_##P[i + j * STRIDE]);                              \
            }                                                                                                             \
        double scale = 0.7, keeps = below(2);                                                                             \
        char uplo = below(2) ? 'L' : 'U', trans = below(2) ? 'N' : 'C';                                                   \
        fill_##P();                                                                                                       \
        RANK(&uplo, &trans, &n, &k, &scale, b_##P, &stride, &keeps, c_##P, &stride);                                      \
        for (int i = 0; i < n; i++)                                                                                       \
            for (int j = 0; j < n; j++) {                                                                                 \
                T sum = 0, old = d_##P[i + j * STRIDE];                                                                   \
                for (int l = 0; l < k; l++)                                                                               \
                    sum += element_##P(b_##P, trans, i, l) * conj(element_##P(b_##P, trans, j, l));                       \
                bool there = uplo == 'L' ? i >= j : i <= j;                                                               \
                compare((there ? scale * sum + keeps * old : old) - c_##P[i + j * STRIDE]);                               \
            }                                                                                                             \
    }                                                                                                                     \
    static void check_triangles_##P(int m, int n, char trans) {                                                           \
        const int stride = STRIDE;                                                                                        \
        char side = below(2) ? 'L' : 'R', uplo = below(2) ? 'L' : 'U', diag = below(2) ? 'N' : 'U';                       \
        int order = side == 'L' ? m : n, step = below(2) ? 1 : 3;                                                         \
        T alpha = RANDOM;                                                                                                 \
        fill_##P();                                                                                                       \
        P##trsm_(&side, &uplo, &trans, &diag, &m, &n, &alpha, a_##P, &stride, c_##P, &stride);                            \
        for (int i = 0; i < m; i++)                                                                                       \
            for (int j = 0; j < n; j++) {                                                                                 \
                T sum = 0;                                                                                                \
                for (int l = 0; l < order; l++)                                                                           \
                    sum += side == 'L' ? side_##P(a_##P, uplo, trans, diag, i, l) * c_##P[l + j * STRIDE]                 \
                                       : c_##P[i + l * STRIDE] * side_##P(a_##P, uplo, trans, diag, l, j);                \
                compare(sum - alpha * d_##P[i + j * STRIDE]);                                                             \
            }                                                                                                             \
        fill_##P();                                                                                                       \
        P##trsv_(&uplo, &trans, &diag, &n, a_##P, &stride, c_##P, &step);                                                 \
        for (int i = 0; i < n; i++) {                                                                                     \
            T sum = 0;                                                                                                    \
            for (int l = 0; l < n; l++) sum += side_##P(a_##P, uplo, trans, diag, i, l) * c_##P[l * step];                \
            compare(sum - d_##P[i * step]);                                                                               \
        }                                                                                                                 \
    }                                                                                                                     \
    static void check_vectors_##P(int m, int n, char trans) {                                                             \
        const int stride = STRIDE;                                                                                        \
        int xstep = below(2) ? 1 : 3, ystep = below(2) ? 1 : 2, rows = trans == 'N' ? m : n, columns = trans == 'N' ? n : m; \
        T alpha = RANDOM, beta = below(2);                                                                                \
        fill_##P();                                                                                                       \
        P##gemv_(&trans, &m, &n, &alpha, a_##P, &stride, b_##P, &xstep, &beta, c_##P, &ystep);                            \
        for (int i = 0; i < rows; i++) {                                                                                  \
            T sum = 0;                                                                                                    \
            for (int l = 0; l < columns; l++) sum += element_##P(a_##P, trans, i, l) * b_##P[l * xstep];                  \
            compare(alpha * sum + beta * d_##P[i * ystep] - c_##P[i * ystep]);                                            \
        }                                                                                                                 \
        fill_##P();                                                                                                       \
        OUTER(&m, &n, &alpha, a_##P, &xstep, b_##P, &ystep, c_##P, &stride);                                              \
        for (int i = 0; i < m; i++)                                                                                       \
            for (int j = 0; j < n; j++)                                                                                   \
                compare(d_##P[i + j * STRIDE] + alpha * a_##P[i * xstep] * b_##P[j * ystep] - c_##P[i + j * STRIDE]);       \
    }                                                                                                                     \
    /* L L' is the matrix, and the first pivot that is not positive is told. */                                          \
    static bool check_cholesky_##P(int n) {                                                                               \
        const int stride = STRIDE;                                                                                        \
        int info = -1, bad = below(n);                                                                                    \
        fill_##P();                                                                                                       \
        for (int i = 0; i < n; i++)                                                                                       \
            for (int j = 0; j < n; j++) {                                                                                 \
                T sum = i == j;                                                                                           \
                for (int l = 0; l < n; l++) sum += b_##P[i + l * STRIDE] * conj(b_##P[j + l * STRIDE]);                   \
                c_##P[i + j * STRIDE] = d_##P[i + j * STRIDE] = sum;                                                      \
            }                                                                                                             \
        P##potrf_("L", &n, c_##P, &stride, &info);                                                                        \
        for (int i = 0; i < n; i++)                                                                                       \
            for (int j = 0; j <= i; j++) {                                                                                \
                T sum = 0;                                                                                                \
                for (int l = 0; l <= j; l++) sum += c_##P[i + l * STRIDE] * conj(c_##P[j + l * STRIDE]);                  \
                compare(sum - d_##P[i + j * STRIDE]);                                                                     \
            }                                                                                                             \
        if (info != 0) return false;                                                                                      \
        d_##P[bad + bad * STRIDE] = -1;                                                                                   \
        P##potrf_("L", &n, d_##P, &stride, &info);                                                                        \
        return info == bad + 1;                                                                                           \
    }                                                                                                                     \
    /* Reflections of columns, one by one and as a block: the next ones and then all columns of c. */                    \
    static void check_reflections_##P(int m, int k, int n) {                                                              \
        static T factors[STRIDE], triangle[SIZE], room[SIZE];                                                             \
        const int stride = STRIDE, step = 1;                                                                              \
        bool across = below(2);                                                                                           \
        double scale = below(3) ? 1 : below(2) ? below(2) ? 1e-200 : 1e-300 : 1e200;                                                          \
        k = k < m ? k : m;                                                                                                \
        fill_##P();                                                                                                       \
        for (int j = 0; j < k; j++) {                                                                                     \
            T *v = a_##P + j + j * stride, beta = 0;                                                                      \
            int rows = m - j;                                                                                             \
            double before = 0, taken;                                                                                     \
            for (int i = 0; i < rows; i++) before += creal(v[i] * conj(v[i]));                                            \
            for (int i = 0; i < rows; i++) v[i] *= scale;                                                                 \
            memcpy(room, v, (size_t)rows * sizeof *v);                                                                    \
            P##larfg_(&rows, v, v + 1, &step, &factors[j]);                                                               \
            taken = creal(*v) / scale;                                                                                    \
            compare(cimag(*v));                                                                                           \
            compare(fabs(taken) - sqrt(before));                                                                          \
            *v = 1;                                                                                                       \
            for (int i = 0; i < rows; i++) beta += conj(v[i]) * (room[i] / scale);                                        \
            for (int i = 0; i < rows; i++)                                                                                \
                compare(room[i] / scale - conj(factors[j]) * v[i] * beta - (i == 0 ? taken : 0));                         \
        }                                                                                                                 \
        for (int l = 0; l < k; l++) { /* the product of all, or its adjoint */                                            \
            int j = across ? l : k - 1 - l, rows = m - j;                                                                 \
            T factor = across ? (T)conj(factors[j]) : factors[j];                                                         \
            P##larf_("L", &rows, &n, a_##P + j + j * stride, &step, &factor, d_##P + j, &stride, room);                   \
        }                                                                                                                 \
        P##larft_("F", "C", &m, &k, a_##P, &stride, factors, triangle, &stride);                                          \
        P##larfb_("L", across ? "C" : "N", "F", "C", &m, &n, &k, a_##P, &stride, triangle, &stride, c_##P, &stride, room, &n); \
        for (int i = 0; i < m; i++)                                                                                       \
            for (int j = 0; j < n; j++) compare(c_##P[i + j * STRIDE] - d_##P[i + j * STRIDE]);                           \
    }                                                                                                                     \
    static bool check_##P(void) {                                                                                         \
        static const char letters[] = "NTC";                                                                              \
        bool fine = true;                                                                                                 \
        worst = 0;                                                                                                        \
        for (int trial = 0; trial < TRIALS; trial++) {                                                                    \
            int m = below(80) + 1, n = below(80) + 1, k = below(trial % 7 == 0 ? 250 : 30);                               \
            char trans = letters[below(3)];                                                                               \
            check_products_##P(m, n, k, trans, letters[below(3)]);                                                        \
            check_triangles_##P(m, n, trans);                                                                             \
            check_vectors_##P(m, n, trans);                                                                               \
            check_reflections_##P(m, n, below(60) + 1);                                                                   \
            fine &= check_cholesky_##P(n);                                                                                \
        }                                                                                                                 \
        printf(#P ": largest difference %g, pivots %s\n", worst, fine ? "right" : "WRONG");                               \
        return fine && worst < 1e-12;                                                                                     \
    }

CHECKS(d, double, dsyrk_, dger_, number())
CHECKS(z, Complex, zherk_, zgeru_, (number() + I * number()))

int main(void) {
    bool real = check_d(), complex_numbers = check_z();
    return real && complex_numbers ? 0 : 1;
}
