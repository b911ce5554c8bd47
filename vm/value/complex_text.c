// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Complex numbers to and from text.

#include <math.h>

#include "vm/value/float_text.h"
#include "vm/value/num.h"

static const FloatStyle PART = {.style = 'r'};

void complex_repr(double re, double im, Buf *out) {
    if (re == 0 && !signbit(re)) {
        float_write(im, PART, out);
        buf_putc(out, 'j');
        return;
    }
    buf_putc(out, '(');
    float_write(re, PART, out);
    if (!signbit(im) || isnan(im)) buf_putc(out, '+');
    float_write(im, PART, out);
    buf_puts(out, "j)");
}

static bool is_sign(int c) {
    return c == '+' || c == '-';
}

static bool take_unit(NumText *t) { // j or J
    if ((num_text_peek(t) | 0x20) != 'j' || num_text_peek(t) < 0) return false;
    num_text_next(t);
    return true;
}

// Reads the sign of a j without digits, as in "1+j", "-j", "j"; returns 1 or -1.
static double take_sign(NumText *t) {
    int c = num_text_peek(t);
    if (is_sign(c)) num_text_next(t);
    return c == '-' ? -1.0 : 1.0;
}

// Parses the text between the brackets: <float>, <float>j, <float><signed-float>j, with a lone sign or nothing for a
// float of 1.
static bool scan_parts(NumText *t, double *re, double *im) {
    double first;
    *re = *im = 0.0;
    if (!float_scan(t, &first)) {
        *im = take_sign(t);
        return take_unit(t);
    }
    if (take_unit(t)) {
        *im = first;
        return true;
    }
    *re = first;
    if (!is_sign(num_text_peek(t))) return true;
    if (!float_scan(t, im)) *im = take_sign(t);
    return take_unit(t);
}

bool complex_parse(const char *text, size_t len, double *re, double *im) {
    NumText t = num_text(text, len);
    bool bracket = num_text_peek(&t) == '(';
    double x, y;
    if (bracket) {
        num_text_next(&t);
        num_text_skip_space(&t);
    }
    if (!scan_parts(&t, &x, &y)) return false;
    if (bracket) {
        num_text_skip_space(&t);
        if (num_text_peek(&t) != ')') return false;
        num_text_next(&t);
    }
    if (t.at != t.end) return false;
    *re = x;
    *im = y;
    return true;
}
