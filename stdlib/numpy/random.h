// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What the files behind module numpy.random share: the kind of value that holds a bit generator's
// state, its draws, and the distributions made from them. Streams are NumPy's bit for bit, so the
// order of draws and of roundings is part of every function's meaning.

#ifndef NACRE_STDLIB_NUMPY_RANDOM_H
#define NACRE_STDLIB_NUMPY_RANDOM_H

#include "vm/array/array.h"
#include "vm/kernel/draws.h"

// Why arrays are brought from a device (array_fetch).
#define FOR_RANDOM "random numbers are made there"

enum { MT_WORDS = 624 };

typedef struct Bits {
    Obj obj;                    // obj.aux: BitsKind
    bool has_half;              // `half` is the upper half of a draw whose lower one is used
    bool has_gauss;             // RandomState: `gauss` is the second of a pair
    uint32_t half;
    uint64_t lanes[BITS_LANES]; // all but MT19937. PCGs: low and high of the state, of the increment
    double gauss;
    const Vm *vm;               // whom draws ask that may reject for ever; borrowed, as the VM outlives its objects
    uint32_t at;                // used up: of MT19937's words, of Philox's draws
    uint32_t words[MT_WORDS];
} Bits;

// --- Raw draws (numpy_random_bits.c) -----------------------------------------------------------

void bits_mt_refill(Bits *g);
void bits_mt_seed(Bits *g, const uint32_t *key, size_t len); // len > 0

// The Mersenne twister's next word, tempered.
static inline uint32_t mt_tempered(uint32_t y) {
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    return y ^ y >> 18;
}
static inline uint32_t bits_mt_word(Bits *g) {
    if (g->at >= MT_WORDS) bits_mt_refill(g);
    return mt_tempered(g->words[g->at++]);
}

static inline uint64_t bits_pcg(Bits *g) {
    PcgWord state = pcg_word(g->lanes);
    uint64_t drawn = pcg_step(&state, pcg_word(g->lanes + 2));
    pcg_put_word(g->lanes, state);
    return drawn;
}

uint64_t bits_wide(Bits *g); // of the others (numpy_random_generators.c)

static inline uint64_t bits_u64(Bits *g) {
    if (g->obj.aux == BITS_PCG64) return bits_pcg(g);
    if (g->obj.aux != BITS_MT19937) return bits_wide(g);
    uint64_t high = bits_mt_word(g);
    return high << 32 | bits_mt_word(g);
}

static inline uint32_t bits_u32(Bits *g) {
    if (g->obj.aux == BITS_MT19937) return bits_mt_word(g);
    if (g->has_half) {
        g->has_half = false;
        return g->half;
    }
    uint64_t both = bits_u64(g);
    g->has_half = true;
    g->half = (uint32_t)(both >> 32);
    return (uint32_t)both;
}

// In [0, 1), 53 bits.
static inline double bits_double(Bits *g) {
    if (g->obj.aux != BITS_MT19937) return draws_double(bits_u64(g));
    uint32_t high = bits_mt_word(g) >> 5, low = bits_mt_word(g) >> 6;
    return (high * 0x1p26 + low) * 0x1p-53;
}

static inline float bits_float(Bits *g) { // 24 bits
    return draws_float(bits_u32(g));
}

// The generator of an argument; NULL: TypeError.
Bits *bits_of(Vm *vm, Value v);

// As after so many draws of 64 bits, or of 32. PCG64 and Philox jump there, the others draw.
void bits_skip_64(Bits *g, uint64_t count); // (numpy_random_generators.c)
void bits_skip_32(Bits *g, uint64_t count);

// --- Distributions -----------------------------------------------------------------------------

// numpy_random_normal.c
double draw_normal(Bits *g);
float draw_normal_float(Bits *g);
double draw_exponential(Bits *g);
float draw_exponential_float(Bits *g);
double draw_gamma(Bits *g, double shape);
float draw_gamma_float(Bits *g, float shape);
// RandomState's.
double draw_gauss(Bits *g);
double draw_old_exponential(Bits *g);
double draw_old_gamma(Bits *g, double shape);

// numpy_random_real.c
double draw_beta(Bits *g, double a, double b);
double draw_laplace(Bits *g, double loc, double scale);
double draw_gumbel(Bits *g, double loc, double scale);
double draw_logistic(Bits *g, double loc, double scale);
double draw_student(Bits *g, double df);
double draw_triangular(Bits *g, double left, double mode, double right);
double draw_wald(Bits *g, double mean, double scale, double normal);
double draw_old_wald(Bits *g, double mean, double scale, double normal);
double draw_vonmises(Bits *g, double mu, double kappa);
double draw_old_vonmises(Bits *g, double mu, double kappa);
double draw_f(Bits *g, double above, double below);
double draw_cauchy(Bits *g);
double draw_noncentral_chisquare(Bits *g, double df, double nonc);
double draw_noncentral_f(Bits *g, double above, double below, double nonc);
double draw_old_beta(Bits *g, double a, double b);
double draw_old_student(Bits *g, double df);
double draw_old_f(Bits *g, double above, double below);
double draw_old_cauchy(Bits *g);
double draw_old_noncentral_chisquare(Bits *g, double df, double nonc);
double draw_old_noncentral_f(Bits *g, double above, double below, double nonc);

// numpy_random_count.c
int64_t draw_poisson(Bits *g, double mean);
int64_t draw_geometric(Bits *g, double p);
int64_t draw_logseries(Bits *g, double p, double log_of_rest);
int64_t draw_zipf(Bits *g, double a);
int64_t draw_negative_binomial(Bits *g, double n, double p);
int64_t draw_old_negative_binomial(Bits *g, double n, double p);
int64_t draw_old_geometric(Bits *g, double p);
int64_t draw_old_zipf(Bits *g, double a);

// Binomial numbers by going through the distribution from 0 on: p <= 0.5, n * p <= 30, so `bound` is at most 85.
enum { INVERSION_TERMS = 96 };
typedef struct Inversion {
    int64_t n, bound, known;
    double p, q, terms[INVERSION_TERMS];
} Inversion;

// V. Kachitvichyanukul and B. W. Schmeiser, "Binomial random variate generation", Communications
// of the ACM 31(2), 1988 (algorithm BTPE): a triangle, parallelograms beside it, two exponential
// tails. p <= 0.5.
typedef struct Btpe {
    int64_t n, m;
    double r, q, spread;                 // p, 1 - p, n*p*q
    double middle, left, right;          // of the triangle
    double slope, left_rate, right_rate; // c, lambda_l, lambda_r
    double area[4];                      // up to the end of each region
} Btpe;

// What all numbers with one n and one p have in common.
typedef struct Binomial {
    int64_t n;
    bool none, failures, inverted; // 0 anyway; those that fail are counted; which of the two it is
    union {
        Inversion inversion;
        Btpe btpe;
    };
} Binomial;
void binomial_init(Binomial *b, int64_t n, double p);
void binomial_old_init(Binomial *b, int64_t n, double p);
int64_t binomial_draw(Bits *g, Binomial *b);
int64_t binomial_old_draw(Bits *g, Binomial *b);

// numpy_random_hypergeometric.c
int64_t draw_hypergeometric(Bits *g, int64_t good, int64_t bad, int64_t sample);
int64_t draw_old_hypergeometric(Bits *g, int64_t good, int64_t bad, int64_t sample);
double draw_log_gamma(double x); // numpy_random_count.c

// --- Integers (numpy_random_int.c) -------------------------------------------------------------

// In [0, range]: by Lemire's method, or by masks and rejection as RandomState does.
uint64_t draw_below(Bits *g, uint64_t range, bool masked);

double random_kahan_sum(const double *x, int64_t n);

// --- Filling (numpy_random_fill.c) ---------------------------------------------------------------

// Numbers that are drawn one after the other, of which every rank needs only some. Each leaves the generator as it is
// after all of them.
typedef struct Filling {
    Bits *g;
    // Draws the next ones of a generator: g or, in another thread, a copy of it. Changes nothing else.
    void (*fill)(const void *ctx, Bits *g, void *out, int64_t n);
    const void *ctx;
    size_t width;  // bytes of a number
    int draw_bits; // each number takes one draw of so many bits, 32 or 64; 0: how many is not known before
} Filling;
Status random_fill(Vm *vm, const Filling *filling, const ArrayPart *part, int64_t count); // Ctrl-C is heeded

// --- On a device (numpy_random_device.c) ---------------------------------------------------------

int64_t random_size(int ndim, const int64_t *shape); // 0 also where it is too large for any array
// Whether so many numbers, each of one draw, are better drawn where arrays are.
bool random_is_away(Vm *vm, const Bits *g, int64_t count);
// Records the drawing of a contiguous view's elements, and leaves the generator as it is after it. Draws of float64,
// uint64, float32 and uint32; `fill` draws those before the first whole step of the generator.
Status random_record(Vm *vm, const Filling *filling, const View *to);
// A new array of the next numbers (numpy_random_draw.c).
Status random_first(Vm *vm, const Filling *filling, DType type, int64_t count, Value *out);
Status random_scale(Vm *vm, Array *x, Scalar low, Scalar span); // records x = low + span * x

// --- Arguments (numpy_random_draw.c) -----------------------------------------------------------

// size=: a shape, none of it negative.
Status random_shape(Vm *vm, Value size, int64_t *shape, int *ndim);
// ValueError unless size= is what the parameters broadcast to. `views` become as large as that.
// Messages count the result as the last argument, or as the first.
Status random_broadcast(Vm *vm, View *views, int count, Value size, bool result_last,
                        int64_t *shape, int *ndim);
// Walks views of one shape together, last dimension first: offsets of the next element.
void random_step(const View *views, int count, int64_t *index, int64_t *offsets);

// Rows of module _numpy_random; its others are in numpy_random_bits.c.
extern const NativeDef numpy_random_draws[];     // numpy_random_draw.c
extern const NativeDef numpy_random_integers[];  // numpy_random_int.c
extern const NativeDef numpy_random_vectors[];   // numpy_random_vectors.c

#endif
