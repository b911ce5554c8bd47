// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Complex functions for the expressions of ops.def. Products and quotients follow NumPy, not Annex
// G of C: infinity times NaN is not repaired. Ordering is lexicographic: by real part, then by
// imaginary part.
// With fused multiply-adds, each part of a product uses one, as in NumPy; powers and products of
// single scalars do not, as in NumPy.

#ifndef NACRE_BACKENDS_CPU_LOOPS_COMPLEX_MATH_H
#define NACRE_BACKENDS_CPU_LOOPS_COMPLEX_MATH_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __FMA__
#define MULTIPLIED(S, x, y, z) __builtin_fma##S(x, y, z)
#else
#define MULTIPLIED(S, x, y, z) ((x) * (y) + (z))
#endif
// Hides how v was computed from the compiler (gcc 12 fuses the two lines of a product even with
// contraction off).
#define OPAQUE(v) __asm__("" : "+m"(v))

// T: float or double; S: the suffix of the C library's functions for it.
#define COMPLEX_MATH(T, N, S)                                                                     \
    typedef T _Complex Complex_##N;                                                               \
    static inline Complex_##N pair_##N(T re, T im) {                                              \
        Complex_##N z;                                                                            \
        __real__ z = re;                                                                          \
        __imag__ z = im;                                                                          \
        return z;                                                                                 \
    }                                                                                             \
    static inline bool isnan_##N(Complex_##N x) {                                                 \
        return isnan(__real__ x) || isnan(__imag__ x);                                            \
    }                                                                                             \
    static inline bool isinf_##N(Complex_##N x) {                                                 \
        return isinf(__real__ x) || isinf(__imag__ x);                                            \
    }                                                                                             \
    static inline bool gt_##N(Complex_##N x, Complex_##N y) {                                     \
        T a = __real__ x, b = __real__ y, c = __imag__ x, d = __imag__ y;                         \
        return (a > b && !isnan(c) && !isnan(d)) || (a == b && c > d);                            \
    }                                                                                             \
    static inline bool ge_##N(Complex_##N x, Complex_##N y) {                                     \
        T a = __real__ x, b = __real__ y, c = __imag__ x, d = __imag__ y;                         \
        return (a > b && !isnan(c) && !isnan(d)) || (a == b && c >= d);                           \
    }                                                                                             \
    static inline Complex_##N mul_##N(Complex_##N x, Complex_##N y) {                             \
        T a = __real__ x, b = __imag__ x, c = __real__ y, d = __imag__ y;                         \
        return pair_##N(MULTIPLIED(S, a, c, -(b * d)), MULTIPLIED(S, a, d, b * c));               \
    }                                                                                             \
    static inline Complex_##N plain_mul_##N(Complex_##N x, Complex_##N y) {                       \
        T a = __real__ x, b = __imag__ x, c = __real__ y, d = __imag__ y, bd = b * d, bc = b * c; \
        OPAQUE(bd);                                                                               \
        return pair_##N(a * c - bd, a * d + bc);                                                  \
    }                                                                                             \
    /* Robert L. Smith's division (1962): scaled by the larger part of the divisor. */            \
    static inline Complex_##N div_##N(Complex_##N x, Complex_##N y) {                             \
        T a = __real__ x, b = __imag__ x, c = __real__ y, d = __imag__ y, ratio, scale;           \
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
    static inline Complex_##N reciprocal_##N(Complex_##N x) {                                     \
        T c = __real__ x, d = __imag__ x, ratio, size;                                            \
        if (fabs##S(d) <= fabs##S(c)) {                                                           \
            ratio = d / c;                                                                        \
            size = c + d * ratio;                                                                 \
            return pair_##N(1 / size, -ratio / size);                                             \
        }                                                                                         \
        ratio = c / d;                                                                            \
        size = c * ratio + d;                                                                     \
        return pair_##N(ratio / size, -1 / size);                                                 \
    }                                                                                             \
    static inline Complex_##N sign_##N(Complex_##N x) {                                           \
        T a = __real__ x, b = __imag__ x, size = hypot##S(a, b);                                  \
        if (isnan(size) || (isinf(a) && isinf(b))) return pair_##N((T)NAN, (T)NAN);               \
        if (isinf(a)) return pair_##N(a > 0 ? 1 : -1, 0);                                         \
        if (isinf(size)) return pair_##N(0, b > 0 ? 1 : -1);                                      \
        return size == 0 ? pair_##N(0, 0) : pair_##N(a / size, b / size);                         \
    }                                                                                             \
    static inline Complex_##N conjugate_##N(Complex_##N x) {                                      \
        return pair_##N(__real__ x, -__imag__ x);                                                 \
    }                                                                                             \
    static inline Complex_##N rint_##N(Complex_##N x) {                                           \
        return pair_##N(rint##S(__real__ x), rint##S(__imag__ x));                                \
    }                                                                                             \
    static inline Complex_##N scaled_##N(Complex_##N x, T factor) {                               \
        return pair_##N(__real__ x * factor, __imag__ x * factor);                                \
    }                                                                                             \
    static inline Complex_##N exp2_##N(Complex_##N x) {                                           \
        return cexp##S(scaled_##N(x, (T)0.6931471805599453));                                     \
    }                                                                                             \
    static inline Complex_##N log2_##N(Complex_##N x) {                                           \
        return scaled_##N(clog##S(x), (T)1.4426950408889634);                                     \
    }                                                                                             \
    static inline Complex_##N log10_##N(Complex_##N x) {                                          \
        return scaled_##N(clog##S(x), (T)0.4342944819032518);                                     \
    }                                                                                             \
    static inline Complex_##N log1p_##N(Complex_##N x) {                                          \
        T a = __real__ x + 1, b = __imag__ x;                                                     \
        return pair_##N(log##S(hypot##S(a, b)), atan2##S(b, a));                                  \
    }                                                                                             \
    static inline Complex_##N expm1_##N(Complex_##N x) {                                          \
        T half = sin##S(__imag__ x / 2);                                                          \
        return pair_##N(expm1##S(__real__ x) * cos##S(__imag__ x) - 2 * half * half,              \
                        exp##S(__real__ x) * sin##S(__imag__ x));                                 \
    }                                                                                             \
    static inline Complex_##N whole_power_##N(Complex_##N x, int64_t n) {                         \
        Complex_##N result = pair_##N(1, 0);                                                      \
        for (;; x = plain_mul_##N(x, x)) {                                                        \
            if (n & 1) result = plain_mul_##N(result, x);                                         \
            if ((n >>= 1) == 0) return result;                                                    \
        }                                                                                         \
    }                                                                                             \
    /* Small whole exponents by multiplication, as NumPy does. */                                 \
    static inline Complex_##N pow_##N(Complex_##N x, Complex_##N y) {                             \
        enum { WHOLE = 100 };                                                                     \
        T a = __real__ x, b = __imag__ x, c = __real__ y, d = __imag__ y;                         \
        if (c == 0 && d == 0) return pair_##N(1, 0);                                              \
        if (a == 0 && b == 0) {                                                                   \
            if (c > 0) return pair_##N(0, 0);                                                     \
            volatile T infinite = (T)INFINITY; /* raises the flag */                              \
            T nan = infinite - infinite;                                                          \
            return pair_##N(nan, nan);                                                            \
        }                                                                                         \
        if (d == 0 && fabs##S(c) < WHOLE && c == (T)(int64_t)c) {                                 \
            int64_t n = (int64_t)c;                                                               \
            if (n == 1) return x;                                                                 \
            if (n == 2) return plain_mul_##N(x, x);                                               \
            if (n == 3) return plain_mul_##N(x, plain_mul_##N(x, x));                             \
            Complex_##N power = whole_power_##N(x, n < 0 ? -n : n);                               \
            return n < 0 ? div_##N(pair_##N(1, 0), power) : power;                                \
        }                                                                                         \
        return cpow##S(x, y);                                                                     \
    }
// Absolute values without branches: selections are bit masks, so loops vectorise. The bits of
// non-negative numbers compare like the numbers, with NaN last, and integer comparisons raise no
// flags.
#define POWER_BITS(exponent) ((int64_t)(1023 + (exponent)) << 52) // 2 to such a power

static inline double from_bits(int64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline int64_t size_bits(double x) { // bits of |x|
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits & INT64_MAX;
}

static inline int64_t chosen_bits(int64_t mask, int64_t yes, int64_t no) {
    return (yes & mask) | (no & ~mask);
}

// Squares of floats are exact in double and cannot overflow.
static inline float abs_c64(float _Complex x) {
    double re = __real__ x, im = __imag__ x, size = sqrt(re * re + im * im);
    int64_t a = size_bits(re), b = size_bits(im), bits;
    int64_t infinite = -(int64_t)((a == POWER_BITS(1024)) | (b == POWER_BITS(1024)));
    memcpy(&bits, &size, sizeof bits);
    return (float)from_bits(chosen_bits(infinite, POWER_BITS(1024), bits));
}

// The root of the sum of squares is accurate to one ulp if no square overflows or underflows.
// Numbers outside that range are scaled, and negligible parts are dropped so that their squares do
// not raise underflow.
static inline double abs_c128(double _Complex x) {
    const int64_t step = 600;
    int64_t a = size_bits(__real__ x), b = size_bits(__imag__ x);
    int64_t most = a > b ? a : b, least = a > b ? b : a, bits;
    int64_t huge = -(int64_t)(most > POWER_BITS(500)), tiny = -(int64_t)(most < POWER_BITS(-440));
    int64_t counts = chosen_bits(huge, POWER_BITS(430), POWER_BITS(-505) & ~tiny);
    int64_t by = ((tiny & step) - (huge & step)) * ((int64_t)1 << 52);
    double scale = from_bits(POWER_BITS(0) + by), back = from_bits(POWER_BITS(0) - by);
    double large = from_bits(most) * scale;
    double small = from_bits(least & -(int64_t)(least >= counts)) * scale;
    double size = sqrt(large * large + small * small) * back;
    int64_t infinite = -(int64_t)((a == POWER_BITS(1024)) | (b == POWER_BITS(1024)));
    memcpy(&bits, &size, sizeof bits);
    return from_bits(chosen_bits(infinite, POWER_BITS(1024), bits));
}

// C library functions, declared here because <complex.h> defines `complex` as a macro.
float _Complex cexpf(float _Complex), clogf(float _Complex), cpowf(float _Complex, float _Complex);
double _Complex cexp(double _Complex), clog(double _Complex), cpow(double _Complex, double _Complex);
COMPLEX_MATH(float, c64, f)
COMPLEX_MATH(double, c128, )

#define EITHER(fn, x) _Generic((x), float _Complex: fn##_c64, default: fn##_c128)
#define nc_isnan_c(x) EITHER(isnan, x)(x)
#define nc_isinf_c(x) EITHER(isinf, x)(x)
#define nc_gt_c(x, y) EITHER(gt, x)(x, y)
#define nc_ge_c(x, y) EITHER(ge, x)(x, y)
#define nc_mul_c(x, y) EITHER(mul, x)(x, y)
#define nc_div_c(x, y) EITHER(div, x)(x, y)
#define nc_pow_c(x, y) EITHER(pow, x)(x, y)
#define nc_reciprocal_c(x) EITHER(reciprocal, x)(x)
#define nc_abs_c(x) EITHER(abs, x)(x)
#define nc_sign_c(x) EITHER(sign, x)(x)
#define nc_conjugate_c(x) EITHER(conjugate, x)(x)
#define nc_rint_c(x) EITHER(rint, x)(x)
#define nc_exp2_c(x) EITHER(exp2, x)(x)
#define nc_log2_c(x) EITHER(log2, x)(x)
#define nc_log10_c(x) EITHER(log10, x)(x)
#define nc_log1p_c(x) EITHER(log1p, x)(x)
#define nc_expm1_c(x) EITHER(expm1, x)(x)

#endif
