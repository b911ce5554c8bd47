// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Import statements.

#include <string.h>

#include "lang/compile_internal.h"

void stmt_import(Fn *f, const Stmt *stmt) {
    Emitter *e = &f->e;
    for (uint32_t i = 0; i < stmt->import.count; i++) {
        const Alias *alias = &stmt->import.items[i];
        uint32_t temp = emit_temp(e), name = emit_name(e, alias->name);
        if (alias->as_name) {
            emit_alt(e, stmt->span, OP_IMPORT, temp, name, 0);
        } else {
            emit(e, stmt->span, OP_IMPORT, temp, name, 0);
        }
        name_store(f, stmt->span, alias->as_name ? alias->as_name : alias->parts.items[0], temp);
        e->top = temp;
    }
}

// ---- from __future__ ----------------------------------------------------------------------------

static bool is_future(const Stmt *stmt) {
    return stmt->kind == STMT_IMPORT_FROM && stmt->import_from.level == 0 &&
           stmt->import_from.module && strcmp(stmt->import_from.module, "__future__") == 0;
}

// Returns whether only the docstring and other imports from __future__ precede the statement.
static bool in_future_place(Fn *f, const Stmt *stmt) {
    if (f->frame->kind != SCOPE_MODULE) return false;
    StmtList body = body_without_docstring(((const Module *)f->frame->node)->body);
    for (uint32_t i = 0; i < body.count; i++) {
        if (body.items[i] == stmt) return true;
        if (!is_future(body.items[i])) return false;
    }
    return false;
}

static void check_future(Fn *f, const Stmt *stmt) {
    static const char *const features[] = {
        "nested_scopes",  "generators",       "division",       "absolute_import", "with_statement",
        "print_function", "unicode_literals", "generator_stop", "annotations",
    };
    enum { COUNT = sizeof features / sizeof *features };
    if (!in_future_place(f, stmt)) {
        ctx_fail(f->c->ctx, stmt->span,
                 "from __future__ imports must occur at the beginning of the file");
    }
    for (uint32_t i = 0; i < stmt->import_from.names.count; i++) {
        Name name = stmt->import_from.names.items[i].name;
        size_t k = 0;
        while (k < COUNT && strcmp(features[k], name) != 0) k++;
        if (k == COUNT) {
            ctx_fail(f->c->ctx, stmt->span, "future feature %s is not defined", name);
        }
    }
}

// ---- from … import ------------------------------------------------------------------------------

void stmt_import_from(Fn *f, const Stmt *stmt) {
    Emitter *e = &f->e;
    if (is_future(stmt)) {
        check_future(f, stmt); // a directive to the compiler: nothing happens at run time
        return;
    }
    Name module_name = stmt->import_from.module ? stmt->import_from.module : "";
    uint32_t module = emit_temp(e), item = emit_temp(e);
    emit_alt(e, stmt->span, OP_IMPORT, module, emit_name(e, module_name), stmt->import_from.level);
    if (stmt->import_from.star) emit(e, stmt->span, OP_IMPORT_STAR, module, 0, 0);
    for (uint32_t i = 0; i < stmt->import_from.names.count; i++) {
        const Alias *alias = &stmt->import_from.names.items[i];
        Name target = alias->as_name ? alias->as_name : alias->name;
        emit(e, stmt->span, OP_IMPORT_FROM, item, module, emit_name(e, alias->name));
        name_store(f, stmt->span, target, item);
    }
    e->top = module;
}
