// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Decimal and hexadecimal text to the nearest double, without the C library (whose strtod obeys
// the host's locale).

#include <math.h>
#include <string.h>

#include "vm/value/float_text.h"
#include "vm/value/num.h"

// --- Scanning -----------------------------------------------------------------------------------

// The digits of a number, as many as can affect the result.
typedef struct Digits {
    char text[FLOAT_EXACT_DIGITS + 2];
    size_t count;
    bool more;        // a digit that is not zero was left out
    bool any;         // a digit was read
    int64_t dropped;  // digits left out at the end
    int64_t fraction; // digits read after the point
} Digits;

static void take_digit(Digits *digits, int c) {
    digits->any = true;
    if (digits->count == 0 && c == '0') return;
    if (digits->count <= FLOAT_EXACT_DIGITS) {
        digits->text[digits->count++] = (char)c;
    } else {
        digits->more = digits->more || c != '0';
        digits->dropped++;
    }
}

// Reads a run of digits; returns how many there were.
static int64_t scan_run(NumText *text, Digits *digits) {
    for (int64_t n = 0;; n++) {
        for (; text->at < text->end && is_decimal_digit(*text->at); text->at++, n++)
            take_digit(digits, *text->at);
        int c = n ? num_text_after_digit(text) : num_text_peek(text);
        if (!is_decimal_digit(c)) return n;
        take_digit(digits, c);
        num_text_next(text);
    }
}

// Reads the exponent after digits, 0 if there is none. Very large and very small ones are clamped.
static int64_t scan_exponent(NumText *text) {
    int c = num_text_peek(text);
    if (c != 'e' && c != 'E') return 0;
    NumText ahead = *text;
    num_text_next(&ahead);
    int sign = num_text_peek(&ahead);
    if (sign == '-' || sign == '+') num_text_next(&ahead);
    c = num_text_peek(&ahead);
    if (!is_decimal_digit(c)) return 0;
    int64_t e = 0;
    for (; is_decimal_digit(c); c = num_text_after_digit(&ahead)) {
        if (e < INT64_MAX / 100) e = e * 10 + (c - '0');
        num_text_next(&ahead);
    }
    *text = ahead;
    return sign == '-' ? -e : e;
}

static bool scan_digits(NumText *text, double *out) {
    Digits digits;
    digits.count = 0;
    digits.more = digits.any = false;
    digits.dropped = digits.fraction = 0;
    NumText ahead = *text;
    scan_run(&ahead, &digits);
    if (num_text_peek(&ahead) == '.') {
        num_text_next(&ahead);
        digits.fraction = scan_run(&ahead, &digits);
    }
    if (!digits.any) return false;
    int64_t exponent = scan_exponent(&ahead) + digits.dropped - digits.fraction;
    if (digits.more) { // one digit that is not zero stands for all of them
        digits.text[digits.count++] = '1';
        exponent--;
    }
    *out = float_from_decimal(digits.text, digits.count, exponent);
    *text = ahead;
    return true;
}

static bool scan_word(NumText *text, const char *word) {
    NumText ahead = *text;
    for (; *word; word++) {
        if ((num_text_peek(&ahead) | 0x20) != *word) return false;
        num_text_next(&ahead);
    }
    *text = ahead;
    return true;
}

static bool scan_special(NumText *text, double *out) {
    if (scan_word(text, "inf")) {
        scan_word(text, "inity");
        *out = INFINITY;
        return true;
    }
    *out = NAN;
    return scan_word(text, "nan");
}

bool float_scan(NumText *text, double *out) {
    NumText ahead = *text;
    int sign = num_text_peek(&ahead);
    if (sign == '-' || sign == '+') num_text_next(&ahead);
    double d;
    if (!scan_digits(&ahead, &d) && !scan_special(&ahead, &d)) return false;
    *out = sign == '-' ? -d : d;
    *text = ahead;
    return true;
}

bool float_parse(const char *text, size_t len, double *out) {
    NumText t = num_text(text, len);
    double d;
    if (!float_scan(&t, &d) || t.at != t.end) return false;
    *out = d;
    return true;
}

// --- Hexadecimal --------------------------------------------------------------------------------

static int hex_digit(int c) {
    if (is_decimal_digit(c)) return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int ascii_peek(const NumText *t) {
    return t->at < t->end ? (unsigned char)*t->at : NUM_TEXT_END;
}

typedef struct HexNumber {
    U128 bits; // the first digits
    bool rest; // something not zero follows
    int64_t exponent;
} HexNumber;

static bool scan_hex_digits(NumText *t, HexNumber *number) {
    bool any = false, point = false;
    for (;; t->at++) {
        int digit = hex_digit(ascii_peek(t));
        if (digit < 0) {
            if (point || ascii_peek(t) != '.') return any;
            point = true;
            continue;
        }
        any = true;
        if (point) number->exponent -= 4;
        if (number->bits >> 120) {
            number->rest = number->rest || digit;
            number->exponent += 4;
        } else {
            number->bits = number->bits << 4 | (unsigned)digit;
        }
    }
}

static bool scan_hex_exponent(NumText *t, int64_t *exponent) {
    if ((ascii_peek(t) | 0x20) != 'p' || ascii_peek(t) == NUM_TEXT_END) return true;
    t->at++;
    bool negative = ascii_peek(t) == '-';
    if (negative || ascii_peek(t) == '+') t->at++;
    if (!is_decimal_digit(ascii_peek(t))) return false;
    int64_t e = 0;
    for (; is_decimal_digit(ascii_peek(t)); t->at++)
        if (e < INT64_MAX / 100) e = e * 10 + (*t->at - '0');
    *exponent += negative ? -e : e;
    return true;
}

static HexResult scan_hex_number(NumText *t, double *out) {
    if (ascii_peek(t) == '0' && t->end - t->at > 1 && (t->at[1] | 0x20) == 'x') t->at += 2;
    HexNumber number = {0, false, 0};
    if (!scan_hex_digits(t, &number) || !scan_hex_exponent(t, &number.exponent))
        return HEX_INVALID;
    *out = float_compose(number.bits, number.exponent, number.rest);
    return isinf(*out) ? HEX_TOO_LARGE : HEX_OK;
}

HexResult float_hex_scan(const char *text, size_t len, double *out) {
    NumText t = {text, text + len}; // ASCII white space only
    while (t.at < t.end && strchr(" \t\n\v\f\r", *t.at) && *t.at) t.at++;
    while (t.end > t.at && strchr(" \t\n\v\f\r", t.end[-1]) && t.end[-1]) t.end--;
    bool negative = ascii_peek(&t) == '-';
    if (negative || ascii_peek(&t) == '+') t.at++;
    double d;
    HexResult result = HEX_OK;
    if (!scan_special(&t, &d)) result = scan_hex_number(&t, &d);
    if (result == HEX_OK && t.at != t.end) result = HEX_INVALID;
    if (result == HEX_OK) *out = negative ? -d : d;
    return result;
}
