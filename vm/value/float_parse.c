// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Decimal and hexadecimal text to the nearest double, without the C library (whose strtod obeys
// the host's locale).
//
// The first 19 digits times a 128-bit power of ten give bounds on the number; nearly always both
// round to the same double (the idea of Michael Eisel's and Daniel Lemire's algorithm). Otherwise
// the number is compared, with all its digits, to the middle between the two candidates.

#include <math.h>
#include <string.h>

#include "vm/value/float_text.h"
#include "vm/value/num.h"

enum {
    HEAD_DIGITS = 19,  // fit 64 bits
    EXACT_DIGITS = 800, // more digits than any midpoint has; what follows only makes it larger
    BIG_WORDS = 96,
};

// --- Exact comparison ---------------------------------------------------------------------------

typedef struct Big {
    uint64_t words[BIG_WORDS]; // least significant first
    int used;
} Big;

static void big_multiply_add(Big *big, uint64_t factor, uint64_t carry) {
    for (int i = 0; i < big->used; i++) {
        U128 product = (U128)big->words[i] * factor + carry;
        big->words[i] = (uint64_t)product;
        carry = (uint64_t)(product >> 64);
    }
    if (carry) big->words[big->used++] = carry;
}

static void big_multiply_pow5(Big *big, int64_t power) {
    static const uint64_t FIVE_27 = 7450580596923828125u;
    for (; power >= 27; power -= 27) big_multiply_add(big, FIVE_27, 0);
    for (; power > 0; power--) big_multiply_add(big, 5, 0);
}

static void big_shift(Big *big, int64_t bits) {
    int words = (int)(bits / 64);
    if (bits % 64) big_multiply_add(big, (uint64_t)1 << bits % 64, 0);
    memmove(big->words + words, big->words, (size_t)big->used * sizeof big->words[0]);
    memset(big->words, 0, (size_t)words * sizeof big->words[0]);
    big->used += words;
}

static int big_compare(const Big *a, const Big *b) {
    if (a->used != b->used) return a->used < b->used ? -1 : 1;
    for (int i = a->used - 1; i >= 0; i--)
        if (a->words[i] != b->words[i]) return a->words[i] < b->words[i] ? -1 : 1;
    return 0;
}

// Compares digits * 10^exponent with half * 2^half_exponent. The caller has made sure that both
// are of similar size, which bounds every factor.
static int compare_exact(const char *digits, size_t count, int64_t exponent, uint64_t half,
                         int64_t half_exponent) {
    Big left = {.used = 0}, right = {.words = {half}, .used = 1};
    size_t used = count < EXACT_DIGITS ? count : EXACT_DIGITS;
    for (size_t i = 0; i < used; i++) big_multiply_add(&left, 10, (uint64_t)(digits[i] - '0'));
    if (used < count) { // any digit that is not zero will do: no midpoint has so many
        big_multiply_add(&left, 10, 1);
        exponent += (int64_t)(count - used) - 1;
    }
    if (exponent >= 0) {
        big_multiply_pow5(&left, exponent);
    } else {
        big_multiply_pow5(&right, -exponent);
    }
    int64_t shift = exponent - half_exponent;
    if (shift >= 0) {
        big_shift(&left, shift);
    } else {
        big_shift(&right, -shift);
    }
    return big_compare(&left, &right);
}

// The number lies between `below` and the next double: which is nearer?
static double nearer(double below, const char *digits, size_t count, int64_t exponent) {
    uint64_t bits;
    memcpy(&bits, &below, sizeof bits);
    FloatParts v = float_parts(below);
    int order = compare_exact(digits, count, exponent, 2 * v.significand + 1, v.exponent - 1);
    if (order > 0 || (order == 0 && (bits & 1))) bits++;
    memcpy(&below, &bits, sizeof bits);
    return below;
}

// --- Bounds -------------------------------------------------------------------------------------

// The 128 bits of the product of a 64-bit number with the top bit set and a power of ten.
static U128 scaled(uint64_t n, U128 power, bool *rest) {
    U128 low = (U128)(uint64_t)power * n;
    *rest = (uint64_t)low != 0;
    return (power >> 64) * n + (uint64_t)(low >> 64);
}

// head * 10^exponent <= number, and < (head + 1) * 10^exponent if `cut`. False when in doubt; then
// *out is the largest double not above the lower bound.
static bool from_bounds(uint64_t head, int64_t exponent, bool cut, double *out) {
    Pow10 ten = float_pow10((int)exponent);
    int up = __builtin_clzll(head);
    int64_t binary = (int64_t)ten.exponent + 64 - up;
    bool rest;
    U128 low = scaled(head << up, ten.bits, &rest);
    if (!cut && exponent >= 0 && exponent <= 55) { // exact
        *out = float_compose(low, binary, rest);
        return true;
    }
    // Inexact power: less than one unit of its 128 bits, so less than two of the product's; one
    // unit of head is less than 2^up times the power.
    U128 slack = 2;
    if (cut) slack += (ten.bits >> (64 - up)) + 1;
    U128 high = low + slack;
    bool carry = high < low;
    if (carry) high = high >> 1 | (U128)1 << 127;
    double a = float_compose(low, binary, true);
    double b = float_compose(high, binary + carry, true);
    if (a == b) {
        *out = a;
        return true;
    }
    *out = float_truncate(low, binary);
    return false;
}

// 10^0 … 10^22 are doubles.
static const double EXACT_POW10[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                     1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                     1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

double float_from_decimal(const char *digits, size_t count, int64_t exponent) {
    while (count && digits[0] == '0') {
        digits++;
        count--;
    }
    while (count && digits[count - 1] == '0') {
        count--;
        exponent++;
    }
    if (count == 0) return 0.0;
    if (exponent + (int64_t)count > 310) return INFINITY;
    if (exponent + (int64_t)count < -324) return 0.0;
    uint64_t head = 0;
    size_t taken = count < HEAD_DIGITS ? count : HEAD_DIGITS;
    for (size_t i = 0; i < taken; i++) head = head * 10 + (uint64_t)(digits[i] - '0');
    if (taken == count && head >> 53 == 0 && exponent >= -22 && exponent <= 22) {
        double d = (double)head; // two exact numbers, one rounding
        return exponent < 0 ? d / EXACT_POW10[-exponent] : d * EXACT_POW10[exponent];
    }
    int64_t head_exponent = exponent + (int64_t)(count - taken);
    double d;
    if (from_bounds(head, head_exponent, taken < count, &d)) return d;
    return nearer(d, digits, count, exponent);
}

// --- Scanning -----------------------------------------------------------------------------------

// The digits of a number, as far as they can matter.
typedef struct Digits {
    char text[EXACT_DIGITS + 2];
    size_t count;
    bool more;        // something not zero was left out
    bool any;         // a digit was read
    int64_t dropped;  // digits left out at the end
    int64_t fraction; // digits read after the point
} Digits;

static void take_digit(Digits *digits, int c) {
    digits->any = true;
    if (digits->count == 0 && c == '0') return;
    if (digits->count <= EXACT_DIGITS) {
        digits->text[digits->count++] = (char)c;
    } else {
        digits->more = digits->more || c != '0';
        digits->dropped++;
    }
}

// Returns how many digits there were.
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

// The exponent after digits, 0 if there is none. Far out ones are clamped.
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
