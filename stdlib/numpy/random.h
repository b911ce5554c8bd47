// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Shared declarations of the files for module numpy.random: bit generators, their draws, and the
// distributions made from them. Streams equal NumPy's bit for bit, so the order of draws and of floating-point
// operations is part of each function's contract.

#ifndef NACRE_STDLIB_NUMPY_RANDOM_H
#define NACRE_STDLIB_NUMPY_RANDOM_H

#include "vm/array/array.h"
#include "vm/kernel/draws.h"

// The reason that array_fetch gives for copying an array from a device.
#define FOR_RANDOM "random numbers are made there"

enum { MT_WORDS = 624 };

typedef struct Bits {
    Obj obj;                    // obj.aux: BitsKind
    bool has_half;              // `half` is valid: the upper half of a 64-bit draw whose lower half was returned
    bool has_gauss;             // RandomState: `gauss` is valid: the second normal number of a pair
    uint32_t half;
    uint64_t lanes[BITS_LANES]; // the state, except MT19937's. PCGs: state (low, high), increment (low, high)
    double gauss;
    const Vm *vm;               // for draws that may reject for ever, which check for interrupts; borrowed
    uint32_t at;                // number of words (MT19937) or draws of the block (Philox) used up
    uint32_t words[MT_WORDS];
} Bits;

// --- Raw draws (random_bits.c) -----------------------------------------------------------------

void bits_mt_refill(Bits *g);
void bits_mt_seed(Bits *g, const uint32_t *key, size_t len); // len > 0

// Tempers a word of the Mersenne Twister's state.
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

uint64_t bits_wide(Bits *g); // draws 64 bits from PCG64DXSM, Philox or SFC64 (random_generators.c)

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

// Draws a double in [0, 1) with 53 random bits.
static inline double bits_double(Bits *g) {
    if (g->obj.aux != BITS_MT19937) return draws_double(bits_u64(g));
    uint32_t high = bits_mt_word(g) >> 5, low = bits_mt_word(g) >> 6;
    return (high * 0x1p26 + low) * 0x1p-53;
}

// Draws a float in [0, 1) with 24 random bits.
static inline float bits_float(Bits *g) {
    return draws_float(bits_u32(g));
}

// Returns the generator of an argument; NULL: raised TypeError.
Bits *bits_of(Vm *vm, Value v);

// Advance the state by `count` draws of 64 or 32 bits. The PCGs and Philox jump; the others draw (random_generators.c).
void bits_skip_64(Bits *g, uint64_t count);
void bits_skip_32(Bits *g, uint64_t count);

// --- Distributions -----------------------------------------------------------------------------

// random_normal.c
double draw_normal(Bits *g);
float draw_normal_float(Bits *g);
double draw_exponential(Bits *g);
float draw_exponential_float(Bits *g);
double draw_gamma(Bits *g, double shape);
float draw_gamma_float(Bits *g, float shape);
// RandomState's algorithms.
double draw_gauss(Bits *g);
double draw_old_exponential(Bits *g);
double draw_old_gamma(Bits *g, double shape);

// random_real.c
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

// random_count.c
int64_t draw_poisson(Bits *g, double mean);
int64_t draw_geometric(Bits *g, double p);
int64_t draw_logseries(Bits *g, double p, double log_of_rest);
int64_t draw_zipf(Bits *g, double a);
int64_t draw_negative_binomial(Bits *g, double n, double p);
int64_t draw_old_negative_binomial(Bits *g, double n, double p);
int64_t draw_old_geometric(Bits *g, double p);
int64_t draw_old_zipf(Bits *g, double a);

// Draws binomial variates by inversion, with a sequential search from 0. p <= 0.5 and n * p <= 30, so the last
// candidate `bound` is at most 85. terms[x] is the probability of x; `known` of them have been computed.
enum { INVERSION_TERMS = 96 };
typedef struct Inversion {
    int64_t n, bound, known;
    double p, q, terms[INVERSION_TERMS];
} Inversion;

// The constants of algorithm BTPE (V. Kachitvichyanukul and B. W. Schmeiser, "Binomial random variate generation",
// Communications of the ACM 31(2), 1988). It rejects from a hat made of a triangle, two parallelograms beside it and
// two exponential tails. p <= 0.5.
typedef struct Btpe {
    int64_t n, m;
    double r, q, spread;                 // p, 1 - p, n*p*q
    double middle, left, right;          // abscissas of the triangle's apex and ends
    double slope, left_rate, right_rate; // c, lambda_l, lambda_r of the paper
    double area[4];                      // cumulative areas of triangle, parallelograms, left tail, right tail
} Btpe;

// The precomputed data for all variates with one n and one p.
typedef struct Binomial {
    int64_t n;
    // none: the result is always 0. failures: p > 0.5, so failures are drawn and subtracted from n.
    // inverted: `inversion` is used, otherwise `btpe`.
    bool none, failures, inverted;
    union {
        Inversion inversion;
        Btpe btpe;
    };
} Binomial;
void binomial_init(Binomial *b, int64_t n, double p);
void binomial_old_init(Binomial *b, int64_t n, double p);
int64_t binomial_draw(Bits *g, Binomial *b);
int64_t binomial_old_draw(Bits *g, Binomial *b);

// random_hypergeometric.c
int64_t draw_hypergeometric(Bits *g, int64_t good, int64_t bad, int64_t sample);
int64_t draw_old_hypergeometric(Bits *g, int64_t good, int64_t bad, int64_t sample);
double draw_log_gamma(double x); // random_count.c

// --- Integers (random_int.c) -------------------------------------------------------------------

// Draws an integer in [0, range] by Lemire's method, or if `masked` by masking and rejection, as RandomState.
uint64_t draw_below(Bits *g, uint64_t range, bool masked);

double random_kahan_sum(const double *x, int64_t n);

// --- Filling (random_fill.c) ---------------------------------------------------------------------

// How to draw a sequence of numbers of which each rank needs only a part. Every rank's generator ends in the state
// after the whole sequence.
typedef struct Filling {
    Bits *g;
    // Draws the next n numbers from a generator: g or, in another thread, a copy of it. Changes nothing else.
    void (*fill)(const void *ctx, Bits *g, void *out, int64_t n);
    const void *ctx;
    size_t width;  // bytes of a number
    int draw_bits; // each number takes one draw of 32 or 64 bits; 0: the number of draws varies
} Filling;
// Draws `count` numbers and writes those of the part. Polls for interrupts.
Status random_fill(Vm *vm, const Filling *filling, const ArrayPart *part, int64_t count);

// --- On a device (random_device.c) ---------------------------------------------------------------

int64_t random_size(int ndim, const int64_t *shape); // number of elements; 0 if it overflows
// Returns whether `count` numbers that take one draw each should be drawn on the device.
bool random_is_away(Vm *vm, const Bits *g, int64_t count);
// Records a node that draws the elements of a contiguous view (float64, uint64, float32 or uint32), and advances the
// generator past them. Numbers that are left of the generator's last step (half a draw, the rest of a block of
// Philox) come first; `fill` draws them immediately, on the host.
Status random_record(Vm *vm, const Filling *filling, const View *to);
// Makes an array of the next numbers, drawn on the host (random_draw.c).
Status random_first(Vm *vm, const Filling *filling, DType type, int64_t count, Value *out);
Status random_scale(Vm *vm, Array *x, Scalar low, Scalar span); // records x = low + span * x

// --- Arguments (random_draw.c) -----------------------------------------------------------------

// Reads size=, a shape. Raises ValueError for negative extents.
Status random_shape(Vm *vm, Value size, int64_t *shape, int *ndim);
// Broadcasts the parameters' views with size= and returns the shape. Raises ValueError if size= differs from it. In
// messages, size= counts as the last argument or as the first.
Status random_broadcast(Vm *vm, View *views, int count, Value size, bool result_last,
                        int64_t *shape, int *ndim);
// Advances the index and the offsets of views of one shape to the next element in C order.
void random_step(const View *views, int count, int64_t *index, int64_t *offsets);

// Functions of module _numpy_random; random_bits.c has the others.
extern const NativeDef numpy_random_draws[];     // random_draw.c
extern const NativeDef numpy_random_integers[];  // random_int.c
extern const NativeDef numpy_random_vectors[];   // random_vectors.c

#endif
