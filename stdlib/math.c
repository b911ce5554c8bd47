// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Module math: functions of real numbers, constants, and the table of all functions.

#include <float.h>
#include <math.h>

#include "stdlib/math_impl.h"
#include "stdlib/stdlib.h"
#include "vm/value/class.h"
#include "vm/value/int.h"
#include "vm/value/num_methods.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"

Status math_domain_error(Vm *vm) {
    return vm_raise(vm, EXC_ValueError, "math domain error");
}

Status math_range_error(Vm *vm) {
    return vm_raise(vm, EXC_OverflowError, "math range error");
}

// --- Functions of one number --------------------------------------------------------------------

typedef double (*RealFn)(double);
typedef enum Overflow { NO_OVERFLOW, MAY_OVERFLOW } Overflow;

// Applies fn. Raises an error for a nan of an argument that is not nan, and for an infinity of a finite argument,
// which is an overflow or a pole.
static Status apply(Vm *vm, Value arg, RealFn fn, Overflow overflow, Value *out) {
    double x;
    Status st = op_as_double(vm, arg, &x);
    if (st != ST_OK) return st;
    double y = fn(x);
    if (isnan(y) && !isnan(x)) return math_domain_error(vm);
    if (isinf(y) && isfinite(x))
        return overflow == MAY_OVERFLOW ? math_range_error(vm) : math_domain_error(vm);
    *out = v_float(y);
    return ST_OK;
}

static double degrees(double x) {
    return x * (180.0 / M_PI);
}

static double radians(double x) {
    return x * (M_PI / 180.0);
}

#define REAL_FUNCTIONS(FN)      \
    FN(acos, NO_OVERFLOW)       \
    FN(acosh, NO_OVERFLOW)      \
    FN(asin, NO_OVERFLOW)       \
    FN(asinh, NO_OVERFLOW)      \
    FN(atan, NO_OVERFLOW)       \
    FN(atanh, NO_OVERFLOW)      \
    FN(cbrt, NO_OVERFLOW)       \
    FN(cos, NO_OVERFLOW)        \
    FN(cosh, MAY_OVERFLOW)      \
    FN(erf, NO_OVERFLOW)        \
    FN(erfc, NO_OVERFLOW)       \
    FN(exp, MAY_OVERFLOW)       \
    FN(exp2, MAY_OVERFLOW)      \
    FN(expm1, MAY_OVERFLOW)     \
    FN(fabs, NO_OVERFLOW)       \
    FN(log1p, NO_OVERFLOW)      \
    FN(sin, NO_OVERFLOW)        \
    FN(sinh, MAY_OVERFLOW)      \
    FN(sqrt, NO_OVERFLOW)       \
    FN(tan, NO_OVERFLOW)        \
    FN(tanh, NO_OVERFLOW)

#define DEFINE(name, overflow)                                              \
    static Status math_##name(Vm *vm, const Value *args, Value *out) {      \
        return apply(vm, args[0], name, overflow, out);                     \
    }
REAL_FUNCTIONS(DEFINE)
#undef DEFINE

// degrees and radians do not use apply(), as an infinite result of a finite argument is no error for them.
static Status math_degrees(Vm *vm, const Value *args, Value *out) {
    double x;
    Status st = op_as_double(vm, args[0], &x);
    if (st == ST_OK) *out = v_float(degrees(x));
    return st;
}

static Status math_radians(Vm *vm, const Value *args, Value *out) {
    double x;
    Status st = op_as_double(vm, args[0], &x);
    if (st == ST_OK) *out = v_float(radians(x));
    return st;
}

// For an integer n up to 23, gamma(n) = (n - 1)! is exact.
static Status math_gamma(Vm *vm, const Value *args, Value *out) {
    enum { LAST_EXACT = 23 };
    double x;
    Status st = op_as_double(vm, args[0], &x);
    if (st != ST_OK) return st;
    bool whole = isfinite(x) && x == floor(x);
    if ((whole && x <= 0) || (isinf(x) && x < 0)) return math_domain_error(vm);
    double y = 1;
    if (whole && x <= LAST_EXACT) {
        for (double n = 2; n < x; n++) y *= n;
    } else {
        y = tgamma(x);
    }
    if (isinf(y) && isfinite(x)) return math_range_error(vm);
    *out = v_float(y);
    return ST_OK;
}

static Status math_lgamma(Vm *vm, const Value *args, Value *out) {
    double x;
    Status st = op_as_double(vm, args[0], &x);
    if (st != ST_OK) return st;
    if (isfinite(x) && x == floor(x) && x <= 0) return math_domain_error(vm);
    int sign;
    double y = lgamma_r(x, &sign); // reentrant: lgamma writes the sign to a global
    if (isinf(y) && isfinite(x)) return math_range_error(vm);
    *out = v_float(y);
    return ST_OK;
}

static Status math_ulp(Vm *vm, const Value *args, Value *out) {
    double x;
    Status st = op_as_double(vm, args[0], &x);
    if (st != ST_OK) return st;
    x = fabs(x);
    if (isfinite(x)) {
        double above = nextafter(x, INFINITY);
        x = isinf(above) ? x - nextafter(x, 0) : above - x;
    }
    *out = v_float(x);
    return ST_OK;
}

#define CLASSIFY(name)                                                      \
    static Status math_##name(Vm *vm, const Value *args, Value *out) {      \
        double x;                                                           \
        Status st = op_as_double(vm, args[0], &x);                          \
        if (st == ST_OK) *out = v_bool(name(x));                            \
        return st;                                                          \
    }
CLASSIFY(isfinite)
CLASSIFY(isinf)
CLASSIFY(isnan)
#undef CLASSIFY

// --- Logarithms ---------------------------------------------------------------------------------

// Takes the logarithm of a number, also of an int beyond the range of floats.
static Status logarithm(Vm *vm, Value arg, RealFn fn, double *out) {
    Value v = unwrap(arg);
    double x = 0;
    int64_t exponent = 0;
    if (v.kind == K_BIGINT) {
        x = int_frexp(v, &exponent);
    } else {
        Status st = op_as_double(vm, arg, &x);
        if (st != ST_OK) return st;
    }
    if (x <= 0) return math_domain_error(vm);
    if (v.kind == K_BIGINT && exponent <= DBL_MAX_EXP) {
        *out = fn(ldexp(x, (int)exponent));
        if (!isinf(*out)) return ST_OK;
    }
    *out = exponent ? fn(x) + fn(2.0) * (double)exponent : fn(x);
    return ST_OK;
}

static Status math_log(Vm *vm, const Value *args, Value *out) {
    double x, base;
    Status st = logarithm(vm, args[0], log, &x);
    if (st != ST_OK) return st;
    if (args[1].kind == K_UNDEF) {
        *out = v_float(x);
        return ST_OK;
    }
    st = logarithm(vm, args[1], log, &base);
    return st == ST_OK ? num_binary(vm, BIN_DIV, v_float(x), v_float(base), out) : st;
}

static Status math_log2(Vm *vm, const Value *args, Value *out) {
    double y;
    Status st = logarithm(vm, args[0], log2, &y);
    if (st == ST_OK) *out = v_float(y);
    return st;
}

static Status math_log10(Vm *vm, const Value *args, Value *out) {
    double y;
    Status st = logarithm(vm, args[0], log10, &y);
    if (st == ST_OK) *out = v_float(y);
    return st;
}

// --- Functions of two numbers -------------------------------------------------------------------

static Status two_doubles(Vm *vm, const Value *args, double *x, double *y) {
    Status st = op_as_double(vm, args[0], x);
    return st == ST_OK ? op_as_double(vm, args[1], y) : st;
}

static Status math_atan2(Vm *vm, const Value *args, Value *out) {
    double y, x;
    Status st = two_doubles(vm, args, &y, &x);
    if (st == ST_OK) *out = v_float(atan2(y, x));
    return st;
}

static Status math_copysign(Vm *vm, const Value *args, Value *out) {
    double x, y;
    Status st = two_doubles(vm, args, &x, &y);
    if (st == ST_OK) *out = v_float(copysign(x, y));
    return st;
}

static Status math_nextafter(Vm *vm, const Value *args, Value *out) {
    double x, y;
    Status st = two_doubles(vm, args, &x, &y);
    if (st == ST_OK) *out = v_float(nextafter(x, y));
    return st;
}

static Status remainder_with(Vm *vm, const Value *args, double (*fn)(double, double),
                             Value *out) {
    double x, y;
    Status st = two_doubles(vm, args, &x, &y);
    if (st != ST_OK) return st;
    double rest = fn(x, y);
    if (isnan(rest) && !isnan(x) && !isnan(y)) return math_domain_error(vm);
    *out = v_float(rest);
    return ST_OK;
}

static Status math_fmod(Vm *vm, const Value *args, Value *out) {
    return remainder_with(vm, args, fmod, out);
}

static Status math_remainder(Vm *vm, const Value *args, Value *out) {
    return remainder_with(vm, args, remainder, out);
}

static Status math_pow(Vm *vm, const Value *args, Value *out) {
    double x, y;
    Status st = two_doubles(vm, args, &x, &y);
    if (st != ST_OK) return st;
    double power = pow(x, y);
    if (isfinite(x) && isfinite(y) && !isfinite(power))
        return isnan(power) || x == 0 ? math_domain_error(vm) : math_range_error(vm);
    *out = v_float(power);
    return ST_OK;
}

static bool close(double a, double b, double relative, double absolute) {
    if (a == b) return true;
    if (isinf(a) || isinf(b)) return false;
    double apart = fabs(b - a);
    return apart <= fabs(relative * b) || apart <= fabs(relative * a) || apart <= absolute;
}

static Status math_isclose(Vm *vm, const Value *args, Value *out) {
    double a, b, relative, absolute;
    Status st = two_doubles(vm, args, &a, &b);
    if (st == ST_OK) st = two_doubles(vm, args + 2, &relative, &absolute);
    if (st != ST_OK) return st;
    if (relative < 0 || absolute < 0)
        return vm_raise(vm, EXC_ValueError, "tolerances must be non-negative");
    *out = v_bool(close(a, b, relative, absolute));
    return ST_OK;
}

// --- Taking numbers apart -----------------------------------------------------------------------

static Status math_frexp(Vm *vm, const Value *args, Value *out) {
    double x;
    Status st = op_as_double(vm, args[0], &x);
    if (st != ST_OK) return st;
    int exponent = 0;
    if (isfinite(x)) x = frexp(x, &exponent);
    return tuple_of(vm, (Value[]){v_float(x), v_int(exponent)}, 2, out);
}

static Status math_modf(Vm *vm, const Value *args, Value *out) {
    double x, whole;
    Status st = op_as_double(vm, args[0], &x);
    if (st != ST_OK) return st;
    double fraction = modf(x, &whole);
    return tuple_of(vm, (Value[]){v_float(fraction), v_float(whole)}, 2, out);
}

static Status math_ldexp(Vm *vm, const Value *args, Value *out) {
    enum { FAR = 100000 }; // beyond the exponent of any double
    double x;
    Status st = op_as_double(vm, args[0], &x);
    if (st != ST_OK) return st;
    Value exponent = unwrap(args[1]);
    if (!is_int(exponent))
        return vm_raise(vm, EXC_TypeError, "Expected an int as second argument to ldexp.");
    int64_t e;
    if (!int_to_i64(exponent, &e)) e = int_sign(exponent) < 0 ? -FAR : FAR;
    e = e < -FAR ? -FAR : e > FAR ? FAR : e;
    double y = ldexp(x, (int)e);
    if (isinf(y) && isfinite(x)) return math_range_error(vm);
    *out = v_float(y);
    return ST_OK;
}

// --- To ints ------------------------------------------------------------------------------------

static Status rounded(Vm *vm, Value arg, NameId method, RealFn fn, Value *out) {
    if (op_user_method(vm, arg, method)) return ST_DEFER;
    Value v = unwrap(arg);
    if (is_int(v)) return int_unary(vm, UN_POS, v, out);
    double x;
    Status st = op_as_double(vm, arg, &x);
    return st == ST_OK ? int_from_double(vm, fn(x), out) : st;
}

static Status math_floor(Vm *vm, const Value *args, Value *out) {
    return rounded(vm, args[0], NAME_floor, floor, out);
}

static Status math_ceil(Vm *vm, const Value *args, Value *out) {
    return rounded(vm, args[0], NAME_ceil, ceil, out);
}

static Status math_trunc(Vm *vm, const Value *args, Value *out) {
    Value v = unwrap(args[0]);
    if (op_user_method(vm, args[0], NAME_trunc)) return ST_DEFER;
    Status st = v.kind == K_INSTANCE ? ST_NOTIMPL : num_to_int(vm, v, out);
    if (st != ST_NOTIMPL) return st;
    return vm_raise(vm, EXC_TypeError, "type %s doesn't define __trunc__ method",
                    type_name(vm, args[0]));
}

// --- The module ---------------------------------------------------------------------------------

#define ONE(name) {#name, "x, /", math_##name, "math_" #name "_slow", PURE}
#define TWO(name) {#name, "x, y, /", math_##name, "math_" #name "_slow", PURE}
#define ROW(name, overflow) ONE(name),

const NativeDef math_functions[] = {
    REAL_FUNCTIONS(ROW)
    ONE(ceil),
    ONE(degrees),
    ONE(floor),
    ONE(frexp),
    ONE(gamma),
    ONE(isfinite),
    ONE(isinf),
    ONE(isnan),
    ONE(lgamma),
    ONE(log10),
    ONE(log2),
    ONE(modf),
    ONE(radians),
    ONE(trunc),
    ONE(ulp),
    TWO(copysign),
    TWO(fmod),
    TWO(nextafter),
    TWO(pow),
    TWO(remainder),
    {"atan2", "y, x, /", math_atan2, "math_atan2_slow", PURE},
    {"comb", "n, k, /", math_comb, "math_comb_slow", PURE},
    {"dist", "p, q, /", math_dist, "math_dist_slow", PURE},
    {"factorial", "n, /", math_factorial, "math_factorial_slow", PURE},
    {"fsum", "seq, /", math_fsum, "math_fsum_slow", PURE},
    {"gcd", "*integers", math_gcd, "math_gcd_slow", PURE},
    {"hypot", "*coordinates", math_hypot, "math_hypot_slow", PURE},
    {"isclose", "a, b, *, rel_tol=1e-09, abs_tol=0.0", math_isclose, "math_isclose_slow", PURE},
    {"isqrt", "n, /", math_isqrt, "math_isqrt_slow", PURE},
    {"lcm", "*integers", math_lcm, "math_lcm_slow", PURE},
    {"ldexp", "x, i, /", math_ldexp, "math_ldexp_slow", PURE},
    {"log", "x, base=?, /", math_log, "math_log_slow", PURE},
    {"perm", "n, k=None, /", math_perm, "math_perm_slow", PURE},
    {"prod", "iterable, /, *, start=1", math_prod, "math_prod_slow", PURE},
    {NULL, NULL, NULL, NULL, PURE},
};

Status math_init(Vm *vm, Module *module) {
    static const struct {
        const char *name;
        double value;
    } constants[] = {
        {"pi", M_PI}, {"e", M_E}, {"tau", 2 * M_PI}, {"inf", INFINITY}, {"nan", NAN},
    };
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
        Status st = module_set(vm, module, constants[i].name, v_float(constants[i].value));
        if (st != ST_OK) return st;
    }
    return ST_OK;
}
