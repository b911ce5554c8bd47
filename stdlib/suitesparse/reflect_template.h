// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Householder reflections for one type of numbers, built on the products of kernels.c. The including file defines T (an
// element), NAME(x) for routines, LOCAL(x) for internal functions, MatrixOf, multiply_of, OUTER (A += alpha x y'),
// CONJ, REAL, IMAG, and the helpers `adjoint` and `plain`, which make an operand of an array.

// Returns the 2-norm of x. If the sum of squares overflows, or is too small to be exact, it is computed again from x
// scaled by its largest element.
static double LOCAL(norm)(long n, const T *x, ptrdiff_t step) {
    double sum = 0, most = 0;
    for (long i = 0; i < n; i++) {
        double re = REAL(x[i * step]), im = IMAG(x[i * step]);
        sum += re * re + im * im;
    }
    if ((sum > DBL_MIN / DBL_EPSILON && sum < DBL_MAX) || isnan(sum)) return sqrt(sum);
    for (long i = 0; i < n; i++) most = fmax(most, fmax(fabs(REAL(x[i * step])), fabs(IMAG(x[i * step]))));
    if (!(most > 0) || isinf(most)) return most;
    sum = 0;
    for (long i = 0; i < n; i++) {
        double re = REAL(x[i * step]) / most, im = IMAG(x[i * step]) / most;
        sum += re * re + im * im;
    }
    return most * sqrt(sum);
}

// Makes the reflection H = I - tau v v' with H' (alpha, x) = (beta, 0), where beta is real. On return alpha is beta,
// and x is the tail of v, whose first element is 1.
void NAME(larfg_)(const int *n, T *alpha, T *x, const int *incx, T *tau) {
    const double least = DBL_MIN / DBL_EPSILON;
    long rest = *n - 1;
    int scaled = 0;
    *tau = 0;
    if (*n <= 0) return;
    double below = LOCAL(norm)(rest, x, *incx);
    if (below == 0 && IMAG(*alpha) == 0) return;
    double size = hypot(hypot(REAL(*alpha), IMAG(*alpha)), below);
    for (; size < least && scaled < 20; scaled++) { // too small to divide by
        for (long i = 0; i < rest; i++) x[i * *incx] /= least;
        *alpha /= least;
        below = LOCAL(norm)(rest, x, *incx);
        size = hypot(hypot(REAL(*alpha), IMAG(*alpha)), below);
    }
    double beta = REAL(*alpha) > 0 ? -size : size;
    *tau = (beta - *alpha) / beta;
    T by = 1 / (*alpha - beta);
    for (long i = 0; i < rest; i++) x[i * *incx] *= by;
    for (; scaled > 0; scaled--) beta *= least;
    *alpha = beta;
}

// Computes C = (I - tau v v') C. `room` is workspace for n numbers.
void NAME(larf_)(const char *side, const int *m, const int *n, const T *v, const int *incv, const T *tau, T *c, const int *ldc,
                 T *room) {
    const T one = 1, none = 0, minus = -*tau;
    const int step = 1;
    (void)side;
    if (*tau == 0 || *m == 0 || *n == 0) return;
    NAME(gemv_)("C", m, n, &one, c, ldc, v, incv, &none, room, &step);
    for (long j = 0; j < *n; j++) room[j] = CONJ(room[j]);
    OUTER(m, n, &minus, v, incv, room, &step, c, ldc);
}

// Computes the upper triangle T for which I - V T V' is the product of k reflections. V is a unit lower triangle, whose
// diagonal is not stored, over m - k full rows.
void NAME(larft_)(const char *direct, const char *storev, const int *m, const int *k, const T *v, const int *ldv, const T *tau,
                  T *t, const int *ldt) {
    const long stride = *ldt, vstride = *ldv, width = *k;
    const T *full = v + width;
    (void)direct, (void)storev;
    // The product V' V above the diagonal: first the part of the full rows, then that of the triangle. The product also
    // overwrites T below its diagonal, which LAPACK does not use.
    multiply_of(width, width, *m - width, 1, LOCAL(adjoint)(full, vstride), LOCAL(plain)(full, vstride), t, stride, false);
    for (long j = 0; j < width; j++) {
        T *column = t + j * stride;
        for (long i = 0; i < j; i++) {
            T sum = CONJ(v[j + i * vstride]);
            for (long l = j + 1; l < width; l++) sum += CONJ(v[l + i * vstride]) * v[l + j * vstride];
            column[i] += sum;
        }
    }
    for (long j = 0; j < width; j++) {
        T *column = t + j * stride;
        for (long i = 0; i < j; i++) { // multiplied by the columns of T so far, in place
            T sum = 0;
            for (long l = i; l < j; l++) sum += t[i + l * stride] * column[l];
            column[i] = -tau[j] * sum;
        }
        column[j] = tau[j];
    }
}

// Computes w = V1' w for the unit lower triangle V1, column by column.
static void LOCAL(times_adjoint)(long k, long n, const T *v, ptrdiff_t stride, T *w) {
    for (long j = 0; j < n; j++, w += k)
        for (long i = 0; i < k; i++) {
            T sum = w[i];
            for (long l = i + 1; l < k; l++) sum += CONJ(v[l + i * stride]) * w[l];
            w[i] = sum;
        }
}

// Computes w = T w, or w = T' w if `across`.
static void LOCAL(times_triangle)(bool across, long k, long n, const T *t, ptrdiff_t stride, T *w) {
    for (long j = 0; j < n; j++, w += k) {
        if (across)
            for (long i = k - 1; i >= 0; i--) {
                T sum = 0;
                for (long l = 0; l <= i; l++) sum += CONJ(t[l + i * stride]) * w[l];
                w[i] = sum;
            }
        else
            for (long l = 0; l < k; l++) {
                T by = w[l];
                for (long i = 0; i < l; i++) w[i] += t[i + l * stride] * by;
                w[l] = t[l + l * stride] * by;
            }
    }
}

// Computes C = (I - V T V') C, or with T' in place of T. `room` is workspace for k × n numbers.
void NAME(larfb_)(const char *side, const char *trans, const char *direct, const char *storev, const int *m, const int *n,
                  const int *k, const T *v, const int *ldv, const T *t, const int *ldt, T *c, const int *ldc, T *room,
                  const int *ldroom) {
    const long width = *k, columns = *n, vstride = *ldv, cstride = *ldc, rest = *m - width;
    (void)side, (void)direct, (void)storev, (void)ldroom;
    if (*m <= 0 || columns <= 0) return;
    for (long j = 0; j < columns; j++)
        for (long i = 0; i < width; i++) room[i + j * width] = c[i + j * cstride];
    LOCAL(times_adjoint)(width, columns, v, vstride, room);
    if (rest > 0)
        multiply_of(width, columns, rest, 1, LOCAL(adjoint)(v + width, vstride), LOCAL(plain)(c + width, cstride), room, width,
                    true);
    LOCAL(times_triangle)(is_trans(trans), width, columns, t, *ldt, room);
    if (rest > 0)
        multiply_of(rest, columns, width, -1, LOCAL(plain)(v + width, vstride), LOCAL(plain)(room, width), c + width, cstride,
                    true);
    for (long j = 0; j < columns; j++) {
        T *to = c + j * cstride;
        const T *w = room + j * width;
        for (long l = 0; l < width; l++) {
            T by = w[l];
            to[l] -= by;
            for (long i = l + 1; i < width; i++) to[i] -= v[i + l * vstride] * by;
        }
    }
}
