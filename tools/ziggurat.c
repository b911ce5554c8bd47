// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Writes the tables of the ziggurat method as C, from their definition, while the library is built:
//
//   nacre_ziggurat > ziggurat_tables.c
//
// G. Marsaglia and W. W. Tsang, "The Ziggurat Method for Generating Random Variables", Journal of
// Statistical Software 5(8), 2000. A density f is covered by 255 strips of equal area v and a base
// strip with the tail beyond r. Strip i reaches to x[i]; x[255] = r and going up
// x[i] = f^-1(v / x[i+1] + f(x[i+1])). A random integer below 2^m times w[i] is a point of strip
// i, surely below the curve when the integer is less than k[i]; f[i] = f(x[i]).
//
// Streams are NumPy's only if each entry is NumPy's to the last bit, so the rounding errors of its
// tables are part of the definition; comments say where they come from.

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { STRIPS = 256, LAST = STRIPS - 1, FLOAT_BITS = 23 };

typedef struct Tables {
    const char *name;
    double w[STRIPS], f[STRIPS]; // w: times 2^bits
    uint64_t k[STRIPS];
    uint32_t k_float[STRIPS];
    int bits; // of the random integer for doubles
    bool nine_digits; // the tables for floats were once written with nine digits, and read again
} Tables;

// --- Normal: f(x) = exp(-x*x/2) ----------------------------------------------------------------

static double normal_density(double x, int strip) {
    // This value is within 0.003 units of a tie, and was rounded the other way.
    enum { TIE = 38 };
    double y = exp(-0.5 * x * x);
    return strip == TIE ? nextafter(y, 1) : y;
}

// Computed in doubles from the last strip up, each strip with the errors of the one before.
static void make_normal(Tables *t) {
    const double r = 3.6541528853610088, area = 0.004928673233974652;
    double size = ldexp(1, t->bits), float_size = ldexp(1, FLOAT_BITS);
    double x = r;
    t->w[LAST] = x;
    t->f[LAST] = normal_density(x, LAST);
    t->w[0] = area / t->f[LAST];
    t->f[0] = 1;
    t->k[0] = (uint64_t)rint(r * t->f[LAST] / area * size);
    t->k_float[0] = (uint32_t)rint(r * t->f[LAST] / area * float_size);
    for (int i = LAST - 1; i > 0; i--) {
        double above = sqrt(-2 * log(area / x + t->f[i + 1]));
        t->k[i + 1] = (uint64_t)rint(above / x * size);
        t->k_float[i + 1] = (uint32_t)rint(above / x * float_size);
        t->w[i] = above;
        t->f[i] = normal_density(above, i);
        x = above;
    }
}

// --- Exponential: f(x) = exp(-x) ---------------------------------------------------------------

// Here the values are exact before they are rounded, which takes more digits than libm has.
#if LDBL_MANT_DIG >= 113
typedef long double Wide;
#else
typedef __float128 Wide;
#endif

// exp(x) for |x| < 8: the series at x / 2^12, squared twelve times.
static Wide wide_exp(Wide x) {
    enum { HALVINGS = 12, TERMS = 14 };
    Wide y = x / (1 << HALVINGS), sum = 0;
    for (int i = TERMS; i > 0; i--) sum = (1 + sum) * y / i; // exp(y) - 1
    for (int i = 0; i < HALVINGS; i++) sum = sum * (2 + sum);
    return 1 + sum;
}

// Halley's method from libm's value: one step triples the digits.
static Wide wide_log(Wide x) {
    Wide y = log((double)x);
    for (int i = 0; i < 2; i++) {
        Wide e = wide_exp(y);
        y += 2 * (x - e) / (x + e);
    }
    return y;
}

// The r that closes the ziggurat at f(0) = 1 is needed to more digits than the sampling code has of
// it. The limits k have one bit less than w.
static void make_exponential(Tables *t) {
    const Wide r = (Wide)7697117470131049714u / 1e18 + (Wide)44628048015215499u / 1e36;
    const Wide area = (r + 1) * wide_exp(-r), base = area / wide_exp(-r);
    Wide size = ldexp(1, t->bits - 1), x = r;
    double float_size = ldexp(1, FLOAT_BITS);
    t->w[LAST] = (double)x;
    t->f[LAST] = (double)wide_exp(-x);
    t->w[0] = (double)base;
    t->f[0] = 1;
    t->k[0] = 2 * (uint64_t)(r / base * size);
    t->k_float[0] = (uint32_t)rint((double)(r / base) * float_size);
    for (int i = LAST - 1; i > 0; i--) {
        Wide above = -wide_log(area / x + wide_exp(-x));
        t->k[i + 1] = 2 * (uint64_t)(above / x * size);
        t->k_float[i + 1] = (uint32_t)rint((double)(above / x) * float_size);
        t->w[i] = (double)above;
        t->f[i] = (double)wide_exp(-above);
        x = above;
    }
}

// --- Writing -----------------------------------------------------------------------------------

static void begin(const Tables *t, const char *type, const char *part) {
    printf("const %s ziggurat_%s_%s[%d] = {", type, t->name, part, STRIPS);
}

static void separate(int i) {
    fputs(i % 4 ? " " : "\n    ", stdout);
}

static void write_doubles(const Tables *t, const char *part, const double *values, int bits) {
    begin(t, "double", part);
    for (int i = 0; i < STRIPS; i++) {
        separate(i);
        printf("%a,", ldexp(values[i], -bits));
    }
    puts("\n};");
}

// The value of "%.8e", rounded again.
static float rounded_twice(double x) {
    char digits[32];
    snprintf(digits, sizeof digits, "%.8e", x);
    return strtof(digits, NULL);
}

static void write_floats(const Tables *t, const char *part, const double *values, int bits) {
    begin(t, "float", part);
    for (int i = 0; i < STRIPS; i++) {
        double x = ldexp(values[i], -bits);
        separate(i);
        printf("%af,", (double)(t->nine_digits ? rounded_twice(x) : (float)x));
    }
    puts("\n};");
}

static void write_tables(const Tables *t) {
    begin(t, "uint64_t", "k");
    for (int i = 0; i < STRIPS; i++) {
        separate(i);
        printf("0x%" PRIx64 ",", i == 1 ? 0 : t->k[i]);
    }
    puts("\n};");
    write_doubles(t, "w", t->w, t->bits);
    write_doubles(t, "f", t->f, 0);
    begin(t, "uint32_t", "k_float");
    for (int i = 0; i < STRIPS; i++) {
        separate(i);
        printf("0x%" PRIx32 ",", i == 1 ? 0 : t->k_float[i]);
    }
    puts("\n};");
    write_floats(t, "w_float", t->w, FLOAT_BITS);
    write_floats(t, "f_float", t->f, 0);
}

int main(void) {
    Tables normal = {.name = "normal", .bits = 52};
    Tables exponential = {.name = "exponential", .bits = 53, .nine_digits = true};
    make_normal(&normal);
    make_exponential(&exponential);
    puts("// Made by tools/ziggurat.c.\n\n#include \"stdlib/numpy/random_ziggurat.h\"\n");
    write_tables(&normal);
    write_tables(&exponential);
    return fflush(stdout) || ferror(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
}
