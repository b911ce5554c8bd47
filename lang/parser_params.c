// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Parameters of functions and lambdas.

#include "lang/parser_internal.h"

typedef struct ParamState {
    TokenKind close; // TOK_COLON: of a lambda, which has no annotations
    size_t mark;     // the list's first item on the scratch stack
    bool slash, star, kwargs, defaults;
} ParamState;

static bool problem(Parser *parser, Span span, const char *message) {
    parse_syntax_error(parser, span, "%s", message);
    return false;
}

static uint32_t count_so_far(const Parser *parser, const ParamState *state) {
    return (uint32_t)((parser->scratch_len - state->mark) / sizeof(Param));
}

static bool unexpected(Parser *parser) {
    parse_unexpected(parser, "parameter");
    return false;
}

// Parses `name` or `name: annotation`. The annotation of *args may be starred.
static bool name_and_annotation(Parser *parser, const ParamState *state, Param *param) {
    Span start = parse_token(parser)->span;
    if (!parse_at(parser, TOK_NAME)) return unexpected(parser);
    param->name = parse_token_name(parser);
    if (!param->name || !parse_bindable(parser, param->name, start)) return false;
    parse_advance(parser);
    if (state->close != TOK_COLON && parse_accept(parser, TOK_COLON)) {
        bool star = param->kind == PARAM_VARARGS && parse_at(parser, TOK_STAR);
        param->annotation = star ? parse_star_named(parser) : parse_expression(parser);
        if (!param->annotation) return false;
    }
    param->span = parse_join(start, parser->last);
    return true;
}

static bool slash(Parser *parser, ParamState *state) {
    Span span = parse_token(parser)->span;
    uint32_t count = count_so_far(parser, state);
    if (state->slash) return problem(parser, span, "/ may appear only once");
    if (state->star) return problem(parser, span, "/ must be ahead of *");
    if (count == 0) return problem(parser, span, "at least one argument must precede /");
    state->slash = true;
    Param *params = (Param *)(void *)(parser->scratch + state->mark);
    for (uint32_t i = 0; i < count; i++) params[i].kind = PARAM_POSITIONAL_ONLY;
    parse_advance(parser);
    if (!parse_at(parser, TOK_STAR)) return true;
    return problem(parser, parse_token(parser)->span, "expected comma between / and *");
}

static bool bare_star(Parser *parser, ParamState *state, Span star) {
    bool comma = parse_at(parser, TOK_COMMA);
    TokenKind next = comma ? parse_next_kind(parser) : parse_kind(parser);
    if (next == state->close || (comma && next == TOK_STAR_STAR)) {
        return problem(parser, star, "named arguments must follow bare *");
    }
    return comma || unexpected(parser);
}

static bool star_param(Parser *parser, ParamState *state) {
    Span star = parse_token(parser)->span;
    if (state->star) return problem(parser, star, "* argument may appear only once");
    state->star = true;
    parse_advance(parser);
    if (!parse_at(parser, TOK_NAME)) return bare_star(parser, state, star);
    Param param = {.kind = PARAM_VARARGS};
    if (!name_and_annotation(parser, state, &param)) return false;
    if (parse_at(parser, TOK_ASSIGN)) {
        return problem(parser, parse_token(parser)->span,
                       "var-positional argument cannot have default value");
    }
    return parse_push(parser, &param, sizeof param);
}

static bool double_star_param(Parser *parser, ParamState *state) {
    Param param = {.kind = PARAM_KWARGS};
    state->kwargs = true;
    parse_advance(parser);
    if (!name_and_annotation(parser, state, &param)) return false;
    if (parse_at(parser, TOK_ASSIGN)) {
        return problem(parser, parse_token(parser)->span,
                       "var-keyword argument cannot have default value");
    }
    return parse_push(parser, &param, sizeof param);
}

static bool plain_param(Parser *parser, ParamState *state) {
    Param param = {.kind = state->star ? PARAM_KEYWORD_ONLY : PARAM_NORMAL};
    if (!name_and_annotation(parser, state, &param)) return false;
    Span equals = parse_token(parser)->span;
    if (parse_accept(parser, TOK_ASSIGN)) {
        if (parse_at(parser, TOK_RPAREN) || parse_at(parser, TOK_COMMA)) {
            return problem(parser, equals, "expected default value expression");
        }
        param.default_value = parse_expression(parser);
        if (!param.default_value) return false;
        param.span = parse_join(param.span, parser->last);
        state->defaults = true;
    } else if (state->defaults && !state->star) {
        bool ends = parse_at(parser, TOK_COMMA) || parse_at(parser, state->close);
        if (!ends) return unexpected(parser);
        return problem(parser, param.span, "non-default argument follows default argument");
    }
    return parse_push(parser, &param, sizeof param);
}

// Reports `def f(a, (b, c))`, which unpacked an argument in Python 2. Returns false.
static bool nested_params(Parser *parser, const ParamState *state) {
    Span open = parse_token(parser)->span;
    Trial trial = parse_trial_begin(parser);
    parse_advance(parser);
    while (parse_accept(parser, TOK_NAME) && parse_accept(parser, TOK_COMMA)) {
    }
    Span close = parse_token(parser)->span;
    bool closed = parse_at(parser, TOK_RPAREN) && parser->pos > trial.pos + 1;
    parse_trial_end(parser, trial);
    if (!closed) return unexpected(parser);
    const char *message = "Function parameters cannot be parenthesized";
    if (state->close == TOK_COLON) message = "Lambda expression parameters cannot be parenthesized";
    return problem(parser, parse_join(open, close), message);
}

static bool parameter(Parser *parser, ParamState *state) {
    TokenKind kind = parse_kind(parser);
    bool star = kind == TOK_STAR || kind == TOK_STAR_STAR;
    if (state->kwargs && (star || kind == TOK_NAME || kind == TOK_SLASH)) {
        return problem(parser, parse_token(parser)->span,
                       "arguments cannot follow var-keyword argument");
    }
    switch (kind) {
    case TOK_SLASH: return slash(parser, state);
    case TOK_STAR: return star_param(parser, state);
    case TOK_STAR_STAR: return double_star_param(parser, state);
    case TOK_LPAREN: return nested_params(parser, state);
    default: return plain_param(parser, state);
    }
}

static bool no_repeats(Parser *parser, const ParamList *params) {
    parse_names_begin(parser);
    for (uint32_t i = 0; i < params->count; i++) {
        const Param *param = &params->items[i];
        if (parse_name_seen(parser, param->name)) {
            parse_syntax_error(parser, param->span,
                               "duplicate argument '%s' in function definition", param->name);
            return false;
        }
    }
    return true;
}

bool parse_params(Parser *parser, TokenKind close, ParamList *params) {
    ParamState state = {.close = close, .mark = parser->scratch_len};
    while (!parse_at(parser, close)) {
        if (!parameter(parser, &state)) return false;
        if (!parse_accept(parser, TOK_COMMA)) break;
    }
    if (!parse_at(parser, close)) {
        parse_unexpected(parser, close == TOK_COLON ? "',' or ':'" : "',' or ')'");
        return false;
    }
    params->items = parse_take(parser, state.mark, sizeof(Param), &params->count);
    return !parser->oom && no_repeats(parser, params);
}
