// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Float flags of complex operations on devices, built into OpenCL C and CUDA C after complex_functions.h.
// Arithmetic is repeated step by step: each step's flags follow from its operands and its result. Flags have the values
// of Flag: 1 division by zero, 2 overflow, 8 invalid.

#ifndef NACRE_BACKENDS_EMIT_COMPLEX_FLAGS_H
#define NACRE_BACKENDS_EMIT_COMPLEX_FLAGS_H

#define COMPLEX_FLAGS(T, N, F, S)                                                                                     \
    COMPLEX_INLINE uint32_t step_##F(T r, T x, T y) {                                                                 \
        if (isfinite(r)) return 0;                                                                                    \
        if (isnan(r)) return isnan(x) || isnan(y) ? 0 : 8;                                                            \
        return isfinite(x) && isfinite(y) ? 2 : 0;                                                                    \
    }                                                                                                                 \
    COMPLEX_INLINE uint32_t flags_add_##F(Complex_##N r, Complex_##N x, Complex_##N y) {                              \
        return step_##F(RE(r), RE(x), RE(y)) | step_##F(IM(r), IM(x), IM(y));                                         \
    }                                                                                                                 \
    COMPLEX_INLINE uint32_t flags_mul_##F(Complex_##N x, Complex_##N y) {                                             \
        T a = RE(x), b = IM(x), c = RE(y), d = IM(y), bd = b * d, bc = b * c;                                         \
        T re = MULTIPLIED(S, a, c, -bd), im = MULTIPLIED(S, a, d, bc);                                                \
        T ac = isnan(a) || isnan(c) ? a + c : isfinite(a) && isfinite(c) ? 0 : a * c;                                 \
        T ad = isnan(a) || isnan(d) ? a + d : isfinite(a) && isfinite(d) ? 0 : a * d;                                 \
        uint32_t met = step_##F(bd, b, d) | step_##F(bc, b, c);                                                       \
        met |= (isnan(bd) ? 0 : step_##F(ac, a, c)) | (isnan(bc) ? 0 : step_##F(ad, a, d)); /* inf * 0 in fma */      \
        return met | step_##F(re, ac, bd) | step_##F(im, ad, bc);                                                     \
    }                                                                                                                 \
    COMPLEX_INLINE uint32_t flags_plain_mul_##F(Complex_##N x, Complex_##N y) {                                       \
        T a = RE(x), b = IM(x), c = RE(y), d = IM(y), bd = b * d, bc = b * c, ac = a * c, ad = a * d;                 \
        uint32_t met = step_##F(bd, b, d) | step_##F(bc, b, c) | step_##F(ac, a, c) | step_##F(ad, a, d);             \
        return met | step_##F(ac - bd, ac, bd) | step_##F(ad + bc, ad, bc);                                           \
    }                                                                                                                 \
    /* Flags of x + y * z. Flags of x / y: an infinite result of finite x is a division by zero if y is 0. */         \
    COMPLEX_INLINE uint32_t flags_linear_##F(T x, T y, T z) {                                                         \
        T yz = y * z;                                                                                                 \
        return step_##F(yz, y, z) | step_##F(x + yz, x, yz);                                                          \
    }                                                                                                                 \
    COMPLEX_INLINE uint32_t flags_over_##F(T x, T y) {                                                                \
        T r = x / y;                                                                                                  \
        return isinf(r) && isfinite(x) && y == 0 ? 1 : step_##F(r, x, y);                                             \
    }                                                                                                                 \
    COMPLEX_INLINE uint32_t flags_div_##F(Complex_##N x, Complex_##N y) {                                             \
        T a = RE(x), b = IM(x), c = RE(y), d = IM(y), large, small, p, q, ratio, scale, low;                          \
        bool first = fabs##S(c) >= fabs##S(d);                                                                        \
        if (isnan(c) || isnan(d)) return 8; /* ordered comparison of NaN */                                           \
        if (first && c == 0 && d == 0) return flags_over_##F(a, fabs##S(c)) | flags_over_##F(b, fabs##S(c));          \
        large = first ? c : d, small = first ? d : c;                                                                 \
        ratio = small / large, low = large + small * ratio, scale = 1 / low;                                          \
        uint32_t met = flags_over_##F(small, large) | flags_linear_##F(large, small, ratio);                          \
        met |= flags_over_##F((T)1, low);                                                                             \
        if (first) {                                                                                                  \
            p = a + b * ratio, q = b - a * ratio;                                                                     \
            met |= flags_linear_##F(a, b, ratio) | flags_linear_##F(b, -a, ratio);                                    \
        } else {                                                                                                      \
            p = a * ratio + b, q = b * ratio - a;                                                                     \
            met |= flags_linear_##F(b, a, ratio) | flags_linear_##F(-a, b, ratio);                                    \
        }                                                                                                             \
        return met | step_##F(p * scale, p, scale) | step_##F(q * scale, q, scale);                                   \
    }                                                                                                                 \
    COMPLEX_INLINE uint32_t flags_reciprocal_##F(Complex_##N x) {                                                     \
        T c = RE(x), d = IM(x), ratio, size;                                                                          \
        bool first = fabs##S(d) <= fabs##S(c);                                                                        \
        if (isnan(c) || isnan(d)) return 8;                                                                           \
        T large = first ? c : d, small = first ? d : c;                                                               \
        ratio = small / large, size = large + small * ratio;                                                          \
        uint32_t met = flags_over_##F(small, large) | flags_linear_##F(large, small, ratio);                          \
        return met | flags_over_##F((T)1, size) | flags_over_##F(ratio, size);                                        \
    }                                                                                                                 \
    COMPLEX_INLINE uint32_t flags_size_##F(Complex_##N x) {                                                           \
        return step_##F(hypot##S(RE(x), IM(x)), RE(x), IM(x));                                                        \
    }                                                                                                                 \
    /* Flags of a function's result r: invalid if it is a new NaN; `pole` if it is infinite and x is finite. */       \
    COMPLEX_INLINE uint32_t flags_of_##F(Complex_##N r, Complex_##N x, uint32_t pole) {                               \
        bool all = isfinite(RE(x)) && isfinite(IM(x)), none = !isnan(RE(x)) && !isnan(IM(x));                         \
        return (isnan_##F(r) && none ? 8 : 0) | (isinf_##F(r) && all ? pole : 0);                                     \
    }                                                                                                                 \
    /* Invalid if both parts of r are NaN and x is not: functions of the C library raise it there. */                 \
    COMPLEX_INLINE uint32_t flags_nans_##F(Complex_##N r, T x) {                                                      \
        return isnan(RE(r)) && isnan(IM(r)) && !isnan(x) ? 8 : 0;                                                     \
    }
// Flags of the functions that complex_more.h computes.
#define COMPLEX_MORE_FLAGS(T, N, F, S)                                                                                \
    COMPLEX_INLINE uint32_t flags_expm1_##F(Complex_##N x) {                                                          \
        T a = RE(x), b = IM(x), s = sin##S(b), c = cos##S(b), e = exp##S(a), m = expm1##S(a), p = m * c;              \
        uint32_t met = step_##F(s, b, b) | step_##F(c, b, b) | step_##F(e, a, a) | step_##F(m, a, a);                 \
        return met | step_##F(p, m, c) | step_##F(e * s, e, s) | step_##F(p - s, p, s);                               \
    }                                                                                                                 \
    COMPLEX_INLINE uint32_t flags_log1p_##F(Complex_##N x) {                                                          \
        T a = RE(x) + 1, b = IM(x);                                                                                   \
        return a == 0 && b == 0 ? 1 : step_##F(hypot##S(a, b), a, b);                                                 \
    }                                                                                                                 \
    COMPLEX_INLINE uint32_t flags_whole_power_##F(Complex_##N x, int64_t n) {                                         \
        Complex_##N result = pair_##N(1, 0);                                                                          \
        uint32_t met = 0;                                                                                             \
        for (;; x = plain_mul_##F(x, x)) {                                                                            \
            if (n & 1) met |= flags_plain_mul_##F(result, x), result = plain_mul_##F(result, x);                      \
            if ((n >>= 1) == 0) return met;                                                                           \
            met |= flags_plain_mul_##F(x, x);                                                                         \
        }                                                                                                             \
    }                                                                                                                 \
    COMPLEX_INLINE uint32_t flags_pow_##F(Complex_##N r, Complex_##N x, Complex_##N y) {                              \
        T a = RE(x), b = IM(x), c = RE(y), d = IM(y);                                                                 \
        if (c == 0 && d == 0) return 0;                                                                               \
        if (a == 0 && b == 0) return c > 0 ? 0 : 8;                                                                   \
        if (d == 0 && fabs##S(c) < 100 && c == (T)(int64_t)c) {                                                       \
            int64_t n = (int64_t)c;                                                                                   \
            if (n == 1) return 0;                                                                                     \
            if (n == 2) return flags_plain_mul_##F(x, x);                                                             \
            if (n == 3) return flags_plain_mul_##F(x, x) | flags_plain_mul_##F(x, plain_mul_##F(x, x));               \
            uint32_t met = flags_whole_power_##F(x, n < 0 ? -n : n);                                                  \
            return n < 0 ? met | flags_div_##F(pair_##N(1, 0), whole_power_##F(x, -n)) : met;                         \
        }                                                                                                             \
        Complex_##N l = nc_clog##S(x), p = annex_mul_##N(y, l);                                                       \
        uint32_t met = flags_plain_mul_##F(y, l) | flags_of_##F(r, p, 2);                                             \
        bool far = isinf(c) || isinf(d) || isinf_##F(l) || isinf(c * RE(l)) || isinf(d * IM(l)) || isinf(c * IM(l));  \
        if ((far || isinf(d * RE(l))) && isnan_##F(p)) met |= 8; /* infinity times zero */                            \
        if (d == 0 && isnan(c)) met |= 8; /* ordered comparison of NaN */                                             \
        return met | flags_nans_##F(r, RE(p)) | flags_nans_##F(r, IM(p));                                             \
    }

#endif
