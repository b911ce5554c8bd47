// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Shared by the parser's files. A parsing function that fails returns NULL (or false). Either it made
// a report, and `panicking` stays set until the statement is given up, or memory ran out. Lists grow
// on one scratch stack and are copied to the arena when they are complete.

#ifndef NACRE_LANG_PARSER_INTERNAL_H
#define NACRE_LANG_PARSER_INTERNAL_H

#include "lang/lexer.h"
#include "lang/parser.h"

// The binding power of infix tokens, the weakest first.
typedef enum Power {
    POWER_NONE,
    POWER_OR,
    POWER_AND,
    POWER_NOT,
    POWER_COMPARE,
    POWER_BITOR,
    POWER_BITXOR,
    POWER_BITAND,
    POWER_SHIFT,
    POWER_ARITH,
    POWER_TERM,
    POWER_UNARY,
    POWER_POWER,
    POWER_POSTFIX,
} Power;

typedef struct NameTable {
    struct NameEntry **slots;
    size_t cap, count;
    uint32_t stamp; // number of the latest search for repeated names
} NameTable;

typedef struct Parser {
    Mem *mem;
    DiagList *diags;
    Arena *arena; // of the tree
    Lexer *lexer; // of the whole text
    const char *text;
    const Token *tokens; // being parsed: the whole text's, or those of an f-string's expression
    uint32_t pos;
    Span last;      // the last token consumed that is not a line end, indent or dedent
    uint32_t farthest; // the farthest token that a trial reached
    uint32_t dead_end; // infix token that failed in this trial, so that outer levels do not try it again
    uint32_t depth;    // nesting of the expressions being parsed
    uint32_t silent; // above 0: in a trial, report nothing
    uint32_t in_fstring;
    bool panicking; // a report was made for this statement
    bool failed;    // a report was made at all
    bool oom;
    char *scratch;
    size_t scratch_len, scratch_cap;
    NameTable names;
} Parser;

// ---- tokens -------------------------------------------------------------------------------------

static inline const Token *parse_token(const Parser *parser) {
    return &parser->tokens[parser->pos];
}

static inline TokenKind parse_kind(const Parser *parser) {
    return parser->tokens[parser->pos].kind;
}

static inline bool parse_at(const Parser *parser, TokenKind kind) {
    return parse_kind(parser) == kind;
}

// Returns the kind of the token after the current one (TOK_END after the end).
TokenKind parse_next_kind(const Parser *parser);

void parse_advance(Parser *parser);

// Consumes the token and returns true if it is of this kind.
bool parse_accept(Parser *parser, TokenKind kind);

// Consumes a token of this kind, or reports invalid syntax and returns false.
bool parse_expect(Parser *parser, TokenKind kind);

// Returns whether the current token is this name. For soft keywords such as `match`.
bool parse_at_word(const Parser *parser, const char *word);

// ---- reports ------------------------------------------------------------------------------------

// The functions below return NULL, so that a parser can `return parse_error(…)`.
void *parse_error(Parser *parser, DiagKind kind, Span span, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void *parse_syntax_error(Parser *parser, Span span, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Reports the current token as "invalid syntax", or as "unexpected indent". `expected` (or NULL) is
// shown as a note.
void *parse_unexpected(Parser *parser, const char *expected);

void *parse_out_of_memory(Parser *parser);

Span parse_join(Span first, Span last);

// A trial parses ahead without reports. parse_trial_end returns to the place of parse_trial_begin; its
// result is whether everything between them was parsed without an error.
typedef struct Trial {
    uint32_t pos;
    Span last;
    size_t scratch_len;
} Trial;
Trial parse_trial_begin(Parser *parser);
bool parse_trial_end(Parser *parser, Trial trial);

// Inside a trial: clears the failure of a part and returns to the place where the part began.
void parse_trial_retreat(Parser *parser, Trial place);

// ---- building -----------------------------------------------------------------------------------

void *parse_alloc(Parser *parser, size_t size);

// Return a new node whose span reaches from `start` to the last token consumed.
Expr *parse_node(Parser *parser, ExprKind kind, Span start);
Stmt *parse_stmt_node(Parser *parser, StmtKind kind, Span start);

bool parse_push(Parser *parser, const void *item, size_t size);
static inline bool parse_push_ptr(Parser *parser, const void *ptr) {
    return parse_push(parser, &ptr, sizeof ptr);
}

// Pops the scratch stack down to `mark` and returns the popped items in the arena. *count is their
// number, each of `size` bytes. NULL for an empty list, or when out of memory.
void *parse_take(Parser *parser, size_t mark, size_t size, uint32_t *count);
ExprList parse_take_exprs(Parser *parser, size_t mark);
StmtList parse_take_stmts(Parser *parser, size_t mark);

// Returns the interned name; NULL when out of memory.
Name parse_intern(Parser *parser, const char *bytes, size_t len);

// Returns the interned name of the current token; NULL when out of memory.
Name parse_token_name(Parser *parser);

// Find repeated names: begin a search, then ask of each name whether it occurred before in this search.
void parse_names_begin(Parser *parser);
bool parse_name_seen(Parser *parser, Name name);

// Limits recursion: returns false after a report past AST_MAX_DEPTH. Each success needs a parse_leave.
bool parse_enter(Parser *parser);
static inline void parse_leave(Parser *parser) {
    parser->depth--;
}

// ---- expressions --------------------------------------------------------------------------------

bool parse_starts_expression(TokenKind kind);
Expr *parse_operators(Parser *parser, Power power); // operators that bind at least as tightly as `power`
Expr *parse_expression(Parser *parser);       // ternary or lambda
Expr *parse_named(Parser *parser);            // NAME := expression, or expression
Expr *parse_star_named(Parser *parser);       // the same, or `*` operand
Expr *parse_star_expressions(Parser *parser); // tuple without parentheses, `*` items
Expr *parse_yield(Parser *parser);
Expr *parse_right_side(Parser *parser); // yield or star_expressions, no lone `*a`
Expr *parse_lambda(Parser *parser);
bool parse_no_lone_star(Parser *parser, const Expr *expr);

Expr *parse_starred(Parser *parser);          // at `*`: its operand is any expression
Expr *parse_argument_value(Parser *parser);   // as parse_named, but stops before `=`

// Parses the contents of brackets after the opening one at `start`, up to `close`, which is not
// consumed: `)`, `]`, `}`, or TOK_END for an f-string's expression.
Expr *parse_group(Parser *parser, TokenKind close, Span start);

// Parses the `for … in … if …` clauses after `element` (and `value` for a dict), from the first `for` on.
Expr *parse_comprehension(Parser *parser, ExprKind kind, Expr *element, Expr *value, Span start);

// Parses the `(` … `)` of a call, or of a class if `bases`, including the brackets.
bool parse_arguments(Parser *parser, bool bases, ArgList *args);

Expr *parse_prefix_name(Parser *parser);
Expr *parse_prefix_constant(Parser *parser);
Expr *parse_infix_attribute(Parser *parser, Expr *left, Span start);

// Parse literals (the prefix functions of token.def).
Expr *parse_prefix_int(Parser *parser);
Expr *parse_prefix_float(Parser *parser);
Expr *parse_prefix_imag(Parser *parser);
Expr *parse_prefix_string(Parser *parser); // one or more adjacent string tokens

// Resolves the escapes of text[start, end) into `out`. Returns false after a report at `where`.
bool parse_unescape(Parser *parser, uint32_t start, uint32_t end, Span where, Buf *out);

// Parses the content text[start, end) of an f-string and pushes its parts on the scratch stack. Text
// at the end stays in `literal`, since the next adjacent literal may continue it.
bool parse_fstring(Parser *parser, uint32_t start, uint32_t end, bool raw, const Token *token,
                   Buf *literal);
bool parse_flush_literal(Parser *parser, Buf *literal, Span span);

// ---- targets and parameters ---------------------------------------------------------------------

typedef enum TargetUse { TARGET_ASSIGN, TARGET_FOR, TARGET_DELETE } TargetUse;

// Returns the name of a kind of expression in Python's messages, as "function call".
const char *parse_expr_name(const Expr *expr);

// Returns the first part of `expr` that cannot be a target, or NULL.
const Expr *parse_invalid_target(const Expr *expr, TargetUse use);

// At the `=` after an expression where no assignment is possible: reports that `==` may have been
// meant. Returns false, without a report, if the text does not look like that.
bool parse_report_typo(Parser *parser, const Expr *expr);

// Turns an expression into a target. Returns false after a report.
bool parse_make_target(Parser *parser, Expr *expr, TargetUse use);

// Parses the target list of a `for` (statement or clause), in CTX_STORE.
Expr *parse_for_target(Parser *parser);

// Checks that a name may be bound: `__debug__` may not. Returns false after a report.
bool parse_bindable(Parser *parser, Name name, Span span);

// Parses parameters up to `close` (`)` of a def, `:` of a lambda), which is not consumed.
bool parse_params(Parser *parser, TokenKind close, ParamList *params);

// ---- statements ---------------------------------------------------------------------------------

// Each pushes the statements that it parsed on the scratch stack.
bool parse_statement(Parser *parser);
bool parse_simple_line(Parser *parser);
bool parse_at_compound(const Parser *parser);

// Skips the rest of a failed statement: its line, the block under it, and its further clauses (`else`,
// `except` …).
void parse_recover(Parser *parser);

// Consumes `:`. If another token is there, reports "expected ':'" at the end of a line or if
// `whatever_else`, else "invalid syntax", and returns false.
bool parse_colon(Parser *parser, bool whatever_else);

// Parses the block after the colon. `what` and `line` name the statement in a message.
bool parse_block(Parser *parser, StmtList *body, const char *what, uint32_t line);

// Reports a missing block. Parsing continues with the next statement: returns false only when out of
// memory.
bool parse_missing_block(Parser *parser, const char *what, uint32_t line);

bool parse_at_match(const Parser *parser);
Stmt *parse_match(Parser *parser);

// Reads statements until the block or the text ends, recovering from failed ones.
StmtList parse_statements(Parser *parser);

Stmt *parse_import(Parser *parser);
Stmt *parse_import_from(Parser *parser);

#endif
