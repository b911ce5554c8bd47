// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Reads the text of a number character by character, as int(), float() and complex() do: accepts
// decimal digits of any script, and strips white space of any script.

#ifndef NACRE_VM_VALUE_NUM_TEXT_H
#define NACRE_VM_VALUE_NUM_TEXT_H

#include "lang/support/buf.h"

typedef struct NumText {
    const char *at, *end;
} NumText;

enum { NUM_TEXT_END = -1, NUM_TEXT_OTHER = -2 };

// Returns a cursor at the text without the white space around it.
NumText num_text(const char *text, size_t len);

// Returns the character at the cursor as ASCII (a decimal digit of any script as 0-9), NUM_TEXT_END or
// NUM_TEXT_OTHER.
int num_text_wide(const NumText *t);
static inline int num_text_peek(const NumText *t) {
    if (t->at >= t->end) return NUM_TEXT_END;
    return (unsigned char)*t->at < 0x80 ? *t->at : num_text_wide(t);
}
void num_text_next(NumText *t);
void num_text_skip_space(NumText *t);

// Skips an underscore that a decimal digit follows. Returns that digit, or otherwise the character at the
// cursor. For use after a digit.
int num_text_after_digit(NumText *t);

static inline bool is_decimal_digit(int c) {
    return c >= '0' && c <= '9';
}

#endif
