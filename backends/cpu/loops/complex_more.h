// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Functions of complex numbers that are computed by nc_cexp, nc_clog, nc_cpow and functions of real numbers, in the
// common subset of C, CUDA C and OpenCL C (see complex_parts.h).

#ifndef NACRE_BACKENDS_CPU_LOOPS_COMPLEX_MORE_H
#define NACRE_BACKENDS_CPU_LOOPS_COMPLEX_MORE_H

#define COMPLEX_MORE(T, N, F, S)                                                                  \
    COMPLEX_INLINE Complex_##N exp2_##F(Complex_##N x) {                                          \
        return nc_cexp##S(scaled_##F(x, (T)0.6931471805599453));                                  \
    }                                                                                             \
    COMPLEX_INLINE Complex_##N log2_##F(Complex_##N x) {                                          \
        return scaled_##F(nc_clog##S(x), (T)1.4426950408889634);                                  \
    }                                                                                             \
    COMPLEX_INLINE Complex_##N log10_##F(Complex_##N x) {                                         \
        return scaled_##F(nc_clog##S(x), (T)0.4342944819032518);                                  \
    }                                                                                             \
    COMPLEX_INLINE Complex_##N log1p_##F(Complex_##N x) {                                         \
        T a = RE(x) + 1, b = IM(x);                                                               \
        return pair_##N(log##S(hypot##S(a, b)), atan2##S(b, a));                                  \
    }                                                                                             \
    COMPLEX_INLINE Complex_##N expm1_##F(Complex_##N x) {                                         \
        T sine = sin##S(IM(x) / 2);                                                               \
        return pair_##N(expm1##S(RE(x)) * cos##S(IM(x)) - 2 * sine * sine,                        \
                        exp##S(RE(x)) * sin##S(IM(x)));                                           \
    }                                                                                             \
    COMPLEX_INLINE Complex_##N whole_power_##F(Complex_##N x, int64_t n) {                        \
        Complex_##N result = pair_##N(1, 0);                                                      \
        for (;; x = plain_mul_##F(x, x)) {                                                        \
            if (n & 1) result = plain_mul_##F(result, x);                                         \
            if ((n >>= 1) == 0) return result;                                                    \
        }                                                                                         \
    }                                                                                             \
    /* Computes powers with small whole exponents by multiplication, as NumPy does. */            \
    COMPLEX_INLINE Complex_##N pow_##F(Complex_##N x, Complex_##N y) {                            \
        enum { WHOLE = 100 };                                                                     \
        T a = RE(x), b = IM(x), c = RE(y), d = IM(y);                                             \
        if (c == 0 && d == 0) return pair_##N(1, 0);                                              \
        if (a == 0 && b == 0) {                                                                   \
            if (c > 0) return pair_##N(0, 0);                                                     \
            volatile T infinite = (T)INFINITY; /* inf - inf raises invalid */                     \
            T nan = infinite - infinite;                                                          \
            return pair_##N(nan, nan);                                                            \
        }                                                                                         \
        if (d == 0 && fabs##S(c) < WHOLE && c == (T)(int64_t)c) {                                 \
            int64_t n = (int64_t)c;                                                               \
            if (n == 1) return x;                                                                 \
            if (n == 2) return plain_mul_##F(x, x);                                               \
            if (n == 3) return plain_mul_##F(x, plain_mul_##F(x, x));                             \
            Complex_##N power = whole_power_##F(x, n < 0 ? -n : n);                               \
            return n < 0 ? div_##F(pair_##N(1, 0), power) : power;                                \
        }                                                                                         \
        return nc_cpow##S(x, y);                                                                  \
    }

#endif
