// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Formats one float: chooses digits, then places the point, zeros and blanks. The rules are NumPy's
// around Dragon4; the digits come from the exact conversions of vm/value.

#include "vm/array/float_word.h"

#include <math.h>
#include <string.h>

#include "vm/graph/half.h"
#include "vm/value/float_text.h"

// Digits of a finite number: 0.d1d2d3… * 10^point; count 0 for zero.
typedef FloatDigits Digits;

static FloatParts parts_in(DType dtype, double a) {
    switch (dtype) {
    case DT_FLOAT16: return float16_parts(half_from_double(a));
    case DT_FLOAT32: return float32_parts((float)a);
    default: return float_parts(a);
    }
}

static void shortest(DType dtype, double a, Digits *out) {
    Decimal d = float_shortest(parts_in(dtype, a));
    int len = decimal_length(d.digits);
    out->count = len;
    out->point = len + d.exponent;
    for (uint64_t rest = d.digits; len > 0; rest /= 10) out->text[--len] = (char)('0' + rest % 10);
}

// Rounds a number to `digits` digits after the point.
static void rounded(const FloatWord *how, double a, int digits, Digits *out) {
    if (how->scientific) float_digits_significant(a, (int64_t)digits + 1, out);
    else float_digits_places(a, digits, out);
}

// Returns the number of digits after the point, as `precision` counts them.
static int digits_counted(const FloatWord *how, const Digits *d) {
    return how->scientific ? d->count - 1 : d->count - d->point;
}

// Computes the shortest digits; or rounds the exact value, if a precision asks for fewer or more.
static void digits_of(const FloatWord *how, double a, Digits *out) {
    out->count = out->point = 0;
    if (a == 0) return;
    if (how->exact) {
        rounded(how, a, how->precision, out);
        return;
    }
    shortest(how->dtype, a, out);
    int count = digits_counted(how, out);
    if (how->min_digits >= 0 && how->min_digits > count) rounded(how, a, how->min_digits, out);
    else if (how->precision >= 0 && how->precision < count) rounded(how, a, how->precision, out);
}

static void put_sign(const FloatWord *how, double x, int width, Buf *out) {
    bool sign = signbit(x) || how->plus;
    int missing = how->pad_left - width - sign;
    if (missing > 0) buf_fill(out, ' ', (size_t)missing);
    if (sign) buf_putc(out, signbit(x) ? '-' : '+');
}

// Writes the point and the fraction; returns the number of characters after the point.
static int put_fraction(const FloatWord *how, const char *digits, int count, int wanted, Buf *out) {
    if (how->trim != TRIM_NONE)
        while (count > 0 && digits[count - 1] == '0') count--;
    if (count == 0 && how->trim == TRIM_POINT) return 0;
    buf_putc(out, '.');
    buf_put(out, digits, (size_t)count);
    int more = how->trim == TRIM_NONE ? wanted - count : how->trim == TRIM_ONE_ZERO && count == 0;
    if (more > 0) buf_fill(out, '0', (size_t)more);
    return more > 0 ? count + more : count;
}

static int wanted_digits(const FloatWord *how) {
    int wanted = how->exact ? how->precision : how->min_digits;
    return wanted < 0 ? 0 : wanted;
}

static void scientific_word(const FloatWord *how, const Digits *d, double x, Buf *out) {
    put_sign(how, x, 1, out);
    buf_putc(out, d->count ? d->text[0] : '0');
    put_fraction(how, d->text + 1, d->count ? d->count - 1 : 0, wanted_digits(how), out);
    int e = d->count ? d->point - 1 : 0;
    buf_printf(out, "e%c%0*d", e < 0 ? '-' : '+',
               how->exponent_digits < 0 ? 2 : how->exponent_digits > 5 ? 5 : how->exponent_digits,
               e < 0 ? -e : e);
}

static void put_whole(const Digits *d, int whole, Buf *out) {
    int from_digits = d->count < d->point ? d->count : d->point;
    if (from_digits > 0) buf_put(out, d->text, (size_t)from_digits);
    else from_digits = 0;
    buf_fill(out, '0', (size_t)(whole - from_digits));
}

static void positional_word(const FloatWord *how, Digits *d, double x, Buf *out) {
    char fraction[2 * FLOAT_DIGITS_MAX];
    int whole = d->count && d->point > 0 ? d->point : 1, zeros = d->point < 0 ? -d->point : 0;
    int first = d->point > 0 ? d->point : 0, count = 0;
    put_sign(how, x, whole, out);
    put_whole(d, whole, out);
    if (d->count > first) {
        memset(fraction, '0', (size_t)zeros);
        memcpy(fraction + zeros, d->text + first, (size_t)(d->count - first));
        count = zeros + d->count - first;
    }
    int behind = put_fraction(how, fraction, count, wanted_digits(how), out);
    if (how->pad_right > behind) buf_fill(out, ' ', (size_t)(how->pad_right - behind));
}

void float_word(const FloatWord *how, double x, Buf *out) {
    Digits d;
    if (!isfinite(x)) {
        if (how->plus && !(x < 0)) buf_putc(out, '+');
        buf_puts(out, isnan(x) ? "nan" : x < 0 ? "-inf" : "inf");
        return;
    }
    digits_of(how, fabs(x), &d);
    if (how->scientific) scientific_word(how, &d, x, out);
    else positional_word(how, &d, x, out);
}
