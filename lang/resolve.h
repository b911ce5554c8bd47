// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Resolves names: finds the variable that every name refers to, and where it is stored. Reports
// Python's errors about names, and about statements that are in the wrong kind of scope.

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
    SYM_OUTER = 256,    // in a comprehension: bound by `:=`, so it belongs to the scope around it
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
    struct Symbol *owner; // the symbol in the scope that has the variable; NULL: global, or in a class body
    bool captured;        // a function in another code object uses this variable
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
    Scope *frame;      // the scope whose code object holds this one's code: itself or, for an
                       // inlined comprehension, an enclosing scope
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
    NameMap mangled;         // interned mangled names
    bool future_annotations; // annotations are not evaluated
    bool rebinds_super;      // the program assigns a global variable `super`
} Resolution;

// Resolves all names of a module. Errors leave through the context (ctx_fail).
Resolution *resolve_module(Context *ctx, const Module *module);

// Returns the scope of a Module, DEF, CLASS, LAMBDA or comprehension node.
Scope *resolve_scope_of(const Resolution *res, const void *node);

// Returns the symbol of a name, given unmangled, that occurs in `scope`.
Symbol *resolve_symbol(Resolution *res, const Scope *scope, Name name);

// Returns the mangled name: `__private` becomes `_Class__private` inside a class, others are unchanged.
Name resolve_mangle(Resolution *res, const Scope *scope, Name name);

// ---- between the two halves of the resolver -----------------------------------------------------

Scope *scope_new(Resolution *res, ScopeKind kind, const void *node, Scope *parent);
Symbol *scope_symbol(Resolution *res, Scope *scope, Name mangled); // finds or makes
Symbol *scope_find(const Scope *scope, Name mangled);

// The first half: collects the symbols of every scope (resolve_collect.c).
void resolve_collect(Resolution *res, const Module *module);

#endif
