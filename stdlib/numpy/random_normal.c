// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Normal, exponential and gamma variates, from which other distributions are made.

#include <math.h>

#include "stdlib/numpy/random.h"
#include "stdlib/numpy/random_ziggurat.h"

// --- Ziggurats (tools/ziggurat.c explains the tables) ------------------------------------------

#define NORMAL_R 3.6541528853610088
#define NORMAL_INVERSE_R 0.27366123732975828
#define EXPONENTIAL_R 7.69711747013104972

// Draws from the tail of the normal distribution beyond r (G. Marsaglia, "Generating a variable from the tail of the
// normal distribution", Technometrics 6(1), 1964).
static double normal_tail(Bits *g) {
    double x, y;
    do {
        x = -NORMAL_INVERSE_R * log1p(-bits_double(g));
        y = -log1p(-bits_double(g));
    } while (y + y <= x * x);
    return NORMAL_R + x;
}

double draw_normal(Bits *g) {
    const double *f = ziggurat_normal_f;
    for (;;) {
        uint64_t r = bits_u64(g), point = r >> 9 & (((uint64_t)1 << 52) - 1);
        unsigned strip = r & 255;
        double x = (double)point * ziggurat_normal_w[strip];
        if (r >> 8 & 1) x = -x;
        if (point < ziggurat_normal_k[strip]) return x;
        if (strip == 0) {
            double tail = normal_tail(g);
            return point >> 8 & 1 ? -tail : tail;
        }
        if ((f[strip - 1] - f[strip]) * bits_double(g) + f[strip] < exp(-0.5 * x * x)) return x;
    }
}

static float normal_tail_float(Bits *g) {
    float x, y;
    do {
        x = -(float)NORMAL_INVERSE_R * log1pf(-bits_float(g));
        y = -log1pf(-bits_float(g));
    } while (y + y <= x * x);
    return (float)NORMAL_R + x;
}

float draw_normal_float(Bits *g) {
    const float *f = ziggurat_normal_f_float;
    for (;;) {
        uint32_t r = bits_u32(g), point = r >> 9;
        unsigned strip = r & 255;
        float x = (float)point * ziggurat_normal_w_float[strip];
        if (r >> 8 & 1) x = -x;
        if (point < ziggurat_normal_k_float[strip]) return x;
        if (strip == 0) {
            float tail = normal_tail_float(g);
            return point >> 8 & 1 ? -tail : tail;
        }
        float height = (f[strip - 1] - f[strip]) * bits_float(g) + f[strip];
        if ((double)height < exp(-0.5 * (double)x * (double)x)) return x;
    }
}

double draw_exponential(Bits *g) {
    const double *f = ziggurat_exponential_f;
    for (;;) {
        uint64_t r = bits_u64(g) >> 3, point = r >> 8;
        unsigned strip = r & 255;
        double x = (double)point * ziggurat_exponential_w[strip];
        if (point < ziggurat_exponential_k[strip]) return x;
        if (strip == 0) return EXPONENTIAL_R - log1p(-bits_double(g));
        if ((f[strip - 1] - f[strip]) * bits_double(g) + f[strip] < exp(-x)) return x;
    }
}

float draw_exponential_float(Bits *g) {
    const float *f = ziggurat_exponential_f_float;
    for (;;) {
        uint32_t r = bits_u32(g) >> 1, point = r >> 8;
        unsigned strip = r & 255;
        float x = (float)point * ziggurat_exponential_w_float[strip];
        if (point < ziggurat_exponential_k_float[strip]) return x;
        if (strip == 0) return (float)EXPONENTIAL_R - log1pf(-bits_float(g));
        if ((f[strip - 1] - f[strip]) * bits_float(g) + f[strip] < expf(-x)) return x;
    }
}

// --- Gamma -------------------------------------------------------------------------------------

// The source of normal and exponential variates, in which RandomState and Generator differ.
typedef double (*DrawFn)(Bits *g);

// Draws a gamma variate for shapes below 1 (algorithm GS of J. H. Ahrens and U. Dieter, "Computer methods for sampling
// from gamma, beta, Poisson and binomial distributions", Computing 12, 1974).
static double small_gamma(Bits *g, double shape, DrawFn exponential) {
    for (;;) {
        double u = bits_double(g), limit = exponential(g), x;
        if (u <= 1 - shape) {
            x = pow(u, 1 / shape);
            if (x <= limit) return x;
            continue;
        }
        double y = -log((1 - u) / shape);
        x = pow(1 - shape + shape * y, 1 / shape);
        if (x <= limit + y) return x;
    }
}

// Draws a gamma variate for shapes above 1 (G. Marsaglia and W. W. Tsang, "A simple method for generating gamma
// variables", ACM TOMS 26(3), 2000).
static double large_gamma(Bits *g, double shape, DrawFn normal) {
    double b = shape - 1. / 3., c = 1 / sqrt(9 * b);
    for (;;) {
        double x, v;
        do {
            x = normal(g);
            v = 1 + c * x;
        } while (v <= 0);
        v = v * v * v;
        double u = bits_double(g);
        if (u < 1 - 0.0331 * (x * x) * (x * x)) return b * v;
        if (log(u) < 0.5 * x * x + b * (1 - v + log(v))) return b * v;
    }
}

static inline double gamma_of(Bits *g, double shape, DrawFn normal, DrawFn exponential) {
    if (shape == 1) return exponential(g);
    if (shape == 0) return 0;
    return shape < 1 ? small_gamma(g, shape, exponential) : large_gamma(g, shape, normal);
}

double draw_gamma(Bits *g, double shape) {
    return gamma_of(g, shape, draw_normal, draw_exponential);
}

static float small_gamma_float(Bits *g, float shape) {
    for (;;) {
        float u = bits_float(g), limit = draw_exponential_float(g), x;
        if (u <= 1 - shape) {
            x = powf(u, 1 / shape);
            if (x <= limit) return x;
            continue;
        }
        float y = -logf((1 - u) / shape);
        x = powf(1 - shape + shape * y, 1 / shape);
        if (x <= limit + y) return x;
    }
}

static float large_gamma_float(Bits *g, float shape) {
    float b = shape - 1.f / 3.f, c = 1 / sqrtf(9 * b);
    for (;;) {
        float x, v;
        do {
            x = draw_normal_float(g);
            v = 1 + c * x;
        } while (v <= 0);
        v = v * v * v;
        float u = bits_float(g);
        if (u < 1 - 0.0331f * (x * x) * (x * x)) return b * v;
        if (logf(u) < 0.5f * x * x + b * (1 - v + logf(v))) return b * v;
    }
}

float draw_gamma_float(Bits *g, float shape) {
    if (shape == 1) return draw_exponential_float(g);
    if (shape == 0) return 0;
    return shape < 1 ? small_gamma_float(g, shape) : large_gamma_float(g, shape);
}

// --- RandomState -------------------------------------------------------------------------------

// Draws a normal variate by G. Marsaglia's polar method, which makes two at a time; the second is kept for the next
// call (D. E. Knuth, "The Art of Computer Programming", volume 2, section 3.4.1, algorithm P).
double draw_gauss(Bits *g) {
    double x, y, square;
    if (g->has_gauss) {
        g->has_gauss = false;
        return g->gauss;
    }
    do {
        x = 2 * bits_double(g) - 1;
        y = 2 * bits_double(g) - 1;
        square = x * x + y * y;
    } while (square >= 1 || square == 0);
    double factor = sqrt(-2 * log(square) / square);
    g->gauss = factor * x;
    g->has_gauss = true;
    return factor * y;
}

double draw_old_exponential(Bits *g) {
    return -log(1 - bits_double(g));
}

double draw_old_gamma(Bits *g, double shape) {
    return gamma_of(g, shape, draw_gauss, draw_old_exponential);
}
