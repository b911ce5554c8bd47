// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Binary building blocks of the decimal conversions: powers of ten to 128 bits, taking doubles
// apart, and putting them together with one correct rounding.

#include <float.h>
#include <math.h>
#include <string.h>

#include "vm/value/float_pow10_table.h"
#include "vm/value/float_text.h"

enum { DOUBLE_BITS = 53, MIN_EXPONENT = -1074, MAX_EXPONENT = 971 };

// Both are verified over the whole range by tools/gen_pow10.py.
int floor_log2_pow10(int k) {
    return (k * 1741647) >> 19;
}

int floor_log10_pow2(int e) {
    return (e * 1262611) >> 22;
}

Pow10 float_pow10(int k) {
    int step = (k + POW10_STEP * -POW10_FIRST) / POW10_STEP;
    const uint64_t *coarse = pow5_coarse[step];
    uint64_t fine = pow5_fine[k - (step + POW10_FIRST) * POW10_STEP];
    U128 low = (U128)coarse[2] * fine;
    U128 middle = (U128)coarse[1] * fine + (uint64_t)(low >> 64);
    U128 high = (U128)coarse[0] * fine + (uint64_t)(middle >> 64);
    U128 bits = (U128)coarse[0] << 64 | coarse[1];
    if (high >> 64) {
        int up = __builtin_clzll((uint64_t)(high >> 64));
        bits = up ? high << up | (uint64_t)middle >> (64 - up) : high;
    }
    return (Pow10){bits, floor_log2_pow10(k) - 127};
}

static int bit_length128(U128 m) {
    uint64_t high = (uint64_t)(m >> 64);
    if (high) return 128 - __builtin_clzll(high);
    return (uint64_t)m ? 64 - __builtin_clzll((uint64_t)m) : 0;
}

// Returns m / 2^drop, rounded to nearest, ties to even; `sticky` as in float_compose.
static uint64_t shift_round(U128 m, int drop, bool sticky) {
    if (drop > 128) return 0;
    U128 kept = drop == 128 ? 0 : m >> drop;
    U128 half = (U128)1 << (drop - 1);
    U128 rest = drop == 128 ? m : m & ((half << 1) - 1);
    bool up = rest > half || (rest == half && (sticky || (kept & 1)));
    return (uint64_t)kept + up;
}

// Makes a double of significand and exponent. A carry out of the significand increments the exponent field, as it
// should.
static double assemble(uint64_t significand, int exponent) {
    if (exponent > MAX_EXPONENT) return INFINITY;
    uint64_t bits = significand;
    if (significand >> (DOUBLE_BITS - 1))
        bits += (uint64_t)(exponent - MIN_EXPONENT) << (DOUBLE_BITS - 1);
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}

// Returns the exponent of the last bit of a double as large as m * 2^exponent.
static int lowest_bit(U128 m, int exponent) {
    int lowest = exponent + bit_length128(m) - DOUBLE_BITS;
    return lowest < MIN_EXPONENT ? MIN_EXPONENT : lowest;
}

double float_compose(U128 m, int64_t exponent, bool sticky) {
    if (m == 0) return 0.0;
    if (exponent > 1024) return INFINITY;
    if (exponent < -1300) return 0.0;
    int lowest = lowest_bit(m, (int)exponent);
    int drop = lowest - (int)exponent;
    if (drop <= 0) return assemble((uint64_t)m << -drop, lowest);
    return assemble(shift_round(m, drop, sticky), lowest);
}

double float_truncate(U128 m, int64_t exponent) {
    if (m == 0 || exponent < -1300) return 0.0;
    if (exponent > 1024) return DBL_MAX;
    int lowest = lowest_bit(m, (int)exponent);
    int drop = lowest - (int)exponent;
    if (lowest > MAX_EXPONENT) return DBL_MAX;
    if (drop <= 0) return assemble((uint64_t)m << -drop, lowest);
    return drop > 127 ? 0.0 : assemble((uint64_t)(m >> drop), lowest);
}

// Takes a positive number apart, in an IEEE format with `fraction_bits` and the smallest number 2^min_exponent.
static FloatParts parts_of(uint64_t bits, int fraction_bits, int min_exponent) {
    uint64_t fraction = bits & (((uint64_t)1 << fraction_bits) - 1);
    int field = (int)(bits >> fraction_bits);
    if (field == 0) return (FloatParts){fraction, min_exponent, false};
    return (FloatParts){fraction | (uint64_t)1 << fraction_bits, field - 1 + min_exponent,
                        fraction == 0 && field > 1};
}

FloatParts float_parts(double d) {
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    return parts_of(bits & INT64_MAX, 52, MIN_EXPONENT);
}

FloatParts float32_parts(float f) {
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return parts_of(bits & INT32_MAX, 23, -149);
}

FloatParts float16_parts(uint16_t bits) {
    return parts_of(bits & INT16_MAX, 10, -24);
}
