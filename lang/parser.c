// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The parser's entry points: preparing the text, the three modes, completeness for prompts.

#include <string.h>

#include "lang/parser_internal.h"
#include "lang/support/utf8.h"

// ---- preparing the text -------------------------------------------------------------------------

// The source text with all line endings turned into '\n'. It is copied only if it holds a '\r'.
typedef struct Source {
    Mem *mem;
    char *copy; // or NULL
    size_t cap;
    const char *text;
    size_t len;
} Source;

static bool normalise_lines(Source *source) {
    const char *from = source->text;
    size_t len = source->len, out = 0;
    if (!memchr(from, '\r', len)) return true;
    source->cap = len;
    source->copy = mem_alloc(source->mem, len);
    if (!source->copy) return false;
    for (size_t i = 0; i < len; i++) {
        if (from[i] == '\r' && i + 1 < len && from[i + 1] == '\n') continue;
        source->copy[out++] = from[i] == '\r' ? '\n' : from[i];
    }
    source->text = source->copy;
    source->len = out;
    return true;
}

static Span place_of(const Source *source, size_t at) {
    Span span = {1, 0, 1, 0};
    size_t start = 0;
    for (size_t i = 0; i < at; i++) {
        if (source->text[i] != '\n') continue;
        span.line++;
        start = i + 1;
    }
    span.col = (uint32_t)(at - start);
    span.end_line = span.line;
    span.end_col = span.col + 1;
    return span;
}

static bool check_bytes(const Source *source, DiagList *diags) {
    const char *nul = memchr(source->text, 0, source->len);
    if (nul) {
        diag_add(diags, DIAG_SYNTAX, place_of(source, (size_t)(nul - source->text)),
                 "source code cannot contain null bytes");
        return false;
    }
    size_t bad;
    const char *reason;
    if (utf8_validate(source->text, source->len, &bad, &reason)) return true;
    diag_add(diags, DIAG_SYNTAX, place_of(source, bad),
             "(unicode error) 'utf-8' codec can't decode byte 0x%02x in position %zu: %s",
             (unsigned char)source->text[bad], bad, reason);
    return false;
}

static void out_of_memory(DiagList *diags) {
    diag_add(diags, DIAG_MEMORY, (Span){0}, "out of memory");
}

// Offsets are 32 bits wide, and so are columns.
enum { MAX_SOURCE = 0x7FFFFFFF };

static bool prepare(Source *source, DiagList *diags) {
    if (source->len >= 3 && memcmp(source->text, "\xEF\xBB\xBF", 3) == 0) {
        source->text += 3;
        source->len -= 3;
    }
    if (source->len > MAX_SOURCE) {
        diag_add(diags, DIAG_MEMORY, (Span){0}, "source text is too large");
        return false;
    }
    if (!normalise_lines(source)) {
        out_of_memory(diags);
        return false;
    }
    return check_bytes(source, diags);
}

// ---- modes --------------------------------------------------------------------------------------

static void file_mode(Parser *parser, Module *module) {
    size_t mark = parser->scratch_len;
    while (!parse_at(parser, TOK_END) && !parser->oom) {
        StmtList list = parse_statements(parser);
        for (uint32_t i = 0; i < list.count; i++) parse_push_ptr(parser, list.items[i]);
        parse_accept(parser, TOK_DEDENT);
    }
    module->body = parse_take_stmts(parser, mark);
}

static void interactive_mode(Parser *parser, Module *module) {
    size_t mark = parser->scratch_len;
    if (parse_at(parser, TOK_END) || !parse_statement(parser)) return;
    module->body = parse_take_stmts(parser, mark);
    if (parse_at(parser, TOK_END)) return;
    parse_syntax_error(parser, parse_token(parser)->span,
                       "multiple statements found while compiling a single statement");
}

static void expression_mode(Parser *parser, Module *module) {
    Expr *value = parse_at(parser, TOK_STAR) ? parse_unexpected(parser, "expression")
                                             : parse_star_expressions(parser);
    if (!value) return;
    while (parse_accept(parser, TOK_NEWLINE)) {
    }
    if (!parse_at(parser, TOK_END)) {
        parse_unexpected(parser, "end of expression");
        return;
    }
    Stmt *node = parse_stmt_node(parser, STMT_EXPR, value->span);
    if (!node) return;
    node->value = value;
    size_t mark = parser->scratch_len;
    if (parse_push_ptr(parser, node)) module->body = parse_take_stmts(parser, mark);
}

static void parse_tokens(Parser *parser, ParseMode mode, Module *module) {
    switch (mode) {
    case PARSE_FILE: file_mode(parser, module); break;
    case PARSE_INTERACTIVE: interactive_mode(parser, module); break;
    case PARSE_EXPRESSION: expression_mode(parser, module); break;
    }
    module->span = (Span){1, 0, parser->last.end_line, parser->last.end_col};
}

// Lexes and parses the text. Returns true if `out` holds a tree, false after a report.
static bool parse_source(const Source *source, ParseMode mode, Ast *out, DiagList *diags) {
    Lexer lexer;
    Parser parser = {.mem = source->mem, .diags = diags, .arena = &out->arena, .lexer = &lexer};
    parser.text = source->text;
    bool good = lex_source(&lexer, source->mem, source->text, (uint32_t)source->len, diags);
    if (good) {
        parser.tokens = lexer.tokens;
        out->module = parse_alloc(&parser, sizeof *out->module);
        if (out->module) parse_tokens(&parser, mode, out->module);
        good = !parser.failed && !lexer.failed && !parser.oom && !parser.panicking;
    } else {
        parser.oom = true;
    }
    if (parser.oom) out_of_memory(diags);
    mem_free(parser.mem, parser.scratch, parser.scratch_cap);
    mem_free(parser.mem, parser.names.slots, parser.names.cap * sizeof *parser.names.slots);
    lex_free(&lexer);
    return good;
}

bool parse_module(Mem *mem, const char *text, size_t len, const char *filename, ParseMode mode,
                  Ast *out, DiagList *diags) {
    (void)filename;
    Source source = {.mem = mem, .text = len ? text : "", .len = len};
    memset(out, 0, sizeof *out);
    arena_init(&out->arena, mem);
    bool good = prepare(&source, diags) && parse_source(&source, mode, out, diags);
    if (!good) ast_free(out);
    mem_free(mem, source.copy, source.cap);
    return good;
}

// ---- prompts ------------------------------------------------------------------------------------

static bool is_compound(StmtKind kind) {
    switch (kind) {
    case STMT_IF:
    case STMT_WHILE:
    case STMT_FOR:
    case STMT_TRY:
    case STMT_WITH:
    case STMT_MATCH:
    case STMT_DEF:
    case STMT_CLASS: return true;
    default: return false;
    }
}

static bool ends_with_empty_line(const char *text, size_t len) {
    return len > 0 && (text[len - 1] == '\n' || text[len - 1] == '\r');
}

static ParseCompleteness is_complete_in(Mem *mem, const char *text, size_t len, ParseMode mode) {
    Ast ast;
    DiagList diags;
    diag_init(&diags, mem);
    ParseCompleteness answer = PARSE_COMPLETE;
    if (parse_module(mem, text, len, NULL, mode, &ast, &diags)) {
        const StmtList *body = &ast.module->body;
        if (body->count > 0 && is_compound(body->items[body->count - 1]->kind) &&
            !ends_with_empty_line(text, len)) {
            answer = PARSE_INCOMPLETE;
        }
    } else {
        answer = diags.count > 0 && diags.items[0].at_end ? PARSE_INCOMPLETE : PARSE_INVALID;
    }
    ast_free(&ast);
    diag_free(&diags);
    return answer;
}

// Tries the text as one statement of a prompt, then as a cell of any number of statements.
ParseCompleteness parse_is_complete(Mem *mem, const char *text, size_t len) {
    ParseCompleteness answer = is_complete_in(mem, text, len, PARSE_INTERACTIVE);
    return answer == PARSE_INVALID ? is_complete_in(mem, text, len, PARSE_FILE) : answer;
}
