// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Writes floats: digits become text in Python's layout.

#include <math.h>
#include <string.h>

#include "vm/value/float_text.h"
#include "vm/value/num.h"

enum { REPR_MAX_POINT = 16, REPR_MIN_POINT = -4 };

// --- Pieces -------------------------------------------------------------------------------------

static void put_exponent(int exponent, bool upper, Buf *out) {
    char text[8];
    int n = 0;
    text[n++] = upper ? 'E' : 'e';
    text[n++] = exponent < 0 ? '-' : '+';
    int size = exponent < 0 ? -exponent : exponent;
    if (size >= 100) text[n++] = (char)('0' + size / 100);
    text[n++] = (char)('0' + size / 10 % 10);
    text[n++] = (char)('0' + size % 10);
    buf_put(out, text, (size_t)n);
}

static void put_special(double d, bool upper, Buf *out) {
    const char *text = isnan(d) ? (upper ? "NAN" : "nan") : (upper ? "INF" : "inf");
    buf_puts(out, text);
}

// Writes the digits at the positions from `from` up to `to`; beyond the digits there are zeros.
static void put_digits(const FloatDigits *digits, int64_t from, int64_t to, Buf *out) {
    if (from < 0) {
        int64_t zeros = (to < 0 ? to : 0) - from;
        buf_fill(out, '0', (size_t)zeros);
        from += zeros;
    }
    int64_t end = to < digits->count ? to : digits->count;
    if (from < end) {
        buf_put(out, digits->text + from, (size_t)(end - from));
        from = end;
    }
    if (from < to) buf_fill(out, '0', (size_t)(to - from));
}

// Writes 123.45 with `places` digits after the point.
static void put_fixed(const FloatDigits *digits, int64_t places, bool point, Buf *out) {
    if (digits->point <= 0) {
        buf_putc(out, '0');
    } else {
        put_digits(digits, 0, digits->point, out);
    }
    if (places > 0 || point) buf_putc(out, '.');
    put_digits(digits, digits->point, digits->point + places, out);
}

// Writes 1.2345e+10 with `places` digits after the point.
static void put_scientific(const FloatDigits *digits, int64_t places, bool point, bool upper,
                           Buf *out) {
    put_digits(digits, 0, 1, out);
    if (places > 0 || point) buf_putc(out, '.');
    put_digits(digits, 1, 1 + places, out);
    put_exponent(digits->count ? digits->point - 1 : 0, upper, out);
}

// --- Shortest -----------------------------------------------------------------------------------

static void write_digits(uint64_t digits, int length, char *to) {
    static const char pairs[] =
        "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
        "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
        "8081828384858687888990919293949596979899";
    for (; length >= 2; length -= 2, digits /= 100)
        memcpy(to + length - 2, pairs + 2 * (digits % 100), 2);
    if (length) *to = (char)('0' + digits % 10);
}

// Writes the shortest digits. Nearly all floats printed pass here, so the text is built in one array.
void decimal_write(Decimal decimal, FloatStyle style, Buf *out) {
    char text[40];
    int count = decimal_length(decimal.digits);
    int point = decimal.digits ? count + decimal.exponent : 1;
    int n = 0;
    if (point <= REPR_MIN_POINT || point > REPR_MAX_POINT) {
        write_digits(decimal.digits, count, text + 1);
        text[0] = text[1];
        text[1] = '.';
        n = count > 1 || style.alternate ? count + 1 : 1;
        buf_put(out, text, (size_t)n);
        put_exponent(point - 1, style.upper, out);
        return;
    }
    if (point <= 0) {
        memcpy(text, "0.000000", 8);
        n = 2 - point;
        write_digits(decimal.digits, count, text + n);
        n += count;
    } else if (count > point) {
        write_digits(decimal.digits, count, text + 1);
        memmove(text, text + 1, (size_t)point);
        text[point] = '.';
        n = count + 1;
    } else {
        write_digits(decimal.digits, count, text);
        memset(text + count, '0', (size_t)(point - count));
        n = point;
        if (style.dot_zero || style.alternate) text[n++] = '.';
        if (style.dot_zero) text[n++] = '0';
    }
    buf_put(out, text, (size_t)n);
}

// --- Entry points -------------------------------------------------------------------------------

static void write_general(double d, FloatStyle style, Buf *out) {
    FloatDigits digits = {.count = 0, .point = 1};
    int64_t precision = style.precision ? style.precision : 1;
    if (d != 0) float_digits_significant(d, precision, &digits);
    int64_t shown = style.alternate ? precision : digits.count;
    if (digits.point <= REPR_MIN_POINT || digits.point > precision - style.dot_zero) {
        put_scientific(&digits, shown ? shown - 1 : 0, style.alternate, style.upper, out);
        return;
    }
    int64_t places = shown - digits.point;
    if (places < 0) places = 0;
    if (places == 0 && style.dot_zero) {
        put_fixed(&digits, 1, true, out);
    } else {
        put_fixed(&digits, places, style.alternate, out);
    }
}

void float_write(double d, FloatStyle style, Buf *out) {
    if (signbit(d) && !isnan(d)) buf_putc(out, '-');
    d = fabs(d);
    if (!isfinite(d)) {
        put_special(d, style.upper, out);
        return;
    }
    FloatDigits digits;
    digits.count = 0;
    digits.point = style.style == 'f' ? 0 : 1;
    switch (style.style) {
    case 'e':
        if (d != 0) float_digits_significant(d, (int64_t)style.precision + 1, &digits);
        put_scientific(&digits, style.precision, style.alternate, style.upper, out);
        break;
    case 'f':
        if (d != 0) float_digits_places(d, style.precision, &digits);
        put_fixed(&digits, style.precision, style.alternate, out);
        break;
    case 'g':
        write_general(d, style, out);
        break;
    default:
        decimal_write(float_shortest(float_parts(d)), style, out);
        break;
    }
}

void float_repr(double d, Buf *out) {
    float_write(d, (FloatStyle){.style = 'r', .dot_zero = true}, out);
}

void float_format(double d, char format, int precision, bool alternate, Buf *out) {
    bool upper = format < 'a';
    FloatStyle style = {.style = (char)(format | 0x20),
                        .precision = precision,
                        .alternate = alternate,
                        .upper = upper};
    float_write(d, style, out);
}

// Writes 0x1.8p+1 with all thirteen digits of the fraction, as float.hex() does.
void float_hex_write(double d, Buf *out) {
    if (!isfinite(d)) {
        float_repr(d, out);
        return;
    }
    if (signbit(d)) buf_putc(out, '-');
    FloatParts v = float_parts(d);
    if (v.significand == 0) {
        buf_puts(out, "0x0.0p+0");
        return;
    }
    uint64_t fraction = v.significand & (((uint64_t)1 << 52) - 1);
    buf_printf(out, "0x%d.%013llxp%+d", (int)(v.significand >> 52), (unsigned long long)fraction,
               v.exponent + 52);
}
