// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Eigenvalues and eigenvectors of real symmetric matrices that fit into the second-level cache.
// Householder reflections (Golub and Van Loan, "Matrix Computations", 8.3.1) make the matrix
// tridiagonal here, with one pass over it per reflection; LAPACK does the rest. LAPACK's own
// reduction calls BLAS for every vector, whose overhead dominates at these sizes.

#include "backends/cpu/linalg/tridiagonal.h"

#include <float.h>
#include <math.h>

#include "backends/cpu/linalg/lapack.h"
#include "backends/cpu/product/blis.h"

struct Tridiagonal {
    int n, row;         // elements between rows
    double *a;          // reduced from the top left; afterwards row i holds reflection i
    double *z;          // eigenvectors in rows; NULL: not wanted
    double *values, *off, *taus;
    double *v, *w, *next, *product; // one row each
    double *work;
    int *int_work;
    int length, int_length;
};

static int padded(int n) {
    return (n + STEP - 1) / STEP * STEP;
}

// Lays out the arrays and returns their size; with base NULL it only counts.
static size_t place(struct Tridiagonal *t, int n, bool vectors, void *base) {
    Room room = {base, 0};
    int row = padded(n);
    int64_t whole = (int64_t)n * row;
    *t = (struct Tridiagonal){.n = n, .row = row};
    // workspace of ?STEDC for all vectors
    t->length = vectors ? 1 + 4 * n + n * n : 0;
    t->int_length = vectors ? 3 + 5 * n : 0;
    t->a = room_take(&room, whole, sizeof(double));
    t->z = vectors ? room_take(&room, whole, sizeof(double)) : NULL;
    double **rows[] = {&t->values, &t->off, &t->taus, &t->v, &t->w, &t->next, &t->product};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        *rows[i] = room_take(&room, row, sizeof(double));
    t->work = room_take(&room, t->length, sizeof(double));
    t->int_work = room_take(&room, t->int_length, sizeof(int));
    return room.used;
}

bool is_tridiagonal_size(int64_t n) {
    enum { MOST = 320 };
    return n > 1 && n <= MOST;
}

size_t tridiagonal_bytes(int64_t n, bool vectors) {
    struct Tridiagonal t;
    return place(&t, (int)n, vectors, NULL);
}

// Loads both triangles from the one that is used, zero-padding rows. Returns the largest magnitude,
// or NaN if a number is not finite.
static double load(struct Tridiagonal *t, Matrix from, bool upper) {
    double largest = 0, zero = 0;
    if (!upper) from = turned(from);
    for (int i = 0; i < t->n; i++) {
        double *to = t->a + (int64_t)i * t->row;
        const char *at = from.data + i * from.row_stride;
        for (int j = i; j < t->n; j++) {
            to[j] = *(const double *)(at + j * from.col_stride);
            largest = fmax(largest, fabs(to[j]));
            zero += to[j] - to[j];
        }
        for (int j = t->n; j < t->row; j++) to[j] = 0;
    }
    for (int i = 0; i < t->n; i++)
        for (int j = 0; j < i; j++) t->a[(int64_t)i * t->row + j] = t->a[(int64_t)j * t->row + i];
    return largest + zero;
}

static void scale_all(double *at, int64_t count, double factor) {
    for (int64_t i = 0; i < count; i++) at[i] *= factor;
}

// Returns a power of 2 that scales numbers so that their squares do not underflow. 0: the numbers are subnormal or
// 0, as rounding errors in matrices of low rank may be.
static double lift_of(const double *x, int n) {
    double largest = 0;
    for (int j = 0; j < n; j++) largest = fmax(largest, fabs(x[j]));
    if (largest < DBL_MIN) return 0;
    return largest < sqrt(DBL_MIN) / DBL_EPSILON ? ldexp(1, -ilogb(largest)) : 1;
}

// Computes the reflection of row i after its diagonal: v, with v[i + 1] = 1 and zeros before, so
// that (1 - tau v v^T) leaves only the first element, which becomes `off`.
static double reflection_of(struct Tridiagonal *t, int i, double *v) {
    double *x = t->a + (int64_t)i * t->row, squares = 0, tau = 0;
    double lift = lift_of(x + i + 1, t->n - i - 1), alpha = lift * x[i + 1];
    memset(v, 0, (size_t)t->row * sizeof *v);
    for (int j = i + 2; j < t->n; j++) squares += (lift * x[j]) * (lift * x[j]);
    t->off[i] = x[i + 1];
    if (squares > 0) {
        double beta = -copysign(sqrt(alpha * alpha + squares), alpha);
        tau = (beta - alpha) / beta;
        for (int j = i + 2; j < t->n; j++) v[j] = lift * x[j] / (alpha - beta);
        t->off[i] = beta / lift;
    }
    v[i + 1] = 1;
    // back_transform reads the reflection from the matrix's row, which is no longer needed
    t->taus[i] = tau;
    t->values[i] = x[i];
    memcpy(x, v, (size_t)t->row * sizeof *v);
    return tau;
}

// w = tau (p - tau/2 (p . v) v) for p = A v; the update is then A - v w^T - w v^T.
static void second_vector(const struct Tridiagonal *t, int i, double tau, double *p, double *w) {
    double dot = 0;
    for (int j = i + 1; j < t->n; j++) dot += p[j] * t->v[j];
    dot *= tau / 2;
    memset(w, 0, (size_t)t->row * sizeof *w);
    for (int j = i + 1; j < t->n; j++) w[j] = tau * (p[j] - dot * t->v[j]);
}

static void reduce(const Loops *loops, struct Tridiagonal *t) {
    const int n = t->n;
    for (int i = 0; i + 1 < n; i++) {
        // v and w of the previous step have not been applied yet; the first step has none
        int first = i / STEP * STEP;
        int64_t cols = t->row - first;
        double *swap = t->next, *row = t->a + (int64_t)i * t->row;
        if (i > 0) {
            for (int j = i; j < n; j++) row[j] -= t->v[i] * t->w[j] + t->w[i] * t->v[j];
        } else {
            memset(t->v, 0, (size_t)t->row * sizeof *t->v);
            memset(t->w, 0, (size_t)t->row * sizeof *t->w);
        }
        double tau = reflection_of(t, i, t->next);
        loops->rank_two(t->a + (int64_t)(i + 1) * t->row + first, t->row, n - i - 1, cols, t->v + first,
                        t->w + first, t->v + i + 1, t->w + i + 1, t->next + first, t->product + i + 1);
        t->next = t->v;
        t->v = swap;
        second_vector(t, i, tau, t->product, t->w);
    }
    double *last = t->a + (int64_t)(n - 1) * t->row;
    t->values[n - 1] = last[n - 1] - 2 * t->v[n - 1] * t->w[n - 1];
}

// Transforms the eigenvectors of the tridiagonal matrix to those of the matrix: applies all reflections to some
// vectors, which are rows of z, at a time.
static void back_transform(const Loops *loops, const struct Tridiagonal *t) {
    enum { ROWS = 8 };
    for (int r = 0; r < t->n; r += ROWS) {
        int rows = t->n - r < ROWS ? t->n - r : ROWS;
        for (int i = t->n - 3; i >= 0; i--) {
            int first = (i + 1) / STEP * STEP;
            loops->reflect(t->z + (int64_t)r * t->row + first, t->row, rows, t->row - first,
                           t->a + (int64_t)i * t->row + first, t->taus[i]);
        }
    }
}

static bool solve(struct Tridiagonal *t) {
    int info;
    if (!t->z) {
        lapack_open()->dsterf(&t->n, t->values, t->off, &info);
        return info == 0;
    }
    memset(t->z, 0, (size_t)t->n * (size_t)t->row * sizeof *t->z);
    lapack_open()->dstedc("I", &t->n, t->values, t->off, t->z, &t->row, t->work, &t->length, t->int_work,
                          &t->int_length, &info, 1);
    return info == 0;
}

// Returns a scale factor for matrices whose squares would overflow or underflow; 1 for others.
static double scale_for(double largest) {
    const double least = sqrt(DBL_MIN / DBL_EPSILON), most = 1 / least;
    if (largest > 0 && largest < least) return least / largest;
    return largest > most ? most / largest : 1;
}

Content tridiagonal_eigh(const Loops *loops, Matrix from, bool upper, void *memory, double *values,
                         double *vectors, bool *found) {
    struct Tridiagonal t;
    place(&t, (int)from.rows, vectors != NULL, memory);
    double largest = load(&t, from, upper), scale = scale_for(largest);
    *found = false;
    if (isnan(largest)) return CONTENT_NAN;
    if (scale != 1) scale_all(t.a, (int64_t)t.n * t.row, scale);
    reduce(loops, &t);
    *found = solve(&t);
    if (!*found) return CONTENT_FINITE;
    if (scale != 1) scale_all(t.values, t.n, 1 / scale);
    memcpy(values, t.values, (size_t)t.n * sizeof *values);
    if (!vectors) return CONTENT_FINITE;
    back_transform(loops, &t);
    matrix_copy(turned(in_rows(t.z, t.n, t.n, t.row, 1)), in_rows(vectors, t.n, t.n, t.n, 1), 1);
    return CONTENT_FINITE;
}
