// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Complex functions for the expressions of ops.def, in C. Devices have the same arithmetic (complex_parts.h), and
// functions of their own (backends/emit/complex_functions.h).

#ifndef NACRE_BACKENDS_CPU_LOOPS_COMPLEX_MATH_H
#define NACRE_BACKENDS_CPU_LOOPS_COMPLEX_MATH_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __FMA__
#define MULTIPLIED(S, x, y, z) __builtin_fma##S(x, y, z)
#else
#define MULTIPLIED(S, x, y, z) ((x) * (y) + (z))
#endif
// Hides how v was computed from the compiler (gcc 12 fuses the two lines of a product even with
// contraction off).
#define OPAQUE(v) __asm__("" : "+m"(v))

typedef float _Complex Complex_c64;
typedef double _Complex Complex_c128;
#define RE(x) (__real__(x))
#define IM(x) (__imag__(x))
#define COMPLEX_PAIR(T, N)                        \
    static inline Complex_##N pair_##N(T re, T im) { \
        Complex_##N z;                            \
        __real__ z = re;                          \
        __imag__ z = im;                          \
        return z;                                 \
    }
COMPLEX_PAIR(float, c64)
COMPLEX_PAIR(double, c128)
#define COMPLEX_FUNCTION(name, N) name##_##N
#define COMPLEX_INLINE static inline

#include "backends/cpu/loops/complex_more.h"
#include "backends/cpu/loops/complex_parts.h"

// C library functions, declared here because <complex.h> defines `complex` as a macro.
float _Complex cexpf(float _Complex), clogf(float _Complex), cpowf(float _Complex, float _Complex);
double _Complex cexp(double _Complex), clog(double _Complex), cpow(double _Complex, double _Complex);
#define nc_cexp cexp
#define nc_clog clog
#define nc_cpow cpow
#define nc_cexpf cexpf
#define nc_clogf clogf
#define nc_cpowf cpowf
COMPLEX_PARTS(float, c64, c64, f)
COMPLEX_PARTS(double, c128, c128, )
COMPLEX_MORE(float, c64, c64, f)
COMPLEX_MORE(double, c128, c128, )

#define EITHER(fn, x) _Generic((x), float _Complex: fn##_c64, default: fn##_c128)
#define nc_truth_c(x) ((x) != 0)
#define nc_eq_c(x, y) ((x) == (y))
// Type-generic functions of <tgmath.h>, which loops_template.h includes.
#define nc_sqrt_c(x) sqrt(x)
#define nc_exp_c(x) exp(x)
#define nc_log_c(x) log(x)
#define nc_sin_c(x) sin(x)
#define nc_cos_c(x) cos(x)
#define nc_tan_c(x) tan(x)
#define nc_arcsin_c(x) asin(x)
#define nc_arccos_c(x) acos(x)
#define nc_arctan_c(x) atan(x)
#define nc_sinh_c(x) sinh(x)
#define nc_cosh_c(x) cosh(x)
#define nc_tanh_c(x) tanh(x)
#define nc_arcsinh_c(x) asinh(x)
#define nc_arccosh_c(x) acosh(x)
#define nc_arctanh_c(x) atanh(x)
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
