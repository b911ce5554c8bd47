// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Between ints and floats: exact comparison, correctly rounded conversion and division.

#include <math.h>

#include "vm/value/float_text.h"
#include "vm/value/int.h"

// The leading bits of a magnitude: value = (top + something below 1) * 2^exponent.
typedef struct Leading {
    U128 top;
    int64_t exponent;
    bool rest; // something is left below top
} Leading;

static Leading leading_bits(const IntView *v) {
    Leading lead = {0, 0, false};
    int i = v->used - 1, taken = 0;
    for (; i >= 0 && taken < 2; i--, taken++) lead.top = lead.top << INT_DIGIT_BITS | v->digits[i];
    lead.exponent = (int64_t)(i + 1) * INT_DIGIT_BITS;
    for (; i >= 0 && !lead.rest; i--) lead.rest = v->digits[i] != 0;
    return lead;
}

Status int_to_double(Vm *vm, Value v, double *out) {
    if (v.kind != K_BIGINT) {
        *out = (double)v.i;
        return ST_OK;
    }
    IntView view;
    int_view(v, &view);
    Leading lead = leading_bits(&view);
    double d = float_compose(lead.top, lead.exponent, lead.rest);
    if (isinf(d)) return vm_raise(vm, EXC_OverflowError, "int too large to convert to float");
    *out = view.negative ? -d : d;
    return ST_OK;
}

Status int_from_double(Vm *vm, double d, Value *out) {
    if (isnan(d)) return vm_raise(vm, EXC_ValueError, "cannot convert float NaN to integer");
    if (isinf(d))
        return vm_raise(vm, EXC_OverflowError, "cannot convert float infinity to integer");
    if (d >= -0x1p63 && d < 0x1p63) {
        *out = v_int((int64_t)d);
        return ST_OK;
    }
    FloatParts parts = float_parts(d);
    return int_from_scaled(vm, parts.significand, parts.exponent, d < 0, out);
}

double int_frexp(Value v, int64_t *exponent) {
    IntView view;
    int_view(v, &view);
    Leading lead = leading_bits(&view);
    int shift;
    double d = frexp(float_compose(lead.top, 0, lead.rest), &shift);
    *exponent = lead.exponent + shift;
    return view.negative ? -d : d;
}

// --- Comparison ---------------------------------------------------------------------------------

// Compares |v| with a positive d; v is a BigInt.
static int compare_magnitude(const IntView *v, double d) {
    int exponent;
    frexp(d, &exponent);
    Leading lead = leading_bits(v);
    FloatParts parts = float_parts(d);
    int64_t bits =
        (int64_t)(v->used - 1) * INT_DIGIT_BITS + 64 - __builtin_clzll(v->digits[v->used - 1]);
    if (bits != exponent) return bits < exponent ? -1 : 1;
    // Equally long, and longer than 63 bits: bring d's 53 bits to the place of top.
    int64_t up = parts.exponent - lead.exponent;
    U128 other = (U128)parts.significand << up;
    if (lead.top != other) return lead.top < other ? -1 : 1;
    return lead.rest;
}

static int compare_small(int64_t i, double d) {
    if (d >= 0x1p63) return -1;
    if (d < -0x1p63) return 1;
    int64_t whole = (int64_t)d;
    if (i != whole) return i < whole ? -1 : 1;
    double fraction = d - (double)whole; // exact
    return fraction > 0 ? -1 : fraction < 0;
}

int int_compare_double(Value v, double d) {
    if (isnan(d)) return INT_UNORDERED;
    if (isinf(d)) return d > 0 ? -1 : 1;
    if (v.kind != K_BIGINT) return compare_small(v.i, d);
    IntView view;
    int_view(v, &view);
    if (d == 0 || (d < 0) != view.negative) return view.negative ? -1 : 1;
    int order = compare_magnitude(&view, fabs(d));
    return view.negative ? -order : order;
}

// --- Division -----------------------------------------------------------------------------------

static bool exact_double(Value v) {
    return v.kind != K_BIGINT && v.i >= -((int64_t)1 << 53) && v.i <= (int64_t)1 << 53;
}

static Status quotient_too_large(Vm *vm) {
    return vm_raise(vm, EXC_OverflowError, "integer division result too large for a float");
}

// Computes |a| * 2^shift / |b| as an int of about 64 bits, and whether there was a remainder.
static Status scaled_quotient(Vm *vm, Value a, Value b, int64_t shift, U128 *out, bool *rest) {
    Value scaled = V_UNDEF, divisor = V_UNDEF, quotient = V_UNDEF, remainder = V_UNDEF;
    Status st = int_unary(vm, UN_ABS, a, &scaled);
    if (st == ST_OK) st = int_unary(vm, UN_ABS, b, &divisor);
    if (st == ST_OK && shift != 0) {
        Value *which = shift > 0 ? &scaled : &divisor;
        Value shifted;
        st = int_shift(vm, *which, shift > 0 ? shift : -shift, &shifted);
        if (st == ST_OK) replace(vm, which, shifted);
    }
    if (st == ST_OK) st = int_divmod(vm, scaled, divisor, &quotient, &remainder);
    if (st == ST_OK) {
        I128 wide = 0;
        int_to_i128(quotient, &wide); // 64 or 65 bits
        *out = (U128)wide;
        *rest = int_sign(remainder) != 0;
    }
    release(vm, scaled);
    release(vm, divisor);
    release(vm, quotient);
    release(vm, remainder);
    return st;
}

// As scaled_quotient, in 128 bits: |a| * 2^shift is as long as 2^64 * |b|.
static void quotient_of_small(int64_t a, int64_t b, int shift, U128 *out, bool *rest) {
    U128 divisor = b < 0 ? -(uint64_t)b : (uint64_t)b;
    U128 scaled = (U128)(a < 0 ? -(uint64_t)a : (uint64_t)a) << shift;
    *out = scaled / divisor;
    *rest = scaled % divisor != 0;
}

Status int_true_divide(Vm *vm, Value a, Value b, double *out) {
    if (exact_double(a) && exact_double(b)) {
        *out = (double)a.i / (double)b.i;
        return ST_OK;
    }
    bool negative = (int_sign(a) < 0) != (int_sign(b) < 0);
    int64_t difference = int_bits(a) - int_bits(b);
    if (difference > 1025) return quotient_too_large(vm);
    if (difference < -1080 || int_sign(a) == 0) {
        *out = negative ? -0.0 : 0.0;
        return ST_OK;
    }
    U128 quotient = 0;
    bool rest = false;
    if (a.kind != K_BIGINT && b.kind != K_BIGINT) {
        quotient_of_small(a.i, b.i, (int)(64 - difference), &quotient, &rest);
    } else if (scaled_quotient(vm, a, b, 64 - difference, &quotient, &rest) != ST_OK) {
        return ST_ERROR;
    }
    double d = float_compose(quotient, difference - 64, rest);
    if (isinf(d)) return quotient_too_large(vm);
    *out = negative ? -d : d;
    return ST_OK;
}

Status int_ratio_of_double(Vm *vm, double d, Value *numerator, Value *denominator) {
    FloatParts parts = float_parts(d);
    uint64_t m = parts.significand;
    int exponent = m ? parts.exponent : 0;
    while (m && exponent < 0 && !(m & 1)) {
        m >>= 1;
        exponent++;
    }
    Value top;
    Status st = int_from_scaled(vm, m, exponent > 0 ? exponent : 0, d < 0, &top);
    if (st != ST_OK) return st;
    st = int_from_scaled(vm, 1, exponent < 0 ? -exponent : 0, false, denominator);
    if (st == ST_OK) {
        *numerator = top;
    } else {
        release(vm, top);
    }
    return st;
}
