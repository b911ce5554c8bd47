// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The syntax tree: tagged unions in one Arena, a source span on every node.
//
// Reading a tree
//  - Nothing in a tree is freed on its own; ast_free drops everything at once.
//  - Lists are {items, count} and never NULL-terminated. A child written "or NULL" may be absent,
//    every other child is present.
//  - Names are interned for the length of one parse: within one Ast, equal names are equal
//    pointers. Compatibility letters are folded as Python does (unicode_fold).
//  - Whether a Name, Attribute, Subscript, Starred, Tuple or List is loaded, stored to or deleted
//    is decided by the parser (`ctx`). Every other expression is CTX_LOAD.
//  - Depth. The parser refuses expressions nested more than AST_MAX_DEPTH levels, so passes may
//    recurse. There is one exception: left-associated chains (`a + b + c + …`, `a.b.c…`, `f()()…`,
//    `x[0][1]…`) may be of any length. Such a chain is a *spine*: each node is the *left* child of
//    the one above. A pass has to follow spines in a loop; ast_spine returns a node's left child.
//    Statements nest at most AST_MAX_BLOCKS deep (`elif` is another branch of its If, not a nested If).

#ifndef NACRE_LANG_AST_H
#define NACRE_LANG_AST_H

#include "lang/support/arena.h"

enum { AST_MAX_DEPTH = 1000, AST_MAX_BLOCKS = 100 };

// line counts from 1, col from 0 and in bytes of UTF-8; the end is exclusive. A byte order mark is
// not part of the first line.
typedef struct Span {
    uint32_t line, col, end_line, end_col;
} Span;

typedef const char *Name; // NUL-terminated UTF-8, interned

// Bytes with a length: may hold NUL, and lone surrogates as three bytes each (WTF-8).
typedef struct Text {
    const char *bytes; // NUL-terminated as well
    size_t len;
} Text;

typedef struct Expr Expr;
typedef struct Stmt Stmt;

typedef struct NameList {
    Name *items;
    uint32_t count;
} NameList;

typedef struct ExprList {
    Expr **items;
    uint32_t count;
} ExprList;

typedef struct StmtList {
    Stmt **items;
    uint32_t count;
} StmtList;

// ---- expressions --------------------------------------------------------------------------------

#define AST_EXPR_KINDS(X)       \
    X(NAME, "Name")             \
    X(INT, "Int")               \
    X(FLOAT, "Float")           \
    X(IMAG, "Imag")             \
    X(STR, "Str")               \
    X(BYTES, "Bytes")           \
    X(FSTRING, "FString")       \
    X(NONE, "None")             \
    X(TRUE, "True")             \
    X(FALSE, "False")           \
    X(ELLIPSIS, "Ellipsis")     \
    X(TUPLE, "Tuple")           \
    X(LIST, "List")             \
    X(SET, "Set")               \
    X(DICT, "Dict")             \
    X(LIST_COMP, "ListComp")    \
    X(SET_COMP, "SetComp")      \
    X(DICT_COMP, "DictComp")    \
    X(GENERATOR, "Generator")   \
    X(LAMBDA, "Lambda")         \
    X(TERNARY, "Ternary")       \
    X(BOOL, "Bool")             \
    X(COMPARE, "Compare")       \
    X(UNARY, "Unary")           \
    X(BINARY, "Binary")         \
    X(CALL, "Call")             \
    X(ATTRIBUTE, "Attribute")   \
    X(SUBSCRIPT, "Subscript")   \
    X(SLICE, "Slice")           \
    X(STARRED, "Starred")       \
    X(WALRUS, "Walrus")         \
    X(YIELD, "Yield")           \
    X(YIELD_FROM, "YieldFrom")

typedef enum ExprKind {
#define X(id, name) EXPR_##id,
    AST_EXPR_KINDS(X)
#undef X
} ExprKind;

typedef enum ExprCtx { CTX_LOAD, CTX_STORE, CTX_DEL } ExprCtx;

#define AST_BINARY_OPS(X) \
    X(ADD, "+")           \
    X(SUB, "-")           \
    X(MUL, "*")           \
    X(MATMUL, "@")        \
    X(DIV, "/")           \
    X(FLOORDIV, "//")     \
    X(MOD, "%")           \
    X(POW, "**")          \
    X(LSHIFT, "<<")       \
    X(RSHIFT, ">>")       \
    X(BITAND, "&")        \
    X(BITOR, "|")         \
    X(BITXOR, "^")

typedef enum BinaryOp {
#define X(id, text) BINARY_##id,
    AST_BINARY_OPS(X)
#undef X
} BinaryOp;

#define AST_UNARY_OPS(X) \
    X(NEG, "-")          \
    X(POS, "+")          \
    X(INVERT, "~")       \
    X(NOT, "not")

typedef enum UnaryOp {
#define X(id, text) UNARY_##id,
    AST_UNARY_OPS(X)
#undef X
} UnaryOp;

#define AST_COMPARE_OPS(X) \
    X(EQ, "==")            \
    X(NE, "!=")            \
    X(LT, "<")             \
    X(LE, "<=")            \
    X(GT, ">")             \
    X(GE, ">=")            \
    X(IS, "is")            \
    X(IS_NOT, "is not")    \
    X(IN, "in")            \
    X(NOT_IN, "not in")

typedef enum CompareOp {
#define X(id, text) COMPARE_##id,
    AST_COMPARE_OPS(X)
#undef X
} CompareOp;

// One piece of an f-string. `{x=}` arrives as a literal "x=" and a field whose conversion has
// already been made 'r' where Python does so.
typedef struct FPart {
    Span span;
    Text literal;          // when value is NULL
    Expr *value;           // or NULL: this part is a literal
    char conversion;       // 's', 'r', 'a', or 0
    bool has_spec;         // a ':' was written, though the spec may be empty
    struct FPart *spec;    // parts of the format spec
    uint32_t spec_count;    // number of parts in `spec`
} FPart;

// One `for target in iter if … if …` of a comprehension.
typedef struct CompClause {
    Span span;
    Expr *target, *iter;
    ExprList ifs;
} CompClause;

typedef enum ArgKind { ARG_POSITIONAL, ARG_STAR, ARG_KEYWORD, ARG_DOUBLE_STAR } ArgKind;

// One argument of a call (or base of a class), in source order.
typedef struct Arg {
    ArgKind kind;
    Span span;
    Name name; // keyword only
    Expr *value;
} Arg;

typedef struct ArgList {
    Arg *items;
    uint32_t count;
} ArgList;

typedef enum ParamKind {
    PARAM_POSITIONAL_ONLY, // before '/'
    PARAM_NORMAL,
    PARAM_VARARGS,         // *args
    PARAM_KEYWORD_ONLY,    // after '*' or *args
    PARAM_KWARGS,          // **kw
} ParamKind;

typedef struct Param {
    ParamKind kind;
    Span span;
    Name name;
    Expr *annotation;    // or NULL
    Expr *default_value; // or NULL
} Param;

// In source order, which is also the order of the kinds above.
typedef struct ParamList {
    Param *items;
    uint32_t count;
} ParamList;

struct Expr {
    ExprKind kind : 8;
    ExprCtx ctx : 8;
    bool parenthesised; // was written in parentheses
    Span span;          // parentheses excluded, except those of a tuple or generator
    union {
        Name name; // NAME
        struct {   // INT: base 2, 8, 10 or 16; digits without prefix, underscores, leading zeros
            Text digits;
            int base;
        } integer;
        double number; // FLOAT, IMAG
        Text text;     // STR, BYTES: adjacent literals joined, escapes resolved
        struct {       // FSTRING: adjacent literals joined; no two literal parts touch
            FPart *parts;
            uint32_t count;
        } fstring;
        ExprList items; // TUPLE, LIST, SET
        struct {        // DICT: keys.items[i] is NULL for `**value`
            ExprList keys, values;
        } dict;
        struct { // LIST_COMP, SET_COMP, GENERATOR, DICT_COMP
            Expr *element; // the key of a DICT_COMP
            Expr *value;   // DICT_COMP, else NULL
            CompClause *clauses;
            uint32_t clause_count;
        } comp;
        struct { // LAMBDA: params have no annotations
            ParamList params;
            Expr *body;
        } lambda;
        struct { // TERNARY: `then if test else otherwise`
            Expr *test, *then, *otherwise;
        } ternary;
        struct { // BOOL: two or more operands
            bool is_or;
            ExprList operands;
        } boolean;
        struct { // COMPARE: first ops[0] rest[0] ops[1] rest[1] …
            Expr *first;
            CompareOp *ops;
            ExprList rest;
        } compare;
        struct { // UNARY
            UnaryOp op;
            Expr *operand;
        } unary;
        struct { // BINARY
            BinaryOp op;
            Expr *left, *right;
            Span op_span;
        } binary;
        struct { // CALL
            Expr *func;
            ArgList args;
        } call;
        struct { // ATTRIBUTE
            Expr *object;
            Name name;
            Span name_span;
        } attribute;
        struct { // SUBSCRIPT: index is a SLICE, a TUPLE when there is a comma, or any expression
            Expr *object, *index;
        } subscript;
        struct { // SLICE: each or NULL
            Expr *lower, *upper, *step;
        } slice;
        Expr *operand; // STARRED, YIELD (or NULL), YIELD_FROM
        struct {       // WALRUS: target is a NAME in CTX_STORE
            Expr *target, *value;
        } walrus;
    };
};

// ---- statements ---------------------------------------------------------------------------------

#define AST_STMT_KINDS(X)         \
    X(EXPR, "Expr")               \
    X(ASSIGN, "Assign")           \
    X(AUG_ASSIGN, "AugAssign")    \
    X(ANN_ASSIGN, "AnnAssign")    \
    X(DELETE, "Delete")           \
    X(PASS, "Pass")               \
    X(BREAK, "Break")             \
    X(CONTINUE, "Continue")       \
    X(RETURN, "Return")           \
    X(GLOBAL, "Global")           \
    X(NONLOCAL, "Nonlocal")       \
    X(ASSERT, "Assert")           \
    X(RAISE, "Raise")             \
    X(IMPORT, "Import")           \
    X(IMPORT_FROM, "ImportFrom")  \
    X(IF, "If")                   \
    X(WHILE, "While")             \
    X(FOR, "For")                 \
    X(TRY, "Try")                 \
    X(WITH, "With")               \
    X(MATCH, "Match")             \
    X(DEF, "Def")                 \
    X(CLASS, "Class")

typedef enum StmtKind {
#define X(id, name) STMT_##id,
    AST_STMT_KINDS(X)
#undef X
} StmtKind;

// `a.b.c as d` of import, `a as d` of from-import.
typedef struct Alias {
    Span span;
    Name name;      // dotted, as written without spaces
    NameList parts; // its components; one for from-import
    Name as_name;   // or NULL
} Alias;

typedef struct AliasList {
    Alias *items;
    uint32_t count;
} AliasList;

typedef struct IfBranch {
    Span span; // from `if` or `elif` to the end of its body
    Expr *test;
    StmtList body;
} IfBranch;

typedef struct Handler {
    Span span;
    Expr *type; // or NULL: bare except
    Name name;  // or NULL
    StmtList body;
} Handler;

typedef struct WithItem {
    Span span;
    Expr *context;
    Expr *target; // or NULL
} WithItem;

// `case pattern if guard:`. Patterns are expression nodes:
//   NAME in CTX_STORE  a capture                 ELLIPSIS  the wildcard
//   LIST               a sequence; STARRED has a NAME or ELLIPSIS
//   DICT               a mapping: values are patterns; a NULL key: `**name`, which captures the rest
//   CALL               a class, with patterns as arguments
//   BOOL               alternatives              WALRUS    value `as` target
//   any other          a value to compare with
typedef struct MatchCase {
    Span span;
    Expr *pattern;
    Expr *guard; // or NULL
    StmtList body;
} MatchCase;

struct Stmt {
    StmtKind kind;
    Span span; // of a def or class: from `def`/`class`, decorators excluded
    union {
        Expr *value; // EXPR, RETURN (or NULL)
        struct {     // ASSIGN: `targets[0] = targets[1] = … = value`
            ExprList targets;
            Expr *value;
        } assign;
        struct { // AUG_ASSIGN: target is a Name, Attribute or Subscript in CTX_STORE
            Expr *target, *value;
            BinaryOp op;
        } aug_assign;
        struct { // ANN_ASSIGN
            Expr *target, *annotation;
            Expr *value; // or NULL
            bool simple; // target is a Name without parentheses
        } ann_assign;
        ExprList targets; // DELETE, all in CTX_DEL
        struct {          // GLOBAL, NONLOCAL
            NameList items;
            Span *spans; // one per name
        } names;
        struct { // ASSERT
            Expr *test;
            Expr *message; // or NULL
        } assertion;
        struct {           // RAISE
            Expr *exception; // or NULL: re-raise
            Expr *cause;     // or NULL
        } raise;
        AliasList import; // IMPORT
        struct {          // IMPORT_FROM
            Name module;    // dotted, or NULL: dots only
            NameList parts; // its components
            uint32_t level; // number of leading dots
            bool star;      // `import *`: names is empty
            AliasList names;
        } import_from;
        struct { // IF: one branch, then one per elif
            IfBranch *branches;
            uint32_t branch_count;
            StmtList orelse; // empty: no else
        } if_;
        struct { // WHILE
            Expr *test;
            StmtList body, orelse;
        } while_;
        struct { // FOR
            Expr *target, *iter;
            StmtList body, orelse;
        } for_;
        struct { // TRY: handlers, finally, or both
            StmtList body, orelse, finally;
            Handler *handlers;
            uint32_t handler_count;
        } try_;
        struct { // WITH
            WithItem *items;
            uint32_t item_count;
            StmtList body;
        } with;
        struct { // MATCH
            Expr *subject;
            MatchCase *cases;
            uint32_t count;
        } match;
        struct { // DEF
            Name name;
            Span name_span;
            ExprList decorators;
            ParamList params;
            Expr *returns; // or NULL
            StmtList body;
        } def;
        struct { // CLASS
            Name name;
            Span name_span;
            ExprList decorators;
            ArgList bases;
            StmtList body;
        } class_;
    };
};

typedef struct Module {
    StmtList body; // expression mode: one STMT_EXPR
    Span span;
} Module;

typedef struct Ast {
    Arena arena;
    Module *module;
} Ast;

// Drops the tree. Harmless on a zeroed Ast and after a failed parse.
void ast_free(Ast *ast);

// Returns the left child of a left-associated node (BINARY, CALL, ATTRIBUTE, SUBSCRIPT), NULL for other kinds.
Expr *ast_spine(const Expr *expr);

const char *ast_expr_kind_name(ExprKind kind);
const char *ast_stmt_kind_name(StmtKind kind);
const char *ast_binary_op_text(BinaryOp op);
const char *ast_unary_op_text(UnaryOp op);
const char *ast_compare_op_text(CompareOp op);

#endif
