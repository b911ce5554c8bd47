// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// BLAS's routines for one type of numbers, built on the products of kernels.c. The including file defines T (an
// element), NAME(x), RANK, OUTER, MatrixOf, multiply_of, solve_rows, dots_of, and the helpers `of`, `conj_of`,
// `conj_asked`, `conj_value`, `real_of`. Triangles are halved recursively until they are small, so that nearly all work
// is in matrix products.

// Returns the matrix as BLAS's letter `trans` asks for it: plain, transposed or adjoint.
static MatrixOf operand(const char *trans, const T *a, ptrdiff_t stride) {
    return is_trans(trans) ? of(a, stride, 1, letter_is(trans, 'C')) : of(a, 1, stride, false);
}
static MatrixOf part_of(MatrixOf a, ptrdiff_t i, ptrdiff_t j) {
    a.data += i * a.row + j * a.column;
    return a;
}
static MatrixOf adjoint(const T *a, ptrdiff_t stride) {
    return of(a, stride, 1, true);
}

static void scale_columns(long m, long n, T by, T *c, ptrdiff_t stride) {
    if (by == 1) return;
    for (long j = 0; j < n; j++)
        for (long i = 0; i < m; i++) c[i + j * stride] = by == 0 ? 0 : c[i + j * stride] * by;
}

void NAME(gemm_)(const char *transa, const char *transb, const int *m, const int *n, const int *k, const T *alpha, const T *a,
                 const int *lda, const T *b, const int *ldb, const T *beta, T *c, const int *ldc) {
    bool keeps = *beta != 0;
    if (keeps || *k == 0) scale_columns(*m, *n, *beta, c, *ldc);
    multiply_of(*m, *n, *k, *alpha, operand(transa, a, *lda), operand(transb, b, *ldb), c, *ldc, keeps || *k == 0);
}

// --- C = alpha A A' + beta C, for one triangle -----------------------------------------------------

enum { DIAGONAL = 32 }; // columns of a diagonal block

static void add_triangle(bool lower, long n, T beta, const T *from, T *c, ptrdiff_t stride) {
    for (long j = 0; j < n; j++)
        for (long i = lower ? j : 0; i < (lower ? n : j + 1); i++) {
            T *to = &c[i + j * stride];
            *to = (beta == 0 ? 0 : beta * *to) + from[i + j * DIAGONAL];
        }
}

static void rank_update(bool lower, long n, long depth, T alpha, MatrixOf a, MatrixOf b, T beta, T *c, ptrdiff_t stride) {
    T block[DIAGONAL * DIAGONAL];
    for (long j = 0; j < n; j += DIAGONAL) {
        long columns = n - j < DIAGONAL ? n - j : DIAGONAL, from = lower ? j + columns : 0, end = lower ? n : j;
        MatrixOf right = part_of(b, 0, j);
        multiply_of(columns, columns, depth, alpha, part_of(a, j, 0), right, block, DIAGONAL, false);
        add_triangle(lower, columns, beta, block, c + j + j * stride, stride);
        if (from == end) continue;
        if (beta != 0) scale_columns(end - from, columns, beta, c + from + j * stride, stride);
        multiply_of(end - from, columns, depth, alpha, part_of(a, from, 0), right, c + from + j * stride, stride, beta != 0);
    }
}

void RANK(const char *uplo, const char *trans, const int *n, const int *k, const double *alpha, const T *a, const int *lda,
          const double *beta, T *c, const int *ldc) {
    MatrixOf plain = of(a, 1, *lda, false), turned = adjoint(a, *lda);
    bool across = is_trans(trans);
    rank_update(letter_is(uplo, 'L'), *n, *k, *alpha, across ? turned : plain, across ? plain : turned, *beta, c, *ldc);
}

// --- Triangular systems with many right-hand sides -------------------------------------------------

static T element(MatrixOf a, ptrdiff_t i, ptrdiff_t j) {
    T x = a.data[i * a.row + j * a.column];
    return conj_of(a, x);
}

// Solves Y A = X for a triangle A of n <= SOLVE columns; Y replaces X (m × n). A lower triangle is solved from its last
// column.
static void solve_right_small(long m, int n, MatrixOf a, bool lower, bool unit, T *x, ptrdiff_t stride) {
    T triangle[SOLVE * SOLVE];
    for (int j = 0; j < n; j++)
        for (int l = 0; l <= j; l++) {
            T value = lower ? element(a, n - 1 - l, n - 1 - j) : element(a, l, j);
            triangle[j * SOLVE + l] = l < j ? value : unit ? 1 : 1 / value;
        }
    if (lower) solve_rows(m, n, triangle, x + (n - 1) * stride, -stride);
    else solve_rows(m, n, triangle, x, stride);
}

static long half_of(long n) {
    return (n / 2 + SOLVE - 1) / SOLVE * SOLVE;
}

static void solve_right(long m, long n, MatrixOf a, bool lower, bool unit, T *x, ptrdiff_t stride) {
    if (n <= SOLVE) {
        solve_right_small(m, (int)n, a, lower, unit, x, stride);
        return;
    }
    long h = half_of(n);
    MatrixOf second = part_of(a, h, h);
    T *behind = x + h * stride;
    if (lower) {
        solve_right(m, n - h, second, lower, unit, behind, stride);
        multiply_of(m, h, n - h, -1, of(behind, 1, stride, false), part_of(a, h, 0), x, stride, true);
        solve_right(m, h, a, lower, unit, x, stride);
    } else {
        solve_right(m, h, a, lower, unit, x, stride);
        multiply_of(m, n - h, h, -1, of(x, 1, stride, false), part_of(a, 0, h), behind, stride, true);
        solve_right(m, n - h, second, lower, unit, behind, stride);
    }
}

static void solve_left_small(int m, long n, MatrixOf a, bool lower, bool unit, T *x, ptrdiff_t stride) {
    T triangle[SOLVE * SOLVE];
    for (int i = 0; i < m; i++)
        for (int l = 0; l <= i; l++) {
            T value = lower ? element(a, i, l) : element(a, m - 1 - i, m - 1 - l);
            triangle[i * SOLVE + l] = l < i ? value : unit ? 1 : 1 / value;
        }
    for (long j = 0; j < n; j++) {
        T *to = x + j * stride + (lower ? 0 : m - 1);
        ptrdiff_t step = lower ? 1 : -1;
        for (int i = 0; i < m; i++) {
            T sum = to[i * step];
            for (int l = 0; l < i; l++) sum -= triangle[i * SOLVE + l] * to[l * step];
            to[i * step] = sum * triangle[i * SOLVE + i];
        }
    }
}

static void solve_left(long m, long n, MatrixOf a, bool lower, bool unit, T *x, ptrdiff_t stride) {
    if (m <= SOLVE) {
        solve_left_small((int)m, n, a, lower, unit, x, stride);
        return;
    }
    long h = half_of(m);
    MatrixOf second = part_of(a, h, h);
    if (lower) {
        solve_left(h, n, a, lower, unit, x, stride);
        multiply_of(m - h, n, h, -1, part_of(a, h, 0), of(x, 1, stride, false), x + h, stride, true);
        solve_left(m - h, n, second, lower, unit, x + h, stride);
    } else {
        solve_left(m - h, n, second, lower, unit, x + h, stride);
        multiply_of(h, n, m - h, -1, part_of(a, 0, h), of(x + h, 1, stride, false), x, stride, true);
        solve_left(h, n, a, lower, unit, x, stride);
    }
}

void NAME(trsm_)(const char *side, const char *uplo, const char *trans, const char *diag, const int *m, const int *n,
                 const T *alpha, const T *a, const int *lda, T *b, const int *ldb) {
    bool lower = letter_is(uplo, 'L') != is_trans(trans), unit = letter_is(diag, 'U');
    scale_columns(*m, *n, *alpha, b, *ldb);
    if (letter_is(side, 'L')) solve_left(*m, *n, operand(trans, a, *lda), lower, unit, b, *ldb);
    else solve_right(*m, *n, operand(trans, a, *lda), lower, unit, b, *ldb);
}

// --- Cholesky ------------------------------------------------------------------------------------

// Computes the Cholesky factor L of a block of at most SOLVE columns, in place in its lower triangle. Returns 0, or the
// number (from 1) of the first column whose pivot is not positive.
static int cholesky_small(int n, T *a, ptrdiff_t stride) {
    for (int j = 0; j < n; j++) {
        T *column = a + j * stride;
        double pivot = real_of(column[j]);
        if (!(pivot > 0)) return j + 1;
        pivot = sqrt(pivot);
        column[j] = pivot;
        for (int i = j + 1; i < n; i++) column[i] /= pivot;
        for (int k = j + 1; k < n; k++) {
            T by = conj_value(column[k]);
            for (int i = k; i < n; i++) a[i + k * stride] -= column[i] * by;
        }
    }
    return 0;
}

static int cholesky(long n, T *a, ptrdiff_t stride) {
    if (n <= SOLVE) return cholesky_small((int)n, a, stride);
    long h = half_of(n);
    T *below = a + h, *second = below + h * stride;
    int wrong = cholesky(h, a, stride);
    if (wrong) return wrong;
    solve_right(n - h, h, adjoint(a, stride), false, false, below, stride);
    rank_update(true, n - h, h, -1, of(below, 1, stride, false), adjoint(below, stride), 1, second, stride);
    wrong = cholesky(n - h, second, stride);
    return wrong ? wrong + (int)h : 0;
}

// Handles the lower triangle only, as SuiteSparse never asks for the upper one (info = -1).
void NAME(potrf_)(const char *uplo, const int *n, T *a, const int *lda, int *info) {
    *info = letter_is(uplo, 'L') ? cholesky(*n, a, *lda) : -1;
}

// --- One right-hand side ---------------------------------------------------------------------------

static void scale_vector(long n, T by, T *y, ptrdiff_t step) {
    for (long i = 0; by != 1 && i < n; i++) y[i * step] = by == 0 ? 0 : y[i * step] * by;
}

// Computes y += alpha A x, four columns at a time.
static void add_columns(long m, long n, T alpha, const T *a, ptrdiff_t stride, const T *x, ptrdiff_t xstep, T *restrict y,
                        ptrdiff_t ystep) {
    long j = 0;
    for (; j + 4 <= n && ystep == 1; j += 4, a += 4 * stride) {
        const T *b = a + stride, *c = b + stride, *d = c + stride;
        T s = alpha * x[j * xstep], t = alpha * x[(j + 1) * xstep], u = alpha * x[(j + 2) * xstep], v = alpha * x[(j + 3) * xstep];
        for (long i = 0; i < m; i++) y[i] += (a[i] * s + b[i] * t) + (c[i] * u + d[i] * v);
    }
    for (; j < n; j++, a += stride) {
        T s = alpha * x[j * xstep];
        for (long i = 0; i < m; i++) y[i * ystep] += a[i] * s;
    }
}

// Computes y += alpha A' x, four columns at a time.
static void add_dots(long m, long n, T alpha, const T *a, ptrdiff_t stride, bool conj, const T *x, ptrdiff_t xstep, T *y,
                     ptrdiff_t ystep) {
    enum { AT_ONCE = 4 };
    for (long j = 0; j < n; j += AT_ONCE, a += AT_ONCE * stride) {
        long columns = n - j < AT_ONCE ? n - j : AT_ONCE;
        T sums[AT_ONCE];
        dots_of(m, (int)columns, a, stride, conj, x, xstep, sums);
        for (long k = 0; k < columns; k++) y[(j + k) * ystep] += alpha * sums[k];
    }
}

void NAME(gemv_)(const char *trans, const int *m, const int *n, const T *alpha, const T *a, const int *lda, const T *x,
                 const int *incx, const T *beta, T *y, const int *incy) {
    bool across = is_trans(trans);
    scale_vector(across ? *n : *m, *beta, y, *incy);
    if (across) add_dots(*m, *n, *alpha, a, *lda, letter_is(trans, 'C'), x, *incx, y, *incy);
    else add_columns(*m, *n, *alpha, a, *lda, x, *incx, y, *incy);
}

// Solves in place with the triangle of n <= SOLVE columns at the start of a.
static void solve_vector_small(int n, MatrixOf a, bool lower, bool unit, T *x, ptrdiff_t step) {
    for (int k = 0; k < n; k++) {
        int i = lower ? k : n - 1 - k;
        T sum = x[i * step];
        for (int l = lower ? 0 : i + 1; l < (lower ? i : n); l++) sum -= element(a, i, l) * x[l * step];
        x[i * step] = unit ? sum : sum / element(a, i, i);
    }
}

// Computes x[i : i + m] -= A[i : i + m, j : j + n] x[j : j + n].
static void take_from(MatrixOf a, bool across, long i, long j, long m, long n, T *x, ptrdiff_t step) {
    MatrixOf part = part_of(a, i, j);
    if (across) add_dots(n, m, -1, part.data, part.row, conj_asked(part), x + j * step, step, x + i * step, step);
    else add_columns(m, n, -1, part.data, part.column, x + j * step, step, x + i * step, step);
}

void NAME(trsv_)(const char *uplo, const char *trans, const char *diag, const int *n, const T *a, const int *lda, T *x,
                 const int *incx) {
    bool across = is_trans(trans), lower = letter_is(uplo, 'L') != across, unit = letter_is(diag, 'U');
    MatrixOf all = operand(trans, a, *lda);
    long blocks = (*n + SOLVE - 1) / SOLVE;
    for (long k = 0; k < blocks; k++) {
        long i = (lower ? k : blocks - 1 - k) * SOLVE, size = *n - i < SOLVE ? *n - i : SOLVE;
        if (lower && i > 0) take_from(all, across, i, 0, size, i, x, *incx);
        if (!lower && i + size < *n) take_from(all, across, i, i + size, size, *n - i - size, x, *incx);
        solve_vector_small((int)size, part_of(all, i, i), lower, unit, x + i * *incx, *incx);
    }
}

void OUTER(const int *m, const int *n, const T *alpha, const T *x, const int *incx, const T *y, const int *incy, T *a,
           const int *lda) {
    for (long j = 0; j < *n; j++) {
        T by = *alpha * y[j * *incy], *column = a + j * *lda;
        for (long i = 0; i < *m; i++) column[i] += x[i * *incx] * by;
    }
}
