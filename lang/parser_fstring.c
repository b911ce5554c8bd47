// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// f-strings, as Python 3.11 reads them: the string token is cut into literal text and fields
// first, and each field's expression is lexed and parsed as if it stood in parentheses.

#include "lang/parser_internal.h"

enum { MAX_SPEC_NESTING = 2 };

// A reading position in the content of one string token.
typedef struct FText {
    Parser *parser;
    const char *text;
    uint32_t pos, end;
    uint32_t nesting; // 0 outside of format specs
    bool raw;
    const Token *token;
} FText;

static bool fail(FText *ft, const char *message) {
    Parser *parser = ft->parser;
    parser->in_fstring++; // the message then begins with "f-string: "
    parse_syntax_error(parser, ft->token->span, "%s", message);
    parser->in_fstring--;
    return false;
}

static bool fail_character(FText *ft, const char *what) {
    parse_syntax_error(ft->parser, ft->token->span, "f-string expression part cannot include %s",
                       what);
    return false;
}

static bool fail_bracket(FText *ft, char close, char open) {
    Parser *parser = ft->parser;
    parser->in_fstring++;
    if (open && close) {
        parse_syntax_error(parser, ft->token->span,
                           "closing parenthesis '%c' does not match opening parenthesis '%c'",
                           close, open);
    } else {
        parse_syntax_error(parser, ft->token->span, "unmatched '%c'", close ? close : open);
    }
    parser->in_fstring--;
    return false;
}

static char peek(const FText *ft, uint32_t ahead) {
    return ft->end - ft->pos > ahead ? ft->text[ft->pos + ahead] : 0;
}

// ---- the extent of an expression ----------------------------------------------------------------

// Steps over a string literal inside an expression.
static bool skip_string(FText *ft) {
    char quote = peek(ft, 0);
    uint32_t width = peek(ft, 1) == quote && peek(ft, 2) == quote ? 3 : 1, seen = 0;
    for (ft->pos += width; ft->pos < ft->end; ft->pos++) {
        char c = peek(ft, 0);
        if (c == '\\') return fail_character(ft, "a backslash");
        seen = c == quote ? seen + 1 : 0;
        if (seen == width) {
            ft->pos++;
            return true;
        }
    }
    return fail(ft, "unterminated string");
}

static char opening_of(char close) {
    return close == ')' ? '(' : close == ']' ? '[' : '{';
}

// Returns whether an expression ends here: at `:`, `}`, or a `!` or `=` that begins no operator.
static bool ends_expression(const FText *ft) {
    char c = peek(ft, 0), next = peek(ft, 1);
    if (c == '!' || c == '=') return next != '=';
    return c == ':' || c == '}';
}

// Skips the expression, up to `}`, `:`, `!`, `=`, or the end of the text. Returns false after a report.
static bool skip_expression(FText *ft) {
    char open[LEX_MAX_BRACKETS];
    uint32_t depth = 0;
    while (ft->pos < ft->end) {
        char c = peek(ft, 0);
        if (c == '\\') return fail_character(ft, "a backslash");
        if (c == '#') return fail_character(ft, "'#'");
        if (c == '\'' || c == '"') {
            if (!skip_string(ft)) return false;
            continue;
        }
        if (depth == 0 && ends_expression(ft)) return true;
        if (c == '(' || c == '[' || c == '{') {
            if (depth == LEX_MAX_BRACKETS) return fail(ft, "too many nested parenthesis");
            open[depth++] = c;
        } else if (c == ')' || c == ']' || c == '}') {
            if (depth == 0) return fail_bracket(ft, c, 0);
            if (open[--depth] != opening_of(c)) return fail_bracket(ft, c, open[depth]);
        }
        // Skip == != <= >= whole, so that their `=` is not taken for the end.
        bool pair = depth == 0 && (c == '=' || c == '!' || c == '<' || c == '>');
        ft->pos += pair && peek(ft, 1) == '=' ? 2 : 1;
    }
    return depth == 0 || fail_bracket(ft, 0, open[depth - 1]);
}

static bool is_blank(const FText *ft, uint32_t start, uint32_t end) {
    for (uint32_t i = start; i < end; i++) {
        char c = ft->text[i];
        if (c != ' ' && c != '\t' && c != '\n' && c != '\f') return false;
    }
    return true;
}

// ---- expressions --------------------------------------------------------------------------------

// Finds the line number and the line's start for a position inside the token.
static void locate(const FText *ft, uint32_t pos, uint32_t *line, uint32_t *line_start) {
    *line = ft->token->span.line;
    *line_start = ft->token->start - ft->token->span.col;
    for (uint32_t i = ft->token->start; i < pos; i++) {
        if (ft->text[i] != '\n') continue;
        ++*line;
        *line_start = i + 1;
    }
}

// Parses the tokens of an f-string's expression with the current parser, whose state is restored.
static Expr *parse_tokens(Parser *parser, const Token *tokens) {
    const Token *outer = parser->tokens;
    uint32_t pos = parser->pos, dead_end = parser->dead_end;
    Span last = parser->last;
    parser->dead_end = UINT32_MAX;
    parser->tokens = tokens;
    parser->pos = 0;
    parser->in_fstring++;
    Expr *node = parse_group(parser, TOK_END, tokens[0].span);
    if (node && !parse_at(parser, TOK_END)) node = parse_unexpected(parser, NULL);
    parser->in_fstring--;
    parser->tokens = outer;
    parser->pos = pos;
    parser->dead_end = dead_end;
    parser->last = last;
    return node;
}

static Expr *parse_region(FText *ft, uint32_t start, uint32_t end) {
    Parser *parser = ft->parser;
    uint32_t line, line_start;
    locate(ft, start, &line, &line_start);
    Lexer lexer;
    DiagList *diags = parser->diags, unheard;
    diag_init(&unheard, parser->mem);
    if (parser->silent) diags = &unheard;
    Expr *node = NULL;
    if (!lex_region(&lexer, parser->mem, ft->text, start, end, line, line_start, diags)) {
        parse_out_of_memory(parser);
    } else {
        if (lexer.failed && !parser->silent) parser->failed = true;
        if (lexer.failed) parser->panicking = true;
        if (!lexer.failed) node = parse_tokens(parser, lexer.tokens);
    }
    lex_free(&lexer);
    diag_free(&unheard);
    return node;
}

// ---- fields -------------------------------------------------------------------------------------

static bool parse_parts(FText *ft, Buf *literal);

static bool field_conversion(FText *ft, FPart *part) {
    if (peek(ft, 0) != '!') return true;
    ft->pos++;
    if (ft->pos >= ft->end) return fail(ft, "expecting '}'");
    char c = peek(ft, 0);
    ft->pos++;
    if (c != 's' && c != 'r' && c != 'a') {
        return fail(ft, "invalid conversion character: expected 's', 'r', or 'a'");
    }
    part->conversion = c;
    return true;
}

static bool field_spec(FText *ft, FPart *part) {
    if (peek(ft, 0) != ':') return true;
    ft->pos++;
    if (ft->pos >= ft->end) return fail(ft, "expecting '}'");
    Parser *parser = ft->parser;
    size_t mark = parser->scratch_len;
    Buf literal;
    buf_init(&literal, parser->mem);
    ft->nesting++;
    bool good = parse_parts(ft, &literal);
    ft->nesting--;
    good = good && parse_flush_literal(parser, &literal, ft->token->span);
    buf_free(&literal);
    if (!good) return false;
    part->has_spec = true;
    part->spec = parse_take(parser, mark, sizeof(FPart), &part->spec_count);
    return !parser->oom;
}

// Reads the `=` of `{x = }`: the source text from `start` to here becomes literal text before the field.
static bool field_echo(FText *ft, uint32_t start, FPart *part, Buf *literal, bool *echo) {
    if (peek(ft, 0) != '=') return true;
    do ft->pos++;
    while (ft->pos < ft->end && is_blank(ft, ft->pos, ft->pos + 1));
    if (ft->pos >= ft->end) return fail(ft, "expecting '}'");
    *echo = true;
    buf_put(literal, ft->text + start, ft->pos - start);
    return parse_flush_literal(ft->parser, literal, part->span);
}

static bool field_expression(FText *ft, FPart *part) {
    uint32_t start = ft->pos;
    if (!skip_expression(ft)) return false;
    if (ft->pos >= ft->end) return fail(ft, "expecting '}'");
    if (is_blank(ft, start, ft->pos)) {
        if (peek(ft, 0) == '!') return fail(ft, "expression required before '!'");
        if (peek(ft, 0) == ':') return fail(ft, "expression required before ':'");
        if (peek(ft, 0) == '=') return fail(ft, "expression required before '='");
        return fail(ft, "empty expression not allowed");
    }
    part->value = parse_region(ft, start, ft->pos);
    return part->value != NULL;
}

// Parses a field, from its `{` on. Returns false after a report.
static bool parse_field(FText *ft, Buf *literal) {
    FPart part = {.span = ft->token->span};
    if (ft->nesting >= MAX_SPEC_NESTING) return fail(ft, "expressions nested too deeply");
    uint32_t start = ++ft->pos;
    bool echo = false;
    if (!field_expression(ft, &part)) return false;
    part.span = part.value->span;
    if (!field_echo(ft, start, &part, literal, &echo)) return false;
    if (!parse_flush_literal(ft->parser, literal, ft->token->span)) return false;
    if (!field_conversion(ft, &part) || !field_spec(ft, &part)) return false;
    if (ft->pos >= ft->end || peek(ft, 0) != '}') return fail(ft, "expecting '}'");
    ft->pos++;
    if (echo && !part.has_spec && !part.conversion) part.conversion = 'r';
    return parse_push(ft->parser, &part, sizeof part);
}

// ---- literal text -------------------------------------------------------------------------------

// Skips to the next brace, which ends the literal. Backslashes do not escape braces, except that those
// of \N{NAME} belong to the literal.
static void skip_literal(FText *ft) {
    while (ft->pos < ft->end && peek(ft, 0) != '{' && peek(ft, 0) != '}') {
        bool escape = !ft->raw && peek(ft, 0) == '\\' && ft->pos + 1 < ft->end;
        if (escape && peek(ft, 1) == 'N' && peek(ft, 2) == '{') {
            while (ft->pos < ft->end && peek(ft, 0) != '}') ft->pos++;
            escape = false;
            if (ft->pos == ft->end) return;
        }
        ft->pos++;
        if (escape && peek(ft, 0) != '{' && peek(ft, 0) != '}') ft->pos++;
    }
}

static bool parse_literal(FText *ft, Buf *literal) {
    uint32_t start = ft->pos;
    skip_literal(ft);
    bool doubled = ft->nesting == 0 && ft->pos < ft->end && peek(ft, 0) == peek(ft, 1);
    uint32_t end = ft->pos + doubled;
    if (ft->nesting == 0 && peek(ft, 0) == '}' && !doubled) {
        return fail(ft, "single '}' is not allowed");
    }
    if (ft->raw) {
        buf_put(literal, ft->text + start, end - start);
    } else if (!parse_unescape(ft->parser, start, end, ft->token->span, literal)) {
        return false;
    }
    ft->pos = end + doubled;
    return true;
}

// Parses literals and fields up to the end of the text, or of the format spec.
static bool parse_parts(FText *ft, Buf *literal) {
    while (ft->pos < ft->end) {
        uint32_t before = ft->pos;
        bool again = peek(ft, 0) != '{' || (ft->nesting == 0 && peek(ft, 1) == '{');
        if (again && !parse_literal(ft, literal)) return false;
        if (ft->pos < ft->end && peek(ft, 0) == '{' &&
            (ft->nesting > 0 || peek(ft, 1) != '{')) {
            if (!parse_field(ft, literal)) return false;
        }
        if (ft->pos == before) break; // at the `}` that ends a format spec
    }
    return true;
}

bool parse_fstring(Parser *parser, uint32_t start, uint32_t end, bool raw, const Token *token,
                   Buf *literal) {
    FText ft = {parser, parser->text, start, end, 0, raw, token};
    return parse_parts(&ft, literal);
}
