// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Vectorised exp, exp2, expm1, tanh. x is split into the nearest sixteenth of a power of two, from
// a table, and a remainder, for which a short polynomial suffices (Tang, "Table-driven
// implementation of the exponential function in IEEE floating-point arithmetic", 1989).
// NAME_common tests whether NAME_fast, which ignores the limits of the range, is valid. NAME_any
// handles all inputs and gives the same bits where both are valid; it adds meaningful float flags
// to `errors`.

#if defined(VECTOR_BYTES) && defined(__FMA__) && !defined(NACRE_BACKENDS_CPU_LOOPS_VECTOR_EXP_H)
#define NACRE_BACKENDS_CPU_LOOPS_VECTOR_EXP_H

#include <fenv.h>

#include "backends/cpu/loops/vector_lanes.h"
#include "backends/cpu/loops/vector_table.h"

// x = whole * log(2)/16 + rest, where whole = 16 k + j and log(2) is in two parts.
typedef struct Split {
    Bits sixteenths; // 16 k + j in the low bits
    Lanes whole, rest;
    Lanes power_low; // relative error of the table's power
} Split;

#define SHIFT 0x1.8p52 // adding it rounds a number to an integer in the low bits

static inline Split exp_split(Lanes x) {
    Lanes t = fused(x, all(LN2_16_INVERSE), all(SHIFT)), whole = t - SHIFT;
    return (Split){(Bits)t, whole, fused(whole, all(-LN2_16_HIGH), x), entries(power_rest, (Bits)t)};
}

static inline Split exp2_split(Lanes x) {
    Lanes t = x + SHIFT / 16, whole = t - SHIFT / 16;
    return (Split){(Bits)t, whole, x - whole, entries(power_rest, (Bits)t)};
}

// Returns 2^(k + j/16). Shifting 16 k + j also adds j/16 to the fraction bits; the table's entries are less by that.
static inline Lanes power_of(const Split *s) {
    return (Lanes)((Bits)entries(power_less, s->sixteenths) + (s->sixteenths << 48));
}

// Returns power * (1 + grown), multiplying by 2^k in two steps, since 2^k may be outside the normal range.
static inline Lanes scaled_apart(const Split *s, Lanes grown) {
    enum { ABOVE = 2048 };
    Bits shift = (Bits)all(SHIFT), j = s->sixteenths & 15;
    Bits k = (s->sixteenths - shift + ABOVE * 16) >> 4, half = k >> 1;
    Lanes power = (Lanes)((Bits)entries(power_less, j) + (j << 48));
    Lanes first = (Lanes)((half + (1023 - ABOVE / 2)) << 52);
    Lanes second = (Lanes)((k - half + (1023 - ABOVE / 2)) << 52);
    return fused(power, grown, power) * first * second;
}

static inline int overflows(Lanes x, Lanes y) {
    return any_of((Bits)(y > __DBL_MAX__) & (Bits)(x <= __DBL_MAX__)) ? FE_OVERFLOW : 0;
}

// --- exp -----------------------------------------------------------------------------------------

// Returns the factor by which the power is multiplied, exp(remainder), minus 1.
static inline Lanes exp_grown(const Split *s) {
    Lanes r = fused(s->whole, all(-LN2_16_LOW), s->rest), rr = r * r;
    return fused(poly4(exp_terms, r, rr), rr, r + s->power_low);
}

static inline bool exp_common(Lanes x) {
    return all_within(x, -708, 708);
}

static inline Lanes exp_fast(Lanes x) {
    Split s = exp_split(x);
    Lanes power = power_of(&s);
    return fused(power, exp_grown(&s), power);
}

__attribute__((noinline)) static Lanes exp_any(Lanes x, int *errors) {
    Split s = exp_split(at_most(at_least(x, all(-746)), all(710)));
    Lanes y = scaled_apart(&s, exp_grown(&s));
    *errors |= overflows(x, y);
    return y;
}

// --- exp2 ----------------------------------------------------------------------------------------

static inline Lanes exp2_grown(const Split *s) {
    Lanes r = s->rest;
    return fused(poly5(exp2_terms, r, r * r), r, s->power_low);
}

static inline bool exp2_common(Lanes x) {
    return all_within(x, -1021, 1021);
}

static inline Lanes exp2_fast(Lanes x) {
    Split s = exp2_split(x);
    Lanes power = power_of(&s);
    return fused(power, exp2_grown(&s), power);
}

// SHIFT / 16 differs from SHIFT only in the exponent bits.
static inline Split exp2_split_apart(Lanes x) {
    Split s = exp2_split(x);
    s.sixteenths += (Bits)all(SHIFT) - (Bits)all(SHIFT / 16);
    return s;
}

__attribute__((noinline)) static Lanes exp2_any(Lanes x, int *errors) {
    Split s = exp2_split_apart(at_most(at_least(x, all(-1077)), all(1025)));
    Lanes y = scaled_apart(&s, exp2_grown(&s));
    *errors |= overflows(x, y);
    return y;
}

// --- expm1 ---------------------------------------------------------------------------------------

// Returns the factor of the power, minus 1 and minus s->rest. power - 1 and power * s->rest may nearly cancel,
// so expm1_fast adds them exactly; the low part of the remainder is included here.
static inline Lanes expm1_grown(const Split *s) {
    Lanes r = s->rest, rr = r * r, left = fused(s->whole, all(-LN2_16_LOW), s->power_low);
    return fused(poly5(expm1_terms, r, rr), rr, fused(left, r, left));
}

// Returns a + power * rest; `low` receives the rounding error.
static inline Lanes plus_rest(Lanes a, Lanes power, Lanes rest, Lanes *low) {
    Lanes sum = fused(power, rest, a);
    *low = fused(power, rest, a - sum);
    return sum;
}

static inline bool expm1_common(Lanes x) {
    return all_within(x, -700, 700);
}

// Computes power - 1 in two parts (Knuth's two-sum), and adds power times the other terms.
static inline Lanes expm1_fast(Lanes x) {
    Split s = exp_split(x);
    Lanes power = power_of(&s), high = power - 1, back = high - power;
    Lanes low = (power - (high - back)) + (-1 - back), more, sum = plus_rest(high, power, s.rest, &more);
    return signed_as(sum + fused(power, expm1_grown(&s), low + more), x);
}

__attribute__((noinline)) static Lanes expm1_any(Lanes x, int *errors) {
    Lanes far = exp_any(x, errors), near = expm1_fast(at_most(at_least(x, all(-60)), all(700)));
    return chosen((Bits)(x > 700), far, near);
}

// --- tanh ----------------------------------------------------------------------------------------

static inline bool tanh_common(Lanes x) {
    (void)x;
    return true;
}

// Computes n / (n + 2) with n = exp(2|x|) - 1, where n and n + 2 are kept with their rounding errors. The table's
// powers have few enough bits for power - 1 to be exact wherever its error would matter.
static inline Lanes tanh_fast(Lanes x) {
    Lanes size = at_most(without_sign(x), all(20));
    Split s = exp_split(size + size);
    Lanes power = power_of(&s), more = power * expm1_grown(&s), n_low;
    Lanes near = plus_rest(power - 1, power, s.rest, &n_low), n = near + more, d = n + 2;
    n_low += (near - n) + more;
    Lanes d_low = ((at_least(n, all(2)) - d) + at_most(n, all(2))) + n_low;
    Lanes inverse = 1 / d, q = n * inverse;
    Lanes left = fused(-q, d_low, fused(-q, d, n) + n_low);
    return signed_as(fused(left, inverse, q), x);
}

static inline Lanes tanh_any(Lanes x, int *errors) {
    (void)errors;
    return tanh_fast(x);
}

#endif
