// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Decodes and validates UTF-8, and classifies the code points of identifiers.

#ifndef NACRE_LANG_SUPPORT_UTF8_H
#define NACRE_LANG_SUPPORT_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Decodes the code point at the start of `bytes` (len > 0), strictly: no surrogates, no overlong
// forms. Returns its length in bytes, or 0 when it is not valid.
size_t utf8_decode(const char *bytes, size_t len, uint32_t *code_point);

// Checks all of `bytes`. On failure `*bad_at` is the offset of the first bad byte and `*reason`
// a constant phrase as Python's decoder words it.
bool utf8_validate(const char *bytes, size_t len, size_t *bad_at, const char **reason);

// Returns how many bytes at the start of `bytes` (len > 0), where utf8_validate found an error,
// Python's decoder treats as one error.
size_t utf8_bad_length(const char *bytes, size_t len);

// Returns the number of code points. A byte that belongs to no valid sequence counts as one.
size_t utf8_count(const char *bytes, size_t len);

// Return whether a code point has XID_Start, XID_Continue, as in Python ('_' counts as a start).
bool unicode_is_id_start(uint32_t code_point);
bool unicode_is_id_continue(uint32_t code_point);

// Normalises a character of an identifier: 'µ' (micro) becomes 'μ' (Greek), as in Python, which
// converts identifiers to normalisation form KC. Handles single letters only: letters with combining
// marks, and compatibility forms of other scripts, are unchanged.
uint32_t unicode_fold(uint32_t code_point);

// Returns false for control, format, private-use and space characters, which a message would not show.
bool unicode_is_visible(uint32_t code_point);

#endif
