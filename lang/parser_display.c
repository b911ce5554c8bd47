// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The contents of brackets: groups, tuples, lists, sets, dicts and comprehensions.

#include "lang/parser_internal.h"

static bool at_clause(const Parser *parser) {
    return parse_at(parser, TOK_FOR) || parse_at(parser, TOK_ASYNC);
}

// ---- comprehensions -----------------------------------------------------------------------------

static bool clause(Parser *parser, CompClause *out) {
    Span start = parse_token(parser)->span;
    if (parse_at(parser, TOK_ASYNC)) {
        parse_syntax_error(parser, start, "asynchronous comprehensions are not supported");
        return false;
    }
    parse_advance(parser);
    out->target = parse_for_target(parser);
    if (!out->target || !parse_expect(parser, TOK_IN)) return false;
    out->iter = parse_operators(parser, POWER_OR);
    if (!out->iter) return false;
    size_t mark = parser->scratch_len;
    while (parse_accept(parser, TOK_IF)) {
        Expr *test = parse_operators(parser, POWER_OR);
        if (!test || !parse_push_ptr(parser, test)) return false;
    }
    out->ifs = parse_take_exprs(parser, mark);
    out->span = parse_join(start, parser->last);
    return !parser->oom;
}

Expr *parse_comprehension(Parser *parser, ExprKind kind, Expr *element, Expr *value, Span start) {
    size_t mark = parser->scratch_len;
    while (at_clause(parser)) {
        CompClause item;
        if (!clause(parser, &item) || !parse_push(parser, &item, sizeof item)) return NULL;
    }
    Expr *node = parse_node(parser, kind, start);
    if (!node) return NULL;
    node->comp.element = element;
    node->comp.value = value;
    node->comp.clauses =
        parse_take(parser, mark, sizeof(CompClause), &node->comp.clause_count);
    return parser->oom ? NULL : node;
}

static Expr *comprehension(Parser *parser, ExprKind kind, Expr *element, Span start) {
    if (element->kind == EXPR_STARRED) {
        return parse_syntax_error(parser, element->span,
                                  "iterable unpacking cannot be used in comprehension");
    }
    return parse_comprehension(parser, kind, element, NULL, start);
}

// ---- lists of items -----------------------------------------------------------------------------

static Expr *row(Parser *parser, ExprKind kind, size_t mark, Span start) {
    Expr *node = parse_node(parser, kind, start);
    if (!node) return NULL;
    node->items = parse_take_exprs(parser, mark);
    return parser->oom ? NULL : node;
}

// Parses the items that follow `first`, up to `close`.
static Expr *items(Parser *parser, ExprKind kind, Expr *first, TokenKind close, Span start) {
    size_t mark = parser->scratch_len;
    if (!parse_push_ptr(parser, first)) return NULL;
    while (parse_accept(parser, TOK_COMMA)) {
        if (parse_at(parser, close) || at_clause(parser)) break;
        Expr *item = parse_star_named(parser);
        if (!item || !parse_push_ptr(parser, item)) return NULL;
    }
    if (parse_at(parser, TOK_FOR) && kind != EXPR_TUPLE) {
        return parse_syntax_error(parser, parse_join(first->span, parser->last),
                                  "did you forget parentheses around the comprehension target?");
    }
    return row(parser, kind, mark, start);
}

// ---- parentheses --------------------------------------------------------------------------------

static Expr *double_star_group(Parser *parser, TokenKind close) {
    Span span = parse_token(parser)->span;
    Trial trial = parse_trial_begin(parser);
    parse_advance(parser);
    parse_expression(parser);
    bool closed = parse_at(parser, close);
    if (parse_trial_end(parser, trial) && closed) {
        return parse_syntax_error(parser, span, "cannot use double starred expression here");
    }
    return parse_unexpected(parser, NULL);
}

static Expr *paren_group(Parser *parser, TokenKind close, Span start) {
    if (parse_at(parser, TOK_RPAREN)) return parse_node(parser, EXPR_TUPLE, start);
    if (parse_at(parser, TOK_YIELD)) return parse_yield(parser);
    if (parse_at(parser, TOK_STAR_STAR)) return double_star_group(parser, close);
    Expr *first = parse_star_named(parser);
    if (!first) return NULL;
    if (at_clause(parser)) return comprehension(parser, EXPR_GENERATOR, first, start);
    if (parse_at(parser, TOK_COMMA)) return items(parser, EXPR_TUPLE, first, close, start);
    if (first->kind == EXPR_STARRED && parse_at(parser, close)) {
        return parse_syntax_error(parser, first->span, "cannot use starred expression here");
    }
    return first;
}

static Expr *list_group(Parser *parser, Span start) {
    if (parse_at(parser, TOK_RBRACKET)) return parse_node(parser, EXPR_LIST, start);
    Expr *first = parse_star_named(parser);
    if (!first) return NULL;
    if (at_clause(parser)) return comprehension(parser, EXPR_LIST_COMP, first, start);
    return items(parser, EXPR_LIST, first, TOK_RBRACKET, start);
}

// ---- braces -------------------------------------------------------------------------------------

typedef struct Pair {
    Expr *key, *value; // key: NULL for `**value`
} Pair;

// Parses the value of a dict item, from the colon after its key on.
static Expr *dict_value(Parser *parser) {
    Span colon = parse_token(parser)->span;
    parse_advance(parser);
    if (parse_at(parser, TOK_RBRACE) || parse_at(parser, TOK_COMMA)) {
        return parse_syntax_error(parser, colon,
                                  "expression expected after dictionary key and ':'");
    }
    if (!parse_at(parser, TOK_STAR)) return parse_expression(parser);
    Trial trial = parse_trial_begin(parser);
    Expr *value = parse_star_named(parser);
    if (!parse_trial_end(parser, trial)) return parse_unexpected(parser, "expression");
    return parse_syntax_error(parser, value->span,
                              "cannot use a starred expression in a dictionary value");
}

static bool dict_pair(Parser *parser, bool first, Pair *pair) {
    Span start = parse_token(parser)->span;
    if (parse_accept(parser, TOK_STAR_STAR)) {
        pair->key = NULL;
        pair->value = parse_operators(parser, POWER_BITOR);
        if (pair->value && first && at_clause(parser)) {
            parse_syntax_error(parser, start,
                               "dict unpacking cannot be used in dict comprehension");
            return false;
        }
        return pair->value != NULL;
    }
    pair->key = parse_expression(parser);
    if (!pair->key) return false;
    if (!parse_at(parser, TOK_COLON)) {
        Span end = parser->last;
        Span at = {end.end_line, end.end_col - 1, end.end_line, end.end_col};
        parse_syntax_error(parser, at, "':' expected after dictionary key");
        return false;
    }
    pair->value = dict_value(parser);
    return pair->value != NULL;
}

static Expr *dict_node(Parser *parser, size_t mark, Span start) {
    uint32_t count;
    Pair *pairs = parse_take(parser, mark, sizeof(Pair), &count);
    Expr *node = parse_node(parser, EXPR_DICT, start);
    if (!node || !pairs) return NULL;
    node->dict.keys.items = parse_alloc(parser, count * sizeof(Expr *));
    node->dict.values.items = parse_alloc(parser, count * sizeof(Expr *));
    if (!node->dict.keys.items || !node->dict.values.items) return NULL;
    node->dict.keys.count = node->dict.values.count = count;
    for (uint32_t i = 0; i < count; i++) {
        node->dict.keys.items[i] = pairs[i].key;
        node->dict.values.items[i] = pairs[i].value;
    }
    return node;
}

// Parses the pairs of a dict. `first` is the first one if it has been read already, else empty.
static Expr *dict_items(Parser *parser, Pair first, Span start) {
    size_t mark = parser->scratch_len;
    if (!first.value && !dict_pair(parser, true, &first)) return NULL;
    if (!parse_push(parser, &first, sizeof first)) return NULL;
    while (parse_accept(parser, TOK_COMMA) && !parse_at(parser, TOK_RBRACE)) {
        Pair pair;
        if (!dict_pair(parser, false, &pair)) return NULL;
        if (!parse_push(parser, &pair, sizeof pair)) return NULL;
    }
    return dict_node(parser, mark, start);
}

static Expr *brace_group(Parser *parser, Span start) {
    if (parse_at(parser, TOK_RBRACE)) return parse_node(parser, EXPR_DICT, start);
    if (parse_at(parser, TOK_STAR_STAR)) return dict_items(parser, (Pair){NULL, NULL}, start);
    Expr *first = parse_star_named(parser);
    if (!first) return NULL;
    bool walrus = first->kind == EXPR_WALRUS && !first->parenthesised;
    if (parse_at(parser, TOK_COLON) && first->kind != EXPR_STARRED && !walrus) {
        Pair pair = {first, dict_value(parser)};
        if (!pair.value) return NULL;
        if (!at_clause(parser)) return dict_items(parser, pair, start);
        return parse_comprehension(parser, EXPR_DICT_COMP, pair.key, pair.value, start);
    }
    if (at_clause(parser)) return comprehension(parser, EXPR_SET_COMP, first, start);
    return items(parser, EXPR_SET, first, TOK_RBRACE, start);
}

Expr *parse_group(Parser *parser, TokenKind close, Span start) {
    switch (close) {
    case TOK_RBRACKET: return list_group(parser, start);
    case TOK_RBRACE: return brace_group(parser, start);
    default: return paren_group(parser, close, start);
    }
}
