// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Fourier transforms without a library. Lengths with small prime factors use Stockham's algorithm
// (mixed radix, no reordering: van Loan, "Computational Frameworks for the FFT", 1.7), all others
// Bluestein's: a convolution with a chirp of length 2**k. An even number of reals is packed as half
// as many complex numbers. An inverse transform is a forward one with real and imaginary parts
// exchanged.

#include "backends/cpu/fft/fft_own.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FACTORS = 64, LARGEST_RADIX = 31 };

typedef struct Complex {
    double re, im;
} Complex;

// A complex transform of one length.
typedef struct Length {
    int64_t n;
    int factor_count;
    uint8_t factors[MOST_FACTORS]; // empty: uses the chirp
    Complex *roots;                // exp(-2πi k/n), k < n
    int64_t padded;                // chirp: length of the convolution
    Complex *chirp, *filter;       // exp(-πi k²/n), k < n; its conjugate's transform, scaled
    struct Length *inner;          // transform of length `padded`
} Length;

struct FftOwn {
    FftRows rows;
    Length length;
    Complex *halves; // for packed real rows: exp(-2πi k/points), k ≤ points/2; else NULL
};

// --- Lengths -----------------------------------------------------------------------------------

// Returns exp(-2πi k/n), with the angle reduced to an eighth of the circle for equal accuracy everywhere.
static Complex root(int64_t k, int64_t n) {
    int64_t eighth = (int64_t)(8 * (__int128)k / n); // 0 … 7
    int64_t quarter = (eighth + 1) / 2;              // the nearest multiple of π/2
    double angle = 2 * M_PI * ((double)(4 * (__int128)k - (__int128)quarter * n) / (4 * (double)n));
    double c = cos(angle), s = sin(angle);
    switch (quarter % 4) {
    case 0: return (Complex){c, -s};
    case 1: return (Complex){-s, -c};
    case 2: return (Complex){-c, s};
    default: return (Complex){s, c};
    }
}

static bool factorise(int64_t n, Length *l) {
    static const uint8_t radices[] = {4, 2, 3, 5, 7, 11, 13, 17, 19, 23, 29, LARGEST_RADIX};
    l->factor_count = 0;
    for (size_t i = 0; i < sizeof radices; i++)
        for (; n % radices[i] == 0 && n > 1; n /= radices[i]) l->factors[l->factor_count++] = radices[i];
    return n == 1;
}

static int64_t padded_for(int64_t n) {
    int64_t padded = 1;
    while (padded < 2 * n - 1) padded *= 2;
    return padded;
}

static Complex *complexes(int64_t count) {
    return (uint64_t)count > SIZE_MAX / sizeof(Complex) ? NULL : malloc((size_t)count * sizeof(Complex));
}

static Complex *roots_of(int64_t n, int64_t count) {
    Complex *roots = complexes(count);
    for (int64_t k = 0; roots && k < count; k++) roots[k] = root(k, n);
    return roots;
}

static Complex *transform(const Length *l, Complex *x, Complex *y);

static void length_clear(Length *l) {
    if (l->inner) length_clear(l->inner);
    free(l->inner);
    free(l->roots);
    free(l->chirp);
    free(l->filter);
    *l = (Length){0};
}

static bool length_make(Length *l, int64_t n);

static bool chirp_make(Length *l) {
    int64_t n = l->n, m = l->padded = padded_for(n);
    Complex *room = complexes(2 * m);
    l->chirp = complexes(n);
    l->filter = complexes(m);
    l->inner = calloc(1, sizeof *l->inner);
    bool good = room && l->chirp && l->filter && l->inner && length_make(l->inner, m);
    if (good) {
        memset(room, 0, (size_t)m * sizeof *room);
        for (int64_t k = 0; k < n; k++) {
            l->chirp[k] = root((int64_t)((__int128)k * k % (2 * n)), 2 * n);
            room[k] = (Complex){l->chirp[k].re / (double)m, -l->chirp[k].im / (double)m};
            if (k) room[m - k] = room[k];
        }
        memcpy(l->filter, transform(l->inner, room, room + m), (size_t)m * sizeof *room);
    }
    free(room);
    return good;
}

static bool length_make(Length *l, int64_t n) {
    *l = (Length){.n = n};
    if (!factorise(n, l)) return l->factor_count = 0, chirp_make(l);
    return (l->roots = roots_of(n, n)) != NULL;
}

// --- One complex row ---------------------------------------------------------------------------

static inline Complex plus(Complex a, Complex b) {
    return (Complex){a.re + b.re, a.im + b.im};
}
static inline Complex minus(Complex a, Complex b) {
    return (Complex){a.re - b.re, a.im - b.im};
}
static inline Complex times(Complex a, Complex b) {
    return (Complex){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
static inline Complex scaled(Complex a, double by) {
    return (Complex){a.re * by, a.im * by};
}
static inline Complex turned(Complex a) { // times -i
    return (Complex){a.im, -a.re};
}
static inline Complex exchanged(Complex a) {
    return (Complex){a.im, a.re};
}

// Transforms p numbers, `step` apart in a, to contiguous ones in b. `w`: the p-th roots of unity.
static inline __attribute__((always_inline)) void butterfly(int p, const Complex *a, int64_t step, const Complex *w,
                                                            Complex *b) {
    if (p == 2) {
        b[0] = plus(a[0], a[step]);
        b[1] = minus(a[0], a[step]);
    } else if (p == 3) {
        Complex sum = plus(a[step], a[2 * step]), gap = scaled(turned(minus(a[step], a[2 * step])), sqrt(3) / 2);
        Complex middle = minus(a[0], scaled(sum, 0.5));
        b[0] = plus(a[0], sum);
        b[1] = plus(middle, gap);
        b[2] = minus(middle, gap);
    } else if (p == 4) {
        Complex even = plus(a[0], a[2 * step]), odd = plus(a[step], a[3 * step]);
        Complex apart = minus(a[0], a[2 * step]), other = turned(minus(a[step], a[3 * step]));
        b[0] = plus(even, odd);
        b[1] = plus(apart, other);
        b[2] = minus(even, odd);
        b[3] = minus(apart, other);
    } else {
        // Roots are conjugate in pairs, so elements r and p - r are first added and subtracted.
        Complex sums[LARGEST_RADIX / 2 + 1], gaps[LARGEST_RADIX / 2 + 1];
        b[0] = a[0];
        for (int r = 1; r <= p / 2; r++) {
            sums[r] = plus(a[r * step], a[(p - r) * step]);
            gaps[r] = turned(minus(a[r * step], a[(p - r) * step]));
            b[0] = plus(b[0], sums[r]);
        }
        for (int t = 1; t <= p / 2; t++) {
            Complex middle = a[0], side = {0, 0};
            for (int r = 1, at = t; r <= p / 2; r++, at = (at + t) % p) {
                middle = plus(middle, scaled(sums[r], w[at].re));
                side = minus(side, scaled(gaps[r], w[at].im));
            }
            b[t] = plus(middle, side);
            b[p - t] = minus(middle, side);
        }
    }
}

// Makes one radix pass over `stride` interleaved transforms of n points, from x to y.
static inline __attribute__((always_inline)) void pass(int p, const Length *l, int64_t n, int64_t stride,
                                                       const Complex *restrict x, Complex *restrict y) {
    int64_t m = n / p, step = stride * m;
    Complex b[LARGEST_RADIX], w[LARGEST_RADIX], own[LARGEST_RADIX];
    for (int r = 0; r < p; r++) own[r] = l->roots[r * (l->n / p)];
    for (int64_t k = 0; k < m; k++) {
        for (int t = 1; t < p; t++) w[t] = l->roots[k * t * stride];
        for (int64_t j = 0; j < stride; j++) {
            Complex *to = y + stride * p * k + j;
            butterfly(p, x + stride * k + j, step, own, b);
            to[0] = b[0];
            for (int t = 1; t < p; t++) to[stride * t] = times(b[t], w[t]);
        }
    }
}

// Transforms x. Returns the buffer with the result, x or y; both are overwritten.
static Complex *by_radices(const Length *l, Complex *x, Complex *y) {
    int64_t n = l->n, stride = 1;
    for (int i = 0; i < l->factor_count; i++) {
        int p = l->factors[i];
        switch (p) {
        case 2: pass(2, l, n, stride, x, y); break;
        case 3: pass(3, l, n, stride, x, y); break;
        case 4: pass(4, l, n, stride, x, y); break;
        case 5: pass(5, l, n, stride, x, y); break;
        default: pass(p, l, n, stride, x, y);
        }
        n /= p;
        stride *= p;
        Complex *last = x;
        x = y;
        y = last;
    }
    return x;
}

static Complex *by_chirp(const Length *l, Complex *x, Complex *y) {
    int64_t n = l->n, m = l->padded;
    for (int64_t k = 0; k < n; k++) x[k] = times(x[k], l->chirp[k]);
    memset(x + n, 0, (size_t)(m - n) * sizeof *x);
    Complex *a = by_radices(l->inner, x, y), *b = a == x ? y : x;
    for (int64_t k = 0; k < m; k++) a[k] = exchanged(times(a[k], l->filter[k]));
    a = by_radices(l->inner, a, b);
    for (int64_t k = 0; k < n; k++) a[k] = times(exchanged(a[k]), l->chirp[k]);
    return a;
}

static Complex *transform(const Length *l, Complex *x, Complex *y) {
    return l->chirp ? by_chirp(l, x, y) : by_radices(l, x, y);
}

// --- Rows of any kind --------------------------------------------------------------------------

static double number(const FftRows *rows, const void *at, int64_t i) {
    return rows->narrow ? (double)((const float *)at)[i] : ((const double *)at)[i];
}

static void set_number(const FftRows *rows, void *at, int64_t i, double to) {
    if (rows->narrow) ((float *)at)[i] = (float)to;
    else ((double *)at)[i] = to;
}

static Complex pair(const FftRows *rows, const void *at, int64_t i) {
    return (Complex){number(rows, at, 2 * i), number(rows, at, 2 * i + 1)};
}

static void set_pair(const FftRows *rows, void *at, int64_t i, Complex to) {
    set_number(rows, at, 2 * i, to.re);
    set_number(rows, at, 2 * i + 1, to.im);
}

static bool is_real(FftKind kind) {
    return kind == FFT_HALVED || kind == FFT_RESTORED;
}

static int64_t complex_points(const FftRows *rows) {
    return is_real(rows->kind) && rows->points % 2 == 0 ? rows->points / 2 : rows->points;
}

static void complex_row(const FftOwn *plan, const void *in, void *out, Complex *x, Complex *y) {
    const FftRows *rows = &plan->rows;
    bool inverse = rows->kind == FFT_INVERSE;
    for (int64_t i = 0; i < rows->points; i++) x[i] = inverse ? exchanged(pair(rows, in, i)) : pair(rows, in, i);
    x = transform(&plan->length, x, y);
    for (int64_t i = 0; i < rows->points; i++) set_pair(rows, out, i, inverse ? exchanged(x[i]) : x[i]);
}

static void halved_row(const FftOwn *plan, const void *in, void *out, Complex *x, Complex *y) {
    const FftRows *rows = &plan->rows;
    int64_t n = plan->length.n;
    bool packed = plan->halves;
    for (int64_t i = 0; i < n; i++) x[i] = packed ? pair(rows, in, i) : (Complex){number(rows, in, i), 0};
    x = transform(&plan->length, x, y);
    for (int64_t k = 0; k <= rows->points / 2; k++) {
        Complex a = x[k % n], b = {x[(n - k) % n].re, -x[(n - k) % n].im};
        Complex even = scaled(plus(a, b), 0.5), odd = scaled(turned(minus(a, b)), 0.5);
        set_pair(rows, out, k, packed ? plus(even, times(odd, plan->halves[k])) : a);
    }
}

static void restored_row(const FftOwn *plan, const void *in, void *out, Complex *x, Complex *y) {
    const FftRows *rows = &plan->rows;
    int64_t n = plan->length.n;
    if (!plan->halves) {
        for (int64_t k = 0; k <= n / 2; k++) {
            Complex a = pair(rows, in, k);
            x[k] = exchanged(a);
            if (k) x[n - k] = exchanged((Complex){a.re, -a.im});
        }
        x = transform(&plan->length, x, y);
        for (int64_t i = 0; i < n; i++) set_number(rows, out, i, x[i].im);
        return;
    }
    for (int64_t k = 0; k < n; k++) {
        Complex a = pair(rows, in, k), last = pair(rows, in, n - k), b = {last.re, -last.im};
        Complex w = {plan->halves[k].re, -plan->halves[k].im}, odd = times(minus(a, b), w);
        x[k] = exchanged(plus(plus(a, b), (Complex){-odd.im, odd.re}));
    }
    x = transform(&plan->length, x, y);
    for (int64_t i = 0; i < n; i++) set_pair(rows, out, i, exchanged(x[i]));
}

// --- Plans -------------------------------------------------------------------------------------

FftOwn *fft_own_new(const FftRows *rows) {
    FftOwn *plan = calloc(1, sizeof *plan);
    if (!plan) return NULL;
    plan->rows = *rows;
    bool packed = complex_points(rows) < rows->points, good = length_make(&plan->length, complex_points(rows));
    if (good && packed) good = (plan->halves = roots_of(rows->points, rows->points / 2 + 1)) != NULL;
    if (good) return plan;
    fft_own_free(plan);
    return NULL;
}

void fft_own_free(FftOwn *plan) {
    if (!plan) return;
    length_clear(&plan->length);
    free(plan->halves);
    free(plan);
}

size_t fft_own_scratch(const FftRows *rows) {
    Length l;
    int64_t n = complex_points(rows);
    if (n < 1 || n > INT64_MAX / 256) return 0; // larger arrays cannot exist
    return 2 * sizeof(Complex) * (size_t)(factorise(n, &l) ? n : padded_for(n));
}

void fft_own_execute(const FftOwn *plan, const void *in, void *out, void *scratch) {
    const FftRows *rows = &plan->rows;
    size_t part = rows->narrow ? sizeof(float) : sizeof(double);
    size_t in_size = rows->kind == FFT_HALVED ? part : 2 * part, out_size = rows->kind == FFT_RESTORED ? part : 2 * part;
    Complex *x = scratch, *y = x + (plan->length.chirp ? plan->length.padded : plan->length.n);
    for (int64_t r = 0; r < rows->count; r++) {
        const char *from = (const char *)in + (size_t)(r * rows->in_row) * in_size;
        char *to = (char *)out + (size_t)(r * rows->out_row) * out_size;
        if (rows->kind == FFT_HALVED) halved_row(plan, from, to, x, y);
        else if (rows->kind == FFT_RESTORED) restored_row(plan, from, to, x, y);
        else complex_row(plan, from, to, x, y);
    }
}
