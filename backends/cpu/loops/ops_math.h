// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Functions for the expressions of ops.def: integer division and powers, remainders with Python's
// signs. Integer errors are raised as float flags, as in NumPy.

#ifndef NACRE_BACKENDS_CPU_LOOPS_OPS_MATH_H
#define NACRE_BACKENDS_CPU_LOOPS_OPS_MATH_H

#if !defined(__OPENCL_VERSION__) && !defined(__CUDACC_RTC__) // built into OpenCL C and CUDA C
#include <fenv.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#endif

// Picks the function of float or of double by the type of x. CUDA C, which is C++, defines this macro differently.
#ifndef NC_BY_SIZE
#define NC_BY_SIZE(x, narrow, wide) _Generic((x), float: narrow, default: wide)
#endif

// Casting a float that does not fit an integer type is up to the processor, as in NumPy; clang's
// sanitizer would report it.
#if defined(__clang__) && !defined(__OPENCL_VERSION__)
#define ANY_FLOAT __attribute__((no_sanitize("float-cast-overflow")))
#else
#define ANY_FLOAT
#endif

static inline int64_t nc_floordiv_i(int64_t x, int64_t y, int64_t min) {
    if (y == 0) {
        feraiseexcept(FE_DIVBYZERO);
        return 0;
    }
    if (y == -1) {
        if (x == min) feraiseexcept(FE_OVERFLOW);
        return (int64_t)(0 - (uint64_t)x);
    }
    int64_t q = x / y;
    return q - (x % y != 0 && (x < 0) != (y < 0));
}

static inline uint64_t nc_floordiv_u(uint64_t x, uint64_t y) {
    if (y == 0) {
        feraiseexcept(FE_DIVBYZERO);
        return 0;
    }
    return x / y;
}

// Division by a loop invariant, as multiplication by its inverse: T. Granlund and P. L. Montgomery,
// "Division by Invariant Integers using Multiplication" (1994), figure 4.1. Floor division works on
// magnitudes: it complements a negative dividend and the quotient.
typedef struct NcDivisor {
    uint64_t size, factor; // |y|; low bits of the inverse, whose top bit is implied
    int32_t first, later;  // shift counts
    bool is_negative;
    bool is_plain;         // 0 or -1: handled by the generic loop
} NcDivisor;

// Computes the inverse of `size` for dividends of 32 or 64 bits.
static inline NcDivisor nc_divisor(uint64_t size, bool is_negative, int bits) {
    NcDivisor d = {size, 0, 0, 0, is_negative, size == 0 || (is_negative && size == 1)};
    int log = 0;
    while (log < bits && (uint64_t)1 << log < size) log++;
    uint64_t rest = (log < 64 ? (uint64_t)1 << log : 0) - size; // 2^log - size, which is then divided by size
    if (size >> 32) {
        for (int i = 0; i < bits; i++) {
            bool above = rest >> 63;
            rest <<= 1;
            d.factor <<= 1;
            if (above || rest >= size) rest -= size, d.factor++;
        }
    } else if (size) {
        d.factor = (rest << 32) / size;
        if (bits == 64) d.factor = d.factor << 32 | ((rest << 32) % size << 32) / size;
    }
    d.factor++;
    d.first = log > 0;
    d.later = log > 0 ? log - 1 : 0;
    return d;
}
static inline NcDivisor nc_divisor_i(int64_t y, int bits) {
    return nc_divisor(y < 0 ? 0 - (uint64_t)y : (uint64_t)y, y < 0, bits);
}
static inline NcDivisor nc_divisor_u(uint64_t y, int bits) {
    return nc_divisor(y, false, bits);
}

// Returns the high half of a product, computed from half-width products, which vectorise.
static inline uint64_t nc_product_high(uint64_t x, uint64_t y) {
    uint64_t x_low = (uint32_t)x, x_high = x >> 32, y_low = (uint32_t)y, y_high = y >> 32;
    uint64_t middle = x_high * y_low + (x_low * y_low >> 32), more = x_low * y_high + (uint32_t)middle;
    return x_high * y_high + (middle >> 32) + (more >> 32);
}
static inline uint64_t nc_floordiv_by_u64(uint64_t x, NcDivisor d) {
    uint64_t high = nc_product_high(d.factor, x);
    return (high + ((x - high) >> d.first)) >> d.later;
}
static inline uint32_t nc_floordiv_by_u32(uint32_t x, NcDivisor d) {
    uint32_t high = (uint32_t)((uint64_t)x * (uint32_t)d.factor >> 32);
    return (high + ((x - high) >> d.first)) >> d.later;
}
static inline int64_t nc_floordiv_by_i64(int64_t x, NcDivisor d) {
    uint64_t opposite = 0 - (uint64_t)d.is_negative, size = ((uint64_t)x ^ opposite) - opposite;
    uint64_t below = (0 - (uint64_t)(x < 0)) ^ (opposite & (0 - (uint64_t)(x != 0)));
    return (int64_t)(nc_floordiv_by_u64(size ^ below, d) ^ below);
}
static inline int32_t nc_floordiv_by_i32(int32_t x, NcDivisor d) {
    uint32_t opposite = 0 - (uint32_t)d.is_negative, size = ((uint32_t)x ^ opposite) - opposite;
    uint32_t below = (0 - (uint32_t)(x < 0)) ^ (opposite & (0 - (uint32_t)(x != 0)));
    return (int32_t)(nc_floordiv_by_u32(size ^ below, d) ^ below);
}
static inline uint64_t nc_mod_by_u64(uint64_t x, NcDivisor d) {
    return x - nc_floordiv_by_u64(x, d) * d.size;
}
static inline uint32_t nc_mod_by_u32(uint32_t x, NcDivisor d) {
    return x - nc_floordiv_by_u32(x, d) * (uint32_t)d.size;
}
static inline int64_t nc_mod_by_i64(int64_t x, NcDivisor d) {
    uint64_t opposite = 0 - (uint64_t)d.is_negative, y = (d.size ^ opposite) - opposite;
    return (int64_t)((uint64_t)x - (uint64_t)nc_floordiv_by_i64(x, d) * y);
}
static inline int32_t nc_mod_by_i32(int32_t x, NcDivisor d) {
    uint32_t opposite = 0 - (uint32_t)d.is_negative, y = ((uint32_t)d.size ^ opposite) - opposite;
    return (int32_t)((uint32_t)x - (uint32_t)nc_floordiv_by_i32(x, d) * y);
}

static inline int64_t nc_wrap_index(int64_t x, int64_t extent) {
    return x < 0 && x >= -extent ? x + extent : x;
}

static inline int64_t nc_mod_i(int64_t x, int64_t y) {
    if (y == 0) {
        feraiseexcept(FE_DIVBYZERO);
        return 0;
    }
    if (y == -1) return 0;
    int64_t r = x % y;
    return r && (r < 0) != (y < 0) ? r + y : r;
}

// The remainder of a division that rounds towards zero, as in C.
static inline int64_t nc_fmod_i(int64_t x, int64_t y) {
    if (y == 0) {
        feraiseexcept(FE_DIVBYZERO);
        return 0;
    }
    return y == -1 ? 0 : x % y;
}

// NumPy computes 1/x as double and casts it: 1/0 is infinite, which no integer type holds.
static inline int64_t nc_reciprocal_i(int64_t x, int64_t min) {
    if (x == 0) feraiseexcept(FE_DIVBYZERO | FE_INVALID);
    if (x == 0) return min < INT16_MIN ? min : 0;
    return x == 1 || x == -1 ? x : 0;
}
static inline uint64_t nc_reciprocal_u(uint64_t x) {
    if (x == 0) feraiseexcept(FE_DIVBYZERO | FE_INVALID);
    return x == 1;
}

static inline uint64_t nc_mod_u(uint64_t x, uint64_t y) {
    if (y == 0) {
        feraiseexcept(FE_DIVBYZERO);
        return 0;
    }
    return x % y;
}

// The exponent is not negative: callers reject negative ones.
static inline uint64_t nc_pow_u(uint64_t x, uint64_t y) {
    uint64_t result = 1;
    for (; y; y >>= 1, x *= x)
        if (y & 1) result *= x;
    return result;
}
static inline int64_t nc_pow_i(int64_t x, int64_t y) {
    return (int64_t)nc_pow_u((uint64_t)x, (uint64_t)y);
}

static inline double nc_mod_f64(double x, double y) {
    double r = fmod(x, y);
    if (y == 0 || isnan(r)) return r; // comparing a NaN would raise invalid
    if (r == 0) return copysign(0.0, y);
    return (y < 0) != (r < 0) ? r + y : r;
}
static inline float nc_mod_f32(float x, float y) {
    float r = fmodf(x, y);
    if (y == 0 || isnan(r)) return r; // comparing a NaN would raise invalid
    if (r == 0) return copysignf(0.0f, y);
    return (y < 0) != (r < 0) ? r + y : r;
}

// Computes the quotient from the remainder, so that both agree (Python's float_divmod).
static inline double nc_floordiv_f64(double x, double y) {
    if (y == 0) return x / y;
    double r = fmod(x, y), q = (x - r) / y;
    if (isnan(r)) return r;
    if (r != 0 && (y < 0) != (r < 0)) q -= 1;
    if (q == 0) return copysign(0.0, x / y);
    double whole = floor(q);
    return q - whole > 0.5 ? whole + 1 : whole;
}
static inline float nc_floordiv_f32(float x, float y) {
    if (y == 0) return x / y;
    float r = fmodf(x, y), q = (x - r) / y;
    if (isnan(r)) return r;
    if (r != 0 && (y < 0) != (r < 0)) q -= 1;
    if (q == 0) return copysignf(0.0f, x / y);
    float whole = floorf(q);
    return q - whole > 0.5f ? whole + 1 : whole;
}
#define nc_mod_f(x, y) NC_BY_SIZE(x, nc_mod_f32(x, y), nc_mod_f64(x, y))
#define nc_floordiv_f(x, y) NC_BY_SIZE(x, nc_floordiv_f32(x, y), nc_floordiv_f64(x, y))

// Rounds to nearest and always subtracts a correction: compilers vectorise a subtraction without
// -fno-trapping-math, but not a conditional. Keeps the sign of a zero.
#define NC_ROUNDINGS(T, S, rint, fabs, copysign)                              \
    static inline T nc_floor_##S(T x) {                                       \
        T whole = rint(x);                                                    \
        return whole - (T)(int)__builtin_isgreater(whole, x);                 \
    }                                                                         \
    static inline T nc_ceil_##S(T x) { return -nc_floor_##S(-x); }            \
    static inline T nc_trunc_##S(T x) { return copysign(nc_floor_##S(fabs(x)), x); }
NC_ROUNDINGS(double, f64, rint, fabs, copysign)
NC_ROUNDINGS(float, f32, rintf, fabsf, copysignf)

#define nc_floor(x) NC_BY_SIZE(x, nc_floor_f32(x), nc_floor_f64(x))
#define nc_ceil(x) NC_BY_SIZE(x, nc_ceil_f32(x), nc_ceil_f64(x))
#define nc_trunc(x) NC_BY_SIZE(x, nc_trunc_f32(x), nc_trunc_f64(x))

// min(max(x, low), high); NaN if any operand is.
static inline double nc_clip_f64(double x, double low, double high) {
    double y = x >= low || x != x ? x : low;
    return y <= high || y != y ? y : high;
}

static inline float nc_clip_f32(float x, float low, float high) {
    float y = x >= low || x != x ? x : low;
    return y <= high || y != y ? y : high;
}

#define nc_clip_f(x, y, z) NC_BY_SIZE(x, nc_clip_f32(x, y, z), nc_clip_f64(x, y, z))

// Computed in the operands' precision, as in NumPy, so that an overflow is reported there.
#define LOGADDEXP(T, N, S)                                                                          \
    static inline T nc_logaddexp_##N(T x, T y) {                                                   \
        if (x == y) return x + (T)0.6931471805599453;                                              \
        T d = x - y;                                                                               \
        return d > 0 ? x + log1p##S(exp##S(-d)) : d <= 0 ? y + log1p##S(exp##S(d)) : d;            \
    }                                                                                              \
    static inline T nc_logaddexp2_##N(T x, T y) {                                                  \
        if (x == y) return x + 1;                                                                  \
        T d = x - y, log2e = (T)1.4426950408889634;                                                \
        return d > 0    ? x + log2e * log1p##S(exp2##S(-d))                                        \
               : d <= 0 ? y + log2e * log1p##S(exp2##S(d))                                         \
                        : d;                                                                       \
    }
LOGADDEXP(float, f32, f)
LOGADDEXP(double, f64, )
#undef LOGADDEXP
#define nc_logaddexp(x, y) NC_BY_SIZE(x, nc_logaddexp_f32(x, y), nc_logaddexp_f64(x, y))
#define nc_logaddexp2(x, y) NC_BY_SIZE(x, nc_logaddexp2_f32(x, y), nc_logaddexp2_f64(x, y))

static inline double nc_ldexp(double x, double y) {
    return y != y ? y : ldexp(x, (int)(y > 10000 ? 10000 : y < -10000 ? -10000 : y));
}

// Computes what frexp() does, from the exponent bits, after scaling subnormal numbers by 2**54. Zeros,
// infinities and NaN are their own mantissas, with exponent 0.
static inline double nc_frexp(double x, int64_t *exponent) {
    union {
        double value;
        uint64_t bits;
    } at = {x};
    const uint64_t field = (uint64_t)0x7ff << 52;
    bool is_tiny = (at.bits & field) == 0;
    at.value = is_tiny ? x * 0x1p54 : x;
    bool is_plain = (at.bits & field) != 0 && (at.bits & field) != field;
    int64_t bias = is_tiny ? 1022 + 54 : 1022;
    *exponent = is_plain ? (int64_t)(at.bits >> 52 & 0x7ff) - bias : 0;
    at.bits = is_plain ? (at.bits & ~field) | (uint64_t)1022 << 52 : at.bits;
    return at.value;
}
static inline double nc_frexp_exponent(double x) {
    int64_t exponent;
    (void)nc_frexp(x, &exponent);
    return (double)exponent;
}
static inline double nc_frexp_mantissa(double x) {
    int64_t exponent;
    return nc_frexp(x, &exponent);
}

// Returns the fractional part, with the sign of x, also if it is 0.
static inline double nc_modf_f64(double x) {
    double whole;
    return modf(x, &whole);
}
static inline float nc_modf_f32(float x) {
    float whole;
    return modff(x, &whole);
}
#define nc_modf(x) NC_BY_SIZE(x, nc_modf_f32(x), nc_modf_f64(x))

// Returns one ulp of x, from the exponent bits. Adding and subtracting the ulp overflows where nextafter() would.
// Raises no flag for non-finite input, and makes no calls, so loops vectorise.
static inline double nc_spacing_f64(double x) {
    union {
        double value;
        uint64_t bits;
    } at = {x}, unit;
    uint64_t exponent = at.bits >> 52 & 0x7ff;
    bool is_negative = at.bits > (uint64_t)1 << 63;
    at.bits &= ~((uint64_t)1 << 63);
    uint64_t tiny = (uint64_t)1 << (exponent > 1 && exponent < 54 ? exponent - 1 : 0);
    unit.bits = exponent == 0x7ff ? (uint64_t)0x7ff8 << 48 : exponent > 52 ? (exponent - 52) << 52 : tiny;
    double size = (at.value + unit.value) - at.value;
    return is_negative ? -size : size;
}
static inline float nc_spacing_f32(float x) {
    union {
        float value;
        uint32_t bits;
    } at = {x}, unit;
    uint32_t exponent = at.bits >> 23 & 0xff;
    bool is_negative = at.bits > (uint32_t)1 << 31;
    at.bits &= ~((uint32_t)1 << 31);
    uint32_t tiny = (uint32_t)1 << (exponent > 1 && exponent < 25 ? exponent - 1 : 0);
    unit.bits = exponent == 0xff ? (uint32_t)0x7fc0 << 16 : exponent > 23 ? (exponent - 23) << 23 : tiny;
    float size = (at.value + unit.value) - at.value;
    return is_negative ? -size : size;
}
#define nc_spacing(x) NC_BY_SIZE(x, nc_spacing_f32(x), nc_spacing_f64(x))

// Halves are computed as floats. The distance to a neighbour is 2**-10 of the power of 2 below, at
// least 2**-24, and half of that from a power of 2 towards zero.
static inline float nc_nextafter_f16(float x, float y) {
    if (isnan(x) || isnan(y)) return x + y;
    if (x == y) return x;
    if (isinf(x)) return copysignf(65504, x);
    int exponent = (int)nc_frexp_exponent(x);
    bool shrinks = x != 0 && (y < x) == (x > 0), is_power = fabsf(x) == ldexpf(1.0f, exponent - 1);
    int step = exponent - 11 - (shrinks && is_power);
    float size = ldexpf(1.0f, x == 0 || step < -24 ? -24 : step);
    float next = y > x ? x + size : x - size; // beyond the largest half comes 65536, which
                                              // overflows when stored
    return next == 0 ? copysignf(next, x) : next;
}
// Returns the distance to the next number towards plus infinity; NaN raises invalid. Both differ from longer
// floats, as in NumPy.
static inline float nc_spacing_f16(float x) {
    float infinite = copysignf(INFINITY, x);
    float next = nc_nextafter_f16(x, INFINITY);
    return !isfinite(x) ? infinite - infinite : next > 65504 ? next : next - x;
}

static inline uint64_t nc_size(int64_t x) {
    return x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
}
static inline uint64_t nc_gcd(uint64_t x, uint64_t y) {
    while (x != 0) {
        uint64_t rest = y % x;
        y = x;
        x = rest;
    }
    return y;
}
static inline uint64_t nc_lcm(uint64_t x, uint64_t y) {
    uint64_t divisor = nc_gcd(x, y);
    return divisor ? x / divisor * y : 0;
}
static inline uint8_t nc_popcount(uint64_t x) {
    return (uint8_t)__builtin_popcountll(x);
}

// Byte-swaps an integer of this size.
static inline uint64_t nc_swap(uint64_t x, uint64_t size) {
    if (size == 1) return x;
    if (size == 2) return (x & 0xff) << 8 | (x >> 8 & 0xff);
    if (size == 4)
        return (x & 0xff) << 24 | (x & 0xff00) << 8 | (x >> 8 & 0xff00) | (x >> 24 & 0xff);
    x = (x & 0x00ff00ff00ff00ff) << 8 | (x >> 8 & 0x00ff00ff00ff00ff);
    x = (x & 0x0000ffff0000ffff) << 16 | (x >> 16 & 0x0000ffff0000ffff);
    return x << 32 | x >> 32;
}
static inline uint64_t nc_shl(uint64_t x, uint64_t y, uint64_t bits) {
    return y < bits ? x << y : 0;
}
static inline int64_t nc_shr_i(int64_t x, uint64_t y, uint64_t bits) {
    return y < bits ? x >> y : x < 0 ? -1 : 0;
}
static inline uint64_t nc_shr_u(uint64_t x, uint64_t y, uint64_t bits) {
    return y < bits ? x >> y : 0;
}

// C leaves the cast of a negative float to unsigned undefined. This casts to a signed integer first,
// which raises no flag.
ANY_FLOAT static inline uint64_t nc_to_unsigned(double x) {
    double beyond = x >= 0x1p63 ? 0x1p63 : 0;
    uint64_t low = (uint64_t)(int64_t)(x - beyond), high = (uint64_t)(int64_t)(beyond / 2) << 1;
    return low ^ high; // no selection between two conversions, since one would raise
}

#endif
