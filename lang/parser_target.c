// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Turns expressions into targets of assignments and `del`, and reports those that cannot be one with
// Python's messages.

#include <string.h>

#include "lang/parser_internal.h"

const char *parse_expr_name(const Expr *expr) {
    switch (expr->kind) {
    case EXPR_NAME: return "name";
    case EXPR_ATTRIBUTE: return "attribute";
    case EXPR_SUBSCRIPT: return "subscript";
    case EXPR_STARRED: return "starred";
    case EXPR_LIST: return "list";
    case EXPR_TUPLE: return "tuple";
    case EXPR_LAMBDA: return "lambda";
    case EXPR_CALL: return "function call";
    case EXPR_BOOL:
    case EXPR_BINARY:
    case EXPR_UNARY: return "expression";
    case EXPR_GENERATOR: return "generator expression";
    case EXPR_YIELD:
    case EXPR_YIELD_FROM: return "yield expression";
    case EXPR_LIST_COMP: return "list comprehension";
    case EXPR_SET_COMP: return "set comprehension";
    case EXPR_DICT_COMP: return "dict comprehension";
    case EXPR_DICT: return "dict literal";
    case EXPR_SET: return "set display";
    case EXPR_FSTRING: return "f-string expression";
    case EXPR_NONE: return "None";
    case EXPR_TRUE: return "True";
    case EXPR_FALSE: return "False";
    case EXPR_ELLIPSIS: return "ellipsis";
    case EXPR_COMPARE: return "comparison";
    case EXPR_TERNARY: return "conditional expression";
    case EXPR_WALRUS: return "named expression";
    default: return "literal";
    }
}

static const Expr *invalid_item(const ExprList *list, TargetUse use) {
    for (uint32_t i = 0; i < list->count; i++) {
        const Expr *bad = parse_invalid_target(list->items[i], use);
        if (bad) return bad;
    }
    return NULL;
}

// Recurses into tuples and lists; the parser limits the nesting of brackets.
const Expr *parse_invalid_target(const Expr *expr, TargetUse use) {
    switch (expr->kind) {
    case EXPR_LIST:
    case EXPR_TUPLE: return invalid_item(&expr->items, use);
    case EXPR_STARRED:
        return use == TARGET_DELETE ? expr : parse_invalid_target(expr->operand, use);
    case EXPR_NAME:
    case EXPR_ATTRIBUTE:
    case EXPR_SUBSCRIPT: return NULL;
    case EXPR_COMPARE:
        // `for x in y` was read as a comparison: its first operand is the target.
        if (use != TARGET_FOR) return expr;
        if (expr->compare.ops[0] != COMPARE_IN) return NULL;
        return parse_invalid_target(expr->compare.first, use);
    default: return expr;
    }
}

bool parse_bindable(Parser *parser, Name name, Span span) {
    if (strcmp(name, "__debug__") != 0) return true;
    parse_syntax_error(parser, span, "cannot assign to __debug__");
    return false;
}

static bool set_items(Parser *parser, Expr *expr, TargetUse use) {
    uint32_t stars = 0;
    for (uint32_t i = 0; i < expr->items.count; i++) {
        Expr *item = expr->items.items[i];
        stars += item->kind == EXPR_STARRED;
        if (!parse_make_target(parser, item, use)) return false;
    }
    if (stars < 2) return true;
    parse_syntax_error(parser, expr->span, "multiple starred expressions in assignment");
    return false;
}

// Checks the name of a variable or attribute that is assigned or deleted. Returns false after a report.
static bool set_name(Parser *parser, Name name, Span span, TargetUse use) {
    if (use != TARGET_DELETE) return parse_bindable(parser, name, span);
    if (strcmp(name, "__debug__") != 0) return true;
    parse_syntax_error(parser, span, "cannot delete __debug__");
    return false;
}

bool parse_make_target(Parser *parser, Expr *expr, TargetUse use) {
    const Expr *bad = parse_invalid_target(expr, use);
    if (bad) {
        const char *verb = use == TARGET_DELETE ? "delete" : "assign to";
        parse_syntax_error(parser, bad->span, "cannot %s %s", verb, parse_expr_name(bad));
        return false;
    }
    expr->ctx = use == TARGET_DELETE ? CTX_DEL : CTX_STORE;
    switch (expr->kind) {
    case EXPR_NAME: return set_name(parser, expr->name, expr->span, use);
    case EXPR_ATTRIBUTE: return set_name(parser, expr->attribute.name, expr->span, use);
    case EXPR_STARRED: return parse_make_target(parser, expr->operand, use);
    case EXPR_LIST:
    case EXPR_TUPLE: return set_items(parser, expr, use);
    default: return true;
    }
}

// ---- the target of `for` ------------------------------------------------------------------------

// Parses one item of a target list, up to `in`.
static Expr *for_item(Parser *parser) {
    Span start = parse_token(parser)->span;
    bool star = parse_accept(parser, TOK_STAR);
    Expr *item = parse_operators(parser, POWER_BITOR);
    if (!star || !item) return item;
    Expr *node = parse_node(parser, EXPR_STARRED, start);
    if (!node) return NULL;
    node->operand = item;
    return node;
}

static Expr *for_items(Parser *parser) {
    Span start = parse_token(parser)->span;
    size_t mark = parser->scratch_len;
    Expr *first = for_item(parser);
    if (!first || !parse_at(parser, TOK_COMMA)) return first;
    if (!parse_push_ptr(parser, first)) return NULL;
    while (parse_accept(parser, TOK_COMMA) && !parse_at(parser, TOK_IN)) {
        Expr *item = for_item(parser);
        if (!item || !parse_push_ptr(parser, item)) return NULL;
    }
    Expr *node = parse_node(parser, EXPR_TUPLE, start);
    if (!node) return NULL;
    node->items = parse_take_exprs(parser, mark);
    return node;
}

// Reports a target list that `in` does not follow. If the text from token `start` is an expression,
// reports the part of it that cannot be a target.
static void report_no_in(Parser *parser, uint32_t start) {
    uint32_t here = parser->pos;
    Trial trial = parse_trial_begin(parser);
    parser->pos = start;
    Expr *whole = parse_star_expressions(parser);
    const Expr *bad = whole ? parse_invalid_target(whole, TARGET_FOR) : NULL;
    bool good = parse_trial_end(parser, trial);
    parser->pos = here;
    if (good && bad) {
        parse_syntax_error(parser, bad->span, "cannot assign to %s", parse_expr_name(bad));
    } else {
        parse_unexpected(parser, "'in'");
    }
}

Expr *parse_for_target(Parser *parser) {
    uint32_t start = parser->pos;
    Expr *target = for_items(parser);
    if (!target) return NULL;
    if (!parse_at(parser, TOK_IN)) {
        report_no_in(parser, start);
        return NULL;
    }
    if (!parse_make_target(parser, target, TARGET_FOR)) return NULL;
    if (target->kind != EXPR_STARRED) return target;
    return parse_syntax_error(parser, target->span,
                              "starred assignment target must be in a list or tuple");
}

// ---- `=` for `==` -------------------------------------------------------------------------------

// Returns whether the expression's operators bind more tightly than a comparison. Python suggests `==`
// only then.
static bool binds_tighter_than_comparison(const Expr *expr) {
    if (expr->parenthesised) return true;
    switch (expr->kind) {
    case EXPR_BOOL:
    case EXPR_COMPARE:
    case EXPR_TERNARY:
    case EXPR_LAMBDA:
    case EXPR_STARRED:
    case EXPR_WALRUS: return false;
    case EXPR_UNARY: return expr->unary.op != UNARY_NOT;
    default: return true;
    }
}

static bool is_never_a_typo(ExprKind kind) {
    return kind == EXPR_LIST || kind == EXPR_TUPLE || kind == EXPR_GENERATOR ||
           kind == EXPR_TRUE || kind == EXPR_FALSE || kind == EXPR_NONE;
}

bool parse_report_typo(Parser *parser, const Expr *expr) {
    if (!binds_tighter_than_comparison(expr) || is_never_a_typo(expr->kind)) return false;
    Trial trial = parse_trial_begin(parser);
    parse_advance(parser);
    parse_operators(parser, POWER_BITOR);
    Span last = parser->last;
    bool more = parse_at(parser, TOK_ASSIGN) || parse_at(parser, TOK_COLON_EQ);
    if (!parse_trial_end(parser, trial) || more) return false;
    if (expr->kind == EXPR_NAME && !expr->parenthesised) {
        parse_syntax_error(parser, parse_join(expr->span, last),
                           "invalid syntax. Maybe you meant '==' or ':=' instead of '='?");
    } else {
        parse_syntax_error(parser, expr->span,
                           "cannot assign to %s here. Maybe you meant '==' instead of '='?",
                           parse_expr_name(expr));
    }
    return true;
}
