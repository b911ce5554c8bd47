// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Discrete distributions: Poisson, binomial, negative binomial, geometric, logarithmic series, Zipf.

#include <math.h>
#include <stdlib.h>

#include "stdlib/numpy/random.h"

// --- Poisson -----------------------------------------------------------------------------------

// Computes log Γ(x) by Stirling's series. Arguments up to 7 are first shifted into (6, 7] by the recurrence.
// Coefficients from S. Zhang and J. Jin, "Computation of Special Functions", 1996.
double draw_log_gamma(double x) {
    static const double series[] = {
        8.333333333333333e-02,  -2.777777777777778e-03, 7.936507936507937e-04,
        -5.952380952380952e-04, 8.417508417508418e-04,  -1.917526917526918e-03,
        6.410256410256410e-03,  -2.955065359477124e-02, 1.796443723688307e-01,
        -1.39243221690590e+00,
    };
    enum { TERMS = sizeof series / sizeof *series };
    const double log_two_pi = 1.8378770664093453;
    if (x == 1 || x == 2) return 0;
    int64_t up = x <= 7 ? (int64_t)(7 - x) : 0;
    double at = x + (double)up, inverse = 1 / (at * at), sum = series[TERMS - 1];
    for (int i = TERMS - 2; i >= 0; i--) sum = sum * inverse + series[i];
    double result = sum / at + 0.5 * log_two_pi + (at - 0.5) * log(at) - at;
    for (int64_t i = 0; i < up; i++) {
        result -= log(at - 1);
        at -= 1;
    }
    return result;
}

static int64_t poisson_by_products(Bits *g, double mean) {
    double limit = exp(-mean), product = bits_double(g);
    int64_t count = 0;
    for (; product > limit; count++) product *= bits_double(g);
    return count;
}

// Algorithm PTRS of W. Hörmann, "The transformed rejection method for generating Poisson random variables",
// Insurance: Mathematics and Economics 12, 1993.
static int64_t poisson_by_rejection(Bits *g, double mean) {
    double log_mean = log(mean), b = 0.931 + 2.53 * sqrt(mean), a = -0.059 + 0.02483 * b;
    double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), squeeze = 0.9277 - 3.6224 / (b - 2);
    for (;;) {
        double u = bits_double(g) - 0.5, v = bits_double(g), us = 0.5 - fabs(u);
        int64_t k = (int64_t)floor((2 * a / us + b) * u + mean + 0.43);
        if (us >= 0.07 && v <= squeeze) return k;
        if (k < 0 || (us < 0.013 && v > us)) continue;
        if (log(v) + log(inverse_alpha) - log(a / (us * us) + b) <=
            -mean + (double)k * log_mean - draw_log_gamma((double)k + 1))
            return k;
    }
}

int64_t draw_poisson(Bits *g, double mean) {
    if (mean >= 10) return poisson_by_rejection(g, mean);
    return mean == 0 ? 0 : poisson_by_products(g, mean);
}

// --- Binomial ----------------------------------------------------------------------------------

// Terms of the distribution are computed on demand, each from the one before.
static void inversion_init(Inversion *t, int64_t n, double p) {
    double q = 1 - p, np = (double)n * p, far = np + 10 * sqrt(np * q + 1);
    t->n = n;
    t->p = p;
    t->q = q;
    t->bound = (int64_t)((double)n < far ? (double)n : far);
    t->terms[0] = exp((double)n * log1p(-p));
    t->known = 1;
}

static void inversion_next(Inversion *t) {
    int64_t x = t->known;
    t->terms[x] = ((double)(t->n - x + 1) * t->p * t->terms[x - 1]) / ((double)x * t->q);
    t->known++;
}

static int64_t inversion_draw(Bits *g, Inversion *t) {
    double u = bits_double(g);
    int64_t x = 0;
    while (u > t->terms[x]) {
        u -= t->terms[x];
        if (++x > t->bound) { // by rounding, u exceeded the sum of all terms: draws again
            x = 0;
            u = bits_double(g);
        } else if (x == t->known) {
            inversion_next(t);
        }
    }
    return x;
}

static void btpe_init(Btpe *t, int64_t n, double p) {
    double r = p < 1 - p ? p : 1 - p, q = 1 - r, mode = (double)n * r + r, a;
    *t = (Btpe){.n = n, .m = (int64_t)floor(mode), .r = r, .q = q, .spread = (double)n * r * q};
    t->area[0] = floor(2.195 * sqrt(t->spread) - 4.6 * q) + 0.5;
    t->middle = (double)t->m + 0.5;
    t->left = t->middle - t->area[0];
    t->right = t->middle + t->area[0];
    t->slope = 0.134 + 20.5 / (15.3 + (double)t->m);
    a = (mode - t->left) / (mode - t->left * r);
    t->left_rate = a * (1 + a / 2);
    a = (t->right - mode) / (t->right * q);
    t->right_rate = a * (1 + a / 2);
    t->area[1] = t->area[0] * (1 + 2 * t->slope);
    t->area[2] = t->area[1] + t->slope / t->left_rate;
    t->area[3] = t->area[2] + t->slope / t->right_rate;
}

// Makes a candidate *y from the parallelograms or tails, and scales *v for btpe_accepts. False: the candidate is
// rejected already.
static bool btpe_point(const Btpe *t, double u, double *v, int64_t *y) {
    if (u <= t->area[1]) {
        double x = t->left + (u - t->area[0]) / t->slope;
        *v = *v * t->slope + 1 - fabs((double)t->m - x + 0.5) / t->area[0];
        *y = (int64_t)floor(x);
        return *v <= 1;
    }
    if (*v == 0) return false;
    if (u <= t->area[2]) {
        *y = (int64_t)floor(t->left + log(*v) / t->left_rate);
        *v = *v * (u - t->area[1]) * t->left_rate;
        return *y >= 0;
    }
    *y = (int64_t)floor(t->right - log(*v) / t->right_rate);
    *v = *v * (u - t->area[2]) * t->right_rate;
    return *y <= t->n;
}

// Computes f(y) / f(m), factor by factor.
static double btpe_ratio(const Btpe *t, int64_t y) {
    double odds = t->r / t->q, a = odds * (double)(t->n + 1), ratio = 1;
    for (int64_t i = t->m + 1; i <= y; i++) ratio *= a / (double)i - odds;
    for (int64_t i = y + 1; i <= t->m; i++) ratio /= a / (double)i - odds;
    return ratio;
}

static double stirling(double x) {
    double square = x * x;
    return (13680. - (462. - (132. - (99. - 140. / square) / square) / square) / square) / x /
           166320.;
}

// Returns whether v <= f(y) / f(m). Uses squeezing bounds first, and Stirling's formula if they do not decide.
static bool btpe_accepts(const Btpe *t, int64_t y, double v) {
    double nrq = t->spread, k = (double)llabs(y - t->m), m = (double)t->m, n = (double)t->n;
    if (k <= 20 || k >= nrq / 2 - 1) return v <= btpe_ratio(t, y);
    double rho = (k / nrq) * ((k * (k / 3.0 + 0.625) + 0.16666666666666666) / nrq + 0.5);
    double centre = -k * k / (2 * nrq), a = log(v);
    if (a < centre - rho) return true;
    if (a > centre + rho) return false;
    double x1 = (double)(y + 1), f1 = m + 1, z = n + 1 - m, w = (double)(t->n - y + 1);
    return a <= t->middle * log(f1 / x1) + (n - m + 0.5) * log(z / w) +
                    (double)(y - t->m) * log(w * t->r / (x1 * t->q)) + stirling(f1) +
                    stirling(z) + stirling(x1) + stirling(w);
}

static int64_t btpe_draw(Bits *g, const Btpe *t) {
    for (;;) {
        int64_t y;
        double u = bits_double(g) * t->area[3], v = bits_double(g);
        if (u <= t->area[0]) return (int64_t)floor(t->middle - t->area[0] * v + u);
        if (btpe_point(t, u, &v, &y) && btpe_accepts(t, y, v)) return y;
    }
}

void binomial_init(Binomial *b, int64_t n, double p) {
    b->n = n;
    b->none = n == 0 || p == 0;
    b->failures = !(p <= 0.5);
    if (b->failures) p = 1 - p;
    b->inverted = p * (double)n <= 30;
    if (b->inverted) inversion_init(&b->inversion, n, p);
    else btpe_init(&b->btpe, n, p);
}

void binomial_old_init(Binomial *b, int64_t n, double p) {
    binomial_init(b, n, p);
    if (b->inverted) b->inversion.terms[0] = exp((double)n * log(b->inversion.q));
}

// RandomState consumes draws even if the result is always 0.
int64_t binomial_old_draw(Bits *g, Binomial *b) {
    int64_t x = b->inverted ? inversion_draw(g, &b->inversion) : btpe_draw(g, &b->btpe);
    return b->failures ? b->n - x : x;
}

int64_t binomial_draw(Bits *g, Binomial *b) {
    return b->none ? 0 : binomial_old_draw(g, b);
}

// --- Negative binomial -------------------------------------------------------------------------
// A negative binomial variate is a Poisson variate whose mean is a gamma variate.

int64_t draw_negative_binomial(Bits *g, double n, double p) {
    return draw_poisson(g, (1 - p) / p * draw_gamma(g, n));
}

int64_t draw_old_negative_binomial(Bits *g, double n, double p) {
    return draw_poisson(g, (1 - p) / p * draw_old_gamma(g, n));
}

// --- Geometric ---------------------------------------------------------------------------------

static int64_t geometric_by_search(Bits *g, double p) {
    double sum = p, term = p, u = bits_double(g);
    int64_t x = 1;
    for (; u > sum; x++) {
        term *= 1 - p;
        sum += term;
    }
    return x;
}

int64_t draw_geometric(Bits *g, double p) {
    if (p >= 1. / 3) return geometric_by_search(g, p);
    double z = ceil(-draw_exponential(g) / log1p(-p));
    return z >= 0x1p63 ? INT64_MAX : (int64_t)z;
}

int64_t draw_old_geometric(Bits *g, double p) {
    if (p >= 1. / 3) return geometric_by_search(g, p);
    double z = ceil(log1p(-bits_double(g)) / log(1 - p));
    return z >= 0x1p63 ? INT64_MIN : (int64_t)z;
}

// --- Logarithmic series, Zipf ------------------------------------------------------------------

// Algorithm LK of A. W. Kemp, "Efficient generation of logarithmically distributed pseudo-random variables",
// Applied Statistics 30(3), 1981. `r` is log(1 - p).
int64_t draw_logseries(Bits *g, double p, double r) {
    for (;;) {
        double v = bits_double(g);
        if (v >= p) return 1;
        double q = -expm1(r * bits_double(g));
        if (v > q * q) return v >= q ? 1 : 2;
        double x = floor(1 + log(v) / log(q));
        if (x >= 1 && v != 0) return (int64_t)x;
    }
}

// Makes a Zipf variate from `u` in (0, 1] and one more draw (L. Devroye, "Non-Uniform Random Variate Generation", 1986,
// section X.6.1). Returns 0 if the candidate is too large, or rejected.
static int64_t zipf_candidate(Bits *g, double less, double b, double u) {
    double v = bits_double(g), x = floor(pow(u, -1 / less));
    if (x > (double)INT64_MAX || x < 1) return 0;
    double t = pow(1 + 1 / x, less);
    return v * x * (t - 1) / (b - 1) <= t / b ? (int64_t)x : 0;
}

int64_t draw_zipf(Bits *g, double a) {
    if (a >= 1025) return 1; // 2^(a - 1) would overflow; larger results have a probability of about 2^-a
    double less = a - 1, b = pow(2, less), least = pow((double)INT64_MAX, -less);
    int64_t x;
    do {
        double u = bits_double(g);
        x = zipf_candidate(g, less, b, u * least + (1 - u));
    } while (x == 0);
    return x;
}

int64_t draw_old_zipf(Bits *g, double a) {
    double less = a - 1, b = pow(2, less);
    int64_t x;
    do {
        double u = 1 - bits_double(g);
        x = zipf_candidate(g, less, b, u); // for a near 1 all are too large, and NumPy loops for ever
    } while (x == 0 && !vm_interrupted(g->vm));
    return x;
}
