// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Source text to an array of tokens.

#ifndef NACRE_LANG_LEXER_H
#define NACRE_LANG_LEXER_H

#include "lang/ast.h"
#include "lang/diag.h"

typedef enum TokenKind {
#define SPECIAL(id, name, prefix) TOK_##id,
#define OPERATOR(id, spelling, prefix, prefix_op, infix, power, infix_op) TOK_##id,
#define KEYWORD(id, spelling, prefix, prefix_op, infix, power, infix_op) TOK_##id,
#include "lang/token.def"
    TOK_COUNT
} TokenKind;

typedef struct Token {
    uint8_t kind;        // TokenKind
    uint16_t level;      // open brackets after this token
    uint32_t start, end; // bytes of the text
    Span span;
} Token;

enum { LEX_MAX_BRACKETS = 200, LEX_MAX_INDENTS = AST_MAX_BLOCKS };

typedef struct Bracket {
    char open;
    uint32_t line, col;
} Bracket;

typedef struct Lexer {
    Mem *mem;
    DiagList *diags;
    const char *text; // line endings are '\n'; at least `end` bytes, borrowed
    uint32_t pos, end;
    uint32_t line, line_start; // number of the current line, and the position where it begins
    Token *tokens;
    size_t count, cap;
    Bracket brackets[LEX_MAX_BRACKETS];
    uint32_t level;
    uint32_t indents[LEX_MAX_INDENTS], alt_indents[LEX_MAX_INDENTS], indent_depth;
    bool at_line_start;
    bool in_region;   // in an expression of an f-string, which is read as if in parentheses
    bool failed;      // something was reported
    bool indent_reported; // later errors of indentation are not reported: they follow from the first
    bool oom;
    bool unclosed; // a bracket is open at the end of the text
    Bracket unclosed_at; // the innermost one
} Lexer;

// Reads text[0, len) into lexer->tokens, the last of which is TOK_END. Malformed text is reported in
// `diags` and becomes a TOK_ERROR. An unclosed bracket is not reported, as the parser may find an
// error before it. Returns false when out of memory. The caller frees with lex_free.
bool lex_source(Lexer *lexer, Mem *mem, const char *text, uint32_t len, DiagList *diags);

// Like lex_source, for an expression inside an f-string: text[start, end), which is read as if in
// parentheses. `line` and `line_start` are those of `start`.
bool lex_region(Lexer *lexer, Mem *mem, const char *text, uint32_t start, uint32_t end,
                uint32_t line, uint32_t line_start, DiagList *diags);

void lex_free(Lexer *lexer);

// Returns the spelling of an operator or keyword, or a description of another kind ("name").
const char *lex_token_name(TokenKind kind);

// ---- shared by the lexer's own files ------------------------------------------------------------

// Returns the character `ahead` bytes after the position, 0 past the end. The text holds no NUL.
static inline char lex_peek(const Lexer *lexer, uint32_t ahead) {
    return lexer->end - lexer->pos > ahead ? lexer->text[lexer->pos + ahead] : 0;
}

// Reports an error that spans [start, end) of the current line.
Diag *lex_error(Lexer *lexer, uint32_t start, uint32_t end, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// Reads a number. Returns its kind, or TOK_ERROR after a report.
TokenKind lex_number(Lexer *lexer);

// Returns whether an identifier starts at the position.
bool lex_at_identifier(const Lexer *lexer);

#endif
