// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Simple statements.

#include "lang/parser_internal.h"

static bool at_statement_end(const Parser *parser) {
    return parse_at(parser, TOK_NEWLINE) || parse_at(parser, TOK_SEMICOLON);
}

static Stmt *keyword_statement(Parser *parser, StmtKind kind) {
    Span start = parse_token(parser)->span;
    parse_advance(parser);
    return parse_stmt_node(parser, kind, start);
}

static Stmt *value_statement(Parser *parser, StmtKind kind, Span start, Expr *value) {
    Stmt *node = parse_stmt_node(parser, kind, start);
    if (node) node->value = value;
    return node;
}

// ---- return, raise, assert, del, global ---------------------------------------------------------

static Stmt *return_statement(Parser *parser) {
    Span start = parse_token(parser)->span;
    parse_advance(parser);
    Expr *value = NULL;
    if (!at_statement_end(parser)) {
        value = parse_star_expressions(parser);
        if (!value || !parse_no_lone_star(parser, value)) return NULL;
    }
    return value_statement(parser, STMT_RETURN, start, value);
}

static Stmt *raise_statement(Parser *parser) {
    Span start = parse_token(parser)->span;
    parse_advance(parser);
    Expr *exception = NULL, *cause = NULL;
    if (!at_statement_end(parser)) {
        exception = parse_expression(parser);
        if (!exception) return NULL;
        if (parse_accept(parser, TOK_FROM) && !(cause = parse_expression(parser))) return NULL;
    }
    Stmt *node = parse_stmt_node(parser, STMT_RAISE, start);
    if (!node) return NULL;
    node->raise.exception = exception;
    node->raise.cause = cause;
    return node;
}

static Stmt *assert_statement(Parser *parser) {
    Span start = parse_token(parser)->span;
    parse_advance(parser);
    Expr *test = parse_expression(parser), *message = NULL;
    if (!test) return NULL;
    if (parse_accept(parser, TOK_COMMA) && !(message = parse_expression(parser))) return NULL;
    Stmt *node = parse_stmt_node(parser, STMT_ASSERT, start);
    if (!node) return NULL;
    node->assertion.test = test;
    node->assertion.message = message;
    return node;
}

static Stmt *del_statement(Parser *parser) {
    Span start = parse_token(parser)->span;
    parse_advance(parser);
    Expr *targets = parse_star_expressions(parser);
    if (!targets || !parse_make_target(parser, targets, TARGET_DELETE)) return NULL;
    Stmt *node = parse_stmt_node(parser, STMT_DELETE, start);
    if (!node) return NULL;
    if (targets->kind == EXPR_TUPLE && !targets->parenthesised) {
        node->targets = targets->items;
        return node;
    }
    node->targets.items = parse_alloc(parser, sizeof(Expr *));
    if (!node->targets.items) return NULL;
    node->targets.items[0] = targets;
    node->targets.count = 1;
    return node;
}

typedef struct SpannedName {
    Name name;
    Span span;
} SpannedName;

static bool split_names(Parser *parser, size_t mark, Stmt *node) {
    uint32_t count;
    SpannedName *found = parse_take(parser, mark, sizeof *found, &count);
    if (!found) return false;
    node->names.items.items = parse_alloc(parser, count * sizeof(Name));
    node->names.spans = parse_alloc(parser, count * sizeof(Span));
    if (!node->names.items.items || !node->names.spans) return false;
    node->names.items.count = count;
    for (uint32_t i = 0; i < count; i++) {
        node->names.items.items[i] = found[i].name;
        node->names.spans[i] = found[i].span;
    }
    return true;
}

static Stmt *scope_statement(Parser *parser, StmtKind kind) {
    Span start = parse_token(parser)->span;
    size_t mark = parser->scratch_len;
    parse_advance(parser);
    do {
        if (!parse_at(parser, TOK_NAME)) return parse_unexpected(parser, "name");
        SpannedName item = {parse_token_name(parser), parse_token(parser)->span};
        if (!item.name || !parse_push(parser, &item, sizeof item)) return NULL;
        parse_advance(parser);
    } while (parse_accept(parser, TOK_COMMA));
    Stmt *node = parse_stmt_node(parser, kind, start);
    return node && split_names(parser, mark, node) ? node : NULL;
}

// ---- assignments --------------------------------------------------------------------------------

// Returns the expression directly before an `=`: the last item of a tuple without parentheses.
static const Expr *nearest(const Parser *parser, const Expr *target) {
    bool row = target->kind == EXPR_TUPLE && !target->parenthesised;
    bool trailing_comma = parser->tokens[parser->pos - 1].kind == TOK_COMMA;
    return row && !trailing_comma ? target->items.items[target->items.count - 1] : target;
}

// Turns the expression before an `=` into a target. Returns false after a report.
static bool assign_target(Parser *parser, Expr *target, bool first) {
    bool is_yield = target->kind == EXPR_YIELD || target->kind == EXPR_YIELD_FROM;
    if (is_yield && !target->parenthesised) {
        parse_syntax_error(parser, target->span, "assignment to yield expression not possible");
        return false;
    }
    if (first && parse_invalid_target(target, TARGET_ASSIGN) &&
        parse_report_typo(parser, nearest(parser, target))) {
        return false;
    }
    if (!parse_make_target(parser, target, TARGET_ASSIGN)) return false;
    if (target->kind != EXPR_STARRED) return true;
    parse_syntax_error(parser, target->span,
                       "starred assignment target must be in a list or tuple");
    return false;
}

static Expr *side(Parser *parser) {
    return parse_at(parser, TOK_YIELD) ? parse_yield(parser) : parse_star_expressions(parser);
}

static Stmt *assignment(Parser *parser, Expr *first, Span start) {
    size_t mark = parser->scratch_len;
    Expr *value = first;
    while (parse_at(parser, TOK_ASSIGN)) {
        if (!assign_target(parser, value, value == first)) return NULL;
        if (!parse_push_ptr(parser, value)) return NULL;
        parse_advance(parser);
        if (!(value = side(parser))) return NULL;
    }
    if (!parse_no_lone_star(parser, value)) return NULL;
    Stmt *node = parse_stmt_node(parser, STMT_ASSIGN, start);
    if (!node) return NULL;
    node->assign.targets = parse_take_exprs(parser, mark);
    node->assign.value = value;
    return node->assign.targets.items ? node : NULL;
}

// Returns the BinaryOp of `op=`, or -1.
static int augmented_op(TokenKind kind) {
    switch (kind) {
#define AUGMENTED(id, spelling, op) \
    case TOK_##id: return BINARY_##op;
#include "lang/token.def"
    default: return -1;
    }
}

static bool is_single_target(const Expr *expr) {
    return expr->kind == EXPR_NAME || expr->kind == EXPR_ATTRIBUTE ||
           expr->kind == EXPR_SUBSCRIPT;
}

static Stmt *augmented_assignment(Parser *parser, Expr *target, Span start) {
    BinaryOp op = (BinaryOp)augmented_op(parse_kind(parser));
    parse_advance(parser);
    Expr *value = parse_right_side(parser);
    if (!value) return NULL;
    if (!is_single_target(target)) {
        return parse_syntax_error(parser, target->span,
                                  "'%s' is an illegal expression for augmented assignment",
                                  parse_expr_name(target));
    }
    if (!parse_make_target(parser, target, TARGET_ASSIGN)) return NULL;
    Stmt *node = parse_stmt_node(parser, STMT_AUG_ASSIGN, start);
    if (!node) return NULL;
    node->aug_assign.target = target;
    node->aug_assign.value = value;
    node->aug_assign.op = op;
    return node;
}

// At the `:` after an expression that cannot be annotated: reports it. Returns NULL.
static Stmt *bad_annotation(Parser *parser, const Expr *target) {
    Trial trial = parse_trial_begin(parser);
    parse_advance(parser);
    parse_expression(parser);
    if (!parse_trial_end(parser, trial)) {
        parse_advance(parser);
        return parse_unexpected(parser, NULL);
    }
    bool row = target->kind == EXPR_TUPLE && !target->parenthesised;
    if (target->kind == EXPR_TUPLE || target->kind == EXPR_LIST) {
        return parse_syntax_error(parser, row ? target->items.items[0]->span : target->span,
                                  "only single target (not %s) can be annotated",
                                  parse_expr_name(target));
    }
    return parse_syntax_error(parser, target->span, "illegal target for annotation");
}

static Stmt *annotated_assignment(Parser *parser, Expr *target, Span start) {
    if (!is_single_target(target)) return bad_annotation(parser, target);
    if (!parse_make_target(parser, target, TARGET_ASSIGN)) return NULL;
    parse_advance(parser);
    Expr *annotation = parse_expression(parser), *value = NULL;
    if (!annotation) return NULL;
    if (parse_accept(parser, TOK_ASSIGN) && !(value = parse_right_side(parser))) return NULL;
    Stmt *node = parse_stmt_node(parser, STMT_ANN_ASSIGN, start);
    if (!node) return NULL;
    node->ann_assign.target = target;
    node->ann_assign.annotation = annotation;
    node->ann_assign.value = value;
    node->ann_assign.simple = target->kind == EXPR_NAME && !target->parenthesised;
    return node;
}

static Stmt *expression_statement(Parser *parser) {
    Span start = parse_token(parser)->span;
    Expr *first = side(parser);
    if (!first) return NULL;
    bool is_yield = first->kind == EXPR_YIELD || first->kind == EXPR_YIELD_FROM;
    if (parse_at(parser, TOK_ASSIGN)) return assignment(parser, first, start);
    if (!is_yield || first->parenthesised) {
        if (parse_at(parser, TOK_COLON)) return annotated_assignment(parser, first, start);
        if (augmented_op(parse_kind(parser)) >= 0) {
            return augmented_assignment(parser, first, start);
        }
    }
    if (!at_statement_end(parser)) return parse_unexpected(parser, "end of statement");
    if (!parse_no_lone_star(parser, first)) return NULL;
    return value_statement(parser, STMT_EXPR, start, first);
}

// ---- lines --------------------------------------------------------------------------------------

static Stmt *simple_statement(Parser *parser) {
    switch (parse_kind(parser)) {
    case TOK_PASS: return keyword_statement(parser, STMT_PASS);
    case TOK_BREAK: return keyword_statement(parser, STMT_BREAK);
    case TOK_CONTINUE: return keyword_statement(parser, STMT_CONTINUE);
    case TOK_RETURN: return return_statement(parser);
    case TOK_RAISE: return raise_statement(parser);
    case TOK_ASSERT: return assert_statement(parser);
    case TOK_DEL: return del_statement(parser);
    case TOK_GLOBAL: return scope_statement(parser, STMT_GLOBAL);
    case TOK_NONLOCAL: return scope_statement(parser, STMT_NONLOCAL);
    case TOK_IMPORT: return parse_import(parser);
    case TOK_FROM: return parse_import_from(parser);
    default: return expression_statement(parser);
    }
}

bool parse_simple_line(Parser *parser) {
    do {
        Stmt *node = simple_statement(parser);
        if (!node) return false;
        if (!at_statement_end(parser)) {
            parse_unexpected(parser, "end of statement");
            return false;
        }
        if (!parse_push_ptr(parser, node)) return false;
    } while (parse_accept(parser, TOK_SEMICOLON) && !parse_at(parser, TOK_NEWLINE));
    return parse_expect(parser, TOK_NEWLINE);
}
