// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Converts string tokens to text and bytes: prefixes, escapes, joining of adjacent literals.

#include <string.h>

#include "lang/parser_internal.h"
#include "lang/support/unicode_names.h"
#include "lang/support/utf8.h"

// ---- escapes ------------------------------------------------------------------------------------

typedef struct Unescape {
    Parser *parser;
    const char *text;
    uint32_t pos, end;
    uint32_t shown; // position as in Python's messages, where a non-ASCII character counts ten
    Span where;
    Buf *out;
} Unescape;

static int hex_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// Reports a bad escape, from un->shown to `last`. Returns false.
static bool bad_escape(Unescape *un, uint32_t last, const char *reason) {
    parse_syntax_error(un->parser, un->where,
                       "(unicode error) 'unicodeescape' codec can't decode bytes in position "
                       "%u-%u: %s",
                       (unsigned)un->shown, (unsigned)last, reason);
    return false;
}

// Reads the digits of \xHH, \uHHHH or \UHHHHHHHH. Returns false after a report.
static bool hex_escape(Unescape *un, uint32_t digits, const char *truncated) {
    uint32_t value = 0;
    for (uint32_t i = 0; i < digits; i++) {
        int digit = un->pos + i < un->end ? hex_value(un->text[un->pos + i]) : -1;
        if (digit < 0) return bad_escape(un, un->shown + 1 + i, truncated);
        value = value << 4 | (uint32_t)digit;
    }
    if (value > 0x10FFFF) {
        return bad_escape(un, un->shown + 1 + digits, "illegal Unicode character");
    }
    buf_utf8(un->out, value);
    un->pos += digits;
    un->shown += digits + 2;
    return true;
}

// Reads the name of \N{GREEK SMALL LETTER ALPHA}; un->pos is after the N. Returns false after a report.
static bool named_escape(Unescape *un) {
    const char *name = un->text + un->pos + 1, *end = un->text + un->end;
    if (un->pos == un->end || un->text[un->pos] != '{')
        return bad_escape(un, un->shown + 1, "malformed \\N character escape");
    const char *brace = memchr(name, '}', (size_t)(end - name));
    size_t len = (size_t)((brace ? brace : end) - name);
    uint32_t found = unicode_named(name, len), shown = un->shown + (uint32_t)len + 2;
    if (!brace || len == 0) return bad_escape(un, shown, "malformed \\N character escape");
    if (found == 0) return bad_escape(un, shown + 1, "unknown Unicode character name");
    buf_utf8(un->out, found);
    un->pos += (uint32_t)len + 2;
    un->shown = shown + 2;
    return true;
}

static void octal_escape(Unescape *un, char first) {
    uint32_t value = (uint32_t)(first - '0');
    un->shown += 2;
    for (int i = 0; i < 2 && un->pos < un->end; i++) {
        char c = un->text[un->pos];
        if (c < '0' || c > '7') break;
        value = value << 3 | (uint32_t)(c - '0');
        un->pos++;
        un->shown++;
    }
    buf_utf8(un->out, value);
}

// Returns the character of a one-letter escape, or -1.
static int letter_escape(char c) {
    switch (c) {
    case '\\':
    case '\'':
    case '"': return c;
    case 'a': return '\a';
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case 'v': return '\v';
    default: return -1;
    }
}

// Reads an escape after its backslash. An unknown escape is kept as it is, including the backslash.
static bool one_escape(Unescape *un) {
    char c = un->text[un->pos++];
    int letter = letter_escape(c);
    if (letter >= 0) {
        buf_putc(un->out, (char)letter);
    } else if (c == 'x') {
        return hex_escape(un, 2, "truncated \\xXX escape");
    } else if (c == 'u') {
        return hex_escape(un, 4, "truncated \\uXXXX escape");
    } else if (c == 'U') {
        return hex_escape(un, 8, "truncated \\UXXXXXXXX escape");
    } else if (c == 'N') {
        return named_escape(un);
    } else if (c >= '0' && c <= '7') {
        octal_escape(un, c);
        return true;
    } else if (c != '\n') {
        buf_putc(un->out, '\\');
        un->pos--;
        un->shown++;
        return true;
    }
    un->shown += 2;
    return true;
}

bool parse_unescape(Parser *parser, uint32_t start, uint32_t end, Span where, Buf *out) {
    Unescape un = {parser, parser->text, start, end, 0, where, out};
    while (un.pos < end) {
        const char *at = un.text + un.pos;
        if (*at != '\\') {
            uint32_t cp;
            size_t len = (unsigned char)*at < 0x80 ? 1 : utf8_decode(at, end - un.pos, &cp);
            buf_put(out, at, len);
            un.pos += (uint32_t)len;
            un.shown += len == 1 ? 1 : 10;
            continue;
        }
        un.pos++;
        if (un.pos == end) {
            buf_putc(out, '\\'); // the literal ends with a backslash, before a brace of an f-string
        } else if (!one_escape(&un)) {
            return false;
        }
    }
    return true;
}

// ---- bytes --------------------------------------------------------------------------------------

// Reads the digits of \xHH in bytes. `start` is where the literal's content begins, for the message.
static bool byte_escape(Unescape *un, uint32_t start) {
    int high = un->pos < un->end ? hex_value(un->text[un->pos]) : -1;
    int low = un->pos + 1 < un->end ? hex_value(un->text[un->pos + 1]) : -1;
    if (high < 0 || low < 0) {
        parse_syntax_error(un->parser, un->where,
                           "(value error) invalid \\x escape at position %u",
                           (unsigned)(un->pos - 2 - start));
        return false;
    }
    buf_putc(un->out, (char)(high << 4 | low));
    un->pos += 2;
    return true;
}

// Reads an octal escape of up to three digits; only its low eight bits are kept.
static void octal_byte(Unescape *un, char first) {
    int value = first - '0';
    for (int i = 0; i < 2 && un->pos < un->end; i++) {
        char c = un->text[un->pos];
        if (c < '0' || c > '7') break;
        value = value << 3 | (c - '0');
        un->pos++;
    }
    buf_putc(un->out, (char)value);
}

// Reads an escape in bytes after its backslash. \u, \U and \N are not escapes there.
static bool one_byte_escape(Unescape *un, uint32_t start) {
    char c = un->text[un->pos++];
    int letter = letter_escape(c);
    if (c == 'x') return byte_escape(un, start);
    if (letter >= 0) {
        buf_putc(un->out, (char)letter);
    } else if (c >= '0' && c <= '7') {
        octal_byte(un, c);
    } else if (c != '\n') {
        buf_putc(un->out, '\\');
        un->pos--;
    }
    return true;
}

static bool unescape_bytes(Parser *parser, uint32_t start, uint32_t end, Span where, Buf *out) {
    Unescape un = {parser, parser->text, start, end, 0, where, out};
    while (un.pos < end) {
        char c = un.text[un.pos++];
        if (c != '\\') {
            buf_putc(out, c);
        } else if (!one_byte_escape(&un, start)) {
            return false;
        }
    }
    return true;
}

// ---- tokens -------------------------------------------------------------------------------------

typedef struct StringForm {
    bool raw, format, bytes;
    uint32_t start, end; // of the content
} StringForm;

static StringForm string_form(const Parser *parser, const Token *token) {
    StringForm form = {0};
    const char *text = parser->text;
    uint32_t at = token->start;
    for (; text[at] != '"' && text[at] != '\''; at++) {
        char c = (char)(text[at] | 0x20);
        form.raw = form.raw || c == 'r';
        form.format = form.format || c == 'f';
        form.bytes = form.bytes || c == 'b';
    }
    char quote = text[at];
    bool triple = token->end - at >= 6 && text[at + 1] == quote && text[at + 2] == quote;
    form.start = at + (triple ? 3 : 1);
    form.end = token->end - (triple ? 3 : 1);
    return form;
}

static bool add_bytes(Parser *parser, const Token *token, StringForm form, Buf *literal) {
    for (uint32_t i = form.start; i < form.end; i++) {
        if ((unsigned char)parser->text[i] < 0x80) continue;
        parse_syntax_error(parser, token->span,
                           "bytes can only contain ASCII literal characters");
        return false;
    }
    if (!form.raw) return unescape_bytes(parser, form.start, form.end, token->span, literal);
    buf_put(literal, parser->text + form.start, form.end - form.start);
    return true;
}

// Appends the token's text to `literal`, and pushes an f-string's fields on the scratch stack.
static bool add_string(Parser *parser, const Token *token, StringForm form, Buf *literal) {
    if (form.bytes) return add_bytes(parser, token, form, literal);
    if (form.format)
        return parse_fstring(parser, form.start, form.end, form.raw, token, literal);
    if (!form.raw) return parse_unescape(parser, form.start, form.end, token->span, literal);
    buf_put(literal, parser->text + form.start, form.end - form.start);
    return true;
}

// A literal as far as its tokens have been read.
typedef struct Literal {
    bool begun, bytes, format;
    Buf text;
} Literal;

// Adds a token to a literal. As in CPython, errors inside a plain token are reported before a mix of
// bytes and text.
static bool add_token(Parser *parser, const Token *token, Literal *literal) {
    StringForm form = string_form(parser, token);
    bool mixed = literal->begun && form.bytes != literal->bytes;
    if (!(mixed && form.format) && !add_string(parser, token, form, &literal->text)) return false;
    if (mixed) {
        parse_syntax_error(parser, token->span, "cannot mix bytes and nonbytes literals");
        return false;
    }
    literal->begun = true;
    literal->bytes = form.bytes;
    literal->format = literal->format || form.format;
    return true;
}

static bool take_text(Parser *parser, const Buf *literal, Text *text) {
    const char *bytes = literal->len ? literal->data : "";
    text->bytes = literal->failed ? NULL : arena_text(parser->arena, bytes, literal->len);
    text->len = literal->len;
    if (!text->bytes) parse_out_of_memory(parser);
    return text->bytes != NULL;
}

bool parse_flush_literal(Parser *parser, Buf *literal, Span span) {
    if (literal->len == 0 && !literal->failed) return true;
    FPart part = {.span = span};
    if (!take_text(parser, literal, &part.literal)) return false;
    literal->len = 0;
    return parse_push(parser, &part, sizeof part);
}

static Expr *string_node(Parser *parser, Span start, size_t mark, Literal *literal) {
    ExprKind kind = literal->format ? EXPR_FSTRING : literal->bytes ? EXPR_BYTES : EXPR_STR;
    Expr *node = parse_node(parser, kind, start);
    if (!node) return NULL;
    if (kind != EXPR_FSTRING) return take_text(parser, &literal->text, &node->text) ? node : NULL;
    if (!parse_flush_literal(parser, &literal->text, node->span)) return NULL;
    node->fstring.parts = parse_take(parser, mark, sizeof(FPart), &node->fstring.count);
    return parser->oom ? NULL : node;
}

Expr *parse_prefix_string(Parser *parser) {
    Span start = parse_token(parser)->span;
    size_t mark = parser->scratch_len;
    Literal literal = {0};
    bool good = true;
    buf_init(&literal.text, parser->mem);
    while (good && parse_at(parser, TOK_STRING)) {
        const Token *token = parse_token(parser);
        parse_advance(parser);
        good = add_token(parser, token, &literal);
    }
    Expr *node = good ? string_node(parser, start, mark, &literal) : NULL;
    buf_free(&literal.text);
    return node;
}
