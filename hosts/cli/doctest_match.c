// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Compares output with the expected one, as OutputChecker in Python's doctest module does with NORMALIZE_WHITESPACE and
// ELLIPSIS. In addition, two floats that are written differently match if they are nearly equal.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "doctest.h"

static const double rtol = 1e-6;

// --- Folding -------------------------------------------------------------------------------------

static bool is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

// Returns the length of "<BLANKLINE>" alone on its line, if it is at `text`, which is the beginning of a line;
// otherwise 0.
static size_t blank_line(const char *text) {
    static const char mark[] = "<BLANKLINE>";
    size_t len = sizeof mark - 1;
    if (strncmp(text, mark, len) != 0) return 0;
    len += strspn(text + len, " \t\f\v\r");
    return text[len] == '\n' || text[len] == '\0' ? len : 0;
}

// Appends a text with each run of white space replaced by one blank, and without white space at its ends. `marks`:
// "<BLANKLINE>" counts as white space.
static void fold(const char *text, bool marks, Text *out) {
    bool begins_line = true;
    size_t start = out->len;
    for (size_t pending = 0; *text;) {
        size_t mark = marks && begins_line ? blank_line(text) : 0;
        begins_line = *text == '\n' && !mark;
        if (mark || is_space(*text)) {
            text += mark ? mark : 1;
            pending = 1;
            continue;
        }
        if (pending && out->len > start) text_add(out, " ", 1);
        pending = 0;
        text_add(out, text++, 1);
    }
}

// --- Numbers -------------------------------------------------------------------------------------

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_word(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           (unsigned char)c >= 0x80;
}

static size_t digits(const char *text) {
    size_t n = 0;
    while (is_digit(text[n])) n++;
    return n;
}

// Returns the length of the float at offset `at` of a text; 0 if there is none, or if it is part of a longer word or
// number.
static size_t float_length(const char *text, size_t at) {
    if (at > 0 && (is_word(text[at - 1]) || text[at - 1] == '.')) return 0;
    const char *start = text + at;
    size_t whole = digits(start), n = whole;
    bool point = start[n] == '.';
    if (point) n += 1 + digits(start + n + 1);
    if (whole == 0 && n < 2) return 0;
    size_t sign = start[n] == 'e' ? 1 + (start[n + 1] == '-' || start[n + 1] == '+') : 0;
    size_t exponent = sign ? digits(start + n + sign) : 0;
    if (exponent) n += sign + exponent;
    if (!point && !exponent) return 0;
    size_t after = n + (start[n] == 'j'); // the j of 2.5j
    return is_word(start[after]) || (start[after] == '.' && is_digit(start[after + 1])) ? 0 : n;
}

static bool nearly_equal(const char *a, const char *b) {
    double x = strtod(a, NULL), y = strtod(b, NULL);
    double off = fabs(x - y), larger = fabs(x) > fabs(y) ? fabs(x) : fabs(y);
    return x == y || (off <= rtol * larger && off < HUGE_VAL);
}

// --- Matching ------------------------------------------------------------------------------------

static const char ellipsis[] = "...";

// A part of the expected text, between two occurrences of `...`.
typedef struct Piece {
    const char *text; // the whole expected text, since what precedes a number matters too
    size_t from, to;
    bool open; // followed by `...`, so a number at its end may be incomplete
} Piece;

// Matches a piece against the output at offset `at`. Returns the offset after the match; NO_ERROR: no match.
static size_t match_piece(Piece piece, const char *got, size_t at) {
    for (size_t i = piece.from; i < piece.to;) {
        size_t want_len = float_length(piece.text, i), got_len = float_length(got, at);
        bool cut = i + want_len > piece.to || (piece.open && i + want_len == piece.to);
        if (want_len && got_len && !cut && nearly_equal(piece.text + i, got + at)) {
            i += want_len;
            at += got_len;
            continue;
        }
        if (piece.text[i] != got[at]) return NO_ERROR; // includes the end of `got`
        i++;
        at++;
    }
    return at;
}

// Searches for the leftmost match of a piece at or after offset `at`; the last piece must match up to the end of the
// output. Returns the offset after the match; NO_ERROR: no match.
static size_t find_piece(Piece piece, const char *got, size_t at, size_t len) {
    for (; at <= len; at++) {
        size_t end = match_piece(piece, got, at);
        if (end != NO_ERROR && (piece.open || end == len)) return end;
    }
    return NO_ERROR;
}

static bool match(const char *want, const char *got) {
    size_t at = 0, from = 0, len = strlen(got);
    for (bool first = true;; first = false) {
        const char *next = strstr(want + from, ellipsis);
        size_t to = next ? (size_t)(next - want) : strlen(want);
        Piece piece = {want, from, to, next != NULL};
        at = first ? match_piece(piece, got, 0) : find_piece(piece, got, at, len);
        if (at == NO_ERROR) return false;
        if (!next) return at == len;
        from = to + strlen(ellipsis);
    }
}

static bool is_truth(const char *want, const char *got) {
    return (strcmp(got, "True\n") == 0 && strcmp(want, "1\n") == 0) ||
           (strcmp(got, "False\n") == 0 && strcmp(want, "0\n") == 0);
}

bool doctest_matches(const char *want, const char *got, unsigned options) {
    if (strcmp(want, got) == 0) return true;
    if (!(options & OPTION_EXACT_TRUTH) && is_truth(want, got)) return true;
    Text folded_want = {0}, folded_got = {0};
    fold(want, !(options & OPTION_EXACT_BLANK), &folded_want);
    fold(got, false, &folded_got);
    bool same = !folded_want.failed && !folded_got.failed &&
                match(text_string(&folded_want), text_string(&folded_got));
    text_free(&folded_want);
    text_free(&folded_got);
    return same;
}

// Appends the class of an error message: "Class" of "package.Class: message".
static void add_class(const char *error, Text *out) {
    size_t len = strcspn(error, ":\n");
    const char *name = error + len;
    while (name > error && name[-1] != '.') name--;
    text_add(out, name, (size_t)(error + len - name));
}

bool doctest_error_matches(const char *want, const char *got, unsigned options) {
    if (doctest_matches(want, got, options)) return true;
    if (!(options & OPTION_IGNORE_DETAIL)) return false;
    Text want_class = {0}, got_class = {0};
    add_class(want, &want_class);
    add_class(got, &got_class);
    bool same = !want_class.failed && !got_class.failed &&
                doctest_matches(text_string(&want_class), text_string(&got_class), options);
    text_free(&want_class);
    text_free(&got_class);
    return same;
}
