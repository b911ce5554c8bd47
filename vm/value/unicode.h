// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Properties and case mappings of characters, from Unicode's tables (unicode.def, written by tools/gen_unicode.py).

#ifndef NACRE_VM_VALUE_UNICODE_H
#define NACRE_VM_VALUE_UNICODE_H

#include <stdbool.h>
#include <stdint.h>

// The bits of a RUN row.
typedef enum UniProperty {
    UNI_ALPHA = 1,
    UNI_DECIMAL = 2,
    UNI_DIGIT = 4,
    UNI_NUMERIC = 8,
    UNI_SPACE = 16,
    UNI_PRINTABLE = 32,
    UNI_ID_START = 64,
    UNI_ID_CONTINUE = 128,
    UNI_CASE_IGNORABLE = 256,
    UNI_TITLE = 512, // title case letters, like U+01C5
} UniProperty;

unsigned uni_properties(uint32_t cp); // a set of UniProperty
static inline bool uni_is(uint32_t cp, unsigned properties) {
    return (uni_properties(cp) & properties) != 0;
}
bool uni_is_upper(uint32_t cp);
bool uni_is_lower(uint32_t cp);
bool uni_is_cased(uint32_t cp);
int uni_decimal(uint32_t cp); // the value of a decimal digit in any script; -1 for other characters

// Full case mappings: write up to three characters, return how many.
typedef int (*UniMap)(uint32_t cp, uint32_t to[3]);
int uni_to_upper(uint32_t cp, uint32_t to[3]);
int uni_to_lower(uint32_t cp, uint32_t to[3]);
int uni_to_title(uint32_t cp, uint32_t to[3]);
int uni_to_fold(uint32_t cp, uint32_t to[3]);

#endif
