// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The parts behind float_repr, float_format and float_parse: exact conversion between binary and
// decimal. Everything here is plain arithmetic: no allocation, no locale, no rounding mode.

#ifndef NACRE_VM_VALUE_FLOAT_TEXT_H
#define NACRE_VM_VALUE_FLOAT_TEXT_H

#include "vm/value/num_text.h"

typedef unsigned __int128 U128;

// 10^k = bits * 2^exponent, `bits` rounded down (exact if 0 <= k <= 55), its top bit set.
enum { POW10_MIN = -351, POW10_MAX = 350 };
typedef struct Pow10 {
    U128 bits;
    int exponent;
} Pow10;
Pow10 float_pow10(int k);
int floor_log2_pow10(int k);
int floor_log10_pow2(int e);

// Returns the double nearest to `m * 2^exponent` (ties to even), infinity when too large. `sticky`: the number is
// larger than that by less than one unit of m.
double float_compose(U128 m, int64_t exponent, bool sticky);
double float_truncate(U128 m, int64_t exponent); // rounds towards zero

// A positive finite number taken apart: significand * 2^exponent, exactly.
typedef struct FloatParts {
    uint64_t significand;
    int exponent;
    bool lower_is_closer; // a power of two: the next smaller number is half a gap away
} FloatParts;
FloatParts float_parts(double d);
FloatParts float32_parts(float f);
FloatParts float16_parts(uint16_t bits);

// digits * 10^exponent, without trailing zeros: the shortest decimal that rounds to the number,
// and the closest of those.
typedef struct Decimal {
    uint64_t digits;
    int exponent;
} Decimal;
Decimal float_shortest(FloatParts parts);
int decimal_length(uint64_t digits); // number of digits, 1 for zero

// Correctly rounded digits (ties to even) of a positive finite number: 0.d1d2d3… * 10^point.
enum { FLOAT_DIGITS_MAX = 1100 };
typedef struct FloatDigits {
    int count; // without trailing zeros; 0 when the number rounds to zero
    int point;
    char text[FLOAT_DIGITS_MAX];
} FloatDigits;
void float_digits_significant(double d, int64_t count, FloatDigits *out); // count >= 1
void float_digits_places(double d, int64_t places, FloatDigits *out);     // after the point; or < 0

// Layout of a float's text. `style`: e f g, or r for the shortest text.
typedef struct FloatStyle {
    char style;
    int precision;  // digits; not for r
    bool alternate; // keep the point and, for g, trailing zeros
    bool dot_zero;  // "1.0", not "1" (no effect on exponent forms)
    bool upper;
} FloatStyle;
void float_write(double d, FloatStyle style, Buf *out);
void decimal_write(Decimal decimal, FloatStyle style, Buf *out); // style r

// Reads sign, digits, point and exponent, or inf, infinity, nan, at the cursor. Underscores between
// digits are skipped. False (cursor untouched) when no number stands there.
bool float_scan(NumText *text, double *out);
// Returns digits[0..count) * 10^exponent, correctly rounded, for any number of digits.
double float_from_decimal(const char *digits, size_t count, int64_t exponent);
enum { FLOAT_EXACT_DIGITS = 800 }; // more than any midpoint of two doubles has
double float_from_whole(uint64_t whole, int64_t exponent); // whole * 10^exponent, likewise

// float.hex() and float.fromhex().
void float_hex_write(double d, Buf *out);
typedef enum HexResult { HEX_OK, HEX_INVALID, HEX_TOO_LARGE } HexResult;
HexResult float_hex_scan(const char *text, size_t len, double *out); // white space around allowed

#endif
