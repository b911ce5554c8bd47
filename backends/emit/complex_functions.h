// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Functions of complex numbers on devices, built into OpenCL C and CUDA C after complex_parts.h. Special values are
// those of Annex G of C. All are computed in double; those of complex64 are rounded once.
//
// Inverse functions: W. Kahan, "Branch Cuts for Complex Elementary Functions" (1987). Errors are small relative to the
// complex number, not to each of its parts.

#ifndef NACRE_BACKENDS_EMIT_COMPLEX_FUNCTIONS_H
#define NACRE_BACKENDS_EMIT_COMPLEX_FUNCTIONS_H

static inline Complex_c128 complex_of(double re, double im) {
    return pair_c128(re, im);
}

// i * x and -i * x.
static inline Complex_c128 turned(Complex_c128 x) {
    return complex_of(-IM(x), RE(x));
}
static inline Complex_c128 turned_back(Complex_c128 x) {
    return complex_of(IM(x), -RE(x));
}

// --- Exponential functions ---------------------------------------------------------------------------

// Returns scale * exp(a), also where exp(a) alone overflows.
static inline double scaled_exp(double scale, double a) {
    if (a > 2200) a = 2200;
    for (; a > 700; a -= 700) scale *= 1.0142320547350045e304; // exp(700)
    return scale * exp(a);
}

static inline Complex_c128 complex_exp(Complex_c128 x) {
    double a = RE(x), b = IM(x);
    if (b == 0) return complex_of(exp(a), b);
    if (isfinite(b)) {
        double s = sin(b), c = cos(b);
        if (isinf(a)) return complex_of(copysign(a < 0 ? 0.0 : INFINITY, c), copysign(a < 0 ? 0.0 : INFINITY, s));
        return complex_of(scaled_exp(c, a), scaled_exp(s, a));
    }
    if (isinf(a)) return a < 0 ? complex_of(0, copysign(0.0, b)) : complex_of(a, b - b);
    return complex_of(b - b, b - b);
}

// Returns scale * exp(a) / 2, which hyperbolic functions of large arguments are equal to.
static inline double half_exp(double scale, double a) {
    return scaled_exp(scale * 0.5, a);
}

static inline Complex_c128 complex_sinh(Complex_c128 x) {
    double a = RE(x), b = IM(x);
    if (b == 0) return complex_of(sinh(a), b);
    if (a == 0) return isfinite(b) ? complex_of(a * cos(b), sin(b)) : complex_of(a, b - b);
    if (isfinite(a) && isfinite(b)) {
        double s = sin(b), c = cos(b), size = fabs(a);
        if (size < 22) return complex_of(sinh(a) * c, cosh(a) * s);
        return complex_of(copysign(half_exp(fabs(c), size), a < 0 ? -c : c), half_exp(s, size));
    }
    if (isinf(a) && isfinite(b)) return complex_of(copysign(a, a * cos(b)), copysign((double)INFINITY, sin(b)));
    return complex_of(isinf(a) ? fabs(a) : a - a + (b - b), b - b + (isinf(a) ? 0 : a - a));
}

static inline Complex_c128 complex_cosh(Complex_c128 x) {
    double a = RE(x), b = IM(x);
    if (b == 0) return complex_of(cosh(a), isnan(a) ? b : copysign(0.0, a) * b);
    if (a == 0) return complex_of(isfinite(b) ? cos(b) : b - b, isfinite(b) ? a * sin(b) : 0.0);
    if (isfinite(a) && isfinite(b)) {
        double s = sin(b), c = cos(b), size = fabs(a);
        if (size < 22) return complex_of(cosh(a) * c, sinh(a) * s);
        return complex_of(half_exp(c, size), half_exp(a < 0 ? -s : s, size));
    }
    if (isinf(a) && isfinite(b))
        return complex_of(copysign((double)INFINITY, cos(b)), copysign((double)INFINITY, a * sin(b)));
    return complex_of(isinf(a) ? (double)INFINITY : a - a + (b - b), b - b + (isinf(a) ? 0 : a - a));
}

static inline Complex_c128 complex_tanh(Complex_c128 x) {
    double a = RE(x), b = IM(x);
    if (!isfinite(a)) {
        if (isinf(a)) return complex_of(copysign(1.0, a), copysign(0.0, isfinite(b) ? sin(b) * cos(b) : b));
        return complex_of(a, b == 0 ? b : b - b + a);
    }
    if (!isfinite(b)) return complex_of(a == 0 ? a : b - b, b - b);
    if (fabs(a) >= 22) return complex_of(copysign(1.0, a), 4 * sin(b) * cos(b) * exp(-2 * fabs(a)));
    double t = tan(b), beta = 1 + t * t, s = sinh(a), rho = sqrt(1 + s * s), low = 1 + beta * s * s;
    if (isinf(t)) return complex_of(rho / s, 1 / t);
    return complex_of(beta * rho * s / low, t / low);
}

static inline Complex_c128 complex_sin(Complex_c128 x) {
    if (isinf(IM(x)) && !isfinite(RE(x))) return complex_of(RE(x) - RE(x), INFINITY);
    return turned_back(complex_sinh(turned(x)));
}
static inline Complex_c128 complex_cos(Complex_c128 x) {
    return complex_cosh(turned(x));
}
static inline Complex_c128 complex_tan(Complex_c128 x) {
    return turned_back(complex_tanh(turned(x)));
}

// --- Roots and logarithms ----------------------------------------------------------------------------

static inline Complex_c128 complex_sqrt(Complex_c128 x) {
    double a = RE(x), b = IM(x), back = 1;
    if (isinf(b)) return complex_of(INFINITY, b);
    if (isnan(a)) return complex_of(a, a);
    if (isinf(a)) return a < 0 ? complex_of(fabs(b - b), copysign(a, b)) : complex_of(a, copysign(b - b, b));
    if (isnan(b)) return complex_of(b, b);
    if (a == 0 && b == 0) return complex_of(0, b);
    if (fabs(a) > 0x1p1000 || fabs(b) > 0x1p1000) {
        a *= 0x1p-4, b *= 0x1p-4, back = 4;
    } else if (fabs(a) < 0x1p-900 && fabs(b) < 0x1p-900) {
        a *= 0x1p200, b *= 0x1p200, back = 0x1p-100;
    }
    double t = sqrt((fabs(a) + hypot(a, b)) * 0.5), other = fabs(b) / (2 * t);
    return a >= 0 ? complex_of(t * back, copysign(other * back, b)) : complex_of(other * back, copysign(t * back, b));
}

// Where the larger part is near 1, computes log|x| as log1p(|x|^2 - 1) / 2, so that a result near 0 is accurate.
static inline Complex_c128 complex_log(Complex_c128 x) {
    double a = RE(x), b = IM(x), angle = atan2(b, a), most = fmax(fabs(a), fabs(b)), least = fmin(fabs(a), fabs(b));
    if (isnan(angle)) return complex_of(hypot(a, b), angle);
    if (most > 0.5 && most < 1.5) return complex_of(0.5 * log1p((most - 1) * (most + 1) + least * least), angle);
    if (most > 0x1p1000 && isfinite(most))
        return complex_of(log(hypot(a * 0.25, b * 0.25)) + 1.3862943611198906, angle);
    if (most < 0x1p-1000 && most > 0)
        return complex_of(log(hypot(a * 0x1p100, b * 0x1p100)) - 69.31471805599453, angle);
    return complex_of(log(hypot(a, b)), angle);
}

// --- Inverse functions -------------------------------------------------------------------------------

// Returns log(2 * |a + i b|), for numbers so large that adding 1 to them changes nothing.
static inline double double_log(double a, double b) {
    return RE(complex_log(complex_of(a, b))) + 0.6931471805599453;
}
static inline bool is_huge(double a, double b) {
    return fabs(a) > 0x1p500 || fabs(b) > 0x1p500;
}

static inline Complex_c128 complex_asinh(Complex_c128 x) {
    double a = RE(x), b = IM(x);
    if (isinf(a) || isinf(b)) {
        if (isnan(a)) return complex_of(INFINITY, a);
        if (isnan(b)) return complex_of(a, b);
        double angle = isinf(b) ? (isinf(a) ? 0.7853981633974483 : 1.5707963267948966) : 0.0;
        return complex_of(copysign((double)INFINITY, a), copysign(angle, b));
    }
    if (isnan(a) || isnan(b)) return complex_of(a + b, b == 0 ? b : a + b);
    if (is_huge(a, b)) return complex_of(copysign(double_log(a, b), a), copysign(atan2(fabs(b), fabs(a)), b));
    // asinh(x) = -i asin(i x), and the roots of 1 - i x and 1 + i x
    Complex_c128 s = complex_sqrt(complex_of(1 + b, -a)), t = complex_sqrt(complex_of(1 - b, a));
    double im = atan2(-b, RE(s) * RE(t) - IM(s) * IM(t)), re = asinh(RE(s) * IM(t) - IM(s) * RE(t));
    return complex_of(copysign(fabs(re), a), copysign(fabs(im), b));
}

static inline Complex_c128 complex_asin(Complex_c128 x) {
    if (isinf(RE(x)) && isnan(IM(x))) return complex_of(IM(x), INFINITY);
    return turned_back(complex_asinh(turned(x)));
}

static inline Complex_c128 complex_acos(Complex_c128 x) {
    double a = RE(x), b = IM(x);
    if (isinf(a) || isinf(b)) {
        if (isnan(a)) return complex_of(a, -b);
        if (isnan(b)) return complex_of(b, -INFINITY);
        double angle = isinf(b) ? (isinf(a) ? (a < 0 ? 2.356194490192345 : 0.7853981633974483) : 1.5707963267948966)
                                : (a < 0 ? 3.141592653589793 : 0.0);
        return complex_of(angle, copysign((double)INFINITY, -b));
    }
    if (isnan(a) || isnan(b)) return complex_of(a == 0 ? 1.5707963267948966 : a + b, a + b);
    if (is_huge(a, b)) return complex_of(atan2(fabs(b), a), copysign(double_log(a, b), -b));
    Complex_c128 s = complex_sqrt(complex_of(1 - a, -b)), t = complex_sqrt(complex_of(1 + a, b));
    double im = asinh(IM(s) * RE(t) - IM(t) * RE(s));
    return complex_of(2 * atan2(RE(s), RE(t)), copysign(fabs(im), -b));
}

// Returns i * acos(x) or -i * acos(x), whichever has a real part that is not negative.
static inline Complex_c128 complex_acosh(Complex_c128 x) {
    Complex_c128 y = complex_acos(x);
    if (isnan(RE(y)) && isnan(IM(y))) return complex_of(RE(y), IM(y));
    if (isnan(RE(y))) return complex_of(fabs(IM(y)), RE(y));
    if (isnan(IM(y))) return complex_of(IM(y), RE(x) == 0 ? RE(y) : IM(y));
    return complex_of(fabs(IM(y)), copysign(RE(y), IM(x)));
}

static inline Complex_c128 complex_atanh(Complex_c128 x) {
    double a = RE(x), b = IM(x);
    if (isinf(a) || isinf(b)) {
        double angle = isnan(b) ? b : copysign(1.5707963267948966, b);
        return complex_of(copysign(0.0, isnan(a) ? 0.0 : a), angle);
    }
    if (isnan(a) || isnan(b)) return complex_of(a == 0 ? a : a + b, a + b);
    double size = fabs(a), far = 1 - size, re, im;
    if (is_huge(a, b)) { // the real part is that of 1 / x, the imaginary part pi / 2
        double most = fmax(size, fabs(b)), u = size / most, v = b / most;
        return complex_of(copysign(u / (u * u + v * v) / most, a), copysign(1.5707963267948966, b));
    }
    double below = far * far + b * b;
    if (below < 0x1p-900)
        re = b == 0 && far == 0 ? (double)INFINITY : 0.5 * (log(hypot(1 + size, b)) - log(hypot(far, b)));
    else
        re = 0.25 * log1p(4 * size / below);
    im = 0.5 * atan2(2 * b, far * (1 + size) - b * b);
    return complex_of(copysign(re, a), im);
}

static inline Complex_c128 complex_atan(Complex_c128 x) {
    Complex_c128 y = turned_back(complex_atanh(turned(x)));
    return isinf(RE(x)) && isnan(IM(x)) ? complex_of(RE(y), 0) : y;
}

// --- Names -------------------------------------------------------------------------------------------

static inline Complex_c128 wide_of(Complex_c64 x) {
    return complex_of((double)RE(x), (double)IM(x));
}
static inline Complex_c64 narrow_of(Complex_c128 x) {
    return pair_c64((float)RE(x), (float)IM(x));
}

#define nc_cexp complex_exp
#define nc_clog complex_log
#define nc_cexpf(x) narrow_of(complex_exp(wide_of(x)))
#define nc_clogf(x) narrow_of(complex_log(wide_of(x)))

// Powers are exp(y * log(x)), as on the host. The product is that of Annex G: with an infinite operand it is infinite.
#define COMPLEX_POWER(T, N, S)                                                                                        \
    static inline T part_of_##N(T x, bool whole) {                                                                    \
        return copysign(isinf(x) ? (T)1 : isnan(x) || whole ? (T)0 : x, x);                                           \
    }                                                                                                                 \
    static inline Complex_##N annex_mul_##N(Complex_##N x, Complex_##N y) {                                           \
        T a = RE(x), b = IM(x), c = RE(y), d = IM(y), ac = a * c, bd = b * d, ad = a * d, bc = b * c;                 \
        bool first = isinf(a) || isinf(b), second = isinf(c) || isinf(d);                                             \
        if (!isnan(ac - bd) || !isnan(ad + bc)) return pair_##N(ac - bd, ad + bc);                                    \
        bool all = !first && !second && !isinf(ac) && !isinf(bd) && !isinf(ad) && !isinf(bc);                         \
        if (all) return pair_##N(ac - bd, ad + bc);                                                                   \
        a = part_of_##N(a, first), b = part_of_##N(b, first), c = part_of_##N(c, second), d = part_of_##N(d, second); \
        return pair_##N((T)INFINITY * (a * c - b * d), (T)INFINITY * (a * d + b * c));                                \
    }                                                                                                                 \
    static inline Complex_##N nc_cpow##S(Complex_##N x, Complex_##N y) {                                              \
        return nc_cexp##S(annex_mul_##N(y, nc_clog##S(x)));                                                           \
    }
COMPLEX_POWER(float, c64, f)
COMPLEX_POWER(double, c128, )

#define COMPLEX_NAMED(name)                                                                                    \
    COMPLEX_INLINE Complex_c128 name##_c(Complex_c128 x) { return complex_##name(x); }     \
    COMPLEX_INLINE Complex_c64 name##_c(Complex_c64 x) {                                    \
        return narrow_of(complex_##name(wide_of(x)));                                                         \
    }
COMPLEX_NAMED(exp)
COMPLEX_NAMED(log)
COMPLEX_NAMED(sqrt)
COMPLEX_NAMED(sin)
COMPLEX_NAMED(cos)
COMPLEX_NAMED(tan)
COMPLEX_NAMED(asin)
COMPLEX_NAMED(acos)
COMPLEX_NAMED(atan)
COMPLEX_NAMED(sinh)
COMPLEX_NAMED(cosh)
COMPLEX_NAMED(tanh)
COMPLEX_NAMED(asinh)
COMPLEX_NAMED(acosh)
COMPLEX_NAMED(atanh)

#define nc_sqrt_c(x) sqrt_c(x)
#define nc_exp_c(x) exp_c(x)
#define nc_log_c(x) log_c(x)
#define nc_sin_c(x) sin_c(x)
#define nc_cos_c(x) cos_c(x)
#define nc_tan_c(x) tan_c(x)
#define nc_arcsin_c(x) asin_c(x)
#define nc_arccos_c(x) acos_c(x)
#define nc_arctan_c(x) atan_c(x)
#define nc_sinh_c(x) sinh_c(x)
#define nc_cosh_c(x) cosh_c(x)
#define nc_tanh_c(x) tanh_c(x)
#define nc_arcsinh_c(x) asinh_c(x)
#define nc_arccosh_c(x) acosh_c(x)
#define nc_arctanh_c(x) atanh_c(x)
#define nc_exp2_c(x) exp2_c(x)
#define nc_log2_c(x) log2_c(x)
#define nc_log10_c(x) log10_c(x)
#define nc_log1p_c(x) log1p_c(x)
#define nc_expm1_c(x) expm1_c(x)
#define nc_pow_c(x, y) pow_c(x, y)

#endif
