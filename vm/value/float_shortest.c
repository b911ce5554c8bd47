// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The shortest decimal that reads back as the same number.
//
// Raffaello Giulietti's Schubfach ("The Schubfach way to render doubles", 2021): choose k so that
// the rounding interval of v = c * 2^q holds at least one multiple of 10^k and at most one of
// 10^(k+1); scale the interval by 10^-k with a 128-bit power of ten and "round to odd" arithmetic,
// which keeps just enough to compare exactly; look at the few candidates.

#include "vm/value/float_text.h"

// Returns the top 64 bits of the product of a 64-bit number and 128 bits of power, with the fractional part as a sticky
// lowest bit.
static uint64_t multiply_to_odd(U128 power, uint64_t n) {
    U128 low = (U128)(uint64_t)power * n;
    U128 high = (power >> 64) * n + (uint64_t)(low >> 64);
    return (uint64_t)(high >> 64) | ((uint64_t)high > 1);
}

static int floor_log10_three_quarters_pow2(int e) {
    return (e * 1262611 - 524031) >> 22;
}

static Decimal without_trailing_zeros(uint64_t digits, int exponent) {
    if (digits % 100000000 == 0) {
        digits /= 100000000;
        exponent += 8;
    }
    while (digits % 100 == 0) {
        digits /= 100;
        exponent += 2;
    }
    if (digits % 10 == 0) {
        digits /= 10;
        exponent++;
    }
    return (Decimal){digits, exponent};
}

// v and the ends of its rounding interval, as multiples of a quarter of 10^k.
typedef struct Interval {
    uint64_t lower, value, upper;
} Interval;

static Interval scaled_interval(FloatParts v, int k) {
    int shift = v.exponent + floor_log2_pow10(-k) + 1;
    U128 power = float_pow10(-k).bits + 1;
    uint64_t middle = 4 * v.significand;
    uint64_t below = middle - (v.lower_is_closer ? 1 : 2);
    uint64_t odd = v.significand & 1; // an odd significand does not own the ends of its interval
    return (Interval){multiply_to_odd(power, below << shift) + odd,
                      multiply_to_odd(power, middle << shift),
                      multiply_to_odd(power, (middle + 2) << shift) - odd};
}

Decimal float_shortest(FloatParts v) {
    if (v.significand == 0) return (Decimal){0, 0};
    int k = v.lower_is_closer ? floor_log10_three_quarters_pow2(v.exponent)
                              : floor_log10_pow2(v.exponent);
    Interval in = scaled_interval(v, k);
    uint64_t s = in.value / 4;
    if (s >= 10) { // tries multiples of 10^(k+1) first
        uint64_t tens = s / 10;
        bool below = in.lower <= 40 * tens;
        bool above = 40 * tens + 40 <= in.upper;
        if (below != above) return without_trailing_zeros(tens + above, k + 1);
    }
    bool below = in.lower <= 4 * s;
    bool above = 4 * s + 4 <= in.upper;
    if (below == above) { // both or neither: the closer one, the even one in the middle
        uint64_t middle = 4 * s + 2;
        above = in.value > middle || (in.value == middle && (s & 1));
    }
    return without_trailing_zeros(s + above, k);
}

int decimal_length(uint64_t digits) {
    int length = 1;
    for (; digits >= 10000; digits /= 10000) length += 4;
    return length + (digits >= 10) + (digits >= 100) + (digits >= 1000);
}
