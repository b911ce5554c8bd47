// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Match statements. A pattern is represented by expression nodes (ast.h, MatchCase).

#include "lang/parser_internal.h"

static Expr *pattern(Parser *parser);

// ---- names --------------------------------------------------------------------------------------

// Returns whether the name begins a longer pattern: `a.b`, `a(` or `a=`.
static bool name_goes_on(const Parser *parser) {
    TokenKind next = parse_next_kind(parser);
    return next == TOK_DOT || next == TOK_LPAREN || next == TOK_ASSIGN;
}

static Expr *wildcard(Parser *parser) {
    Span start = parse_token(parser)->span;
    parse_advance(parser);
    return parse_node(parser, EXPR_ELLIPSIS, start);
}

static Expr *stored(Parser *parser, Expr *name) {
    return name && parse_make_target(parser, name, TARGET_ASSIGN) ? name : NULL;
}

// Parses a name that the pattern captures. `_` is not one.
static Expr *capture(Parser *parser) {
    if (!parse_at(parser, TOK_NAME) || parse_at_word(parser, "_")) {
        return parse_unexpected(parser, "name");
    }
    if (name_goes_on(parser)) {
        parse_advance(parser);
        return parse_unexpected(parser, NULL);
    }
    return stored(parser, parse_prefix_name(parser));
}

static Expr *dotted(Parser *parser) {
    Span start = parse_token(parser)->span;
    Expr *node = parse_prefix_name(parser);
    while (node && parse_at(parser, TOK_DOT)) node = parse_infix_attribute(parser, node, start);
    return node;
}

// ---- literals -----------------------------------------------------------------------------------

static Expr *number(Parser *parser) {
    switch (parse_kind(parser)) {
    case TOK_INT: return parse_prefix_int(parser);
    case TOK_FLOAT: return parse_prefix_float(parser);
    case TOK_IMAG: return parse_prefix_imag(parser);
    default: return parse_unexpected(parser, "number");
    }
}

static Expr *signed_number(Parser *parser) {
    Span start = parse_token(parser)->span;
    if (!parse_accept(parser, TOK_MINUS)) return number(parser);
    Expr *operand = number(parser), *node = operand ? parse_node(parser, EXPR_UNARY, start) : NULL;
    if (!node) return NULL;
    node->unary.op = UNARY_NEG;
    node->unary.operand = operand;
    return node;
}

// Parses a number, which may be complex: `1 - 2j`.
static Expr *complex_number(Parser *parser) {
    Span start = parse_token(parser)->span;
    Expr *left = signed_number(parser);
    bool plus = parse_at(parser, TOK_PLUS);
    if (!left || (!plus && !parse_at(parser, TOK_MINUS))) return left;
    const Expr *real = left->kind == EXPR_UNARY ? left->unary.operand : left;
    if (real->kind == EXPR_IMAG) {
        return parse_syntax_error(parser, left->span, "real number required in complex literal");
    }
    parse_advance(parser);
    Expr *right = number(parser);
    if (right && right->kind != EXPR_IMAG) {
        return parse_syntax_error(parser, right->span,
                                  "imaginary number required in complex literal");
    }
    Expr *node = right ? parse_node(parser, EXPR_BINARY, start) : NULL;
    if (!node) return NULL;
    node->binary.op = plus ? BINARY_ADD : BINARY_SUB;
    node->binary.left = left;
    node->binary.right = right;
    node->binary.op_span = right->span;
    return node;
}

// Parses a literal. Returns NULL without a report if the token starts none.
static Expr *literal(Parser *parser) {
    switch (parse_kind(parser)) {
    case TOK_INT:
    case TOK_FLOAT:
    case TOK_IMAG:
    case TOK_MINUS: return complex_number(parser);
    case TOK_STRING: return parse_prefix_string(parser);
    case TOK_NONE:
    case TOK_TRUE:
    case TOK_FALSE: return parse_prefix_constant(parser);
    default: return NULL;
    }
}

// ---- sequences ----------------------------------------------------------------------------------

static Expr *item(Parser *parser) {
    Span start = parse_token(parser)->span;
    if (!parse_accept(parser, TOK_STAR)) return pattern(parser);
    Expr *operand = parse_at_word(parser, "_") ? wildcard(parser) : capture(parser);
    Expr *node = operand ? parse_node(parser, EXPR_STARRED, start) : NULL;
    if (node) node->operand = operand;
    return node;
}

static bool at_end_of(const Parser *parser, TokenKind close) {
    return parse_at(parser, close) || (close == TOK_COLON && parse_at(parser, TOK_IF));
}

// Parses the items of a sequence pattern, up to a closing bracket or, without brackets, up to the
// guard or the colon. A single item in parentheses, or without brackets, is no sequence and is
// returned itself.
static Expr *sequence(Parser *parser, TokenKind close) {
    Span start = parse_token(parser)->span;
    size_t mark = parser->scratch_len;
    bool open = close == TOK_COLON, comma = true;
    Expr *last = NULL;
    if (!open) parse_advance(parser);
    while (comma && (!at_end_of(parser, close) || (open && !last))) {
        last = item(parser);
        if (!last || !parse_push_ptr(parser, last)) return NULL;
        comma = parse_accept(parser, TOK_COMMA);
    }
    bool single = !comma && close != TOK_RBRACKET && parser->scratch_len == mark + sizeof last;
    if (single && last->kind == EXPR_STARRED) return parse_unexpected(parser, "','");
    if (!open && !parse_expect(parser, close)) return NULL;
    if (single) {
        parser->scratch_len = mark;
        return last;
    }
    Expr *node = parse_node(parser, EXPR_LIST, start);
    if (node) node->items = parse_take_exprs(parser, mark);
    return node;
}

// ---- mappings -----------------------------------------------------------------------------------

static Expr *key(Parser *parser) {
    if (!parse_at(parser, TOK_NAME)) {
        Expr *node = literal(parser);
        return node || parser->panicking ? node : parse_unexpected(parser, "key");
    }
    Expr *node = dotted(parser);
    return node && node->kind == EXPR_NAME ? parse_unexpected(parser, "'.'") : node;
}

typedef struct Item {
    Expr *key, *value;
} Item;

static Expr *mapping(Parser *parser) {
    Span start = parse_token(parser)->span;
    size_t mark = parser->scratch_len;
    uint32_t count;
    bool rest = false;
    parse_advance(parser);
    while (!rest && !parse_at(parser, TOK_RBRACE)) {
        Item found = {0};
        rest = parse_accept(parser, TOK_STAR_STAR);
        if (rest)
            found.value = capture(parser);
        else if ((found.key = key(parser)) && parse_expect(parser, TOK_COLON)) {
            found.value = pattern(parser);
        }
        if (!found.value || !parse_push(parser, &found, sizeof found)) return NULL;
        if (!parse_accept(parser, TOK_COMMA)) break;
    }
    if (!parse_expect(parser, TOK_RBRACE)) return NULL;
    const Item *items = parse_take(parser, mark, sizeof *items, &count);
    Expr *node = parse_node(parser, EXPR_DICT, start);
    if (!node) return NULL;
    node->dict.keys.count = node->dict.values.count = count;
    node->dict.keys.items = parse_alloc(parser, 2 * count * sizeof(Expr *) + 1);
    if (!node->dict.keys.items) return NULL;
    node->dict.values.items = node->dict.keys.items + count;
    for (uint32_t i = 0; i < count; i++) {
        node->dict.keys.items[i] = items[i].key;
        node->dict.values.items[i] = items[i].value;
    }
    return node;
}

// ---- classes ------------------------------------------------------------------------------------

static bool at_keyword(const Parser *parser) {
    return parse_at(parser, TOK_NAME) && parse_next_kind(parser) == TOK_ASSIGN;
}

// Reports the positional patterns that follow a keyword pattern. The span covers consecutive ones.
static Expr *misplaced(Parser *parser, Span span) {
    while (parse_accept(parser, TOK_COMMA) && !parse_at(parser, TOK_RPAREN) &&
           !at_keyword(parser)) {
        Expr *value = pattern(parser);
        if (!value) return NULL;
        span = parse_join(span, value->span);
    }
    return parse_syntax_error(parser, span, "positional patterns follow keyword patterns");
}

static Expr *class_pattern(Parser *parser, Expr *func) {
    size_t mark = parser->scratch_len;
    bool keywords = false;
    parse_advance(parser);
    while (!parse_at(parser, TOK_RPAREN)) {
        Arg arg = {.kind = ARG_POSITIONAL};
        if (at_keyword(parser)) {
            arg.kind = ARG_KEYWORD;
            arg.name = parse_token_name(parser);
            parse_advance(parser);
            parse_advance(parser);
            keywords = true;
        }
        arg.value = pattern(parser);
        if (!arg.value) return NULL;
        arg.span = arg.value->span;
        if (keywords && arg.kind == ARG_POSITIONAL) return misplaced(parser, arg.span);
        if (!parse_push(parser, &arg, sizeof arg)) return NULL;
        if (!parse_accept(parser, TOK_COMMA)) break;
    }
    if (!parse_expect(parser, TOK_RPAREN)) return NULL;
    Expr *node = parse_node(parser, EXPR_CALL, func->span);
    if (!node) return NULL;
    node->call.func = func;
    node->call.args.items = parse_take(parser, mark, sizeof(Arg), &node->call.args.count);
    return node;
}

// ---- patterns -----------------------------------------------------------------------------------

static Expr *named(Parser *parser) {
    if (parse_at_word(parser, "_")) return wildcard(parser);
    Expr *node = dotted(parser);
    if (node && parse_at(parser, TOK_LPAREN)) return class_pattern(parser, node);
    return node && node->kind == EXPR_NAME ? stored(parser, node) : node;
}

static Expr *closed(Parser *parser) {
    switch (parse_kind(parser)) {
    case TOK_NAME: return named(parser);
    case TOK_LPAREN: return sequence(parser, TOK_RPAREN);
    case TOK_LBRACKET: return sequence(parser, TOK_RBRACKET);
    case TOK_LBRACE: return mapping(parser);
    default: {
        Expr *node = literal(parser);
        return node || parser->panicking ? node : parse_unexpected(parser, "pattern");
    }
    }
}

static Expr *alternatives(Parser *parser) {
    Span start = parse_token(parser)->span;
    size_t mark = parser->scratch_len;
    Expr *node = closed(parser);
    if (!node || !parse_at(parser, TOK_BAR)) return node;
    if (!parse_push_ptr(parser, node)) return NULL;
    while (parse_accept(parser, TOK_BAR)) {
        node = closed(parser);
        if (!node || !parse_push_ptr(parser, node)) return NULL;
    }
    node = parse_node(parser, EXPR_BOOL, start);
    if (!node) return NULL;
    node->boolean.is_or = true;
    node->boolean.operands = parse_take_exprs(parser, mark);
    return node;
}

static Expr *as_target(Parser *parser) {
    if (parse_at_word(parser, "_")) {
        return parse_syntax_error(parser, parse_token(parser)->span, "cannot use '_' as a target");
    }
    if (parse_at(parser, TOK_NAME)) return capture(parser);
    Trial trial = parse_trial_begin(parser);
    const Expr *other = parse_expression(parser);
    if (!parse_trial_end(parser, trial) || !other) return parse_unexpected(parser, "name");
    return parse_syntax_error(parser, other->span, "invalid pattern target");
}

static Expr *pattern(Parser *parser) {
    if (!parse_enter(parser)) return NULL;
    Span start = parse_token(parser)->span;
    Expr *value = alternatives(parser);
    parse_leave(parser);
    if (!value || !parse_accept(parser, TOK_AS)) return value;
    Expr *target = as_target(parser),
         *node = target ? parse_node(parser, EXPR_WALRUS, start) : NULL;
    if (!node) return NULL;
    node->walrus.target = target;
    node->walrus.value = value;
    return node;
}

// ---- the statement ------------------------------------------------------------------------------

// Returns whether a token begins an expression and cannot continue one. After `match` it begins a
// subject.
static bool starts_afresh(TokenKind kind) {
    return parse_starts_expression(kind) && kind != TOK_LPAREN && kind != TOK_LBRACKET &&
           kind != TOK_PLUS && kind != TOK_MINUS && kind != TOK_NOT;
}

// Returns whether the soft keyword `match` begins a statement here. A subject has to follow it. If the
// tokens could also continue an expression that begins with the name `match`, the line has to end with
// a colon.
bool parse_at_match(const Parser *parser) {
    if (!parse_at_word(parser, "match")) return false;
    const Token *token = parse_token(parser) + 1;
    if (starts_afresh(token->kind)) return true;
    if (!parse_starts_expression(token->kind) && token->kind != TOK_STAR) return false;
    while (token->kind != TOK_NEWLINE && token->kind != TOK_END) token++;
    return token[-1].kind == TOK_COLON && token->kind != TOK_END;
}

// Parses the subject: an expression, or a tuple without parentheses, for which one comma suffices.
static Expr *subject(Parser *parser) {
    Span start = parse_token(parser)->span;
    size_t mark = parser->scratch_len;
    bool comma = true;
    Expr *last = NULL;
    while (comma && (!last || !parse_at(parser, TOK_COLON))) {
        last = parse_star_named(parser);
        if (!last || !parse_push_ptr(parser, last)) return NULL;
        comma = parse_accept(parser, TOK_COMMA);
    }
    if (!comma && parser->scratch_len == mark + sizeof last) {
        parser->scratch_len = mark;
        return last->kind == EXPR_STARRED ? parse_unexpected(parser, "','") : last;
    }
    Expr *node = parse_node(parser, EXPR_TUPLE, start);
    if (node) node->items = parse_take_exprs(parser, mark);
    return node;
}

static bool match_case(Parser *parser, MatchCase *out) {
    Span start = parse_token(parser)->span;
    if (!parse_at_word(parser, "case")) return parse_unexpected(parser, "'case'");
    parse_advance(parser);
    out->pattern = sequence(parser, TOK_COLON);
    if (!out->pattern) return false;
    if (parse_accept(parser, TOK_IF) && !(out->guard = parse_named(parser))) return false;
    if (!parse_colon(parser, false)) return false;
    if (!parse_block(parser, &out->body, "'case' statement", start.line)) return false;
    out->span = parse_join(start, parser->last);
    return true;
}

Stmt *parse_match(Parser *parser) {
    Span start = parse_token(parser)->span;
    Stmt *node = parse_stmt_node(parser, STMT_MATCH, start);
    if (!node) return NULL;
    parse_advance(parser);
    node->match.subject = subject(parser);
    if (!node->match.subject || !parse_colon(parser, false)) return NULL;
    if (!parse_expect(parser, TOK_NEWLINE)) return NULL;
    if (!parse_accept(parser, TOK_INDENT)) {
        return parse_missing_block(parser, "'match' statement", start.line) ? node : NULL;
    }
    size_t mark = parser->scratch_len;
    while (!parse_accept(parser, TOK_DEDENT) && !parse_at(parser, TOK_END)) {
        MatchCase found = {0};
        size_t before = parser->scratch_len;
        if (match_case(parser, &found)) {
            if (!parse_push(parser, &found, sizeof found)) return NULL;
            continue;
        }
        if (parser->oom) return NULL;
        parser->scratch_len = before;
        parse_recover(parser);
    }
    node->match.cases = parse_take(parser, mark, sizeof(MatchCase), &node->match.count);
    node->span = parse_join(node->span, parser->last);
    return parser->oom ? NULL : node;
}
