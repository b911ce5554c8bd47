// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The hypergeometric distribution: the number of good items in a sample from `good` good and `bad` bad ones.

#include <math.h>

#include "stdlib/numpy/random.h"

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

// --- Item by item ------------------------------------------------------------------------------

// Draws the sample item by item. If the sample is more than half of all items, draws those that are not in it.
static int64_t by_taking(Bits *g, int64_t good, int64_t bad, int64_t sample) {
    int64_t total = good + bad, left = total, left_good = good;
    bool leaves = sample > total / 2;
    int64_t count = leaves ? total - sample : sample;
    while (count > 0 && left_good > 0 && left > left_good) {
        left--;
        if ((int64_t)draw_below(g, (uint64_t)left, true) < left_good) left_good--;
        count--;
    }
    if (left == left_good) left_good -= count;
    return leaves ? left_good : good - left_good;
}

// Algorithm HYP of V. Kachitvichyanukul and B. W. Schmeiser, "Computer generation of hypergeometric random variates",
// Journal of Statistical Computation and Simulation 22(2), 1985.
static int64_t by_inversion(Bits *g, int64_t good, int64_t bad, int64_t sample) {
    double fewer = (double)least(good, bad), y = fewer;
    int64_t others = good + bad - sample;
    for (int64_t k = sample; y > 0 && k > 0; k--)
        y -= floor(bits_double(g) + y / (double)(others + k));
    int64_t taken = (int64_t)(fewer - y);
    return good > bad ? sample - taken : taken;
}

// --- By rejection ------------------------------------------------------------------------------
// Algorithm HRUA of E. Stadlober, "The ratio of uniforms approach for generating discrete random variates", Journal of
// Computational and Applied Mathematics 31(1), 1990.

typedef struct Hrua {
    int64_t fewer, more, count; // min and max of good and bad; min of sample size and rest
    double centre, width, bound, mode;
    double (*log_factorial)(int64_t k);
} Hrua;

// Computes log k!, up to 125 by the C library and by Stirling's series above.
static double log_factorial(int64_t k) {
    enum { EXACT = 126 };
    const double half_log_two_pi = 0.9189385332046728;
    int sign;
    double x = (double)k;
    if (k < EXACT) return lgamma_r(x + 1, &sign);
    return (x + 0.5) * log(x) - x + (half_log_two_pi + (1 / x) * (1 / 12.0 - 1 / (360.0 * x * x)));
}

static double old_log_factorial(int64_t k) {
    return draw_log_gamma((double)k + 1);
}

static double log_weight(const Hrua *h, int64_t k) {
    return h->log_factorial(k) + h->log_factorial(h->fewer - k) + h->log_factorial(h->count - k) +
           h->log_factorial(h->more - h->count + k);
}

static void hrua_init(Hrua *h, double variance, double share) {
    const double slope = 1.7155277699214135,
                 base = 0.8989161620588988; // 2 sqrt(2/e), 3 - 2 sqrt(3/e)
    double total = (double)(h->fewer + h->more), spread = sqrt(variance + 0.5);
    h->centre = (double)h->count * share + 0.5;
    h->width = slope * spread + base;
    h->mode = log_weight(
        h, (int64_t)floor((double)(h->count + 1) * (double)(h->fewer + 1) / (total + 2)));
    h->bound = fmin((double)least(h->count, h->fewer) + 1, floor(h->centre + 16 * spread));
}

static int64_t hrua_draw(const Hrua *h, Bits *g) {
    for (;;) {
        double u = bits_double(g), v = bits_double(g);
        double x = h->centre + h->width * (v - 0.5) / u;
        if (x < 0 || x >= h->bound) continue;
        int64_t k = (int64_t)floor(x);
        double t = h->mode - log_weight(h, k);
        if (u * (4 - u) - 3 <= t) return k;
        if (u * (u - t) < 1 && 2 * log(u) <= t) return k;
    }
}

static int64_t by_rejection(Bits *g, int64_t good, int64_t bad, int64_t sample, bool old) {
    int64_t total = good + bad;
    Hrua h = {.fewer = least(good, bad),
              .more = good > bad ? good : bad,
              .count = least(sample, total - sample),
              .log_factorial = old ? old_log_factorial : log_factorial};
    double p = (double)h.fewer / (double)total, q = (double)h.more / (double)total;
    double variance =
        old ? (double)(total - h.count) * (double)sample * p * (1 - p) / (double)(total - 1)
            : (double)(total - h.count) * (double)h.count * p * q / (double)(total - 1);
    hrua_init(&h, variance, p);
    int64_t k = hrua_draw(&h, g);
    if (good > bad) k = h.count - k;
    return h.count < sample ? good - k : k;
}

// --- Choice of algorithm -----------------------------------------------------------------------

int64_t draw_hypergeometric(Bits *g, int64_t good, int64_t bad, int64_t sample) {
    enum { FEW = 10 };
    bool many = sample >= FEW && sample <= good + bad - FEW;
    return many ? by_rejection(g, good, bad, sample, false) : by_taking(g, good, bad, sample);
}

int64_t draw_old_hypergeometric(Bits *g, int64_t good, int64_t bad, int64_t sample) {
    enum { FEW = 10 };
    if (sample > FEW) return by_rejection(g, good, bad, sample, true);
    return sample > 0 ? by_inversion(g, good, bad, sample) : 0;
}
