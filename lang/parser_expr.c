// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Expressions by operator precedence (V. Pratt, "Top down operator precedence", 1973). A row of
// token.def names a token's prefix parser and its infix parser.

#include <string.h>

#include "lang/parser_internal.h"

typedef Expr *(*PrefixFn)(Parser *parser);

// `start` is where the expression began, opening parentheses included.
typedef Expr *(*InfixFn)(Parser *parser, Expr *left, Span start);

typedef struct Rule {
    PrefixFn prefix;
    InfixFn infix;
    uint8_t power, prefix_op, infix_op;
} Rule;

static const Rule rules[TOK_COUNT];

static inline const Rule *rule_of(TokenKind kind) {
    return &rules[kind];
}

bool parse_starts_expression(TokenKind kind) {
    return rule_of(kind)->prefix || kind == TOK_LAMBDA;
}

static bool starts_item(const Parser *parser) {
    return parse_starts_expression(parse_kind(parser)) || parse_at(parser, TOK_STAR);
}

// ---- atoms and prefixes -------------------------------------------------------------------------

Expr *parse_prefix_name(Parser *parser) {
    Span start = parse_token(parser)->span;
    Name name = parse_token_name(parser);
    if (!name) return NULL;
    parse_advance(parser);
    Expr *node = parse_node(parser, EXPR_NAME, start);
    if (node) node->name = name;
    return node;
}

Expr *parse_prefix_constant(Parser *parser) {
    Span start = parse_token(parser)->span;
    ExprKind kind = rule_of(parse_kind(parser))->prefix_op;
    parse_advance(parser);
    return parse_node(parser, kind, start);
}

static Expr *parse_prefix_unary(Parser *parser) {
    Span start = parse_token(parser)->span;
    UnaryOp op = rule_of(parse_kind(parser))->prefix_op;
    parse_advance(parser);
    Expr *operand = parse_operators(parser, op == UNARY_NOT ? POWER_NOT : POWER_UNARY);
    Expr *node = operand ? parse_node(parser, EXPR_UNARY, start) : NULL;
    if (!node) return NULL;
    node->unary.op = op;
    node->unary.operand = operand;
    return node;
}

static Expr *parse_prefix_not(Parser *parser) {
    return parse_prefix_unary(parser);
}

static Expr *parse_prefix_await(Parser *parser) {
    return parse_syntax_error(parser, parse_token(parser)->span,
                              "'await' expressions are not supported");
}

static Expr *bracketed(Parser *parser, TokenKind close) {
    Span start = parse_token(parser)->span;
    parse_advance(parser);
    Expr *node = parse_group(parser, close, start);
    if (!node || !parse_expect(parser, close)) return NULL;
    // The span of a display, tuple or generator includes its brackets; that of a group does not.
    bool display = close != TOK_RPAREN || node->kind == EXPR_TUPLE || node->kind == EXPR_GENERATOR;
    bool own = display && !node->parenthesised;
    if (own) node->span = parse_join(start, parser->last);
    if (close == TOK_RPAREN) node->parenthesised = true;
    return node;
}

static Expr *parse_prefix_paren(Parser *parser) {
    return bracketed(parser, TOK_RPAREN);
}

static Expr *parse_prefix_bracket(Parser *parser) {
    return bracketed(parser, TOK_RBRACKET);
}

static Expr *parse_prefix_brace(Parser *parser) {
    return bracketed(parser, TOK_RBRACE);
}

// ---- infixes ------------------------------------------------------------------------------------

static Expr *binary(Parser *parser, Expr *left, Span start, Power right_power) {
    Span op_span = parse_token(parser)->span;
    BinaryOp op = rule_of(parse_kind(parser))->infix_op;
    parse_advance(parser);
    Expr *right = parse_operators(parser, right_power);
    Expr *node = right ? parse_node(parser, EXPR_BINARY, start) : NULL;
    if (!node) return NULL;
    node->binary.op = op;
    node->binary.left = left;
    node->binary.right = right;
    node->binary.op_span = op_span;
    return node;
}

static Expr *parse_infix_binary(Parser *parser, Expr *left, Span start) {
    return binary(parser, left, start, rule_of(parse_kind(parser))->power + 1);
}

// Parses `**`, which is right-associative and whose right operand may have a sign: 2 ** -1.
static Expr *parse_infix_power(Parser *parser, Expr *left, Span start) {
    return binary(parser, left, start, POWER_UNARY);
}

static Expr *parse_infix_boolean(Parser *parser, Expr *left, Span start) {
    TokenKind kind = parse_kind(parser);
    const Rule *rule = rule_of(kind);
    size_t mark = parser->scratch_len;
    if (!parse_push_ptr(parser, left)) return NULL;
    while (parse_accept(parser, kind)) {
        Expr *operand = parse_operators(parser, rule->power + 1);
        if (!operand || !parse_push_ptr(parser, operand)) return NULL;
    }
    Expr *node = parse_node(parser, EXPR_BOOL, start);
    if (!node) return NULL;
    node->boolean.is_or = rule->infix_op;
    node->boolean.operands = parse_take_exprs(parser, mark);
    return node;
}

// Returns whether the current token is a comparison operator. `not` is one only before `in`.
static bool at_comparison(const Parser *parser) {
    if (parse_at(parser, TOK_NOT)) return parse_next_kind(parser) == TOK_IN;
    return rule_of(parse_kind(parser))->power == POWER_COMPARE;
}

static CompareOp comparison(Parser *parser) {
    CompareOp op = rule_of(parse_kind(parser))->infix_op;
    parse_advance(parser);
    if (op == COMPARE_NOT_IN) parse_advance(parser);
    if (op == COMPARE_IS && parse_accept(parser, TOK_NOT)) op = COMPARE_IS_NOT;
    return op;
}

// An operator and operand of a chain of comparisons. The pairs are collected on the scratch stack and
// then split into two lists.
typedef struct ComparePair {
    Expr *operand;
    size_t op;
} ComparePair;

static Expr *parse_infix_compare(Parser *parser, Expr *left, Span start) {
    size_t mark = parser->scratch_len;
    while (at_comparison(parser)) {
        CompareOp op = comparison(parser);
        ComparePair pair = {parse_operators(parser, POWER_COMPARE + 1), op};
        if (!pair.operand || !parse_push(parser, &pair, sizeof pair)) return NULL;
    }
    Expr *node = parse_node(parser, EXPR_COMPARE, start);
    uint32_t count;
    ComparePair *pairs = parse_take(parser, mark, sizeof *pairs, &count);
    if (!node || !pairs) return NULL;
    node->compare.first = left;
    node->compare.ops = parse_alloc(parser, count * sizeof(CompareOp));
    node->compare.rest.items = parse_alloc(parser, count * sizeof(Expr *));
    if (!node->compare.ops || !node->compare.rest.items) return NULL;
    node->compare.rest.count = count;
    for (uint32_t i = 0; i < count; i++) {
        node->compare.ops[i] = (CompareOp)pairs[i].op;
        node->compare.rest.items[i] = pairs[i].operand;
    }
    return node;
}

Expr *parse_infix_attribute(Parser *parser, Expr *left, Span start) {
    parse_advance(parser);
    Span name_span = parse_token(parser)->span;
    if (!parse_at(parser, TOK_NAME)) return parse_unexpected(parser, "name");
    Name name = parse_token_name(parser);
    parse_advance(parser);
    Expr *node = name ? parse_node(parser, EXPR_ATTRIBUTE, start) : NULL;
    if (!node) return NULL;
    node->attribute.object = left;
    node->attribute.name = name;
    node->attribute.name_span = name_span;
    return node;
}

static Expr *parse_infix_call(Parser *parser, Expr *left, Span start) {
    ArgList args;
    if (!parse_arguments(parser, false, &args)) return NULL;
    Expr *node = parse_node(parser, EXPR_CALL, start);
    if (!node) return NULL;
    node->call.func = left;
    node->call.args = args;
    return node;
}

// ---- subscripts ---------------------------------------------------------------------------------

static Expr *starred(Parser *parser, bool any_expression) {
    Span start = parse_token(parser)->span;
    parse_advance(parser);
    Expr *operand =
        any_expression ? parse_expression(parser) : parse_operators(parser, POWER_BITOR);
    Expr *node = operand ? parse_node(parser, EXPR_STARRED, start) : NULL;
    if (!node) return NULL;
    node->operand = operand;
    return node;
}

static bool at_slice_end(const Parser *parser) {
    return parse_at(parser, TOK_COLON) || parse_at(parser, TOK_COMMA) ||
           parse_at(parser, TOK_RBRACKET);
}

// Parses the rest of a slice after its first `:`. `lower` is what precedes the colon, or NULL.
static Expr *slice_rest(Parser *parser, Expr *lower, Span start) {
    Expr *upper = NULL, *step = NULL;
    if (!at_slice_end(parser) && !(upper = parse_expression(parser))) return NULL;
    if (parse_accept(parser, TOK_COLON)) {
        if (!at_slice_end(parser) && !(step = parse_expression(parser))) return NULL;
    }
    Expr *node = parse_node(parser, EXPR_SLICE, start);
    if (!node) return NULL;
    node->slice.lower = lower;
    node->slice.upper = upper;
    node->slice.step = step;
    return node;
}

static Expr *subscript_item(Parser *parser) {
    Span start = parse_token(parser)->span;
    if (parse_at(parser, TOK_STAR)) return starred(parser, true);
    if (parse_accept(parser, TOK_COLON)) return slice_rest(parser, NULL, start);
    Expr *index = parse_named(parser);
    if (!index || !parse_at(parser, TOK_COLON)) return index;
    if (index->kind == EXPR_WALRUS && !index->parenthesised) return parse_unexpected(parser, "']'");
    parse_advance(parser);
    return slice_rest(parser, index, start);
}

static Expr *tuple_of(Parser *parser, size_t mark, Span start) {
    Expr *node = parse_node(parser, EXPR_TUPLE, start);
    if (!node) return NULL;
    node->items = parse_take_exprs(parser, mark);
    return node;
}

static Expr *subscript_index(Parser *parser) {
    Span start = parse_token(parser)->span;
    size_t mark = parser->scratch_len;
    Expr *first = subscript_item(parser);
    if (!first) return NULL;
    if (!parse_at(parser, TOK_COMMA) && first->kind != EXPR_STARRED) return first;
    if (!parse_push_ptr(parser, first)) return NULL;
    while (parse_accept(parser, TOK_COMMA) && !parse_at(parser, TOK_RBRACKET)) {
        Expr *item = subscript_item(parser);
        if (!item || !parse_push_ptr(parser, item)) return NULL;
    }
    return tuple_of(parser, mark, start);
}

static Expr *parse_infix_subscript(Parser *parser, Expr *left, Span start) {
    parse_advance(parser);
    Expr *index = subscript_index(parser);
    if (!index || !parse_expect(parser, TOK_RBRACKET)) return NULL;
    Expr *node = parse_node(parser, EXPR_SUBSCRIPT, start);
    if (!node) return NULL;
    node->subscript.object = left;
    node->subscript.index = index;
    return node;
}

// ---- the table and its two readers --------------------------------------------------------------

#define parse_prefix_none NULL
#define parse_infix_none NULL

static const Rule rules[TOK_COUNT] = {
#define SPECIAL(id, name, prefix) [TOK_##id] = {parse_prefix_##prefix, NULL, POWER_NONE, 0, 0},
#define OPERATOR(id, spelling, prefix, prefix_op, infix, power, infix_op)                    \
    [TOK_##id] = {parse_prefix_##prefix, parse_infix_##infix, POWER_##power, prefix_op, infix_op},
#define KEYWORD(id, spelling, prefix, prefix_op, infix, power, infix_op) \
    OPERATOR(id, spelling, prefix, prefix_op, infix, power, infix_op)
#include "lang/token.def"
};

static Expr *prefix_expression(Parser *parser, Power power) {
    TokenKind kind = parse_kind(parser);
    PrefixFn prefix = rule_of(kind)->prefix;
    if (!prefix || (kind == TOK_NOT && power > POWER_NOT)) {
        return parse_unexpected(parser, "expression");
    }
    return prefix(parser);
}

Expr *parse_operators(Parser *parser, Power power) {
    if (!parse_enter(parser)) return NULL;
    Span start = parse_token(parser)->span;
    Expr *left = prefix_expression(parser, power);
    while (left) {
        const Rule *rule = rule_of(parse_kind(parser));
        if (!rule->infix || rule->power < power) break;
        if (parse_at(parser, TOK_NOT) && !at_comparison(parser)) break;
        if (parser->silent && parser->pos == parser->dead_end) break;
        Trial here = {parser->pos, parser->last, parser->scratch_len};
        Expr *longer = rule->infix(parser, left, start);
        if (!longer && parser->silent && !parser->oom) {
            parse_trial_retreat(parser, here); // in a trial, the part before the bad operator is valid
            parser->dead_end = here.pos;
            break;
        }
        left = longer;
    }
    parse_leave(parser);
    return left;
}

// ---- expression: ternary, lambda, and what goes wrong around them -------------------------------

// Reports a statement of Python 2 such as `print x`. Returns whether it was one.
static bool report_legacy_statement(Parser *parser, const Expr *first) {
    if (first->kind != EXPR_NAME || first->parenthesised) return false;
    if (strcmp(first->name, "print") != 0 && strcmp(first->name, "exec") != 0) return false;
    Trial trial = parse_trial_begin(parser);
    parse_star_expressions(parser);
    Span last = parser->last;
    if (!parse_trial_end(parser, trial)) return false;
    parse_syntax_error(parser, parse_join(first->span, last),
                       "Missing parentheses in call to '%s'. Did you mean %s(...)?", first->name,
                       first->name);
    return true;
}

// Returns whether token `at` is a soft keyword (match, case, _) or a bad string prefix, as kf"…".
// CPython does not suggest a comma there.
static bool starts_oddly(const Parser *parser, uint32_t at) {
    const Token *token = &parser->tokens[at];
    if (token->kind != TOK_NAME) return false;
    if (token[1].kind == TOK_STRING) return true;
    const char *text = parser->text + token->start;
    size_t len = token->end - token->start;
    // CPython compares no more characters than the name has: `mat` counts as `match`.
    return (len == 1 && text[0] == '_') || (len <= 4 && memcmp(text, "case", len) == 0) ||
           (len <= 5 && memcmp(text, "match", len) == 0);
}

static bool report_missing_comma(Parser *parser, uint32_t first_token, Span first) {
    if (starts_oddly(parser, first_token)) return false;
    Trial trial = parse_trial_begin(parser);
    parse_expression(parser);
    Span last = parser->last;
    bool in_brackets = parser->pos > 0 && parser->tokens[parser->pos - 1].level > 0;
    if (!parse_trial_end(parser, trial) || !in_brackets) return false;
    parse_syntax_error(parser, parse_join(first, last),
                       "invalid syntax. Perhaps you forgot a comma?");
    return true;
}

// Reports that one expression directly follows another. Returns NULL.
static Expr *adjacent(Parser *parser, Expr *first, uint32_t first_token, Span start) {
    Span whole = parse_join(start, parser->last);
    if (report_legacy_statement(parser, first)) return NULL;
    if (report_missing_comma(parser, first_token, whole)) return NULL;
    if (parse_at(parser, TOK_NOT)) parse_advance(parser);
    return parse_unexpected(parser, NULL);
}

static Expr *ternary(Parser *parser, Expr *then, Span start) {
    uint32_t before = parser->pos;
    Span last = parser->last;
    parse_advance(parser);
    Expr *test = parse_operators(parser, POWER_OR);
    if (!test) return NULL;
    if (!parse_at(parser, TOK_ELSE)) {
        if (parser->silent) { // in a trial, the part before `if` is valid
            parser->pos = before;
            parser->last = last;
            return then;
        }
        if (parse_at(parser, TOK_COLON)) return parse_unexpected(parser, "'else'");
        return parse_syntax_error(parser, parse_join(start, parser->last),
                                  "expected 'else' after 'if' expression");
    }
    parse_advance(parser);
    Expr *otherwise = parse_expression(parser);
    Expr *node = otherwise ? parse_node(parser, EXPR_TERNARY, start) : NULL;
    if (!node) return NULL;
    node->ternary.test = test;
    node->ternary.then = then;
    node->ternary.otherwise = otherwise;
    return node;
}

static Expr *expression(Parser *parser) {
    if (parse_at(parser, TOK_LAMBDA)) return parse_lambda(parser);
    uint32_t first_token = parser->pos;
    Span start = parse_token(parser)->span;
    Expr *first = parse_operators(parser, POWER_OR);
    if (!first) return NULL;
    if (parse_at(parser, TOK_IF)) return ternary(parser, first, start);
    if (!parser->silent && parse_starts_expression(parse_kind(parser))) {
        return adjacent(parser, first, first_token, start);
    }
    return first;
}

Expr *parse_expression(Parser *parser) {
    if (!parse_enter(parser)) return NULL;
    Expr *node = expression(parser);
    parse_leave(parser);
    return node;
}

Expr *parse_lambda(Parser *parser) {
    Span start = parse_token(parser)->span;
    parse_advance(parser);
    ParamList params;
    if (!parse_params(parser, TOK_COLON, &params)) return NULL;
    parse_advance(parser);
    Expr *body = parse_expression(parser);
    Expr *node = body ? parse_node(parser, EXPR_LAMBDA, start) : NULL;
    if (!node) return NULL;
    node->lambda.params = params;
    node->lambda.body = body;
    return node;
}

// ---- named expressions --------------------------------------------------------------------------

static Expr *walrus(Parser *parser) {
    Span start = parse_token(parser)->span;
    Expr *target = parse_prefix_name(parser);
    if (!target || !parse_bindable(parser, target->name, start)) return NULL;
    target->ctx = CTX_STORE;
    parse_advance(parser);
    Expr *value = parse_expression(parser);
    Expr *node = value ? parse_node(parser, EXPR_WALRUS, start) : NULL;
    if (!node) return NULL;
    node->walrus.target = target;
    node->walrus.value = value;
    return node;
}

// At the `:=` after an expression that is no name: reports it. Returns NULL.
static Expr *bad_walrus(Parser *parser, const Expr *target) {
    Trial trial = parse_trial_begin(parser);
    parse_advance(parser);
    parse_expression(parser);
    if (!parse_trial_end(parser, trial)) return parse_unexpected(parser, NULL);
    return parse_syntax_error(parser, target->span, "cannot use assignment expressions with %s",
                              parse_expr_name(target));
}

Expr *parse_named(Parser *parser) {
    if (parse_at(parser, TOK_NAME) && parse_next_kind(parser) == TOK_COLON_EQ) {
        return walrus(parser);
    }
    Expr *node = parse_expression(parser);
    if (!node) return NULL;
    if (parse_at(parser, TOK_COLON_EQ)) return bad_walrus(parser, node);
    if (!parse_at(parser, TOK_ASSIGN)) return node;
    if (!parse_report_typo(parser, node)) parse_unexpected(parser, NULL);
    return NULL;
}

Expr *parse_star_named(Parser *parser) {
    return parse_at(parser, TOK_STAR) ? starred(parser, false) : parse_named(parser);
}

Expr *parse_starred(Parser *parser) {
    return starred(parser, true);
}

// Parses an argument without a keyword: like parse_named, but a following `=` is left to the caller.
Expr *parse_argument_value(Parser *parser) {
    if (parse_at(parser, TOK_NAME) && parse_next_kind(parser) == TOK_COLON_EQ) {
        return walrus(parser);
    }
    return parse_expression(parser);
}

// ---- lists without brackets ---------------------------------------------------------------------

static Expr *star_expression(Parser *parser) {
    return parse_at(parser, TOK_STAR) ? starred(parser, false) : parse_expression(parser);
}

Expr *parse_star_expressions(Parser *parser) {
    Span start = parse_token(parser)->span;
    size_t mark = parser->scratch_len;
    Expr *first = star_expression(parser);
    if (!first || !parse_at(parser, TOK_COMMA)) return first;
    if (!parse_push_ptr(parser, first)) return NULL;
    while (parse_accept(parser, TOK_COMMA) && starts_item(parser)) {
        Expr *item = star_expression(parser);
        if (!item || !parse_push_ptr(parser, item)) return NULL;
    }
    return tuple_of(parser, mark, start);
}

bool parse_no_lone_star(Parser *parser, const Expr *expr) {
    if (expr->kind != EXPR_STARRED) return true;
    parse_syntax_error(parser, expr->span, "can't use starred expression here");
    return false;
}

Expr *parse_yield(Parser *parser) {
    Span start = parse_token(parser)->span;
    parse_advance(parser);
    ExprKind kind = parse_accept(parser, TOK_FROM) ? EXPR_YIELD_FROM : EXPR_YIELD;
    Expr *operand = NULL;
    if (kind == EXPR_YIELD_FROM) {
        if (!(operand = parse_expression(parser))) return NULL;
    } else if (starts_item(parser)) {
        operand = parse_star_expressions(parser);
        if (!operand || !parse_no_lone_star(parser, operand)) return NULL;
    }
    Expr *node = parse_node(parser, kind, start);
    if (!node) return NULL;
    node->operand = operand;
    return node;
}

Expr *parse_right_side(Parser *parser) {
    if (parse_at(parser, TOK_YIELD)) return parse_yield(parser);
    Expr *node = parse_star_expressions(parser);
    return node && parse_no_lone_star(parser, node) ? node : NULL;
}
