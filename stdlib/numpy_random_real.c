// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Continuous distributions that take more than one formula.

#include <math.h>

#include "stdlib/numpy_random.h"

// M. D. Jöhnk, "Erzeugung von betaverteilten und gammaverteilten Zufallszahlen", Metrika 8, 1964,
// where both parameters are at most 1; in logarithms where the powers underflow.
static double small_beta(Bits *g, double a, double b) {
    for (;;) {
        double u = bits_double(g), v = bits_double(g);
        double x = pow(u, 1 / a), y = pow(v, 1 / b), sum = x + y;
        if (sum > 1 || u + v <= 0) continue;
        if (sum > 0) return x / sum;
        double log_x = log(u) / a, log_y = log(v) / b;
        double most = log_x > log_y ? log_x : log_y;
        log_x -= most;
        log_y -= most;
        return exp(log_x - log(exp(log_x) + exp(log_y)));
    }
}

double draw_beta(Bits *g, double a, double b) {
    const double tiny = 3e-103; // for smaller ones the method would not come to an end
    if (a < tiny && b < tiny) return (a + b) * bits_double(g) < a;
    if (a <= 1 && b <= 1) return small_beta(g, a, b);
    double x = draw_gamma(g, a), y = draw_gamma(g, b);
    return x / (x + y);
}

double draw_laplace(Bits *g, double loc, double scale) {
    double u;
    do u = bits_double(g);
    while (u == 0);
    return u >= 0.5 ? loc - scale * log(2 - u - u) : loc + scale * log(u + u);
}

double draw_gumbel(Bits *g, double loc, double scale) {
    double u;
    do u = 1 - bits_double(g);
    while (u >= 1);
    return loc - scale * log(-log(u));
}

double draw_logistic(Bits *g, double loc, double scale) {
    double u;
    do u = bits_double(g);
    while (u <= 0);
    return loc + scale * log(u / (1 - u));
}

double draw_student(Bits *g, double df) {
    double x = draw_normal(g), gamma = draw_gamma(g, df / 2);
    return sqrt(df / 2) * x / sqrt(gamma);
}

double draw_triangular(Bits *g, double left, double mode, double right) {
    double base = right - left, rise = mode - left;
    double u = bits_double(g);
    if (u <= rise / base) return left + sqrt(u * (rise * base));
    return right - sqrt((1 - u) * ((right - mode) * base));
}
