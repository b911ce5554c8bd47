// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Elements of arrays for products: T is their type in memory, S the type of sums. KIND says what they are; R is the
// float type of a number's parts. Booleans are added by OR, integers wrap, half floats are summed as floats.

#define TRUTH 0
#define WHOLE 1
#define REAL 2
#define HALF 3
#define COMPLEX 4
#define OVERFLOWS 2u // flags as in vm/kernel/kernel.h
#define INVALID 8u
#define FAILED 128u

#if KIND == COMPLEX
typedef struct {
    R re, im;
} Complex;
typedef Complex T;
typedef Complex S;
#endif

// Converts half floats by their bits, rounding to nearest even.
#if KIND == HALF
typedef union {
    float value;
    uint32_t bits;
} Single;

static inline float widened(uint16_t x) {
    const uint32_t fraction = x & 0x03ffu;
    Single made;
    made.value = (float)fraction * 5.9604644775390625e-8f; // 2**-24: exponent 0, subnormal
    if (x & 0x7c00u) made.bits = ((uint32_t)(x & 0x7fffu) << 13) + 0x38000000u;
    if ((x & 0x7c00u) == 0x7c00u) made.bits = 0x7f800000u | fraction << 13;
    made.bits |= (uint32_t)(x & 0x8000u) << 16;
    return made.value;
}

static inline uint16_t narrowed(float value) {
    Single made, small;
    made.value = value;
    const uint32_t sign = made.bits >> 16 & 0x8000u, bits = made.bits & 0x7fffffffu;
    if (bits > 0x7f800000u) return (uint16_t)(sign | 0x7e00u | (bits >> 13 & 0x03ffu));
    if (bits >= 0x477ff000u) return (uint16_t)(sign | 0x7c00u);
    if (bits >= 0x38800000u) return (uint16_t)(sign | ((bits + 0x0fffu + (bits >> 13 & 1u) - 0x38000000u) >> 13));
    small.value = (value < 0 ? -value : value) + 0.5f; // below 2**-14: floats near 1/2 have its spacing
    return (uint16_t)(sign | (small.bits - 0x3f000000u));
}
#elif KIND == TRUTH
static inline S widened(T x) {
    return x;
}
static inline T narrowed(S x) {
    return (T)(x != 0);
}
#else
static inline S widened(T x) {
    return (S)x;
}
static inline T narrowed(S x) {
    return (T)x;
}
#endif

static inline S nothing(void) {
#if KIND == COMPLEX
    S zero;
    zero.re = zero.im = 0;
    return zero;
#else
    return 0;
#endif
}

static inline S plus(S x, S y) {
#if KIND == COMPLEX
    x.re += y.re;
    x.im += y.im;
    return x;
#elif KIND == TRUTH
    return x | y;
#else
    return x + y;
#endif
}

static inline S minus(S x, S y) {
#if KIND == COMPLEX
    x.re -= y.re;
    x.im -= y.im;
    return x;
#elif KIND == TRUTH
    return x ^ y;
#else
    return x - y;
#endif
}

static inline S times(S x, S y) {
#if KIND == COMPLEX
    S made;
    made.re = x.re * y.re - x.im * y.im;
    made.im = x.re * y.im + x.im * y.re;
    return made;
#elif KIND == TRUTH
    return x & y;
#else
    return x * y;
#endif
}

// Returns sum + x * y; of floats, by fused multiply-adds.
static inline S fused(S sum, S x, S y) {
#if KIND == COMPLEX
    sum.re = fma(x.re, y.re, sum.re);
    sum.im = fma(x.re, y.im, sum.im);
    sum.re = fma(-x.im, y.im, sum.re);
    sum.im = fma(x.im, y.re, sum.im);
    return sum;
#elif KIND == REAL || KIND == HALF
    return fma(x, y, sum);
#elif KIND == TRUTH
    return sum | (x & y);
#else
    return sum + x * y;
#endif
}

// --- Float flags, derived from operands and results -----------------------------------------------------

#if KIND >= REAL
static inline bool is_odd(S x) { // infinite, or NaN
#if KIND == COMPLEX
    return x.re - x.re != 0 || x.im - x.im != 0;
#else
    return x - x != 0;
#endif
}

static inline bool is_nan(S x) {
#if KIND == COMPLEX
    return x.re != x.re || x.im != x.im;
#else
    return x != x;
#endif
}

// Returns the flags of an operation. odd_before, nan_before: one of its operands is odd, or NaN, itself.
static inline uint32_t met_by(S made, bool odd_before, bool nan_before) {
    uint32_t met = 0;
    if (!is_odd(made)) return 0;
    if (!odd_before) met |= KIND == COMPLEX || !is_nan(made) ? OVERFLOWS : 0;
    if (is_nan(made) && !nan_before) met |= INVALID;
    return met;
}

static inline uint32_t met_by_two(S made, S x, S y) {
    return met_by(made, is_odd(x) || is_odd(y), is_nan(x) || is_nan(y));
}

// Returns the flags of a sum of products whose result is odd, by computing the sum again step by step.
static inline uint32_t met_in(GLOBAL const char *x, int64_t x_step, GLOBAL const char *y, int64_t y_step, int64_t count) {
    S sum = nothing();
    uint32_t met = 0;
    for (int64_t k = 0; k < count; k++) {
        const S a = widened(*(GLOBAL const T *)(x + k * x_step)), b = widened(*(GLOBAL const T *)(y + k * y_step));
        const S next = fused(sum, a, b);
        if (is_odd(next))
            met |= met_by(next, is_odd(a) || is_odd(b) || is_odd(sum), is_nan(a) || is_nan(b) || is_nan(sum));
        sum = next;
    }
#if KIND == HALF
    if (!is_odd(sum) && is_odd(widened(narrowed(sum)))) met |= OVERFLOWS;
#endif
    return met;
}
#endif

// --- Matrices of floats --------------------------------------------------------------------------------------

#if KIND == REAL || KIND == COMPLEX
static inline S conjugate(S x) {
#if KIND == COMPLEX
    x.im = -x.im;
#endif
    return x;
}

static inline S of_real(R x) {
#if KIND == COMPLEX
    S made;
    made.re = x;
    made.im = 0;
    return made;
#else
    return x;
#endif
}
#endif
