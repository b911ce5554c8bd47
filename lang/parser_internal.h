// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What the parser's files share. A parsing function returns NULL (or false) when it has failed:
// either a report was made and `panicking` is set until the statement is given up, or memory ran
// out. Lists grow on one scratch stack and are copied to the arena when they are complete.

#ifndef NACRE_LANG_PARSER_INTERNAL_H
#define NACRE_LANG_PARSER_INTERNAL_H

#include "lang/lexer.h"
#include "lang/parser.h"

// How tightly an infix token binds; a left operand takes what binds tighter.
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
    uint32_t stamp; // of the latest search for repeated names
} NameTable;

typedef struct Parser {
    Mem *mem;
    DiagList *diags;
    Arena *arena; // of the tree
    Lexer *lexer; // of the whole text
    const char *text;
    const Token *tokens; // those being read: the lexer's, or an f-string expression's
    uint32_t pos;
    Span last;      // the latest token consumed that is not a line end or (in|de)dent
    uint32_t farthest; // token that a trial came to
    uint32_t dead_end; // infix token that failed in this trial: not to be tried at each level
    uint32_t depth;    // of expressions being parsed
    uint32_t silent; // above 0: trying something out, report nothing
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

// The kind of the token after the current one (TOK_END after the end).
TokenKind parse_next_kind(const Parser *parser);

void parse_advance(Parser *parser);

// Consumes the token if it is there.
bool parse_accept(Parser *parser, TokenKind kind);

// Consumes the token or reports invalid syntax.
bool parse_expect(Parser *parser, TokenKind kind);

// Does the current token spell this name? For words that are keywords in places only.
bool parse_at_word(const Parser *parser, const char *word);

// ---- reports ------------------------------------------------------------------------------------

// All return NULL so that a parser can `return parse_error(…)`.
void *parse_error(Parser *parser, DiagKind kind, Span span, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void *parse_syntax_error(Parser *parser, Span span, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// The current token fits nowhere: "invalid syntax", or what Python says at that kind of token.
// `expected` (or NULL) is shown as a note.
void *parse_unexpected(Parser *parser, const char *expected);

void *parse_out_of_memory(Parser *parser);

Span parse_join(Span first, Span last);

// A trial: what is parsed between begin and end leaves no report; end goes back to the place where
// it began, and returns whether all went well.
typedef struct Trial {
    uint32_t pos;
    Span last;
    size_t scratch_len;
} Trial;
Trial parse_trial_begin(Parser *parser);
bool parse_trial_end(Parser *parser, Trial trial);

// Inside a trial: forgets a failure and goes back to where the failed part began.
void parse_trial_retreat(Parser *parser, Trial place);

// ---- building -----------------------------------------------------------------------------------

void *parse_alloc(Parser *parser, size_t size);

// A node that reaches from `start` to the last token consumed.
Expr *parse_node(Parser *parser, ExprKind kind, Span start);
Stmt *parse_stmt_node(Parser *parser, StmtKind kind, Span start);

bool parse_push(Parser *parser, const void *item, size_t size);
static inline bool parse_push_ptr(Parser *parser, const void *ptr) {
    return parse_push(parser, &ptr, sizeof ptr);
}

// Moves the scratch stack from `mark` up into the arena; *count is in items of `size` bytes.
// NULL for an empty list, or when out of memory.
void *parse_take(Parser *parser, size_t mark, size_t size, uint32_t *count);
ExprList parse_take_exprs(Parser *parser, size_t mark);
StmtList parse_take_stmts(Parser *parser, size_t mark);

// The one pointer for this name; NULL when out of memory.
Name parse_intern(Parser *parser, const char *bytes, size_t len);

// The name the current token spells.
Name parse_token_name(Parser *parser);

// For finding repeated names: begin a search, then ask of each whether it was seen before.
void parse_names_begin(Parser *parser);
bool parse_name_seen(Parser *parser, Name name);

// Guards recursion: false (and a report) past AST_MAX_DEPTH. Each success needs a leave.
bool parse_enter(Parser *parser);
static inline void parse_leave(Parser *parser) {
    parser->depth--;
}

// ---- expressions --------------------------------------------------------------------------------

bool parse_starts_expression(TokenKind kind);
Expr *parse_operators(Parser *parser, Power power);
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

// What stands between brackets that are open already, up to `close`, which is not consumed: `)`,
// `]`, `}`, or TOK_END for an f-string's expression. `start` is the opening bracket.
Expr *parse_group(Parser *parser, TokenKind close, Span start);

// The `for … in … if …` clauses behind an element (and the value of a dict's), at the first `for`.
Expr *parse_comprehension(Parser *parser, ExprKind kind, Expr *element, Expr *value, Span start);

// `(` … `)` of a call, or of a class when `bases`: consumes the brackets.
bool parse_arguments(Parser *parser, bool bases, ArgList *args);

Expr *parse_prefix_name(Parser *parser);
Expr *parse_prefix_constant(Parser *parser);
Expr *parse_infix_attribute(Parser *parser, Expr *left, Span start);

// The prefix functions of literals.
Expr *parse_prefix_int(Parser *parser);
Expr *parse_prefix_float(Parser *parser);
Expr *parse_prefix_imag(Parser *parser);
Expr *parse_prefix_string(Parser *parser); // one or more adjacent string tokens

// Resolves the escapes of text[start, end) into `out`; false after a report at `where`.
bool parse_unescape(Parser *parser, uint32_t start, uint32_t end, Span where, Buf *out);

// The parts of an f-string's content text[start, end), appended to the scratch stack. `literal`
// holds text that may still grow.
bool parse_fstring(Parser *parser, uint32_t start, uint32_t end, bool raw, const Token *token,
                   Buf *literal);
bool parse_flush_literal(Parser *parser, Buf *literal, Span span);

// ---- targets and parameters ---------------------------------------------------------------------

typedef enum TargetUse { TARGET_ASSIGN, TARGET_FOR, TARGET_DELETE } TargetUse;

// What Python calls this kind of expression in a message: "function call".
const char *parse_expr_name(const Expr *expr);

// The part of `expr` that cannot be a target, or NULL.
const Expr *parse_invalid_target(const Expr *expr, TargetUse use);

// At the `=` after an expression that stands where nothing is assigned: reports that `==` may have
// been meant. False if the text does not look like that.
bool parse_report_typo(Parser *parser, const Expr *expr);

// Turns an expression into a target; false after a report.
bool parse_make_target(Parser *parser, Expr *expr, TargetUse use);

// The target list of a `for` (statement or clause), in CTX_STORE.
Expr *parse_for_target(Parser *parser);

// No name `__debug__` is ever bound. False after a report.
bool parse_bindable(Parser *parser, Name name, Span span);

// Up to `close` (`)` of a def, `:` of a lambda), which is not consumed.
bool parse_params(Parser *parser, TokenKind close, ParamList *params);

// ---- statements ---------------------------------------------------------------------------------

// Each pushes the statements it made on the scratch stack.
bool parse_statement(Parser *parser);
bool parse_simple_line(Parser *parser);
bool parse_compound(Parser *parser);
bool parse_at_compound(const Parser *parser);

// Moves to the next statement: behind the rest of the line, the block under it, and the clauses
// that continued the failed statement.
void parse_recover(Parser *parser);

bool parse_colon(Parser *parser, bool whatever_else);

// What follows the colon. `what` and `line` name the statement in a message.
bool parse_block(Parser *parser, StmtList *body, const char *what, uint32_t line);

// The block is missing. That spoils the statement, but not what comes after it.
bool parse_missing_block(Parser *parser, const char *what, uint32_t line);

bool parse_at_match(const Parser *parser);
Stmt *parse_match(Parser *parser);

// Reads statements until the block or the text ends, recovering from failed ones.
StmtList parse_statements(Parser *parser);

Stmt *parse_import(Parser *parser);
Stmt *parse_import_from(Parser *parser);

#endif
