// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Scopes: which variable every name of a program means, and where it lives. Reports Python's
// errors about names, and about statements that stand in the wrong kind of scope.

#ifndef NACRE_LANG_RESOLVE_H
#define NACRE_LANG_RESOLVE_H

#include "lang/ast.h"
#include "lang/context.h"

typedef struct Scope Scope;

typedef enum ScopeKind {
    SCOPE_MODULE,
    SCOPE_CLASS,
    SCOPE_FUNCTION, // def and lambda
    SCOPE_COMPREHENSION,
} ScopeKind;

typedef enum SymbolFlag {
    SYM_PARAM = 1,
    SYM_BOUND = 2, // assigned, imported, defined … in this scope
    SYM_USED = 4,
    SYM_GLOBAL = 8,    // declared so
    SYM_NONLOCAL = 16, // declared so
    SYM_ANNOTATED = 32,
    SYM_TARGET = 64,    // bound by the `for` of a comprehension
    SYM_WALRUS = 128,   // bound by `:=`, so it may change in the middle of an expression
    SYM_OUTER = 256,    // in a comprehension: bound by `:=`, belongs to the scope around
    SYM_REBOUND = 512,  // a parameter that is assigned as well
    SYM_VARARGS = 1024, // the parameter *args
} SymbolFlag;

typedef enum Place {
    PLACE_GLOBAL,
    PLACE_REGISTER,
    PLACE_CELL,       // index: register that holds the cell
    PLACE_FREE,       // index: number of the free variable
    PLACE_CLASS,      // namespace of a class body, then global
    PLACE_CLASS_FREE, // namespace of a class body, then free variable `index`; stores go to the
                      // free variable (it was declared nonlocal)
} Place;

typedef struct Symbol {
    Name name;
    Scope *scope;
    uint32_t flags;
    struct Symbol *owner; // the symbol of the scope that has the variable; NULL: none, or global
    bool captured;        // another code object reaches this variable
    Place place;
    uint32_t index;
    Span declared;       // of a nonlocal or global statement
    struct Symbol *next; // in order of first appearance
} Symbol;

typedef struct ScopeCaptures {
    Symbol **items; // owners, by number of the free variable
    uint32_t count, cap;
} ScopeCaptures;

struct Scope {
    ScopeKind kind;
    ExprKind expr_kind; // of a comprehension or lambda
    const void *node;   // Module, Stmt or Expr
    Scope *parent, *children, *last_child, *sibling;
    Scope *frame;      // the scope whose code object this one's code is in: itself, or the one a
                       // comprehension is inlined into
    Name name;         // of a def or class
    Name mangle_class; // innermost class around (name mangling), or NULL
    NameMap symbols;
    Symbol *first, *last;
    Symbol class_cell; // of a class: `__class__`
    bool generator;
    bool asks_names; // calls locals(), or vars() or dir() without arguments
    // Of a frame:
    const char **local_names; // registers with a name: parameters, locals, inlined targets
    uint32_t local_count, local_cap;
    ScopeCaptures captures;
};

typedef struct Resolution {
    Context *ctx;
    Scope *module;
    struct ScopeEntry *table; // from node to scope
    uint32_t table_cap, table_count;
    NameMap mangled;         // mangled names, each spelled once
    bool future_annotations; // annotations are not evaluated
    bool rebinds_super;      // some scope assigns the name `super` at module level
} Resolution;

// Leaves through the context on error.
Resolution *resolve_module(Context *ctx, const Module *module);

// The scope made for a Module, DEF, CLASS, LAMBDA or comprehension node.
Scope *resolve_scope_of(const Resolution *res, const void *node);

// The symbol of a name that occurs in `scope` (before mangling).
Symbol *resolve_symbol(Resolution *res, const Scope *scope, Name name);

// `__private` names become `_Class__private` inside a class; others stay.
Name resolve_mangle(Resolution *res, const Scope *scope, Name name);

// ---- between the two halves of the resolver -----------------------------------------------------

Scope *scope_new(Resolution *res, ScopeKind kind, const void *node, Scope *parent);
Symbol *scope_symbol(Resolution *res, Scope *scope, Name mangled); // finds or makes
Symbol *scope_find(const Scope *scope, Name mangled);

// Collects the symbols of every scope (resolve_collect.c), then decides places (resolve.c).
void resolve_collect(Resolution *res, const Module *module);

#endif
