// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Decimal digits to the nearest double.
//
// The first 19 digits times a 128-bit power of ten give bounds on the number; nearly always both
// round to the same double (the idea of Michael Eisel's and Daniel Lemire's algorithm). Otherwise
// the number is compared, with all its digits, to the middle between the two candidates.

#include <math.h>
#include <string.h>

#include "vm/value/float_text.h"

enum {
    HEAD_DIGITS = 19,  // fit 64 bits
    EXACT_DIGITS = FLOAT_EXACT_DIGITS,
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
    if (used < count) { // any nonzero digit will do: no midpoint has that many digits
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

// Returns the nearer of `below` and the next double, between which the number lies.
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

// Returns the top 128 bits of the product of n, whose top bit is set, and a power of ten; *rest: lower bits are set.
static U128 scaled(uint64_t n, U128 power, bool *rest) {
    U128 low = (U128)(uint64_t)power * n;
    *rest = (uint64_t)low != 0;
    return (power >> 64) * n + (uint64_t)(low >> 64);
}

// Computes the double nearest to head * 10^exponent, or, if `cut`, to a number from there to below
// (head + 1) * 10^exponent. False when in doubt; then *out is the largest double not above the lower bound.
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
    // The power is too small by less than one unit of its 128 bits, which is less than two units of the product. One
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

// Computes whole * 10^exponent from two exact doubles with one rounding. False: they are not both exact.
static bool from_exact(uint64_t whole, int64_t exponent, double *out) {
    if (whole >> 53 != 0 || exponent < -22 || exponent > 22) return false;
    *out = exponent < 0 ? (double)whole / EXACT_POW10[-exponent] : (double)whole * EXACT_POW10[exponent];
    return true;
}

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
    double d;
    if (taken == count && from_exact(head, exponent, &d)) return d;
    int64_t head_exponent = exponent + (int64_t)(count - taken);
    if (from_bounds(head, head_exponent, taken < count, &d)) return d;
    return nearer(d, digits, count, exponent);
}

double float_from_whole(uint64_t whole, int64_t exponent) {
    double d;
    if (from_exact(whole, exponent, &d)) return d;
    if (whole != 0 && exponent >= -320 && exponent <= 290 && from_bounds(whole, exponent, false, &d)) return d;
    char digits[20];
    size_t at = sizeof digits;
    for (; whole != 0; whole /= 10) digits[--at] = (char)('0' + whole % 10);
    return float_from_decimal(digits + at, sizeof digits - at, exponent);
}
