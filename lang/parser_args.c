// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arguments of calls and bases of classes.

#include "lang/parser_internal.h"

typedef struct ArgState {
    bool bases;          // the bases of a class, where a generator without parentheses is an error
    bool keyword;        // a keyword argument was seen
    bool unpacked;       // `**` was seen
    uint32_t count;
    Expr *misplaced;     // the first positional argument after a keyword argument or `**`, or NULL
    const char *problem; // the end of its message: what it follows
} ArgState;

static bool keyword_argument(Parser *parser, ArgState *state, Arg *arg) {
    Span name = parse_token(parser)->span;
    arg->kind = ARG_KEYWORD;
    arg->name = parse_token_name(parser);
    if (!arg->name || !parse_bindable(parser, arg->name, name)) return false;
    parse_advance(parser);
    Span equals = parse_token(parser)->span;
    parse_advance(parser);
    arg->value = parse_expression(parser);
    if (!arg->value) return false;
    if (parse_at(parser, TOK_FOR)) {
        parse_syntax_error(parser, parse_join(name, equals),
                           "invalid syntax. Maybe you meant '==' or ':=' instead of '='?");
        return false;
    }
    state->keyword = true;
    return true;
}

static bool starred_argument(Parser *parser, ArgState *state, Arg *arg) {
    Span star = parse_token(parser)->span;
    bool twice = parse_at(parser, TOK_STAR_STAR);
    if (!twice && state->unpacked) {
        parse_syntax_error(parser, star,
                           "iterable argument unpacking follows keyword argument unpacking");
        return false;
    }
    parse_advance(parser);
    arg->kind = twice ? ARG_DOUBLE_STAR : ARG_STAR;
    state->unpacked = state->unpacked || twice;
    arg->value = parse_expression(parser);
    return arg->value != NULL;
}

// Parses a generator without parentheses of its own, as in `f(x for x in y)`. It has to be the only
// argument, without a trailing comma. `open` is the call's bracket, where the generator's span begins.
static Expr *bare_generator(Parser *parser, const ArgState *state, Expr *element, Span open) {
    if (state->bases && state->count == 0) return parse_unexpected(parser, NULL);
    Expr *node = parse_comprehension(parser, EXPR_GENERATOR, element, NULL, open);
    if (!node) return NULL;
    if (state->count > 0 || parse_at(parser, TOK_COMMA)) {
        return parse_syntax_error(parser, parse_join(element->span, parser->last),
                                  "Generator expression must be parenthesized");
    }
    node->span = parse_join(open, parse_token(parser)->span);
    return node;
}

static bool report_assigned_argument(Parser *parser, const Expr *value, Span start) {
    Span span = parse_join(start, parse_token(parser)->span);
    bool constant =
        value->kind == EXPR_TRUE || value->kind == EXPR_FALSE || value->kind == EXPR_NONE;
    if (constant && !value->parenthesised) {
        parse_syntax_error(parser, span, "cannot assign to %s", parse_expr_name(value));
    } else {
        parse_syntax_error(parser, span,
                           "expression cannot contain assignment, perhaps you meant \"==\"?");
    }
    return false;
}

static void note_order(ArgState *state, Expr *value) {
    if (state->misplaced || (!state->keyword && !state->unpacked)) return;
    state->misplaced = value;
    state->problem = state->unpacked ? " unpacking" : "";
}

static bool positional_argument(Parser *parser, ArgState *state, Arg *arg, Span open) {
    Span start = parse_token(parser)->span;
    arg->kind = ARG_POSITIONAL;
    arg->value = parse_argument_value(parser);
    if (!arg->value) return false;
    if (parse_at(parser, TOK_FOR) || parse_at(parser, TOK_ASYNC)) {
        arg->value = bare_generator(parser, state, arg->value, open);
        return arg->value != NULL;
    }
    if (parse_at(parser, TOK_ASSIGN)) return report_assigned_argument(parser, arg->value, start);
    note_order(state, arg->value);
    return true;
}

static bool argument(Parser *parser, ArgState *state, Arg *arg, Span open) {
    Span start = parse_token(parser)->span;
    bool good;
    if (parse_at(parser, TOK_STAR) || parse_at(parser, TOK_STAR_STAR)) {
        good = starred_argument(parser, state, arg);
    } else if (parse_at(parser, TOK_NAME) && parse_next_kind(parser) == TOK_ASSIGN) {
        good = keyword_argument(parser, state, arg);
    } else {
        good = positional_argument(parser, state, arg, open);
    }
    arg->span = parse_join(start, parser->last);
    state->count++;
    return good;
}

static bool no_repeats(Parser *parser, const ArgList *args) {
    parse_names_begin(parser);
    for (uint32_t i = 0; i < args->count; i++) {
        const Arg *arg = &args->items[i];
        if (arg->kind == ARG_KEYWORD && parse_name_seen(parser, arg->name)) {
            parse_syntax_error(parser, arg->span, "keyword argument repeated: %s", arg->name);
            return false;
        }
    }
    return true;
}

bool parse_arguments(Parser *parser, bool bases, ArgList *args) {
    ArgState state = {.bases = bases};
    Span open = parse_token(parser)->span;
    size_t mark = parser->scratch_len;
    parse_advance(parser);
    while (!parse_at(parser, TOK_RPAREN)) {
        Arg arg = {0};
        if (!argument(parser, &state, &arg, open)) return false;
        if (!parse_push(parser, &arg, sizeof arg)) return false;
        if (!parse_accept(parser, TOK_COMMA)) break;
    }
    if (!parse_at(parser, TOK_RPAREN)) {
        parse_unexpected(parser, "',' or ')'");
        return false;
    }
    if (state.misplaced) {
        parse_syntax_error(parser, state.misplaced->span,
                           "positional argument follows keyword argument%s", state.problem);
        return false;
    }
    parse_advance(parser);
    args->items = parse_take(parser, mark, sizeof(Arg), &args->count);
    return !parser->oom && no_repeats(parser, args);
}
