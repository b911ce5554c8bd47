// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Decoding and checking UTF-8, and which code points may stand in identifiers.

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

// How many bytes at the start of `bytes` (len > 0), where utf8_validate found a bad one, Python's
// decoder takes as one mistake.
size_t utf8_bad_length(const char *bytes, size_t len);

// Number of code points; a byte that belongs to no valid sequence counts as one.
size_t utf8_count(const char *bytes, size_t len);

// XID_Start and XID_Continue as Python uses them ('_' counts as a start).
bool unicode_is_id_start(uint32_t code_point);
bool unicode_is_id_continue(uint32_t code_point);

// The character an identifier's character stands for: 'µ' (micro) becomes 'μ' (Greek), as in
// Python, which brings identifiers into normalisation form KC. Single letters only; sequences of a
// letter and combining marks, and compatibility forms of other scripts, stay as they are.
uint32_t unicode_fold(uint32_t code_point);

// False for the control, format, private and space characters that would be invisible in a message.
bool unicode_is_visible(uint32_t code_point);

#endif
