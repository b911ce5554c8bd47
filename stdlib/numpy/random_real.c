// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Continuous distributions that are more than one expression in random.def.

#include <math.h>

#include "stdlib/numpy/random.h"

// Draws a beta variate if both parameters are at most 1 (M. D. Jöhnk, "Erzeugung von betaverteilten und
// gammaverteilten Zufallszahlen", Metrika 8, 1964). Uses logarithms if a power underflows.
static double small_beta(Bits *g, double a, double b) {
    for (;;) {
        double u = bits_double(g), v = bits_double(g);
        double x = pow(u, 1 / a), y = pow(v, 1 / b), sum = x + y;
        if (sum > 1 || u + v <= 0) continue;
        if (x > 0 && y > 0) return x / sum;
        double ratio = log(u) / a - log(v) / b;
        return ratio > 0 ? exp(-log1p(exp(-ratio))) : exp(ratio - log1p(exp(ratio)));
    }
}

double draw_beta(Bits *g, double a, double b) {
    const double tiny = 3e-103; // below this, Jöhnk's method would hardly ever accept
    if (a < tiny && b < tiny) return (a + b) * bits_double(g) < a;
    if (a <= 1 && b <= 1) return small_beta(g, a, b);
    double x = draw_gamma(g, a), y = draw_gamma(g, b);
    return x / (x + y);
}

// RandomState's variant of small_beta, which uses logarithms only if both powers underflow.
static double old_small_beta(Bits *g, double a, double b) {
    for (;;) {
        double u = bits_double(g), v = bits_double(g);
        double x = pow(u, 1 / a), y = pow(v, 1 / b), sum = x + y;
        if (sum > 1) continue;
        if (sum > 0) return x / sum;
        double log_x = log(u) / a, log_y = log(v) / b;
        double most = log_x > log_y ? log_x : log_y;
        log_x -= most;
        log_y -= most;
        return exp(log_x - log(exp(log_x) + exp(log_y)));
    }
}

double draw_old_beta(Bits *g, double a, double b) {
    if (a <= 1 && b <= 1) return old_small_beta(g, a, b);
    double x = draw_old_gamma(g, a), y = draw_old_gamma(g, b);
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

double draw_old_student(Bits *g, double df) {
    double x = draw_gauss(g), gamma = draw_old_gamma(g, df / 2);
    return sqrt(df / 2) * x / sqrt(gamma);
}

double draw_f(Bits *g, double above, double below) {
    double x = 2 * draw_gamma(g, above / 2) * below;
    return x / (2 * draw_gamma(g, below / 2) * above);
}

double draw_old_f(Bits *g, double above, double below) {
    double x = 2 * draw_old_gamma(g, above / 2) * below;
    return x / (2 * draw_old_gamma(g, below / 2) * above);
}

double draw_cauchy(Bits *g) {
    double x = draw_normal(g);
    return x / draw_normal(g);
}

double draw_old_cauchy(Bits *g) {
    double x = draw_gauss(g);
    return x / draw_gauss(g);
}

double draw_noncentral_chisquare(Bits *g, double df, double nonc) {
    if (isnan(nonc)) return NAN;
    if (nonc == 0) return 2 * draw_gamma(g, df / 2);
    if (df > 1) {
        double others = 2 * draw_gamma(g, (df - 1) / 2), n = draw_normal(g) + sqrt(nonc);
        return others + n * n;
    }
    double more = 2 * (double)draw_poisson(g, nonc / 2);
    return 2 * draw_gamma(g, (df + more) / 2);
}

double draw_old_noncentral_chisquare(Bits *g, double df, double nonc) {
    if (nonc == 0) return 2 * draw_old_gamma(g, df / 2);
    if (df > 1) {
        double others = 2 * draw_old_gamma(g, (df - 1) / 2), n = draw_gauss(g) + sqrt(nonc);
        return others + n * n;
    }
    double more = 2 * (double)draw_poisson(g, nonc / 2);
    return isnan(nonc) ? NAN : 2 * draw_old_gamma(g, (df + more) / 2);
}

double draw_noncentral_f(Bits *g, double above, double below, double nonc) {
    double x = draw_noncentral_chisquare(g, above, nonc) * below;
    return x / (2 * draw_gamma(g, below / 2) * above);
}

double draw_old_noncentral_f(Bits *g, double above, double below, double nonc) {
    double x = draw_old_noncentral_chisquare(g, above, nonc) * below;
    return x / (2 * draw_old_gamma(g, below / 2) * above);
}

// Draws an inverse Gaussian variate (J. R. Michael, W. R. Schucany and R. W. Haas, "Generating random variates using
// transformations with multiple roots", The American Statistician 30(2), 1976).
double draw_wald(Bits *g, double mean, double scale, double normal) {
    double y = mean * normal * normal, x = mean * (1 - 2 / (1 + sqrt(1 + 4 * scale / y)));
    return bits_double(g) <= mean / (mean + x) ? x : mean * mean / x;
}

// RandomState's formula, which loses digits by cancellation if the mean is large.
double draw_old_wald(Bits *g, double mean, double scale, double normal) {
    double half = mean / (2 * scale), y = mean * normal * normal;
    double x = mean + half * (y - sqrt(4 * scale * y + y * y));
    return bits_double(g) <= mean / (mean + x) ? x : mean * mean / x;
}

static double vonmises_scale(double kappa) {
    if (kappa < 1e-5) return 1 / kappa + kappa; // series expansion at 0
    double r = 1 + sqrt(1 + 4 * kappa * kappa), rho = (r - sqrt(2 * r)) / (2 * kappa);
    return (1 + rho * rho) / (2 * rho);
}

static double vonmises_wrapped(double x) {
    double turn = fmod(fabs(x) + M_PI, 2 * M_PI) - M_PI;
    return x < 0 ? -turn : turn;
}

// Draws a von Mises variate. For large kappa it uses the normal distribution, to which the von Mises distribution
// converges.
double draw_vonmises(Bits *g, double mu, double kappa) {
    if (!(kappa > 1e6)) return draw_old_vonmises(g, mu, kappa);
    double x = mu + sqrt(1 / kappa) * draw_normal(g);
    return x < -M_PI ? x + 2 * M_PI : x > M_PI ? x - 2 * M_PI : x;
}

// RandomState's function, for any kappa (D. J. Best and N. I. Fisher, "Efficient simulation of the von Mises
// distribution", Applied Statistics 28(2), 1979).
double draw_old_vonmises(Bits *g, double mu, double kappa) {
    if (isnan(kappa)) return NAN;
    if (kappa < 1e-8) return M_PI * (2 * bits_double(g) - 1);
    double s = vonmises_scale(kappa), w, y, v;
    do {
        double z = cos(M_PI * bits_double(g));
        w = (1 + s * z) / (s + z);
        y = kappa * (s - w);
        v = bits_double(g);
    } while (y * (2 - y) - v < 0 && log(y / v) + 1 - y < 0);
    double angle = acos(w);
    return vonmises_wrapped((bits_double(g) < 0.5 ? -angle : angle) + mu);
}
