// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Formats one float, in a printed array or as a scalar.

#ifndef NACRE_VM_ARRAY_FLOAT_WORD_H
#define NACRE_VM_ARRAY_FLOAT_WORD_H

#include "lang/support/buf.h"
#include "vm/graph/dtype.h"

enum { FLOAT_WORD_MAX = 16000 }; // digits and widths are limited to this

typedef enum Trim { TRIM_NONE, TRIM_ZEROS, TRIM_ONE_ZERO, TRIM_POINT } Trim; // "1.0" for ONE_ZERO

// Negative numbers mean "not given".
typedef struct FloatWord {
    DType dtype;       // type in which the shortest digits must round-trip
    bool scientific;
    bool exact;        // exact digits, not the shortest ones that round-trip
    bool plus;         // write the sign of positive numbers
    Trim trim;         // trailing zeros
    int precision, min_digits; // after the point
    int pad_left, pad_right, exponent_digits;
} FloatWord;

// Appends a number; it may be infinite or NaN, which are not padded.
void float_word(const FloatWord *how, double x, Buf *out);

#endif
