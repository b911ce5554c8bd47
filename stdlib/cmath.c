// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Module cmath: functions of complex numbers, by those of the C library.

#include <complex.h>
#include <math.h>
#undef complex // macros of <complex.h> whose names are used here as well
#undef I

#include "stdlib/math_impl.h"
#include "stdlib/stdlib.h"
#include "vm/value/class.h"
#include "vm/value/num_methods.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"

typedef double _Complex Cplx;

// Makes a complex number from its parts by way of memory: re + im * I would lose signs of zeros and turn infinities
// into nan.
static Cplx complex_of(double re, double im) {
    union {
        double parts[2];
        Cplx z;
    } pair = {{re, im}};
    return pair.z;
}

static Status complex_arg(Vm *vm, Value v, Cplx *out) {
    double re, im;
    Status st = num_to_complex(vm, v, &re, &im);
    if (st == ST_NOTIMPL)
        return vm_raise(vm, EXC_TypeError, "must be real number, not %s", type_name(vm, v));
    if (st == ST_OK) *out = complex_of(re, im);
    return st;
}

static bool is_finite(Cplx z) {
    return isfinite(creal(z)) && isfinite(cimag(z));
}

static bool is_infinite(Cplx z) {
    return isinf(creal(z)) || isinf(cimag(z));
}

// --- Functions of one number --------------------------------------------------------------------

// The arguments outside the domain of a function. All of them have an infinite part.
typedef enum Domain {
    EVERYWHERE,         // none
    NO_INFINITE_IMAG,   // cosh, sinh: infinite imaginary part, unless the real part is nan
    NO_INFINITE_GROWTH, // exp: the same, but the real part may be minus infinity
    NO_FINITE_STRIP,    // tanh: infinite imaginary part, finite real part
    NO_INFINITE_REAL,   // cos, sin: infinite real part, unless the imaginary part is nan
    NO_FINITE_COLUMN,   // tan: infinite real part, finite imaginary part
} Domain;

static bool outside(Domain domain, double re, double im) {
    switch (domain) {
    case NO_INFINITE_IMAG: return isinf(im) && !isnan(re);
    case NO_INFINITE_GROWTH: return isinf(im) && !isnan(re) && !(isinf(re) && re < 0);
    case NO_FINITE_STRIP: return isinf(im) && isfinite(re);
    case NO_INFINITE_REAL: return isinf(re) && !isnan(im);
    case NO_FINITE_COLUMN: return isinf(re) && isfinite(im);
    default: return false;
    }
}

// CPython returns nan in both parts where C17's ctanh(0 + nan i) and ctan(nan + 0i) leave a zero in one.
static Cplx tanh_of(Cplx z) {
    return creal(z) == 0 && isnan(cimag(z)) ? complex_of(NAN, NAN) : ctanh(z);
}

static Cplx tan_of(Cplx z) {
    return cimag(z) == 0 && isnan(creal(z)) ? complex_of(NAN, NAN) : ctan(z);
}

typedef Cplx (*ComplexFn)(Cplx);

static Status apply(Vm *vm, Value arg, ComplexFn fn, Domain domain, Value *out) {
    Cplx z = 0;
    Status st = complex_arg(vm, arg, &z);
    if (st != ST_OK) return st;
    if (outside(domain, creal(z), cimag(z))) return math_domain_error(vm);
    Cplx w = fn(z);
    if (is_infinite(w) && is_finite(z)) return math_range_error(vm);
    return complex_out(vm, creal(w), cimag(w), out);
}

#define COMPLEX_FUNCTIONS(FN)                \
    FN(acos, cacos, EVERYWHERE)              \
    FN(acosh, cacosh, EVERYWHERE)            \
    FN(asin, casin, EVERYWHERE)              \
    FN(asinh, casinh, EVERYWHERE)            \
    FN(cos, ccos, NO_INFINITE_REAL)          \
    FN(cosh, ccosh, NO_INFINITE_IMAG)        \
    FN(exp, cexp, NO_INFINITE_GROWTH)        \
    FN(sin, csin, NO_INFINITE_REAL)          \
    FN(sinh, csinh, NO_INFINITE_IMAG)        \
    FN(sqrt, csqrt, EVERYWHERE)              \
    FN(tan, tan_of, NO_FINITE_COLUMN)        \
    FN(tanh, tanh_of, NO_FINITE_STRIP)

#define DEFINE(name, fn, domain)                                            \
    static Status cmath_##name(Vm *vm, const Value *args, Value *out) {     \
        return apply(vm, args[0], fn, domain, out);                         \
    }
COMPLEX_FUNCTIONS(DEFINE)
#undef DEFINE

// atan and atanh have poles, which are domain errors.
static Status cmath_atan(Vm *vm, const Value *args, Value *out) {
    Cplx z = 0;
    Status st = complex_arg(vm, args[0], &z);
    if (st != ST_OK) return st;
    if (creal(z) == 0 && fabs(cimag(z)) == 1) return math_domain_error(vm);
    z = catan(z);
    return complex_out(vm, creal(z), cimag(z), out);
}

static Status cmath_atanh(Vm *vm, const Value *args, Value *out) {
    Cplx z = 0;
    Status st = complex_arg(vm, args[0], &z);
    if (st != ST_OK) return st;
    if (cimag(z) == 0 && fabs(creal(z)) == 1) return math_domain_error(vm);
    z = catanh(z);
    return complex_out(vm, creal(z), cimag(z), out);
}

static Status logarithm(Vm *vm, Value arg, bool zero_allowed, Cplx *out) {
    Cplx z = 0;
    Status st = complex_arg(vm, arg, &z);
    if (st != ST_OK) return st;
    if (z == 0 && !zero_allowed) return math_domain_error(vm);
    *out = clog(z);
    return ST_OK;
}

static Status cmath_log(Vm *vm, const Value *args, Value *out) {
    Cplx z = 0, base = 0;
    bool has_base = args[1].kind != K_UNDEF;
    Status st = logarithm(vm, args[0], has_base, &z);
    if (st != ST_OK) return st;
    if (!has_base) return complex_out(vm, creal(z), cimag(z), out);
    st = logarithm(vm, args[1], false, &base);
    if (st != ST_OK) return st;
    if (base == 0) return math_domain_error(vm);
    Value x, y;
    st = complex_out(vm, creal(z), cimag(z), &x);
    if (st != ST_OK) return st;
    st = complex_out(vm, creal(base), cimag(base), &y);
    if (st == ST_OK) {
        st = num_binary(vm, BIN_DIV, x, y, out);
        release(vm, y);
    }
    release(vm, x);
    return st;
}

static Status cmath_log10(Vm *vm, const Value *args, Value *out) {
    Cplx z = 0;
    Status st = logarithm(vm, args[0], false, &z);
    return st == ST_OK ? complex_out(vm, creal(z) / M_LN10, cimag(z) / M_LN10, out) : st;
}

// --- Polar coordinates --------------------------------------------------------------------------

static Status cmath_phase(Vm *vm, const Value *args, Value *out) {
    Cplx z = 0;
    Status st = complex_arg(vm, args[0], &z);
    if (st == ST_OK) *out = v_float(carg(z));
    return st;
}

static Status cmath_polar(Vm *vm, const Value *args, Value *out) {
    Cplx z = 0;
    Status st = complex_arg(vm, args[0], &z);
    if (st != ST_OK) return st;
    double size = cabs(z);
    if (isinf(size) && is_finite(z)) return math_range_error(vm);
    return tuple_of(vm, (Value[]){v_float(size), v_float(carg(z))}, 2, out);
}

// Returns the number with an infinite modulus r and the angle phi. It is on the real axis if phi is
// zero; otherwise both parts are infinite.
static Cplx at_infinity(double r, double phi) {
    if (phi == 0) return complex_of(r, r > 0 ? phi : -phi);
    return complex_of(copysign(INFINITY, r * cos(phi)), copysign(INFINITY, r * sin(phi)));
}

static Status cmath_rect(Vm *vm, const Value *args, Value *out) {
    double r, phi;
    Status st = op_as_double(vm, args[0], &r);
    if (st == ST_OK) st = op_as_double(vm, args[1], &phi);
    if (st != ST_OK) return st;
    if (isinf(phi) && r != 0 && !isnan(r)) return math_domain_error(vm);
    Cplx z = 0;
    if (isinf(r) && isfinite(phi)) {
        z = at_infinity(r, phi);
    } else if (isinf(r)) {
        z = complex_of(INFINITY, NAN);
    } else if (phi == 0) { // exactly on the real axis
        z = complex_of(r, isnan(r) ? 0 : r * phi);
    } else if (r == 0 && !isfinite(phi)) {
        z = complex_of(0, 0);
    } else {
        z = complex_of(r * cos(phi), r * sin(phi));
    }
    return complex_out(vm, creal(z), cimag(z), out);
}

// --- Questions ----------------------------------------------------------------------------------

static Status cmath_isfinite(Vm *vm, const Value *args, Value *out) {
    Cplx z = 0;
    Status st = complex_arg(vm, args[0], &z);
    if (st == ST_OK) *out = v_bool(is_finite(z));
    return st;
}

static Status cmath_isinf(Vm *vm, const Value *args, Value *out) {
    Cplx z = 0;
    Status st = complex_arg(vm, args[0], &z);
    if (st == ST_OK) *out = v_bool(is_infinite(z));
    return st;
}

static Status cmath_isnan(Vm *vm, const Value *args, Value *out) {
    Cplx z = 0;
    Status st = complex_arg(vm, args[0], &z);
    if (st == ST_OK) *out = v_bool(isnan(creal(z)) || isnan(cimag(z)));
    return st;
}

static bool close(Cplx a, Cplx b, double relative, double absolute) {
    if (a == b) return true;
    if (is_infinite(a) || is_infinite(b)) return false;
    double apart = cabs(a - b);
    return apart <= relative * cabs(b) || apart <= relative * cabs(a) || apart <= absolute;
}

static Status cmath_isclose(Vm *vm, const Value *args, Value *out) {
    Cplx a = 0, b = 0;
    double relative, absolute;
    Status st = complex_arg(vm, args[0], &a);
    if (st == ST_OK) st = complex_arg(vm, args[1], &b);
    if (st == ST_OK) st = op_as_double(vm, args[2], &relative);
    if (st == ST_OK) st = op_as_double(vm, args[3], &absolute);
    if (st != ST_OK) return st;
    if (relative < 0 || absolute < 0)
        return vm_raise(vm, EXC_ValueError, "tolerances must be non-negative");
    *out = v_bool(close(a, b, relative, absolute));
    return ST_OK;
}

// --- The module ---------------------------------------------------------------------------------

#define ONE(name) {#name, "z, /", cmath_##name, "cmath_" #name "_slow", PURE}
#define ROW(name, fn, domain) ONE(name),

const NativeDef cmath_functions[] = {
    COMPLEX_FUNCTIONS(ROW)
    ONE(atan),
    ONE(atanh),
    ONE(isfinite),
    ONE(isinf),
    ONE(isnan),
    ONE(log10),
    ONE(phase),
    ONE(polar),
    {"isclose", "a, b, *, rel_tol=1e-09, abs_tol=0.0", cmath_isclose, "cmath_isclose_slow", PURE},
    {"log", "z, base=?, /", cmath_log, "cmath_log_slow", PURE},
    {"rect", "r, phi, /", cmath_rect, "cmath_rect_slow", PURE},
    {NULL, NULL, NULL, NULL, PURE},
};

static Status set_complex(Vm *vm, Module *module, const char *name, double re, double im) {
    Value v;
    Status st = complex_out(vm, re, im, &v);
    return st == ST_OK ? module_set(vm, module, name, v) : st;
}

Status cmath_init(Vm *vm, Module *module) {
    static const struct {
        const char *name;
        double value;
    } constants[] = {
        {"pi", M_PI}, {"e", M_E}, {"tau", 2 * M_PI}, {"inf", INFINITY}, {"nan", NAN},
    };
    Status st = ST_OK;
    for (size_t i = 0; i < sizeof constants / sizeof *constants && st == ST_OK; i++)
        st = module_set(vm, module, constants[i].name, v_float(constants[i].value));
    if (st == ST_OK) st = set_complex(vm, module, "infj", 0, INFINITY);
    if (st == ST_OK) st = set_complex(vm, module, "nanj", 0, NAN);
    return st;
}
