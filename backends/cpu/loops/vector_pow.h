// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Vectorised powers: x^y = 2^(y log2(x)); the logarithm needs as many extra bits as the result's
// exponent has. With z = x/2^k and a table point c near it, s = (z - c) / (z + c) is small, and
// log2(z/c) = 2/log(2) * (s + s^3/3 + …), where all but the first term may have a double's error.
// The terms, quotient and product before that are double-double. vector_exp.h explains the
// functions' suffixes.

#if defined(VECTOR_BYTES) && defined(__FMA__) && !defined(NACRE_BACKENDS_CPU_LOOPS_VECTOR_POW_H)
#define NACRE_BACKENDS_CPU_LOOPS_VECTOR_POW_H

#include "backends/cpu/cpu.h"
#include "backends/cpu/flags.h"
#include "backends/cpu/loops/vector_exp.h"
#include "backends/cpu/loops/vector_log.h"

// Returns y log2(x); `low` receives the low part. `more`: x was scaled by 2^more.
static inline Lanes pow_exponent(Lanes x, Lanes y, double more, Lanes *low) {
    Parts p = log_parts(x);
    Lanes c = (Lanes)((p.place & (FRACTION_BITS & ~(LOG_STEP - 1))) + (LOG_FIRST + LOG_STEP / 2));
    Lanes n = p.z - c, d = p.z + c, d_low = p.z - (d - c), inverse = 1 / d;
    Lanes s = n * inverse, ss = s * s, s_low = fused(-s, d_low, fused(-s, d, n)) * inverse;
    Lanes point = log_exponent(&p, more) + entries(center_high, log_point(&p));
    Lanes first = s * TWO_LOG2_E_HIGH, sum = point + first;
    Lanes lost = fused(s, all(TWO_LOG2_E_HIGH), -first) + ((point - sum) + first);
    Lanes small = fused(s, all(TWO_LOG2_E_LOW), entries(center_low, log_point(&p)));
    small = fused(fused(s_low, ss, s_low), all(TWO_LOG2_E_HIGH), small);
    small = fused(ss * s, poly3(pow_terms, ss, ss * ss), small) + lost;
    Lanes log = sum + small, log_low = (sum - log) + small, high = y * log;
    *low = fused(y, log_low, fused(y, log, -high));
    return high;
}

static inline Split pow_split(Lanes high, Lanes low) {
    Split s = exp2_split(high);
    s.rest += low;
    return s;
}

// Returns whether all lanes are positive normal numbers with normal results.
static inline bool pow_common(Lanes x, Lanes high) {
    return log_common(x) && exp2_common(high);
}

// Returns 2^(high + low).
static inline Lanes pow_ended(Lanes high, Lanes low) {
    Split s = pow_split(high, low);
    Lanes power = power_of(&s);
    return fused(power, exp2_grown(&s), power);
}

// Also handles negative numbers, and subnormal numbers and results, by their magnitudes. Everything
// else (zeros, infinities, overflow, NaN) goes to the scalar loop.
__attribute__((noinline)) static Lanes pow_any(LoopFn loop, Lanes x, Lanes y, int *errors) {
    Lanes size = without_sign(x), low, whole = y + SHIFT;
    Bits small = (Bits)(size < __DBL_MIN__);
    Bits fits = (Bits)(without_sign(y) <= 0x1p51), odd = -((Bits)whole & 1);
    Bits is_whole = fits & (Bits)(whole - SHIFT == y), negative = (Bits)(x < 0);
    Lanes high = pow_exponent(chosen(small, size * 0x1p54, size), y, 0, &low);
    if (any_of(small)) {
        Lanes low_small, high_small = pow_exponent(size * 0x1p54, y, 54, &low_small);
        high = chosen(small, high_small, high), low = chosen(small, low_small, low);
    }
    Bits known = (Bits)(size <= __DBL_MAX__) & (Bits)(size > 0) & (Bits)(high < 1023.5) &
                 (Bits)(without_sign(y) <= __DBL_MAX__) & (is_whole | ~negative);
    Bits finite = (Bits)(high > -1080);
    Split s = pow_split(chosen(known & finite, high, all(-1080)), chosen(known & finite, low, all(0)));
    s.sixteenths += (Bits)all(SHIFT) - (Bits)all(SHIFT / 16);
    Lanes z = scaled_apart(&s, exp2_grown(&s));
    z = (Lanes)((Bits)z | (odd & negative & SIGN_BITS));
    *errors |= x87_flags(); // raised before; flags_clear() would lose them
    for (int i = 0; i < LANES; i++) {
        if (known[i]) continue;
        double xi = x[i], yi = y[i], zi;
        flags_clear();
        loop(&xi, &yi, NULL, &zi, 1);
        *errors |= flags_now() & (FE_DIVBYZERO | FE_OVERFLOW | FE_INVALID);
        z[i] = zi;
    }
    return z;
}

#endif
