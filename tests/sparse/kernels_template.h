// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Checks of the kernels for one type of numbers: a template, included by kernels_test.c.
// T: type of numbers
// BLAS(f): name of a routine
// LETTER: the first letter of routines, as a string
// RANK, OUTER: the routines of rank-k updates and outer products
// RANDOM: a random number
// NAME(f): name of a function or an array
//
// `element` returns an element of op(A), and `side` an element of a triangle of op(A).

static T NAME(a)[SIZE], NAME(b)[SIZE], NAME(c)[SIZE], NAME(d)[SIZE];

static T NAME(element)(const T *x, char trans, int i, int j) {
    T value = trans == 'N' ? x[i + j * STRIDE] : x[j + i * STRIDE];
    return trans == 'C' ? (T)conj(value) : value;
}

static T NAME(side)(const T *x, char uplo, char trans, char diag, int i, int j) {
    if (i == j) return diag == 'U' ? 1 : NAME(element)(x, trans, i, j);
    return (i > j) == ((uplo == 'L') == (trans == 'N')) ? NAME(element)(x, trans, i, j) : 0;
}

static void NAME(fill)(void) {
    for (int i = 0; i < SIZE; i++) {
        NAME(a)[i] = RANDOM / 16;
        NAME(b)[i] = RANDOM;
        NAME(c)[i] = NAME(d)[i] = RANDOM;
    }
    for (int i = 0; i < STRIDE; i++) NAME(a)[i + i * STRIDE] += 4;
}

static void NAME(check_products)(int m, int n, int k, char ta, char tb) {
    const int stride = STRIDE;
    T alpha = RANDOM, beta = below(3) ? RANDOM : below(2);
    NAME(fill)();
    BLAS(gemm)(&ta, &tb, &m, &n, &k, &alpha, NAME(a), &stride, NAME(b), &stride, &beta, NAME(c), &stride);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            T sum = 0;
            for (int l = 0; l < k; l++)
                sum += NAME(element)(NAME(a), ta, i, l) * NAME(element)(NAME(b), tb, l, j);
            compare(alpha * sum + beta * NAME(d)[i + j * STRIDE] - NAME(c)[i + j * STRIDE]);
        }
    double scale = 0.7, keeps = below(2);
    char uplo = below(2) ? 'L' : 'U', trans = below(2) ? 'N' : 'C';
    NAME(fill)();
    RANK(&uplo, &trans, &n, &k, &scale, NAME(b), &stride, &keeps, NAME(c), &stride);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            T sum = 0, old = NAME(d)[i + j * STRIDE];
            for (int l = 0; l < k; l++)
                sum += NAME(element)(NAME(b), trans, i, l) * conj(NAME(element)(NAME(b), trans, j, l));
            bool there = uplo == 'L' ? i >= j : i <= j;
            compare((there ? scale * sum + keeps * old : old) - NAME(c)[i + j * STRIDE]);
        }
}

static void NAME(check_triangles)(int m, int n, char trans) {
    const int stride = STRIDE;
    char side = below(2) ? 'L' : 'R', uplo = below(2) ? 'L' : 'U', diag = below(2) ? 'N' : 'U';
    int order = side == 'L' ? m : n, step = below(2) ? 1 : 3;
    T alpha = RANDOM;
    NAME(fill)();
    BLAS(trsm)(&side, &uplo, &trans, &diag, &m, &n, &alpha, NAME(a), &stride, NAME(c), &stride);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            T sum = 0;
            for (int l = 0; l < order; l++)
                sum += side == 'L' ? NAME(side)(NAME(a), uplo, trans, diag, i, l) * NAME(c)[l + j * STRIDE]
                                   : NAME(c)[i + l * STRIDE] * NAME(side)(NAME(a), uplo, trans, diag, l, j);
            compare(sum - alpha * NAME(d)[i + j * STRIDE]);
        }
    NAME(fill)();
    BLAS(trsv)(&uplo, &trans, &diag, &n, NAME(a), &stride, NAME(c), &step);
    for (int i = 0; i < n; i++) {
        T sum = 0;
        for (int l = 0; l < n; l++) sum += NAME(side)(NAME(a), uplo, trans, diag, i, l) * NAME(c)[l * step];
        compare(sum - NAME(d)[i * step]);
    }
}

static void NAME(check_vectors)(int m, int n, char trans) {
    const int stride = STRIDE;
    int xstep = below(2) ? 1 : 3, ystep = below(2) ? 1 : 2, rows = trans == 'N' ? m : n, columns = trans == 'N' ? n : m;
    T alpha = RANDOM, beta = below(2);
    NAME(fill)();
    BLAS(gemv)(&trans, &m, &n, &alpha, NAME(a), &stride, NAME(b), &xstep, &beta, NAME(c), &ystep);
    for (int i = 0; i < rows; i++) {
        T sum = 0;
        for (int l = 0; l < columns; l++) sum += NAME(element)(NAME(a), trans, i, l) * NAME(b)[l * xstep];
        compare(alpha * sum + beta * NAME(d)[i * ystep] - NAME(c)[i * ystep]);
    }
    NAME(fill)();
    OUTER(&m, &n, &alpha, NAME(a), &xstep, NAME(b), &ystep, NAME(c), &stride);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            compare(NAME(d)[i + j * STRIDE] + alpha * NAME(a)[i * xstep] * NAME(b)[j * ystep] -
                    NAME(c)[i + j * STRIDE]);
}

// L L' is the matrix, and `info` reports the first pivot that is not positive.
static bool NAME(check_cholesky)(int n) {
    const int stride = STRIDE;
    int info = -1, bad = below(n);
    NAME(fill)();
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            T sum = i == j;
            for (int l = 0; l < n; l++) sum += NAME(b)[i + l * STRIDE] * conj(NAME(b)[j + l * STRIDE]);
            NAME(c)[i + j * STRIDE] = NAME(d)[i + j * STRIDE] = sum;
        }
    BLAS(potrf)("L", &n, NAME(c), &stride, &info);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            T sum = 0;
            for (int l = 0; l <= j; l++) sum += NAME(c)[i + l * STRIDE] * conj(NAME(c)[j + l * STRIDE]);
            compare(sum - NAME(d)[i + j * STRIDE]);
        }
    if (info != 0) return false;
    NAME(d)[bad + bad * STRIDE] = -1;
    BLAS(potrf)("L", &n, NAME(d), &stride, &info);
    return info == bad + 1;
}

// Applies reflections of columns to the next columns and to all columns of c, one by one and as a block.
static void NAME(check_reflections)(int m, int k, int n) {
    static T factors[STRIDE], triangle[SIZE], room[SIZE];
    const int stride = STRIDE, step = 1;
    bool across = below(2);
    double scale = below(3) ? 1 : below(2) ? below(2) ? 1e-200 : 1e-300 : 1e200;
    k = k < m ? k : m;
    NAME(fill)();
    for (int j = 0; j < k; j++) {
        T *v = NAME(a) + j + j * stride, beta = 0;
        int rows = m - j;
        double before = 0, taken;
        for (int i = 0; i < rows; i++) before += creal(v[i] * conj(v[i]));
        for (int i = 0; i < rows; i++) v[i] *= scale;
        memcpy(room, v, (size_t)rows * sizeof *v);
        BLAS(larfg)(&rows, v, v + 1, &step, &factors[j]);
        taken = creal(*v) / scale;
        compare(cimag(*v));
        compare(fabs(taken) - sqrt(before));
        *v = 1;
        for (int i = 0; i < rows; i++) beta += conj(v[i]) * (room[i] / scale);
        for (int i = 0; i < rows; i++)
            compare(room[i] / scale - conj(factors[j]) * v[i] * beta - (i == 0 ? taken : 0));
    }
    for (int l = 0; l < k; l++) { // the product of all, or its adjoint
        int j = across ? l : k - 1 - l, rows = m - j;
        T factor = across ? (T)conj(factors[j]) : factors[j];
        BLAS(larf)("L", &rows, &n, NAME(a) + j + j * stride, &step, &factor, NAME(d) + j, &stride, room);
    }
    BLAS(larft)("F", "C", &m, &k, NAME(a), &stride, factors, triangle, &stride);
    BLAS(larfb)("L", across ? "C" : "N", "F", "C", &m, &n, &k, NAME(a), &stride, triangle, &stride, NAME(c), &stride,
                room, &n);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) compare(NAME(c)[i + j * STRIDE] - NAME(d)[i + j * STRIDE]);
}

static bool NAME(check)(void) {
    static const char letters[] = "NTC";
    bool fine = true;
    worst = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        int m = below(80) + 1, n = below(80) + 1, k = below(trial % 7 == 0 ? 250 : 30);
        char trans = letters[below(3)];
        NAME(check_products)(m, n, k, trans, letters[below(3)]);
        NAME(check_triangles)(m, n, trans);
        NAME(check_vectors)(m, n, trans);
        NAME(check_reflections)(m, n, below(60) + 1);
        fine &= NAME(check_cholesky)(n);
    }
    printf(LETTER ": largest difference %g, pivots %s\n", worst, fine ? "right" : "WRONG");
    return fine && worst < 1e-12;
}

#undef T
#undef BLAS
#undef LETTER
#undef RANK
#undef OUTER
#undef RANDOM
#undef NAME
