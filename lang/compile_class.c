// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Class statements. The body becomes a function that keeps its names in a namespace dict.

#include <string.h>

#include "lang/compile_internal.h"

static void set_name(Fn *f, Span span, const char *name, Operand value) {
    emit(&f->e, span, OP_NAME_SET, emit_name(&f->e, name), value, 0);
}

static void class_preamble(Fn *f, const Stmt *stmt) {
    Emitter *e = &f->e;
    const Expr *doc = body_docstring(stmt->class_.body);
    uint32_t temp = emit_temp(e);
    emit_wide(e, stmt->span, OP_GLOBAL_GET, temp, name_global_slot(f, "__name__"));
    set_name(f, stmt->span, "__module__", temp);
    e->top = temp;
    set_name(f, stmt->span, "__qualname__", emit_const_name(e, f->qualname));
    if (doc) set_name(f, stmt->span, "__doc__", emit_const_text(e, doc->text));
}

static BcCode *class_code(Fn *f, const Stmt *stmt) {
    Scope *scope = resolve_scope_of(f->c->names, stmt);
    Fn inner;
    fn_begin(&inner, f->c, f, scope, stmt->class_.name, stmt->span);
    class_preamble(&inner, stmt);
    stmt_body(&inner, body_without_docstring(stmt->class_.body));
    if (scope->class_cell.captured) {
        set_name(&inner, stmt->span, "__classcell__", scope->class_cell.index);
    }
    return fn_end(&inner, NULL, BC_CLASS_BODY, stmt->span.line);
}

void stmt_class(Fn *f, const Stmt *stmt) {
    Emitter *e = &f->e;
    uint32_t mark = e->top;
    decorators_begin(f, stmt->class_.decorators);
    uint32_t body = emit_temp(e);
    fn_make_plain(f, stmt->span, class_code(f, stmt), body);
    bool list = call_pack(f, stmt->span, stmt->class_.bases, body, false);
    if (list) emit(e, stmt->span, OP_LIST_TUPLE, body + 1, body + 1, 0);
    emit(e, stmt->span, OP_CLASS, body, body, emit_name(e, stmt->class_.name));
    decorators_end(f, stmt->class_.decorators, body);
    name_store(f, stmt->span, stmt->class_.name, mark);
    e->top = mark;
}
