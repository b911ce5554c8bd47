// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The lexer: indentation, line joining, names, strings, operators.

#include "lang/lexer.h"

#include <stdio.h>
#include <string.h>

#include "lang/support/utf8.h"

enum { TAB_WIDTH = 8 };

const char *lex_token_name(TokenKind kind) {
    static const char *const names[] = {
#define SPECIAL(id, name, prefix) name,
#define OPERATOR(id, spelling, prefix, prefix_op, infix, power, infix_op) spelling,
#define KEYWORD(id, spelling, prefix, prefix_op, infix, power, infix_op) spelling,
#include "lang/token.def"
    };
    return names[kind];
}

// ---- reports and tokens -------------------------------------------------------------------------

Diag *lex_error(Lexer *lexer, uint32_t start, uint32_t end, const char *format, ...) {
    uint32_t base = lexer->line_start;
    Span span = {lexer->line, start - base, lexer->line, end - base};
    va_list args;
    va_start(args, format);
    lexer->failed = true;
    Diag *item = diag_vadd(lexer->diags, DIAG_SYNTAX, span, format, args);
    va_end(args);
    return item;
}

static Diag *error_span(Lexer *lexer, DiagKind kind, Span span, const char *format, ...) {
    va_list args;
    va_start(args, format);
    lexer->failed = true;
    Diag *item = diag_vadd(lexer->diags, kind, span, format, args);
    va_end(args);
    return item;
}

// Where a token begins. It ends at the lexer's position when it is added.
typedef struct Mark {
    uint32_t pos, line, col;
} Mark;

static Mark mark(const Lexer *lexer) {
    return (Mark){lexer->pos, lexer->line, lexer->pos - lexer->line_start};
}

static void add(Lexer *lexer, TokenKind kind, Mark at) {
    if (!mem_grow(lexer->mem, (void **)&lexer->tokens, &lexer->cap, lexer->count + 1,
                  sizeof(Token))) {
        lexer->oom = true;
        return;
    }
    lexer->tokens[lexer->count++] = (Token){
        .kind = (uint8_t)kind,
        .level = (uint16_t)(lexer->level + lexer->in_region),
        .start = at.pos,
        .end = lexer->pos,
        .span = {at.line, at.col, lexer->line, lexer->pos - lexer->line_start},
    };
}

// Steps over a '\n'.
static void next_line(Lexer *lexer) {
    lexer->pos++;
    lexer->line++;
    lexer->line_start = lexer->pos;
}

static void skip_to_line_end(Lexer *lexer) {
    const char *at = lexer->text + lexer->pos;
    const char *end = memchr(at, '\n', lexer->end - lexer->pos);
    lexer->pos = end ? (uint32_t)(end - lexer->text) : lexer->end;
}

// At a backslash: steps over it and the line end that follows. Returns false after a report.
static bool continue_line(Lexer *lexer) {
    Mark at = mark(lexer);
    lexer->pos++;
    if (lex_peek(lexer, 0) != '\n' && lexer->pos < lexer->end) {
        lex_error(lexer, lexer->pos, lexer->pos + 1,
                  "unexpected character after line continuation character");
        skip_to_line_end(lexer);
        add(lexer, TOK_ERROR, at);
        return false;
    }
    if (lexer->pos < lexer->end) next_line(lexer);
    if (lexer->pos >= lexer->end) {
        Span span = {at.line, at.col, at.line, at.col + 1};
        Diag *item = error_span(lexer, DIAG_SYNTAX, span, "unexpected EOF while parsing");
        if (item) item->at_end = true;
        add(lexer, TOK_ERROR, at);
        return false;
    }
    return true;
}

// ---- indentation --------------------------------------------------------------------------------

// The width of a line's indentation with tabs to multiples of eight (col), and with a tab as one
// column (alt). If two lines compare differently by the two widths, their nesting depends on the tab
// width, and that is an error (as in CPython).
typedef struct Indent {
    uint32_t col, alt;
} Indent;

static void read_indent(Lexer *lexer, Indent *indent) {
    uint32_t joined = 0; // indentation of the first physical line, if a backslash joins lines
    *indent = (Indent){0, 0};
    for (;;) {
        char c = lex_peek(lexer, 0);
        if (c == ' ') {
            indent->col++;
            indent->alt++;
        } else if (c == '\t') {
            indent->col = (indent->col / TAB_WIDTH + 1) * TAB_WIDTH;
            indent->alt++;
        } else if (c == '\f') {
            *indent = (Indent){0, 0};
        } else if (c == '\\' && lex_peek(lexer, 1) == '\n' && lexer->end - lexer->pos > 2) {
            if (!joined) joined = indent->col;
            lexer->pos++;
            next_line(lexer);
            continue;
        } else {
            break;
        }
        lexer->pos++;
    }
    if (joined) *indent = (Indent){joined, joined};
}

static void indent_error(Lexer *lexer, DiagKind kind, const char *message) {
    if (lexer->indent_reported) return;
    lexer->indent_reported = true;
    uint32_t start = lexer->pos;
    skip_to_line_end(lexer);
    uint32_t col = lexer->pos - lexer->line_start;
    lexer->pos = start;
    error_span(lexer, kind, (Span){lexer->line, col, lexer->line, col + 1}, "%s", message);
}

static void tab_error(Lexer *lexer) {
    indent_error(lexer, DIAG_TAB, "inconsistent use of tabs and spaces in indentation");
}

static void indent_line(Lexer *lexer, Indent indent) {
    uint32_t depth = lexer->indent_depth;
    if (depth + 1 >= LEX_MAX_INDENTS) {
        indent_error(lexer, DIAG_INDENTATION, "too many levels of indentation");
        lexer->pos = lexer->end;
        return;
    }
    if (indent.alt <= lexer->alt_indents[depth]) tab_error(lexer);
    lexer->indents[++lexer->indent_depth] = indent.col;
    lexer->alt_indents[lexer->indent_depth] = indent.alt;
    Mark at = mark(lexer);
    at.pos = lexer->line_start;
    at.col = 0;
    add(lexer, TOK_INDENT, at);
}

static void dedent_line(Lexer *lexer, Indent indent) {
    while (lexer->indent_depth > 0 && indent.col < lexer->indents[lexer->indent_depth]) {
        lexer->indent_depth--;
        add(lexer, TOK_DEDENT, mark(lexer));
    }
    if (indent.col != lexer->indents[lexer->indent_depth]) {
        indent_error(lexer, DIAG_INDENTATION,
                     "unindent does not match any outer indentation level");
    } else if (indent.alt != lexer->alt_indents[lexer->indent_depth]) {
        tab_error(lexer);
    }
}

// At the start of a logical line: emits INDENT or DEDENT tokens, unless the line is blank.
static void begin_line(Lexer *lexer) {
    Indent indent;
    read_indent(lexer, &indent);
    char c = lex_peek(lexer, 0);
    if (c == '#' || c == '\n' || lexer->pos >= lexer->end) return;
    lexer->at_line_start = false;
    uint32_t depth = lexer->indent_depth;
    if (indent.col > lexer->indents[depth]) {
        indent_line(lexer, indent);
    } else if (indent.col < lexer->indents[depth]) {
        dedent_line(lexer, indent);
    } else if (indent.alt != lexer->alt_indents[depth]) {
        tab_error(lexer);
    }
}

// ---- strings ------------------------------------------------------------------------------------

static void unterminated(Lexer *lexer, Mark at, bool triple) {
    Span span = {at.line, at.col, at.line, at.col + 1};
    uint32_t last = lexer->line - (triple && lexer->pos == lexer->line_start);
    Diag *item = error_span(lexer, DIAG_SYNTAX, span,
                            "unterminated %sstring literal (detected at line %u)",
                            triple ? "triple-quoted " : "", (unsigned)last);
    bool more = triple || (lexer->pos >= lexer->end && lexer->text[lexer->end - 1] == '\\');
    if (item) item->at_end = more;
    add(lexer, TOK_ERROR, at);
}

// Reads a string from its opening quote on. `at` is the start of its prefix.
static void read_string(Lexer *lexer, Mark at) {
    char quote = lex_peek(lexer, 0);
    bool triple = lex_peek(lexer, 1) == quote && lex_peek(lexer, 2) == quote;
    uint32_t closing = triple ? 3 : 1, seen = 0;
    lexer->pos += closing;
    while (seen < closing) {
        char c = lex_peek(lexer, 0);
        if (lexer->pos >= lexer->end || (c == '\n' && !triple)) {
            unterminated(lexer, at, triple);
            return;
        }
        seen = c == quote ? seen + 1 : 0;
        if (c == '\\' && lexer->pos + 1 < lexer->end) c = lexer->text[++lexer->pos];
        if (c == '\n') {
            next_line(lexer);
        } else {
            lexer->pos++;
        }
    }
    add(lexer, TOK_STRING, at);
}

// ---- names --------------------------------------------------------------------------------------

static bool is_name_byte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           (c >= '0' && c <= '9') || (unsigned char)c >= 0x80;
}

bool lex_at_identifier(const Lexer *lexer) {
    char c = lex_peek(lexer, 0);
    return is_name_byte(c) && !(c >= '0' && c <= '9');
}

static void bad_character(Lexer *lexer, uint32_t at, uint32_t cp, const char *bytes, size_t len) {
    if (unicode_is_visible(cp)) {
        lex_error(lexer, at, at + (uint32_t)len, "invalid character '%.*s' (U+%04X)", (int)len,
                  bytes, (unsigned)cp);
    } else {
        lex_error(lexer, at, at + (uint32_t)len, "invalid non-printable character U+%04X",
                  (unsigned)cp);
    }
}

// Checks that text[start, pos) is an identifier. Returns false after a report.
static bool check_name(Lexer *lexer, uint32_t start) {
    for (uint32_t i = start; i < lexer->pos;) {
        uint32_t cp;
        size_t len = utf8_decode(lexer->text + i, lexer->pos - i, &cp);
        if (!(i == start ? unicode_is_id_start(cp) : unicode_is_id_continue(cp))) {
            bad_character(lexer, i, cp, lexer->text + i, len);
            return false;
        }
        i += (uint32_t)len;
    }
    return true;
}

static TokenKind keyword_kind(const char *text, size_t len) {
    static const struct {
        const char *spelling;
        uint8_t len, kind;
    } words[] = {
#define KEYWORD(id, spelling, prefix, prefix_op, infix, power, infix_op) \
    {spelling, sizeof spelling - 1, TOK_##id},
#include "lang/token.def"
    };
    if (len < 2 || len > 8) return TOK_NAME;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (words[i].len == len && memcmp(words[i].spelling, text, len) == 0) return words[i].kind;
    }
    return TOK_NAME;
}

// Returns whether the name text[0, len), which a quote follows, is a string prefix.
static bool is_string_prefix(const char *text, size_t len) {
    char a = (char)(text[0] | 0x20), b = len > 1 ? (char)(text[1] | 0x20) : 0;
    if (len == 1) return a == 'r' || a == 'u' || a == 'f' || a == 'b';
    if (len != 2) return false;
    return (a == 'r' && (b == 'f' || b == 'b')) || (b == 'r' && (a == 'f' || a == 'b'));
}

static void read_name(Lexer *lexer) {
    Mark at = mark(lexer);
    bool ascii = true;
    while (is_name_byte(lex_peek(lexer, 0))) {
        if ((unsigned char)lexer->text[lexer->pos] >= 0x80) ascii = false;
        lexer->pos++;
    }
    const char *text = lexer->text + at.pos;
    size_t len = lexer->pos - at.pos;
    char next = lex_peek(lexer, 0);
    if ((next == '"' || next == '\'') && is_string_prefix(text, len)) {
        read_string(lexer, at);
        return;
    }
    bool good = ascii || check_name(lexer, at.pos);
    add(lexer, good ? keyword_kind(text, len) : TOK_ERROR, at);
}

// ---- operators ----------------------------------------------------------------------------------

static void open_bracket(Lexer *lexer, TokenKind kind, Mark at) {
    if (lexer->level + lexer->in_region >= LEX_MAX_BRACKETS) {
        lex_error(lexer, at.pos, at.pos + 1, "too many nested parentheses");
        add(lexer, TOK_ERROR, at);
        lexer->pos = lexer->end;
        return;
    }
    lexer->brackets[lexer->level++] = (Bracket){lexer->text[at.pos], at.line, at.col};
    add(lexer, kind, at);
}

static void close_bracket(Lexer *lexer, TokenKind kind, Mark at) {
    char close = lexer->text[at.pos];
    if (lexer->level == 0) {
        lex_error(lexer, at.pos, at.pos + 1, "unmatched '%c'", close);
        add(lexer, TOK_ERROR, at);
        return;
    }
    Bracket bracket = lexer->brackets[--lexer->level];
    if (bracket.open == (close == ')' ? '(' : close == ']' ? '[' : '{')) {
        add(lexer, kind, at);
        return;
    }
    const char *what = "closing parenthesis '%c' does not match opening parenthesis '%c'%s";
    char where[32] = "";
    if (bracket.line != at.line) {
        snprintf(where, sizeof where, " on line %u", (unsigned)bracket.line);
    }
    lex_error(lexer, at.pos, at.pos + 1, what, close, bracket.open, where);
    add(lexer, TOK_ERROR, at);
}

static const struct {
    char spelling[4];
    uint8_t len, kind;
} operators[] = {
#define OPERATOR(id, spelling, prefix, prefix_op, infix, power, infix_op) \
    {spelling, sizeof spelling - 1, TOK_##id},
#include "lang/token.def"
};

static void read_operator(Lexer *lexer) {
    Mark at = mark(lexer);
    const char *text = lexer->text + lexer->pos;
    uint32_t left = lexer->end - lexer->pos;
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        uint32_t len = operators[i].len;
        if (text[0] != operators[i].spelling[0] || len > left) continue;
        if (memcmp(text, operators[i].spelling, len) != 0) continue;
        lexer->pos += len;
        switch (operators[i].kind) {
        case TOK_LPAREN:
        case TOK_LBRACKET:
        case TOK_LBRACE: open_bracket(lexer, operators[i].kind, at); return;
        case TOK_RPAREN:
        case TOK_RBRACKET:
        case TOK_RBRACE: close_bracket(lexer, operators[i].kind, at); return;
        default: add(lexer, operators[i].kind, at); return;
        }
    }
    lexer->pos++;
    bool visible = unicode_is_visible((unsigned char)text[0]);
    if (!visible) bad_character(lexer, at.pos, (unsigned char)text[0], text, 1);
    add(lexer, visible ? TOK_STRAY : TOK_ERROR, at);
}

// ---- the driver ---------------------------------------------------------------------------------

static void read_line_end(Lexer *lexer) {
    if (lexer->level == 0 && !lexer->in_region && !lexer->at_line_start) {
        Mark at = mark(lexer);
        lexer->pos++;
        add(lexer, TOK_NEWLINE, at);
        lexer->pos--;
        lexer->at_line_start = true;
    }
    next_line(lexer);
}

static void read_token(Lexer *lexer) {
    if (lexer->at_line_start) begin_line(lexer);
    if (lexer->pos >= lexer->end) return;
    char c = lexer->text[lexer->pos];
    bool digit = c >= '0' && c <= '9';
    if (c == ' ' || c == '\t' || c == '\f') {
        lexer->pos++;
    } else if (c == '\n') {
        read_line_end(lexer);
    } else if (c == '#') {
        skip_to_line_end(lexer);
    } else if (c == '\\') {
        continue_line(lexer);
    } else if (digit || (c == '.' && lex_peek(lexer, 1) >= '0' && lex_peek(lexer, 1) <= '9')) {
        Mark at = mark(lexer);
        TokenKind kind = lex_number(lexer);
        while (kind == TOK_ERROR && is_name_byte(lex_peek(lexer, 0))) lexer->pos++;
        add(lexer, kind, at);
    } else if (is_name_byte(c)) {
        read_name(lexer);
    } else if (c == '"' || c == '\'') {
        read_string(lexer, mark(lexer));
    } else {
        read_operator(lexer);
    }
}

static void finish(Lexer *lexer) {
    lexer->unclosed = lexer->level > 0;
    if (lexer->unclosed) lexer->unclosed_at = lexer->brackets[lexer->level - 1];
    if (!lexer->in_region) {
        if (!lexer->at_line_start && !lexer->unclosed) add(lexer, TOK_NEWLINE, mark(lexer));
        if (lexer->pos > lexer->line_start) {
            lexer->line++;
            lexer->line_start = lexer->pos;
        }
        lexer->level = 0;
        for (; lexer->indent_depth > 0; lexer->indent_depth--) {
            add(lexer, TOK_DEDENT, mark(lexer));
        }
    }
    add(lexer, TOK_END, mark(lexer));
}

static bool run(Lexer *lexer) {
    while (lexer->pos < lexer->end && !lexer->oom) read_token(lexer);
    finish(lexer);
    return !lexer->oom;
}

bool lex_source(Lexer *lexer, Mem *mem, const char *text, uint32_t len, DiagList *diags) {
    *lexer = (Lexer){.mem = mem, .diags = diags, .text = text, .end = len};
    lexer->line = 1;
    lexer->at_line_start = true;
    return run(lexer);
}

bool lex_region(Lexer *lexer, Mem *mem, const char *text, uint32_t start, uint32_t end,
                uint32_t line, uint32_t line_start, DiagList *diags) {
    *lexer = (Lexer){.mem = mem, .diags = diags, .text = text, .pos = start, .end = end};
    lexer->line = line;
    lexer->line_start = line_start;
    lexer->in_region = true;
    return run(lexer);
}

void lex_free(Lexer *lexer) {
    mem_free(lexer->mem, lexer->tokens, lexer->cap * sizeof(Token));
    lexer->tokens = NULL;
    lexer->count = lexer->cap = 0;
}
