// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arithmetic of complex numbers, in the common subset of C, CUDA C and OpenCL C. Products and quotients follow
// NumPy, not Annex G of C: infinity times NaN is not repaired. Ordering is lexicographic: by real part, then by
// imaginary part. With fused multiply-adds, each part of a product uses one, as in NumPy; powers and products of
// single scalars do not, as in NumPy.
//
// Each language defines beforehand:
// Complex_c64, Complex_c128: the types; RE, IM: their parts; pair_c64, pair_c128: construct them from parts.
// COMPLEX_INLINE: storage class of functions; allows overloading if COMPLEX_FUNCTION ignores N.
// COMPLEX_FUNCTION(name, N): name of a function of Complex_N.
// MULTIPLIED(S, x, y, z): x * y + z. OPAQUE(v): hides from the compiler how v was computed.

#ifndef NACRE_BACKENDS_CPU_LOOPS_COMPLEX_PARTS_H
#define NACRE_BACKENDS_CPU_LOOPS_COMPLEX_PARTS_H

// T: float or double; N: of Complex_N; F: of functions' names; S: the suffix of the C library's functions for T.
#define COMPLEX_PARTS(T, N, F, S)                                                                 \
    COMPLEX_INLINE bool isnan_##F(Complex_##N x) {                                                \
        return isnan(RE(x)) || isnan(IM(x));                                                      \
    }                                                                                             \
    COMPLEX_INLINE bool isinf_##F(Complex_##N x) {                                                \
        return isinf(RE(x)) || isinf(IM(x));                                                      \
    }                                                                                             \
    COMPLEX_INLINE bool gt_##F(Complex_##N x, Complex_##N y) {                                    \
        T a = RE(x), b = RE(y), c = IM(x), d = IM(y);                                             \
        return (a > b && !isnan(c) && !isnan(d)) || (a == b && c > d);                            \
    }                                                                                             \
    COMPLEX_INLINE bool ge_##F(Complex_##N x, Complex_##N y) {                                    \
        T a = RE(x), b = RE(y), c = IM(x), d = IM(y);                                             \
        return (a > b && !isnan(c) && !isnan(d)) || (a == b && c >= d);                           \
    }                                                                                             \
    COMPLEX_INLINE Complex_##N mul_##F(Complex_##N x, Complex_##N y) {                            \
        T a = RE(x), b = IM(x), c = RE(y), d = IM(y);                                             \
        return pair_##N(MULTIPLIED(S, a, c, -(b * d)), MULTIPLIED(S, a, d, b * c));               \
    }                                                                                             \
    COMPLEX_INLINE Complex_##N plain_mul_##F(Complex_##N x, Complex_##N y) {                      \
        T a = RE(x), b = IM(x), c = RE(y), d = IM(y), bd = b * d, bc = b * c;                     \
        OPAQUE(bd);                                                                               \
        return pair_##N(a * c - bd, a * d + bc);                                                  \
    }                                                                                             \
    /* Robert L. Smith's division (1962): scaled by the larger part of the divisor. */            \
    COMPLEX_INLINE Complex_##N div_##F(Complex_##N x, Complex_##N y) {                            \
        T a = RE(x), b = IM(x), c = RE(y), d = IM(y), ratio, scale;                               \
        if (fabs##S(c) >= fabs##S(d)) {                                                           \
            if (c == 0 && d == 0) return pair_##N(a / fabs##S(c), b / fabs##S(c));                \
            ratio = d / c;                                                                        \
            scale = 1 / (c + d * ratio);                                                          \
            return pair_##N((a + b * ratio) * scale, (b - a * ratio) * scale);                    \
        }                                                                                         \
        ratio = c / d;                                                                            \
        scale = 1 / (d + c * ratio);                                                              \
        return pair_##N((a * ratio + b) * scale, (b * ratio - a) * scale);                        \
    }                                                                                             \
    COMPLEX_INLINE Complex_##N reciprocal_##F(Complex_##N x) {                                    \
        T c = RE(x), d = IM(x), ratio, size;                                                      \
        if (fabs##S(d) <= fabs##S(c)) {                                                           \
            ratio = d / c;                                                                        \
            size = c + d * ratio;                                                                 \
            return pair_##N(1 / size, -ratio / size);                                             \
        }                                                                                         \
        ratio = c / d;                                                                            \
        size = c * ratio + d;                                                                     \
        return pair_##N(ratio / size, -1 / size);                                                 \
    }                                                                                             \
    COMPLEX_INLINE Complex_##N sign_##F(Complex_##N x) {                                          \
        T a = RE(x), b = IM(x), size = hypot##S(a, b);                                            \
        if (isnan(size) || (isinf(a) && isinf(b))) return pair_##N((T)NAN, (T)NAN);               \
        if (isinf(a)) return pair_##N(a > 0 ? 1 : -1, 0);                                         \
        if (isinf(size)) return pair_##N(0, b > 0 ? 1 : -1);                                      \
        return size == 0 ? pair_##N(0, 0) : pair_##N(a / size, b / size);                         \
    }                                                                                             \
    COMPLEX_INLINE Complex_##N conjugate_##F(Complex_##N x) {                                     \
        return pair_##N(RE(x), -IM(x));                                                           \
    }                                                                                             \
    COMPLEX_INLINE Complex_##N rint_##F(Complex_##N x) {                                          \
        return pair_##N(rint##S(RE(x)), rint##S(IM(x)));                                          \
    }                                                                                             \
    COMPLEX_INLINE Complex_##N scaled_##F(Complex_##N x, T factor) {                              \
        return pair_##N(RE(x) * factor, IM(x) * factor);                                          \
    }

// Absolute values without branches: selections are bit masks, so loops vectorise. The bits of
// non-negative numbers compare like the numbers, with NaN last, and integer comparisons raise no
// flags.
#define POWER_BITS(exponent) ((int64_t)(1023 + (exponent)) << 52) // bits of 2^exponent

typedef union NumberBits {
    double value;
    int64_t bits;
} NumberBits;

static inline double from_bits(int64_t bits) {
    NumberBits x;
    x.bits = bits;
    return x.value;
}

static inline int64_t to_bits(double value) {
    NumberBits x;
    x.value = value;
    return x.bits;
}

static inline int64_t size_bits(double x) { // bits of |x|
    return to_bits(x) & INT64_MAX;
}

static inline int64_t chosen_bits(int64_t mask, int64_t yes, int64_t no) {
    return (yes & mask) | (no & ~mask);
}

// Squares of floats are exact in double and cannot overflow.
COMPLEX_INLINE float COMPLEX_FUNCTION(abs, c64)(Complex_c64 x) {
    double re = RE(x), im = IM(x), size = sqrt(re * re + im * im);
    int64_t a = size_bits(re), b = size_bits(im);
    int64_t infinite = -(int64_t)((a == POWER_BITS(1024)) | (b == POWER_BITS(1024)));
    return (float)from_bits(chosen_bits(infinite, POWER_BITS(1024), to_bits(size)));
}

// The root of the sum of squares is accurate to one ulp if no square overflows or underflows.
// Numbers outside that range are scaled, and negligible parts are dropped so that their squares do
// not raise underflow.
COMPLEX_INLINE double COMPLEX_FUNCTION(abs, c128)(Complex_c128 x) {
    const int64_t step = 600;
    int64_t a = size_bits(RE(x)), b = size_bits(IM(x));
    int64_t most = a > b ? a : b, least = a > b ? b : a;
    int64_t huge = -(int64_t)(most > POWER_BITS(500)), tiny = -(int64_t)(most < POWER_BITS(-440));
    int64_t counts = chosen_bits(huge, POWER_BITS(430), POWER_BITS(-505) & ~tiny);
    int64_t by = ((tiny & step) - (huge & step)) * ((int64_t)1 << 52);
    double scale = from_bits(POWER_BITS(0) + by), back = from_bits(POWER_BITS(0) - by);
    double large = from_bits(most) * scale;
    double small = from_bits(least & -(int64_t)(least >= counts)) * scale;
    double size = sqrt(large * large + small * small) * back;
    int64_t infinite = -(int64_t)((a == POWER_BITS(1024)) | (b == POWER_BITS(1024)));
    return from_bits(chosen_bits(infinite, POWER_BITS(1024), to_bits(size)));
}

#endif
