// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Finds the docstrings of a program in its tree: of the module, functions and classes, but not of
// functions and classes inside functions, which cannot be reached by name from outside.

#include "lang/compile_internal.h"
#include "lang/parser.h"
#include "lang/support/buf.h"

typedef struct Walk {
    Buf name; // qualified name of the enclosing classes: "C", "C.D"
    CompileDocFn each;
    void *ctx;
} Walk;

static void tell(Walk *walk, StmtList body) {
    const Expr *doc = body_docstring(body);
    size_t len = walk->name.len;
    if (!doc || walk->name.failed) return;
    buf_putc(&walk->name, '\0');
    if (!walk->name.failed)
        walk->each(walk->ctx, walk->name.data, doc->text.bytes, doc->text.len, doc->span.line);
    walk->name.len = len;
}

static void walk_body(Walk *walk, StmtList body);

static void walk_named(Walk *walk, Name name, StmtList body, bool inside) {
    size_t len = walk->name.len;
    if (len) buf_putc(&walk->name, '.');
    buf_puts(&walk->name, name);
    tell(walk, body);
    if (inside) walk_body(walk, body);
    walk->name.len = len;
}

static void walk_try(Walk *walk, const Stmt *stmt) {
    walk_body(walk, stmt->try_.body);
    for (uint32_t i = 0; i < stmt->try_.handler_count; i++)
        walk_body(walk, stmt->try_.handlers[i].body);
    walk_body(walk, stmt->try_.orelse);
    walk_body(walk, stmt->try_.finally);
}

static void walk_stmt(Walk *walk, const Stmt *stmt) {
    switch (stmt->kind) {
    case STMT_DEF: walk_named(walk, stmt->def.name, stmt->def.body, false); break;
    case STMT_CLASS: walk_named(walk, stmt->class_.name, stmt->class_.body, true); break;
    case STMT_IF:
        for (uint32_t i = 0; i < stmt->if_.branch_count; i++)
            walk_body(walk, stmt->if_.branches[i].body);
        walk_body(walk, stmt->if_.orelse);
        break;
    case STMT_WHILE:
        walk_body(walk, stmt->while_.body);
        walk_body(walk, stmt->while_.orelse);
        break;
    case STMT_FOR:
        walk_body(walk, stmt->for_.body);
        walk_body(walk, stmt->for_.orelse);
        break;
    case STMT_TRY: walk_try(walk, stmt); break;
    case STMT_WITH: walk_body(walk, stmt->with.body); break;
    case STMT_MATCH:
        for (uint32_t i = 0; i < stmt->match.count; i++) walk_body(walk, stmt->match.cases[i].body);
        break;
    default: break;
    }
}

static void walk_body(Walk *walk, StmtList body) {
    for (uint32_t i = 0; i < body.count; i++) walk_stmt(walk, body.items[i]);
}

bool compile_docstrings(Mem *mem, const char *text, size_t len, CompileDocFn each, void *ctx) {
    Walk walk = {.each = each, .ctx = ctx};
    DiagList diags;
    Ast ast = {.module = NULL};
    diag_init(&diags, mem);
    buf_init(&walk.name, mem);
    bool good = parse_module(mem, text, len, NULL, PARSE_FILE, &ast, &diags);
    if (good) {
        tell(&walk, ast.module->body);
        walk_body(&walk, ast.module->body);
        good = !walk.name.failed;
    }
    buf_free(&walk.name);
    ast_free(&ast);
    diag_free(&diags);
    return good;
}
