// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Compound statements and their blocks, and recovery after a failed statement.

#include "lang/parser_internal.h"

// ---- giving up on a statement -------------------------------------------------------------------

static void skip_line(Parser *parser) {
    while (!parse_at(parser, TOK_NEWLINE) && !parse_at(parser, TOK_END)) parse_advance(parser);
    parse_accept(parser, TOK_NEWLINE);
}

// Parses the block of a failed statement, only to report further errors in it.
static void search_block(Parser *parser) {
    if (!parse_accept(parser, TOK_INDENT)) return;
    size_t mark = parser->scratch_len;
    parse_statements(parser);
    parser->scratch_len = mark;
    parse_accept(parser, TOK_DEDENT);
}

static bool at_orphan(const Parser *parser) {
    return parse_at(parser, TOK_ELIF) || parse_at(parser, TOK_ELSE) ||
           parse_at(parser, TOK_EXCEPT) || parse_at(parser, TOK_FINALLY);
}

void parse_recover(Parser *parser) {
    parser->panicking = false;
    do {
        skip_line(parser);
        search_block(parser);
    } while (at_orphan(parser) && !parser->oom);
}

StmtList parse_statements(Parser *parser) {
    size_t mark = parser->scratch_len;
    while (!parse_at(parser, TOK_DEDENT) && !parse_at(parser, TOK_END) && !parser->oom) {
        size_t before = parser->scratch_len;
        if (parse_statement(parser)) continue;
        parser->scratch_len = before;
        parse_recover(parser);
    }
    return parse_take_stmts(parser, mark);
}

// ---- blocks -------------------------------------------------------------------------------------

bool parse_colon(Parser *parser, bool whatever_else) {
    if (parse_accept(parser, TOK_COLON)) return true;
    if (whatever_else || parse_at(parser, TOK_NEWLINE)) {
        parse_syntax_error(parser, parse_token(parser)->span, "expected ':'");
    } else {
        parse_unexpected(parser, "':'");
    }
    return false;
}

bool parse_missing_block(Parser *parser, const char *what, uint32_t line) {
    Span span = parse_token(parser)->span;
    if (parse_at(parser, TOK_END) || parse_at(parser, TOK_DEDENT)) {
        Span last = parser->last;
        span = (Span){last.end_line, last.end_col, last.end_line, last.end_col + 1};
    }
    parse_error(parser, DIAG_INDENTATION, span, "expected an indented block after %s on line %u",
                what, (unsigned)line);
    parser->panicking = false;
    return !parser->oom;
}

bool parse_block(Parser *parser, StmtList *body, const char *what, uint32_t line) {
    *body = (StmtList){0};
    size_t mark = parser->scratch_len;
    if (!parse_accept(parser, TOK_NEWLINE)) {
        if (!parse_simple_line(parser)) return false;
        *body = parse_take_stmts(parser, mark);
        return !parser->oom;
    }
    if (!parse_accept(parser, TOK_INDENT)) return parse_missing_block(parser, what, line);
    *body = parse_statements(parser);
    parse_accept(parser, TOK_DEDENT);
    return !parser->oom;
}

static bool else_block(Parser *parser, StmtList *body) {
    uint32_t line = parse_token(parser)->span.line;
    *body = (StmtList){0};
    if (!parse_accept(parser, TOK_ELSE)) return true;
    return parse_colon(parser, true) && parse_block(parser, body, "'else' statement", line);
}

// Ends the node's span with the last token consumed, which is the last of its last block. Returns
// the node, or NULL when out of memory.
static Stmt *finish(Parser *parser, Stmt *node) {
    node->span = parse_join(node->span, parser->last);
    return parser->oom ? NULL : node;
}

// ---- if, while, for -----------------------------------------------------------------------------

static bool if_branch(Parser *parser, IfBranch *branch, const char *what) {
    Span start = parse_token(parser)->span;
    parse_advance(parser);
    branch->test = parse_named(parser);
    if (!branch->test || !parse_colon(parser, false)) return false;
    if (!parse_block(parser, &branch->body, what, start.line)) return false;
    branch->span = parse_join(start, parser->last);
    return true;
}

static Stmt *if_statement(Parser *parser) {
    Stmt *node = parse_stmt_node(parser, STMT_IF, parse_token(parser)->span);
    size_t mark = parser->scratch_len;
    const char *what = "'if' statement";
    if (!node) return NULL;
    do {
        IfBranch branch = {0};
        if (!if_branch(parser, &branch, what)) return NULL;
        if (!parse_push(parser, &branch, sizeof branch)) return NULL;
        what = "'elif' statement";
    } while (parse_at(parser, TOK_ELIF));
    node->if_.branches = parse_take(parser, mark, sizeof(IfBranch), &node->if_.branch_count);
    if (!else_block(parser, &node->if_.orelse)) return NULL;
    return finish(parser, node);
}

static Stmt *while_statement(Parser *parser) {
    Span start = parse_token(parser)->span;
    Stmt *node = parse_stmt_node(parser, STMT_WHILE, start);
    if (!node) return NULL;
    parse_advance(parser);
    node->while_.test = parse_named(parser);
    if (!node->while_.test || !parse_colon(parser, false)) return NULL;
    if (!parse_block(parser, &node->while_.body, "'while' statement", start.line)) return NULL;
    if (!else_block(parser, &node->while_.orelse)) return NULL;
    return finish(parser, node);
}

static Stmt *for_statement(Parser *parser) {
    Span start = parse_token(parser)->span;
    Stmt *node = parse_stmt_node(parser, STMT_FOR, start);
    if (!node) return NULL;
    parse_advance(parser);
    node->for_.target = parse_for_target(parser);
    if (!node->for_.target || !parse_expect(parser, TOK_IN)) return NULL;
    node->for_.iter = parse_star_expressions(parser);
    if (!node->for_.iter || !parse_colon(parser, false)) return NULL;
    if (!parse_no_lone_star(parser, node->for_.iter)) return NULL;
    if (!parse_block(parser, &node->for_.body, "'for' statement", start.line)) return NULL;
    if (!else_block(parser, &node->for_.orelse)) return NULL;
    return finish(parser, node);
}

// ---- try ----------------------------------------------------------------------------------------

static Expr *handler_type(Parser *parser) {
    Expr *type = parse_expression(parser);
    if (!type || !parse_at(parser, TOK_COMMA)) return type;
    Trial trial = parse_trial_begin(parser);
    parse_advance(parser);
    parse_star_expressions(parser);
    Span last = parser->last;
    if (!parse_trial_end(parser, trial)) return parse_unexpected(parser, NULL);
    return parse_syntax_error(parser, parse_join(type->span, last),
                              "multiple exception types must be parenthesized");
}

static bool handler_name(Parser *parser, Handler *handler) {
    if (!parse_accept(parser, TOK_AS)) return true;
    Span span = parse_token(parser)->span;
    if (!parse_at(parser, TOK_NAME)) return parse_unexpected(parser, "name");
    handler->name = parse_token_name(parser);
    if (!handler->name || !parse_bindable(parser, handler->name, span)) return false;
    parse_advance(parser);
    return true;
}

static bool handler(Parser *parser, Handler *handler) {
    Span start = parse_token(parser)->span;
    parse_advance(parser);
    if (parse_at(parser, TOK_STAR)) {
        return parse_syntax_error(parser, parse_join(start, parse_token(parser)->span),
                                  "'except*' is not supported");
    }
    if (!parse_at(parser, TOK_COLON) && !parse_at(parser, TOK_NEWLINE)) {
        handler->type = handler_type(parser);
        if (!handler->type || !handler_name(parser, handler)) return false;
    }
    if (!parse_colon(parser, false)) return false;
    if (!parse_block(parser, &handler->body, "'except' statement", start.line)) return false;
    handler->span = parse_join(start, parser->last);
    if (handler->type || !parse_at(parser, TOK_EXCEPT)) return true;
    return parse_syntax_error(parser, start, "default 'except:' must be last");
}

static bool handlers(Parser *parser, Stmt *node) {
    size_t mark = parser->scratch_len;
    while (parse_at(parser, TOK_EXCEPT)) {
        Handler item = {0};
        if (!handler(parser, &item) || !parse_push(parser, &item, sizeof item)) return false;
    }
    node->try_.handlers = parse_take(parser, mark, sizeof(Handler), &node->try_.handler_count);
    return !parser->oom;
}

// Reports a `try` without `except` or `finally`. Returns false if the statement has to be given up.
static bool check_try(Parser *parser, const Stmt *node, bool has_finally) {
    if (node->try_.handler_count > 0 || has_finally) return true;
    parse_syntax_error(parser, parse_token(parser)->span,
                       "expected 'except' or 'finally' block");
    if (parse_at(parser, TOK_ELSE)) return false;
    parser->panicking = false; // the current token begins another statement
    return !parser->oom;
}

static Stmt *try_statement(Parser *parser) {
    Span start = parse_token(parser)->span;
    Stmt *node = parse_stmt_node(parser, STMT_TRY, start);
    if (!node) return NULL;
    parse_advance(parser);
    if (!parse_colon(parser, true)) return NULL;
    if (!parse_block(parser, &node->try_.body, "'try' statement", start.line)) return NULL;
    if (!handlers(parser, node)) return NULL;
    if (node->try_.handler_count && !else_block(parser, &node->try_.orelse)) return NULL;
    uint32_t line = parse_token(parser)->span.line;
    bool has_finally = parse_accept(parser, TOK_FINALLY);
    if (has_finally) {
        if (!parse_colon(parser, true)) return NULL;
        if (!parse_block(parser, &node->try_.finally, "'finally' statement", line)) return NULL;
    }
    return check_try(parser, node, has_finally) ? finish(parser, node) : NULL;
}

// ---- with ---------------------------------------------------------------------------------------

static bool with_target(Parser *parser, WithItem *item) {
    if (!parse_accept(parser, TOK_AS)) return true;
    Span start = parse_token(parser)->span;
    if (parse_at(parser, TOK_STAR)) {
        item->target = parse_star_named(parser);
        if (!item->target || !parse_make_target(parser, item->target, TARGET_ASSIGN)) return false;
        return parse_syntax_error(parser, start,
                                  "starred assignment target must be in a list or tuple");
    }
    item->target = parse_expression(parser);
    return item->target && parse_make_target(parser, item->target, TARGET_ASSIGN);
}

// Pushes the items up to `:`, or up to `)` if they are in parentheses.
static bool with_items(Parser *parser, bool parens) {
    do {
        if (parens && parse_at(parser, TOK_RPAREN)) break;
        WithItem item = {.span = parse_token(parser)->span};
        item.context = parse_expression(parser);
        if (!item.context || !with_target(parser, &item)) return false;
        item.span = parse_join(item.span, parser->last);
        if (!parse_push(parser, &item, sizeof item)) return false;
    } while (parse_accept(parser, TOK_COMMA));
    return true;
}

// At `(`: returns whether `as` occurs directly inside these parentheses.
static bool has_inner_as(const Parser *parser) {
    const Token *token = parse_token(parser);
    uint32_t level = token->level;
    for (token++; token->kind != TOK_NEWLINE && token->kind != TOK_END; token++) {
        if (token->level < level) return false;
        if (token->level == level && token->kind == TOK_AS) return true;
    }
    return false;
}

// Returns whether the `(` at the current token encloses the items. `with (a, b):` has two items,
// `with (a, b).c:` one. Like Python, prefers the reading with enclosed items if both are possible.
static bool parenthesised_items(Parser *parser) {
    if (!parse_at(parser, TOK_LPAREN)) return false;
    if (has_inner_as(parser)) return true;
    Trial trial = parse_trial_begin(parser);
    parse_advance(parser);
    bool some = !parse_at(parser, TOK_RPAREN);
    bool good = some && with_items(parser, true) && parse_accept(parser, TOK_RPAREN) &&
                parse_at(parser, TOK_COLON);
    return parse_trial_end(parser, trial) && good;
}

static Stmt *with_statement(Parser *parser) {
    Span start = parse_token(parser)->span;
    Stmt *node = parse_stmt_node(parser, STMT_WITH, start);
    if (!node) return NULL;
    parse_advance(parser);
    size_t mark = parser->scratch_len;
    bool parens = parenthesised_items(parser);
    if (parens) parse_advance(parser);
    if (!with_items(parser, parens)) return NULL;
    if (parens && !parse_expect(parser, TOK_RPAREN)) return NULL;
    if (!parse_colon(parser, false)) return NULL;
    node->with.items = parse_take(parser, mark, sizeof(WithItem), &node->with.item_count);
    if (!parse_block(parser, &node->with.body, "'with' statement", start.line)) return NULL;
    return finish(parser, node);
}

// ---- def and class ------------------------------------------------------------------------------

static Name defined_name(Parser *parser) {
    Span span = parse_token(parser)->span;
    if (!parse_at(parser, TOK_NAME)) return parse_unexpected(parser, "name");
    Name name = parse_token_name(parser);
    if (!name || !parse_bindable(parser, name, span)) return NULL;
    parse_advance(parser);
    return name;
}

static Stmt *def_statement(Parser *parser, ExprList decorators) {
    Span start = parse_token(parser)->span;
    Stmt *node = parse_stmt_node(parser, STMT_DEF, start);
    if (!node) return NULL;
    parse_advance(parser);
    node->def.decorators = decorators;
    node->def.name_span = parse_token(parser)->span;
    if (!(node->def.name = defined_name(parser))) return NULL;
    if (!parse_at(parser, TOK_LPAREN)) {
        return parse_syntax_error(parser, parse_token(parser)->span, "expected '('");
    }
    parse_advance(parser);
    if (!parse_params(parser, TOK_RPAREN, &node->def.params)) return NULL;
    parse_advance(parser);
    if (parse_accept(parser, TOK_ARROW) && !(node->def.returns = parse_expression(parser))) {
        return NULL;
    }
    if (!parse_colon(parser, true)) return NULL;
    if (!parse_block(parser, &node->def.body, "function definition", start.line)) return NULL;
    return finish(parser, node);
}

static Stmt *class_statement(Parser *parser, ExprList decorators) {
    Span start = parse_token(parser)->span;
    Stmt *node = parse_stmt_node(parser, STMT_CLASS, start);
    if (!node) return NULL;
    parse_advance(parser);
    node->class_.decorators = decorators;
    node->class_.name_span = parse_token(parser)->span;
    if (!(node->class_.name = defined_name(parser))) return NULL;
    if (parse_at(parser, TOK_LPAREN) && !parse_arguments(parser, true, &node->class_.bases)) {
        return NULL;
    }
    if (!parse_colon(parser, false)) return NULL;
    if (!parse_block(parser, &node->class_.body, "class definition", start.line)) return NULL;
    return finish(parser, node);
}

static Stmt *async_statement(Parser *parser) {
    Span span = parse_join(parse_token(parser)->span, parser->tokens[parser->pos + 1].span);
    switch (parse_next_kind(parser)) {
    case TOK_DEF: return parse_syntax_error(parser, span, "'async def' is not supported");
    case TOK_FOR: return parse_syntax_error(parser, span, "'async for' is not supported");
    case TOK_WITH: return parse_syntax_error(parser, span, "'async with' is not supported");
    default: parse_advance(parser); return parse_unexpected(parser, NULL);
    }
}

static Stmt *decorated(Parser *parser) {
    size_t mark = parser->scratch_len;
    while (parse_accept(parser, TOK_AT)) {
        Expr *decorator = parse_named(parser);
        if (!decorator || !parse_expect(parser, TOK_NEWLINE)) return NULL;
        if (!parse_push_ptr(parser, decorator)) return NULL;
    }
    ExprList decorators = parse_take_exprs(parser, mark);
    switch (parse_kind(parser)) {
    case TOK_DEF: return def_statement(parser, decorators);
    case TOK_CLASS: return class_statement(parser, decorators);
    case TOK_ASYNC: return async_statement(parser);
    default: return parse_unexpected(parser, "'def' or 'class'");
    }
}

// ---- statements ---------------------------------------------------------------------------------

static bool stray_indent(Parser *parser) {
    parse_unexpected(parser, NULL);
    parser->panicking = false;
    search_block(parser);
    return !parser->oom;
}

static Stmt *compound_statement(Parser *parser) {
    ExprList none = {0};
    switch (parse_kind(parser)) {
    case TOK_IF: return if_statement(parser);
    case TOK_WHILE: return while_statement(parser);
    case TOK_FOR: return for_statement(parser);
    case TOK_TRY: return try_statement(parser);
    case TOK_WITH: return with_statement(parser);
    case TOK_DEF: return def_statement(parser, none);
    case TOK_CLASS: return class_statement(parser, none);
    case TOK_AT: return decorated(parser);
    default: return async_statement(parser);
    }
}

bool parse_at_compound(const Parser *parser) {
    switch (parse_kind(parser)) {
    case TOK_IF:
    case TOK_WHILE:
    case TOK_FOR:
    case TOK_TRY:
    case TOK_WITH:
    case TOK_DEF:
    case TOK_CLASS:
    case TOK_AT:
    case TOK_ASYNC: return true;
    default: return false;
    }
}

bool parse_statement(Parser *parser) {
    if (parse_at(parser, TOK_INDENT)) return stray_indent(parser);
    bool match = parse_at_match(parser);
    if (!match && !parse_at_compound(parser)) return parse_simple_line(parser);
    Stmt *node = match ? parse_match(parser) : compound_statement(parser);
    return node && parse_push_ptr(parser, node);
}
