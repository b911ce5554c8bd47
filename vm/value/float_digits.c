// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Correctly rounded decimal digits of a double, as many as asked for.
//
// Up to 18 digits come from one product with a 128-bit power of ten, whose error is known; when it
// leaves the rounding in doubt, and for more digits, the exact expansion is written out: the
// integer part in base 10^9, the fraction by repeated multiplication with 10^18.

#include <string.h>

#include "vm/value/float_text.h"

enum {
    FAST_DIGITS = 18,
    INTEGER_LIMBS = 36,  // base 10^9: 309 digits
    FRACTION_LIMBS = 18, // base 2^64: 1074 bits
};

static const uint64_t TEN18 = 1000000000000000000u;

static void write_fixed(char *at, uint64_t n, int width) {
    for (int i = width - 1; i >= 0; i--) {
        at[i] = (char)('0' + n % 10);
        n /= 10;
    }
}

static void strip_zeros(FloatDigits *out) {
    while (out->count > 0 && out->text[out->count - 1] == '0') out->count--;
}

// --- Few digits ---------------------------------------------------------------------------------

typedef enum Fast { FAST_DONE, FAST_TOO_LONG, FAST_IN_DOUBT } Fast;

// Computes v * 10^scale, rounded to an integer. FAST_TOO_LONG: it has more than `count` digits. FAST_IN_DOUBT: the
// rounding is not certain.
static Fast scaled_integer(FloatParts v, int scale, int count, uint64_t *out) {
    int up = __builtin_clzll(v.significand);
    uint64_t n = v.significand << up;
    Pow10 ten = float_pow10(scale);
    U128 top = (ten.bits >> 64) * n + (uint64_t)((U128)(uint64_t)ten.bits * n >> 64);
    // The number is at least top * 2^-drop, and below (top + 2) * 2^-drop.
    int drop = -(v.exponent - up + ten.exponent + 64);
    if (drop < 64 || drop > 127) return FAST_IN_DOUBT;
    uint64_t whole = (uint64_t)(top >> drop);
    U128 rest = top & (((U128)1 << drop) - 1);
    U128 half = (U128)1 << (drop - 1);
    if (rest <= half && rest + 2 >= half) return FAST_IN_DOUBT;
    whole += rest > half;
    *out = whole;
    uint64_t limit = 1;
    for (int i = 0; i < count; i++) limit *= 10;
    return whole >= limit ? FAST_TOO_LONG : FAST_DONE;
}

static int estimated_point(FloatParts v) { // the true one or one less
    return floor_log10_pow2(v.exponent + 63 - __builtin_clzll(v.significand)) + 1;
}

static bool significant_fast(FloatParts v, int count, FloatDigits *out) {
    int point = estimated_point(v);
    uint64_t n;
    for (int attempt = 0; attempt < 2; attempt++, point++) {
        Fast result = scaled_integer(v, count - point, count, &n);
        if (result == FAST_IN_DOUBT) return false;
        if (result == FAST_TOO_LONG) continue;
        write_fixed(out->text, n, count);
        if (out->text[0] == '0') return false;
        out->count = count;
        out->point = point;
        strip_zeros(out);
        return true;
    }
    return false;
}

// --- All digits ---------------------------------------------------------------------------------

// Writes the decimal digits of significand << shift; returns how many.
static int integer_digits(uint64_t significand, int shift, char *text) {
    enum { BASE = 1000000000, STEP = 32 };
    uint32_t limbs[INTEGER_LIMBS];
    int used = 0;
    for (; significand; significand /= BASE) limbs[used++] = (uint32_t)(significand % BASE);
    while (shift > 0) {
        int step = shift < STEP ? shift : STEP;
        uint64_t carry = 0;
        for (int i = 0; i < used; i++) {
            carry += (uint64_t)limbs[i] << step;
            limbs[i] = (uint32_t)(carry % BASE);
            carry /= BASE;
        }
        for (; carry; carry /= BASE) limbs[used++] = (uint32_t)(carry % BASE);
        shift -= step;
    }
    if (used == 0) return 0;
    int first = decimal_length(limbs[used - 1]);
    write_fixed(text, limbs[used - 1], first);
    for (int i = used - 2, at = first; i >= 0; i--, at += 9) write_fixed(text + at, limbs[i], 9);
    return first + 9 * (used - 1);
}

// A fraction in binary: limbs[0] is the least significant, the point stands above the last.
typedef struct Fraction {
    uint64_t limbs[FRACTION_LIMBS + 1];
    int low, top; // limbs in use: low <= i < top
} Fraction;

// Takes significand * 2^-shift apart (shift > 0): integer part returned, the rest into `out`.
static uint64_t split_fraction(uint64_t significand, int shift, Fraction *out) {
    memset(out, 0, sizeof *out);
    uint64_t whole = shift < 64 ? significand >> shift : 0;
    uint64_t rest = shift < 64 ? significand & (((uint64_t)1 << shift) - 1) : significand;
    out->top = (shift + 63) / 64;
    int pad = out->top * 64 - shift; // moves the fraction up to the end of the top limb
    out->limbs[0] = rest << pad;
    if (pad) out->limbs[1] = rest >> (64 - pad);
    return whole;
}

static bool fraction_is_zero(Fraction *f) {
    while (f->low < f->top && f->limbs[f->low] == 0) f->low++;
    return f->low >= f->top;
}

// Returns the next 18 decimal digits.
static uint64_t fraction_next(Fraction *f) {
    uint64_t carry = 0;
    for (int i = f->low; i < f->top; i++) {
        U128 product = (U128)f->limbs[i] * TEN18 + carry;
        f->limbs[i] = (uint64_t)product;
        carry = (uint64_t)(product >> 64);
    }
    return carry;
}

// Adds one to the last digit.
static void round_up(FloatDigits *out) {
    int i = out->count - 1;
    while (i >= 0 && out->text[i] == '9') i--;
    if (i >= 0) {
        out->text[i]++;
        out->count = i + 1;
    } else { // all nines
        out->text[0] = '1';
        out->count = 1;
        out->point++;
    }
}

// Rounds to `keep` digits (may be negative). `more`: non-zero digits follow those in out->text.
static void round_digits(FloatDigits *out, int64_t keep, bool more) {
    if (keep >= out->count) return;
    if (keep < 0) {
        out->count = 0;
        return;
    }
    char next = out->text[keep];
    bool tail = more;
    for (int i = (int)keep + 1; i < out->count && !tail; i++) tail = out->text[i] != '0';
    bool odd = keep > 0 && (out->text[keep - 1] & 1);
    bool up = next > '5' || (next == '5' && (tail || odd));
    out->count = (int)keep;
    if (up) round_up(out);
}

// Fills `out` with digits until one more than wanted is there or none are left. `significant`
// counts from the first digit that is not zero, otherwise `wanted` counts from the point. Returns
// whether something not zero was left out.
static bool expand(FloatParts v, int64_t wanted, bool significant, FloatDigits *out) {
    Fraction fraction = {.low = 0, .top = 0};
    if (v.exponent >= 0) {
        out->count = integer_digits(v.significand, v.exponent, out->text);
    } else {
        uint64_t whole = split_fraction(v.significand, -v.exponent, &fraction);
        out->count = integer_digits(whole, 0, out->text);
    }
    out->point = out->count;
    int64_t places = 0; // digits of the fraction so far
    while (!fraction_is_zero(&fraction) &&
           (significant ? out->count : places) <= wanted) {
        write_fixed(out->text + out->count, fraction_next(&fraction), 18);
        places += 18;
        int zeros = 0;
        if (out->count == 0)
            while (zeros < 18 && out->text[zeros] == '0') zeros++;
        out->point -= zeros;
        out->count += 18 - zeros;
        memmove(out->text, out->text + zeros, (size_t)out->count);
    }
    return !fraction_is_zero(&fraction);
}

void float_digits_significant(double d, int64_t count, FloatDigits *out) {
    FloatParts v = float_parts(d);
    if (count <= FAST_DIGITS && significant_fast(v, (int)count, out)) return;
    bool more = expand(v, count, true, out);
    round_digits(out, count, more);
    strip_zeros(out);
}

void float_digits_places(double d, int64_t places, FloatDigits *out) {
    FloatParts v = float_parts(d);
    int64_t count = estimated_point(v) + places;
    // If the estimate is one too low, one more digit than `count` is wanted.
    if (count >= 1 && count < FAST_DIGITS) {
        uint64_t n;
        Fast result = scaled_integer(v, (int)places, FAST_DIGITS, &n);
        if (result == FAST_DONE) {
            out->count = n ? decimal_length(n) : 0;
            write_fixed(out->text, n, out->count);
            out->point = out->count - (int)places;
            strip_zeros(out);
            return;
        }
    }
    bool more = expand(v, places, false, out);
    round_digits(out, out->point + places, more);
    strip_zeros(out);
}
