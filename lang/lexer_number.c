// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Number literals: reads those that Python accepts, and reports the others with Python's messages.

#include "lang/lexer.h"

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool digit_of(char c, int base) {
    if (base == 16) return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    return c >= '0' && c < '0' + base;
}

// Reports an invalid literal at the last character that was read.
static TokenKind bad_literal(Lexer *lexer, const char *kind) {
    lex_error(lexer, lexer->pos - 1, lexer->pos, "invalid %s literal", kind);
    return TOK_ERROR;
}

// Returns whether a keyword follows that may do so without a blank, as in `1if x else y`.
static bool at_following_keyword(const Lexer *lexer) {
    static const char *const words[] = {"and", "else", "for", "if", "in", "is", "or", "not"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        uint32_t k = 0;
        while (words[i][k] && lex_peek(lexer, k) == words[i][k]) k++;
        if (!words[i][k]) return true;
    }
    return false;
}

static TokenKind end_of_number(Lexer *lexer, TokenKind kind, const char *word) {
    if (!at_following_keyword(lexer)) {
        char c = lex_peek(lexer, 0);
        if (lex_at_identifier(lexer) || is_digit(c) || (unsigned char)c >= 0x80) {
            return bad_literal(lexer, word);
        }
    }
    return kind;
}

// Reads digits with single underscores between them. Returns false after a report.
static bool decimal_tail(Lexer *lexer) {
    for (;;) {
        while (is_digit(lex_peek(lexer, 0))) lexer->pos++;
        if (lex_peek(lexer, 0) != '_') return true;
        lexer->pos++;
        if (!is_digit(lex_peek(lexer, 0))) {
            bad_literal(lexer, "decimal");
            return false;
        }
    }
}

static TokenKind bad_digit(Lexer *lexer, const char *word) {
    char c = lex_peek(lexer, 0);
    if (!is_digit(c)) return bad_literal(lexer, word);
    lex_error(lexer, lexer->pos, lexer->pos + 1, "invalid digit '%c' in %s literal", c, word);
    return TOK_ERROR;
}

static TokenKind based_number(Lexer *lexer, int base, const char *word) {
    lexer->pos += 2;
    do {
        if (lex_peek(lexer, 0) == '_') lexer->pos++;
        if (!digit_of(lex_peek(lexer, 0), base)) return bad_digit(lexer, word);
        while (digit_of(lex_peek(lexer, 0), base)) lexer->pos++;
    } while (lex_peek(lexer, 0) == '_');
    if (is_digit(lex_peek(lexer, 0))) return bad_digit(lexer, word);
    return end_of_number(lexer, TOK_INT, word);
}

// Reads what may follow the digits of a decimal: fraction, exponent, `j`.
static TokenKind number_suffix(Lexer *lexer) {
    TokenKind kind = TOK_INT;
    if (lex_peek(lexer, 0) == '.') {
        kind = TOK_FLOAT;
        lexer->pos++;
        if (is_digit(lex_peek(lexer, 0)) && !decimal_tail(lexer)) return TOK_ERROR;
    }
    char c = lex_peek(lexer, 0);
    if (c == 'e' || c == 'E') {
        char sign = lex_peek(lexer, 1);
        bool has_sign = sign == '+' || sign == '-';
        if (!is_digit(lex_peek(lexer, 1 + has_sign))) {
            if (!has_sign) return end_of_number(lexer, kind, "decimal");
            lexer->pos += 2;
            return bad_literal(lexer, "decimal");
        }
        lexer->pos += 1 + has_sign;
        kind = TOK_FLOAT;
        if (!decimal_tail(lexer)) return TOK_ERROR;
        c = lex_peek(lexer, 0);
    }
    if (c == 'j' || c == 'J') {
        lexer->pos++;
        return end_of_number(lexer, TOK_IMAG, "imaginary");
    }
    return end_of_number(lexer, kind, "decimal");
}

// Reads a decimal that starts with '0'. If it is an int, all its digits have to be zeros.
static TokenKind zero_number(Lexer *lexer) {
    uint32_t start = lexer->pos++;
    while (lex_peek(lexer, 0) == '0' || lex_peek(lexer, 0) == '_') {
        bool underscore = lex_peek(lexer, 0) == '_';
        lexer->pos++;
        if (underscore && !is_digit(lex_peek(lexer, 0))) return bad_literal(lexer, "decimal");
    }
    uint32_t zeros_end = lexer->pos;
    if (!is_digit(lex_peek(lexer, 0))) return number_suffix(lexer);
    if (!decimal_tail(lexer)) return TOK_ERROR;
    char c = lex_peek(lexer, 0);
    if (c == '.' || c == 'e' || c == 'E' || c == 'j' || c == 'J') return number_suffix(lexer);
    lex_error(lexer, start, zeros_end,
              "leading zeros in decimal integer literals are not permitted; "
              "use an 0o prefix for octal integers");
    return TOK_ERROR;
}

TokenKind lex_number(Lexer *lexer) {
    if (lex_peek(lexer, 0) == '0') {
        switch (lex_peek(lexer, 1) | 0x20) {
        case 'x': return based_number(lexer, 16, "hexadecimal");
        case 'o': return based_number(lexer, 8, "octal");
        case 'b': return based_number(lexer, 2, "binary");
        default: return zero_number(lexer);
        }
    }
    if (!decimal_tail(lexer)) return TOK_ERROR;
    return number_suffix(lexer);
}
