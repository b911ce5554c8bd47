// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Import statements.

#include "lang/parser_internal.h"

// Parses `a.b.c` into the whole name and its parts.
static bool dotted_name(Parser *parser, Name *whole, NameList *parts) {
    size_t mark = parser->scratch_len;
    Buf text;
    buf_init(&text, parser->mem);
    bool good = true;
    do {
        bool at_name = parse_at(parser, TOK_NAME);
        Name part = at_name ? parse_token_name(parser) : parse_unexpected(parser, "name");
        good = part && parse_push_ptr(parser, part);
        if (!good) break;
        if (text.len) buf_putc(&text, '.');
        buf_puts(&text, part);
        parse_advance(parser);
    } while (parse_accept(parser, TOK_DOT));
    if (text.failed) good = parse_out_of_memory(parser);
    if (good) {
        parts->items = parse_take(parser, mark, sizeof(Name), &parts->count);
        *whole = parse_intern(parser, text.data, text.len);
        good = parts->items && *whole;
    }
    buf_free(&text);
    return good;
}

// Parses an optional `as name`, and checks that the name which the import binds may be bound. Returns
// false after a report.
static bool as_name(Parser *parser, Alias *alias, Span start) {
    Span span = parse_join(start, parser->last);
    if (parse_accept(parser, TOK_AS)) {
        span = parse_token(parser)->span;
        if (!parse_at(parser, TOK_NAME)) return parse_unexpected(parser, "name");
        alias->as_name = parse_token_name(parser);
        if (!alias->as_name) return false;
        parse_advance(parser);
    }
    alias->span = parse_join(start, parser->last);
    return parse_bindable(parser, alias->as_name ? alias->as_name : alias->name, span);
}

Stmt *parse_import(Parser *parser) {
    Span start = parse_token(parser)->span;
    size_t mark = parser->scratch_len;
    parse_advance(parser);
    do {
        Alias alias = {0};
        Span at = parse_token(parser)->span;
        if (!dotted_name(parser, &alias.name, &alias.parts)) return NULL;
        if (!as_name(parser, &alias, at)) return NULL;
        if (!parse_push(parser, &alias, sizeof alias)) return NULL;
    } while (parse_accept(parser, TOK_COMMA));
    Stmt *node = parse_stmt_node(parser, STMT_IMPORT, start);
    if (!node) return NULL;
    node->import.items = parse_take(parser, mark, sizeof(Alias), &node->import.count);
    return node->import.items ? node : NULL;
}

static bool imported_name(Parser *parser) {
    Alias alias = {0};
    Span at = parse_token(parser)->span;
    if (!parse_at(parser, TOK_NAME)) return parse_unexpected(parser, "name");
    alias.name = parse_token_name(parser);
    alias.parts.items = parse_alloc(parser, sizeof(Name));
    if (!alias.name || !alias.parts.items) return false;
    alias.parts.items[0] = alias.name;
    alias.parts.count = 1;
    parse_advance(parser);
    return as_name(parser, &alias, at) && parse_push(parser, &alias, sizeof alias);
}

static bool imported_names(Parser *parser, Stmt *node) {
    bool parens = parse_accept(parser, TOK_LPAREN);
    size_t mark = parser->scratch_len;
    do {
        if (mark != parser->scratch_len && parens && parse_at(parser, TOK_RPAREN)) break;
        if (mark != parser->scratch_len && parse_at(parser, TOK_NEWLINE)) {
            return parse_syntax_error(parser, parse_token(parser)->span,
                                      "trailing comma not allowed without surrounding parentheses");
        }
        if (!imported_name(parser)) return false;
    } while (parse_accept(parser, TOK_COMMA));
    if (parens && !parse_expect(parser, TOK_RPAREN)) return false;
    AliasList *names = &node->import_from.names;
    names->items = parse_take(parser, mark, sizeof(Alias), &names->count);
    return names->items != NULL;
}

static uint32_t leading_dots(Parser *parser) {
    uint32_t level = 0;
    for (;;) {
        if (parse_accept(parser, TOK_DOT)) {
            level += 1;
        } else if (parse_accept(parser, TOK_ELLIPSIS)) {
            level += 3;
        } else {
            return level;
        }
    }
}

Stmt *parse_import_from(Parser *parser) {
    Span start = parse_token(parser)->span;
    parse_advance(parser);
    Stmt *node = parse_stmt_node(parser, STMT_IMPORT_FROM, start);
    if (!node) return NULL;
    node->import_from.level = leading_dots(parser);
    if (node->import_from.level == 0 || !parse_at(parser, TOK_IMPORT)) {
        if (!dotted_name(parser, &node->import_from.module, &node->import_from.parts)) return NULL;
    }
    if (!parse_expect(parser, TOK_IMPORT)) return NULL;
    node->import_from.star = parse_accept(parser, TOK_STAR);
    if (!node->import_from.star && !imported_names(parser, node)) return NULL;
    node->span = parse_join(start, parser->last);
    return node;
}
