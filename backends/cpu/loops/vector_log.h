// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Vectorised log, log2, log10, log1p. x = 2^k z with a table point c near z, and log(x) = k log(2)
// + log(c) + log(1 + r), r = z/c - 1 (Tang, "Table-driven implementation of the logarithm function
// in IEEE floating-point arithmetic", 1990). The first two terms add exactly, as the table's
// logarithms have few bits; the rounding error of adding the third is added at the end.
// vector_exp.h explains the functions' suffixes.

#if defined(VECTOR_BYTES) && defined(__FMA__) && !defined(NACRE_BACKENDS_CPU_LOOPS_VECTOR_LOG_H)
#define NACRE_BACKENDS_CPU_LOOPS_VECTOR_LOG_H

#include <fenv.h>
#include <math.h>

#include "backends/cpu/loops/vector_lanes.h"
#include "backends/cpu/loops/vector_table.h"

#define FRACTION_BITS 0x000fffffffffffffu
#define LOG_STEP 0x0001000000000000u // distance of table points, in a double's bits
// The smallest number that belongs to the table's first point: half a step below this point.
#define LOG_FIRST (0x3ff0000000000000u - 9 * LOG_STEP - LOG_STEP / 2)

// A decomposed number. `place` has k + 1024 in its high bits, and the table index below.
typedef struct Parts {
    Bits place;
    Lanes z;
} Parts;

static inline Parts log_parts(Lanes x) {
    Bits place = (Bits)x - (LOG_FIRST - 0x4000000000000000u);
    return (Parts){place, (Lanes)((place & FRACTION_BITS) + LOG_FIRST)};
}

static inline Bits log_point(const Parts *p) {
    return p->place >> 48;
}

// Returns k, for a number that was scaled by 2^more.
static inline Lanes log_exponent(const Parts *p, double more) {
    return (Lanes)((p->place >> 52) | 0x4330000000000000u) - (0x1p52 + 1024 + more);
}

// Returns r = z/c - 1, which is exact where log(1 + r) could nearly cancel log(c).
static inline Lanes log_rest(const Parts *p) {
    return fused(p->z, entries(log_inverse, log_point(p)), all(-1));
}

// Returns whether all lanes are positive normal numbers.
static inline bool log_common(Lanes x) {
    return all_within(x, __DBL_MIN__, __DBL_MAX__);
}

// Constants of a base.
typedef struct Base {
    const double *value, *value_low, *terms;
    double two_high, two_low;     // log(2) in two parts
    double scale, scale_low;      // 1/log(base) in two parts
} Base;

static const Base base_e = {log_value, log_value_low, log_terms, LN2_HIGH, LN2_LOW, 1, 0};
static const Base base_2 = {log2_value, log2_value_low, log2_terms, 1, 0, LOG2_E_HIGH, LOG2_E_LOW};
static const Base base_10 = {log10_value, log10_value_low, log10_terms,
                             LOG10_2_HIGH, LOG10_2_LOW, LOG10_E_HIGH, LOG10_E_LOW};

// Returns k log(2) + log(c) + log(1 + r); `low` is the error of the table's log(c). `b` is a constant at
// each inlining.
static inline __attribute__((always_inline)) Lanes log_sum(const Base *b, const Parts *p, double more,
                                                           Lanes r, Lanes low) {
    Lanes k = log_exponent(p, more), value = entries(b->value, log_point(p));
    Lanes high = b->two_low ? fused(k, all(b->two_high), value) : k + value;
    Lanes rr = r * r, first = b->scale == 1 ? r : r * b->scale;
    Lanes sum = high + first;
    low += (high - sum) + first;
    if (b->scale != 1) low += fused(r, all(b->scale_low), fused(r, all(b->scale), -first));
    if (b->two_low) low = fused(k, all(b->two_low), low);
    return sum + fused(poly8(b->terms, r, rr), rr, low);
}

static inline __attribute__((always_inline)) Lanes log_based(const Base *b, Lanes x, double more) {
    Parts p = log_parts(x);
    return log_sum(b, &p, more, log_rest(&p), entries(b->value_low, log_point(&p)));
}

// Handles zero, negative, subnormal and non-finite numbers.
static inline __attribute__((always_inline)) Lanes log_based_any(const Base *b, Lanes x, int *errors) {
    Bits small = (Bits)(x < __DBL_MIN__), zero = (Bits)(x == 0), negative = (Bits)(x < 0);
    Lanes y = chosen(small, log_based(b, x * 0x1p54, 54), log_based(b, x, 0));
    if (any_of(zero)) *errors |= FE_DIVBYZERO;
    if (any_of(negative)) *errors |= FE_INVALID;
    y = chosen(zero, all(-INFINITY), y);
    y = chosen(negative, all(NAN), y);
    return chosen((Bits)(x <= __DBL_MAX__), y, x + x);
}

static inline Lanes log_fast(Lanes x) {
    return log_based(&base_e, x, 0);
}
__attribute__((noinline)) static Lanes log_any(Lanes x, int *errors) {
    return log_based_any(&base_e, x, errors);
}

#define log2_common log_common
static inline Lanes log2_fast(Lanes x) {
    return log_based(&base_2, x, 0);
}
__attribute__((noinline)) static Lanes log2_any(Lanes x, int *errors) {
    return log_based_any(&base_2, x, errors);
}

#define log10_common log_common
static inline Lanes log10_fast(Lanes x) {
    return log_based(&base_10, x, 0);
}
__attribute__((noinline)) static Lanes log10_any(Lanes x, int *errors) {
    return log_based_any(&base_10, x, errors);
}

// --- log1p ---------------------------------------------------------------------------------------

static inline bool log1p_common(Lanes x) {
    return all_within(x, -0x1.fffffffffffffp-1, 0x1p1000);
}

// Computes the logarithm of 1 + x, taking the rounding error of this sum into account (Knuth's two-sum).
static inline Lanes log1p_fast(Lanes x) {
    Lanes sum = 1 + x, back = sum - 1, lost = (1 - (sum - back)) + (x - back);
    Parts p = log_parts(sum);
    Lanes down = (Lanes)(0x7ff0000000000000u - (p.place & ~FRACTION_BITS)); // 2^-k
    Lanes r = log_rest(&p), more = lost * down * entries(log_inverse, log_point(&p));
    return signed_as(log_sum(&base_e, &p, 0, r, fused(-more, r, more) + entries(log_value_low, log_point(&p))), x);
}

__attribute__((noinline)) static Lanes log1p_any(Lanes x, int *errors) {
    Bits least = (Bits)(x == -1), beyond = (Bits)(x < -1), large = (Bits)(x > 0x1p1000);
    Lanes y = chosen(large, log_fast(x), log1p_fast(chosen(large, all(0), x)));
    if (any_of(least)) *errors |= FE_DIVBYZERO;
    if (any_of(beyond)) *errors |= FE_INVALID;
    y = chosen(least, all(-INFINITY), y);
    y = chosen(beyond, all(NAN), y);
    return chosen((Bits)(x <= __DBL_MAX__), y, x + x);
}

#endif
