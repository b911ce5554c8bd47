// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Converts number tokens to values.

#include <stdlib.h>

#include "lang/parser_internal.h"

// Longer decimal integers are refused, as their conversion takes quadratic time (Python's limit).
enum { MAX_INT_DIGITS = 4300 };

static int base_of(const char *text, size_t len) {
    if (len < 2 || text[0] != '0') return 10;
    switch (text[1] | 0x20) {
    case 'x': return 16;
    case 'o': return 8;
    case 'b': return 2;
    default: return 10;
    }
}

static void put_digits(const char *text, size_t len, Buf *out) {
    for (size_t i = 0; i < len; i++) {
        if (text[i] != '_') buf_putc(out, text[i]);
    }
}

static Expr *int_node(Parser *parser, Span start, const Buf *digits, size_t zeros, int base) {
    if (base == 10 && digits->len > MAX_INT_DIGITS) {
        return parse_syntax_error(
            parser, start,
            "Exceeds the limit (%d digits) for integer string conversion: value has %zu digits; "
            "use sys.set_int_max_str_digits() to increase the limit - Consider hexadecimal for "
            "huge integer literals to avoid decimal conversion limits.",
            MAX_INT_DIGITS, digits->len);
    }
    Expr *node = parse_node(parser, EXPR_INT, start);
    if (!node) return NULL;
    node->integer.base = base;
    size_t len = digits->len - zeros;
    node->integer.digits.bytes = arena_text(parser->arena, digits->data + zeros, len);
    node->integer.digits.len = len;
    return node->integer.digits.bytes ? node : parse_out_of_memory(parser);
}

Expr *parse_prefix_int(Parser *parser) {
    const Token *token = parse_token(parser);
    const char *text = parser->text + token->start;
    size_t len = token->end - token->start;
    int base = base_of(text, len), skip = base == 10 ? 0 : 2;
    Buf digits;
    buf_init(&digits, parser->mem);
    put_digits(text + skip, len - skip, &digits);
    parse_advance(parser);
    size_t zeros = 0; // leading zeros to drop: 000 is a valid way to write 0
    while (zeros + 1 < digits.len && digits.data[zeros] == '0') zeros++;
    Expr *node = digits.failed ? parse_out_of_memory(parser)
                               : int_node(parser, token->span, &digits, zeros, base);
    buf_free(&digits);
    return node;
}

// Rewrites a number without a decimal point, since strtod expects the point of the host's locale:
// 12.5e3 becomes 125e2. Appends the text to `out`.
static void put_without_point(const char *text, size_t len, Buf *out) {
    long long exponent = 0;
    bool after_point = false;
    size_t i = 0;
    for (; i < len && (text[i] | 0x20) != 'e'; i++) {
        if (text[i] == '.') after_point = true;
        if (text[i] < '0' || text[i] > '9') continue;
        buf_putc(out, text[i]);
        if (after_point) exponent--;
    }
    if (i < len) {
        bool negative = text[i + 1] == '-';
        long long written = 0;
        for (i++; i < len; i++) {
            bool digit = text[i] >= '0' && text[i] <= '9';
            if (digit && written < 1000000000000) written = written * 10 + (text[i] - '0');
        }
        exponent += negative ? -written : written;
    }
    // Beyond this the value is 0 or infinity, however many digits there are.
    long long most = 4000000000000;
    if (exponent > most) exponent = most;
    if (exponent < -most) exponent = -most;
    buf_printf(out, "e%lld", exponent);
    buf_putc(out, 0);
}

static Expr *float_node(Parser *parser, ExprKind kind) {
    const Token *token = parse_token(parser);
    size_t len = token->end - token->start - (kind == EXPR_IMAG);
    Buf text;
    buf_init(&text, parser->mem);
    put_without_point(parser->text + token->start, len, &text);
    parse_advance(parser);
    Expr *node = text.failed ? parse_out_of_memory(parser) : parse_node(parser, kind, token->span);
    if (node) node->number = strtod(text.data, NULL);
    buf_free(&text);
    return node;
}

Expr *parse_prefix_float(Parser *parser) {
    return float_node(parser, EXPR_FLOAT);
}

Expr *parse_prefix_imag(Parser *parser) {
    return float_node(parser, EXPR_IMAG);
}
