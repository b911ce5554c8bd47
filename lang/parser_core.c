// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The parser's machinery: tokens, reports, trials, node and list building, interned names.

#include <stdio.h>
#include <string.h>

#include "lang/parser_internal.h"
#include "lang/support/utf8.h"

// ---- tokens -------------------------------------------------------------------------------------

TokenKind parse_next_kind(const Parser *parser) {
    return parse_at(parser, TOK_END) ? TOK_END : parser->tokens[parser->pos + 1].kind;
}

void parse_advance(Parser *parser) {
    const Token *token = parse_token(parser);
    if (token->kind == TOK_END) return;
    if (token->kind != TOK_NEWLINE && token->kind != TOK_INDENT && token->kind != TOK_DEDENT) {
        parser->last = token->span;
    }
    parser->pos++;
}

bool parse_accept(Parser *parser, TokenKind kind) {
    if (!parse_at(parser, kind)) return false;
    parse_advance(parser);
    return true;
}

bool parse_expect(Parser *parser, TokenKind kind) {
    if (parse_accept(parser, kind)) return true;
    char note[16];
    snprintf(note, sizeof note, "'%s'", lex_token_name(kind));
    parse_unexpected(parser, kind == TOK_NAME || kind == TOK_NEWLINE ? lex_token_name(kind) : note);
    return false;
}

bool parse_at_word(const Parser *parser, const char *word) {
    const Token *token = parse_token(parser);
    size_t len = strlen(word);
    return token->kind == TOK_NAME && token->end - token->start == len &&
           memcmp(parser->text + token->start, word, len) == 0;
}

// ---- reports ------------------------------------------------------------------------------------

// Returns whether the rest of the line holds a token that the lexer has reported as malformed. The
// parser then reports nothing.
static bool malformed_ahead(const Parser *parser) {
    for (const Token *token = parse_token(parser);; token++) {
        if (token->kind == TOK_ERROR) return true;
        if (token->kind == TOK_NEWLINE || token->kind == TOK_END) return false;
    }
}

// Returns whether only ends of blocks are left.
static bool at_text_end(const Parser *parser) {
    const Token *token = parse_token(parser);
    while (token->kind == TOK_DEDENT) token++;
    return token->kind == TOK_END && !parser->in_fstring;
}

// A bracket that is never closed takes in the rest of the text, so errors on later lines follow from
// it. If the current error is such a one, reports the bracket instead and returns true.
static bool blame_bracket(Parser *parser) {
    const Lexer *lexer = parser->lexer;
    if (!lexer->unclosed || parser->in_fstring) return false;
    Bracket open = lexer->unclosed_at;
    const Token *token = parse_token(parser), *seen = token;
    if (parser->farthest > parser->pos) seen = &parser->tokens[parser->farthest];
    if (seen->kind != TOK_END && seen->span.line <= open.line) return false;
    Span span = {open.line, open.col, open.line, open.col + 1};
    Diag *item = diag_add(parser->diags, DIAG_SYNTAX, span, "'%c' was never closed", open.open);
    if (item) item->at_end = token->kind == TOK_END;
    return true;
}

static void report(Parser *parser, DiagKind kind, Span span, const char *format, va_list args,
                   const char *expected) {
    if (parser->panicking) return;
    parser->panicking = true;
    if (parser->silent) return;
    parser->failed = true;
    if (kind == DIAG_SYNTAX && (malformed_ahead(parser) || blame_bracket(parser))) return;
    Buf text;
    buf_init(&text, parser->mem);
    if (parser->in_fstring) buf_puts(&text, "f-string: ");
    buf_vprintf(&text, format, args);
    buf_putc(&text, 0);
    if (text.failed) {
        parser->oom = true;
    } else {
        Diag *item = diag_add(parser->diags, kind, span, "%s", text.data);
        if (item) item->at_end = at_text_end(parser);
        if (expected) diag_expect(parser->diags, item, expected);
    }
    buf_free(&text);
}

void *parse_error(Parser *parser, DiagKind kind, Span span, const char *format, ...) {
    va_list args;
    va_start(args, format);
    report(parser, kind, span, format, args, NULL);
    va_end(args);
    return NULL;
}

void *parse_syntax_error(Parser *parser, Span span, const char *format, ...) {
    va_list args;
    va_start(args, format);
    report(parser, DIAG_SYNTAX, span, format, args, NULL);
    va_end(args);
    return NULL;
}

static void report_expected(Parser *parser, const char *expected, DiagKind kind, Span span,
                            const char *format, ...) {
    va_list args;
    va_start(args, format);
    report(parser, kind, span, format, args, expected);
    va_end(args);
}

void *parse_unexpected(Parser *parser, const char *expected) {
    Span span = parse_token(parser)->span;
    if (parse_at(parser, TOK_INDENT)) {
        uint32_t col = span.end_col ? span.end_col - 1 : 0;
        Span edge = {span.end_line, col, span.end_line, span.end_col};
        return parse_error(parser, DIAG_INDENTATION, edge, "unexpected indent");
    }
    report_expected(parser, expected, DIAG_SYNTAX, span, "invalid syntax");
    return NULL;
}

void *parse_out_of_memory(Parser *parser) {
    parser->oom = true;
    parser->panicking = true;
    return NULL;
}

Span parse_join(Span first, Span last) {
    return (Span){first.line, first.col, last.end_line, last.end_col};
}

Trial parse_trial_begin(Parser *parser) {
    if (parser->silent++ == 0) parser->dead_end = UINT32_MAX;
    return (Trial){parser->pos, parser->last, parser->scratch_len};
}

void parse_trial_retreat(Parser *parser, Trial place) {
    if (!parser->in_fstring && parser->pos > parser->farthest) parser->farthest = parser->pos;
    parser->panicking = false;
    parser->pos = place.pos;
    parser->last = place.last;
    parser->scratch_len = place.scratch_len;
}

bool parse_trial_end(Parser *parser, Trial trial) {
    bool good = !parser->panicking && !parser->oom;
    parser->silent--;
    parse_trial_retreat(parser, trial);
    return good;
}

bool parse_enter(Parser *parser) {
    if (parser->depth >= AST_MAX_DEPTH) {
        parse_error(parser, DIAG_RECURSION, parse_token(parser)->span,
                    "too many nested expressions");
        return false;
    }
    parser->depth++;
    return true;
}

// ---- building -----------------------------------------------------------------------------------

void *parse_alloc(Parser *parser, size_t size) {
    void *block = arena_alloc(parser->arena, size);
    return block ? block : parse_out_of_memory(parser);
}

Expr *parse_node(Parser *parser, ExprKind kind, Span start) {
    Expr *node = parse_alloc(parser, sizeof *node);
    if (!node) return NULL;
    node->kind = kind;
    node->span = parse_join(start, parser->last);
    return node;
}

Stmt *parse_stmt_node(Parser *parser, StmtKind kind, Span start) {
    Stmt *node = parse_alloc(parser, sizeof *node);
    if (!node) return NULL;
    node->kind = kind;
    node->span = parse_join(start, parser->last);
    return node;
}

bool parse_push(Parser *parser, const void *item, size_t size) {
    if (!mem_grow(parser->mem, (void **)&parser->scratch, &parser->scratch_cap,
                  parser->scratch_len + size, 1)) {
        parse_out_of_memory(parser);
        return false;
    }
    memcpy(parser->scratch + parser->scratch_len, item, size);
    parser->scratch_len += size;
    return true;
}

void *parse_take(Parser *parser, size_t mark, size_t size, uint32_t *count) {
    size_t bytes = parser->scratch_len - mark;
    *count = 0;
    if (bytes == 0) return NULL;
    void *items = parse_alloc(parser, bytes);
    if (!items) return NULL;
    memcpy(items, parser->scratch + mark, bytes);
    parser->scratch_len = mark;
    *count = (uint32_t)(bytes / size);
    return items;
}

ExprList parse_take_exprs(Parser *parser, size_t mark) {
    ExprList list;
    list.items = parse_take(parser, mark, sizeof(Expr *), &list.count);
    return list;
}

StmtList parse_take_stmts(Parser *parser, size_t mark) {
    StmtList list;
    list.items = parse_take(parser, mark, sizeof(Stmt *), &list.count);
    return list;
}

// ---- names --------------------------------------------------------------------------------------

typedef struct NameEntry {
    uint32_t hash, len, stamp;
    char text[]; // NUL-terminated; the tree's names point here
} NameEntry;

static uint32_t hash_bytes(const char *bytes, size_t len) { // FNV-1a
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < len; i++) hash = (hash ^ (unsigned char)bytes[i]) * 16777619u;
    return hash;
}

static NameEntry **find_slot(NameTable *names, uint32_t hash, const char *bytes, size_t len) {
    size_t i = hash & (names->cap - 1);
    for (;; i = (i + 1) & (names->cap - 1)) {
        NameEntry *entry = names->slots[i];
        if (!entry) return &names->slots[i];
        if (entry->hash == hash && entry->len == len && !memcmp(entry->text, bytes, len)) {
            return &names->slots[i];
        }
    }
}

static bool grow_names(Parser *parser) {
    NameTable *names = &parser->names;
    NameTable grown = {.cap = names->cap ? names->cap * 2 : 64, .count = names->count};
    grown.stamp = names->stamp;
    grown.slots = mem_zalloc(parser->mem, grown.cap * sizeof *grown.slots);
    if (!grown.slots) {
        parse_out_of_memory(parser);
        return false;
    }
    for (size_t i = 0; i < names->cap; i++) {
        NameEntry *entry = names->slots[i];
        if (entry) *find_slot(&grown, entry->hash, entry->text, entry->len) = entry;
    }
    mem_free(parser->mem, names->slots, names->cap * sizeof *names->slots);
    *names = grown;
    return true;
}

Name parse_intern(Parser *parser, const char *bytes, size_t len) {
    NameTable *names = &parser->names;
    if (names->count * 2 >= names->cap && !grow_names(parser)) return NULL;
    uint32_t hash = hash_bytes(bytes, len);
    NameEntry **slot = find_slot(names, hash, bytes, len);
    if (!*slot) {
        NameEntry *entry = parse_alloc(parser, sizeof *entry + len + 1);
        if (!entry) return NULL;
        entry->hash = hash;
        entry->len = (uint32_t)len;
        memcpy(entry->text, bytes, len);
        *slot = entry;
        names->count++;
    }
    return (*slot)->text;
}

static Name fold_name(Parser *parser, const char *bytes, size_t len) {
    Buf folded;
    buf_init(&folded, parser->mem);
    for (size_t i = 0; i < len;) {
        uint32_t cp = 0;
        size_t step = utf8_decode(bytes + i, len - i, &cp);
        buf_utf8(&folded, unicode_fold(cp));
        i += step ? step : 1;
    }
    Name name = folded.failed ? parse_out_of_memory(parser)
                              : parse_intern(parser, folded.data, folded.len);
    buf_free(&folded);
    return name;
}

Name parse_token_name(Parser *parser) {
    const Token *token = parse_token(parser);
    const char *bytes = parser->text + token->start;
    size_t len = token->end - token->start;
    for (size_t i = 0; i < len; i++) {
        if ((unsigned char)bytes[i] >= 0x80) return fold_name(parser, bytes, len);
    }
    return parse_intern(parser, bytes, len);
}

void parse_names_begin(Parser *parser) {
    parser->names.stamp++;
}

bool parse_name_seen(Parser *parser, Name name) {
    NameEntry *entry = (NameEntry *)(uintptr_t)(name - offsetof(NameEntry, text));
    bool seen = entry->stamp == parser->names.stamp;
    entry->stamp = parser->names.stamp;
    return seen;
}
