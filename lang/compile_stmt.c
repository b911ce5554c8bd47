// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Statements: the dispatch over their kinds, and the simple kinds.

#include "lang/compile_internal.h"

static void stmt_expr(Fn *f, const Stmt *stmt) {
    uint32_t mark = f->e.top;
    bool at_prompt = f->c->mode == COMPILE_INTERACTIVE && f->frame->kind == SCOPE_MODULE;
    if (at_prompt || stmt == f->c->shown) {
        emit(&f->e, stmt->span, OP_DISPLAY, expr_operand(f, stmt->value), 0, 0);
    } else {
        expr_discard(f, stmt->value);
    }
    f->e.top = mark;
}

static void stmt_assert(Fn *f, const Stmt *stmt) {
    Emitter *e = &f->e;
    uint32_t mark = e->top;
    const Expr *test = stmt->assertion.test, *message = stmt->assertion.message;
    Label holds = emit_label(e);
    expr_jump(f, test, holds, true);
    if (message) {
        emit_alt(e, test->span, OP_ASSERT_FAIL, expr_operand(f, message), 0, 0);
    } else {
        emit(e, test->span, OP_ASSERT_FAIL, expr_none(f), 0, 0);
    }
    emit_bind(e, holds);
    e->top = mark;
}

static void stmt_raise(Fn *f, const Stmt *stmt) {
    Emitter *e = &f->e;
    uint32_t mark = e->top;
    if (!stmt->raise.exception) {
        emit(e, stmt->span, OP_RAISE_AGAIN, 0, 0, 0);
        return;
    }
    Operand exception = expr_operand_before(f, stmt->raise.exception);
    if (stmt->raise.cause) {
        emit_alt(e, stmt->span, OP_RAISE, exception, expr_operand(f, stmt->raise.cause), 0);
    } else {
        emit(e, stmt->span, OP_RAISE, exception, expr_none(f), 0);
    }
    e->top = mark;
}

static void stmt_delete(Fn *f, const Stmt *stmt) {
    for (uint32_t i = 0; i < stmt->targets.count; i++) assign_delete(f, stmt->targets.items[i]);
}

static void statement(Fn *f, const Stmt *stmt) {
    switch (stmt->kind) {
    case STMT_EXPR: stmt_expr(f, stmt); break;
    case STMT_ASSIGN: assign_stmt(f, stmt); break;
    case STMT_AUG_ASSIGN: assign_augmented(f, stmt); break;
    case STMT_ANN_ASSIGN: assign_annotated(f, stmt); break;
    case STMT_DELETE: stmt_delete(f, stmt); break;
    case STMT_PASS:
    case STMT_GLOBAL:
    case STMT_NONLOCAL: break;
    case STMT_BREAK: stmt_break(f, stmt); break;
    case STMT_CONTINUE: stmt_continue(f, stmt); break;
    case STMT_RETURN: stmt_return(f, stmt); break;
    case STMT_ASSERT: stmt_assert(f, stmt); break;
    case STMT_RAISE: stmt_raise(f, stmt); break;
    case STMT_IMPORT: stmt_import(f, stmt); break;
    case STMT_IMPORT_FROM: stmt_import_from(f, stmt); break;
    case STMT_IF: stmt_if(f, stmt); break;
    case STMT_WHILE: stmt_while(f, stmt); break;
    case STMT_FOR: stmt_for(f, stmt); break;
    case STMT_TRY: stmt_try(f, stmt); break;
    case STMT_WITH: stmt_with(f, stmt); break;
    case STMT_MATCH: stmt_match(f, stmt); break;
    case STMT_DEF: stmt_def(f, stmt); break;
    case STMT_CLASS: stmt_class(f, stmt); break;
    }
}

void stmt_body(Fn *f, StmtList body) {
    for (uint32_t i = 0; i < body.count; i++) {
        f->e.statement = true;
        statement(f, body.items[i]);
    }
    f->e.statement = false;
}
