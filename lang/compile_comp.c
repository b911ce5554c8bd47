// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Comprehensions and generator expressions. They are inlined as loops, or become functions that take
// the first iterator as their parameter (see can_inline in resolve.c).

#include "lang/compile_internal.h"

typedef struct CompLoop {
    Label body, again;
    uint32_t iterator, item;
} CompLoop;

static const char *comp_name(ExprKind kind) {
    switch (kind) {
    case EXPR_LIST_COMP: return "<listcomp>";
    case EXPR_SET_COMP: return "<setcomp>";
    case EXPR_DICT_COMP: return "<dictcomp>";
    default: return "<genexpr>";
    }
}

static void make_iterator(Fn *f, Span span, const Expr *iter, uint32_t dest) {
    emit(&f->e, span, OP_ITER, dest, expr_operand_in(f, iter, dest), 0);
}

static void make_result(Fn *f, const Expr *expr, uint32_t dest) {
    Opcode op = expr->kind == EXPR_LIST_COMP  ? OP_LIST
                : expr->kind == EXPR_SET_COMP ? OP_SET
                                              : OP_DICT;
    if (expr->kind != EXPR_GENERATOR) emit(&f->e, expr->span, op, dest, dest, 0);
}

// ---- loops --------------------------------------------------------------------------------------

static void loop_begin(Fn *f, const Expr *expr, const CompClause *clause, uint32_t iterator,
                       CompLoop *loop) {
    Emitter *e = &f->e;
    const Expr *target = clause->target;
    uint32_t reg = target->kind == EXPR_NAME ? name_register(f, target->name) : NO_REG;
    uint32_t mark = e->top, item = reg != NO_REG ? reg : emit_temp(e);
    *loop = (CompLoop){emit_label(e), emit_label(e), iterator, item};
    emit_expect(e, loop->body);
    emit_jump(e, expr->span, OP_JUMP, 0, loop->again);
    emit_bind(e, loop->body);
    if (reg == NO_REG) assign_target(f, target, item);
    e->top = mark;
    for (uint32_t i = 0; i < clause->ifs.count; i++) {
        expr_jump(f, clause->ifs.items[i], loop->again, false);
    }
}

static void add_element(Fn *f, const Expr *expr, uint32_t result) {
    Emitter *e = &f->e;
    uint32_t mark = e->top;
    if (expr->kind == EXPR_DICT_COMP) {
        Operand key = expr_operand_before(f, expr->comp.element);
        Operand value = expr_operand(f, expr->comp.value);
        emit(e, expr->span, OP_DICT_SET, result, key, value);
    } else {
        Operand value = expr_operand(f, expr->comp.element);
        Opcode op = expr->kind == EXPR_LIST_COMP ? OP_APPEND : OP_SET_ADD;
        if (expr->kind == EXPR_GENERATOR) {
            emit(e, expr->span, OP_YIELD, emit_temp(e), value, 0);
        } else {
            emit(e, expr->span, op, result, value, 0);
        }
    }
    e->top = mark;
}

// Emits the nested loops, one per clause. `iterator` is the register of the first clause's iterator.
static void comp_loops(Fn *f, const Expr *expr, uint32_t iterator, uint32_t result) {
    Emitter *e = &f->e;
    uint32_t count = expr->comp.clause_count, mark = e->top;
    CompLoop *loops = ctx_alloc(f->c->ctx, count * sizeof *loops);
    for (uint32_t i = 0; i < count; i++) {
        const CompClause *clause = &expr->comp.clauses[i];
        if (i > 0) {
            iterator = emit_temp(e);
            make_iterator(f, expr->span, clause->iter, iterator);
        }
        loop_begin(f, expr, clause, iterator, &loops[i]);
    }
    add_element(f, expr, result);
    for (uint32_t i = count; i-- > 0;) {
        emit_bind(e, loops[i].again);
        emit_for(e, expr->span, loops[i].iterator, loops[i].item, loops[i].body);
    }
    e->top = mark;
}

// ---- in place -----------------------------------------------------------------------------------

static void forget_targets(Fn *f, const Scope *scope, Span span) {
    for (const Symbol *symbol = scope->first; symbol; symbol = symbol->next) {
        if (symbol->owner == symbol) emit(&f->e, span, OP_UNDEFINE, symbol->index, 0, 0);
    }
}

static void comp_inline(Fn *f, const Expr *expr, Scope *scope, uint32_t dest) {
    Emitter *e = &f->e;
    Scope *around = f->scope;
    uint32_t mark = e->top, iterator = emit_temp(e);
    make_iterator(f, expr->span, expr->comp.clauses[0].iter, iterator);
    make_result(f, expr, dest);
    f->scope = scope;
    // The variable of a later clause may be read before its loop binds it. It has to be unbound then,
    // even if an earlier run was ended by an exception and left a value in it.
    if (expr->comp.clause_count > 1) forget_targets(f, scope, expr->span);
    comp_loops(f, expr, iterator, dest);
    forget_targets(f, scope, expr->span);
    f->scope = around;
    e->top = mark;
}

// ---- as a function ------------------------------------------------------------------------------

static BcCode *comp_code(Fn *f, const Expr *expr, Scope *scope) {
    Fn inner;
    fn_begin(&inner, f->c, f, scope, comp_name(expr->kind), expr->span);
    Emitter *e = &inner.e;
    bool generator = expr->kind == EXPR_GENERATOR;
    uint32_t result = generator ? 0 : emit_temp(e);
    make_result(&inner, expr, result);
    comp_loops(&inner, expr, 0, result); // register 0 is the parameter
    emit(e, expr->span, OP_RETURN, generator ? expr_none(&inner) : result, 0, 0);
    return fn_end(&inner, NULL, BC_COMPREHENSION | (generator ? BC_GENERATOR : 0), expr->span.line);
}

static void comp_call(Fn *f, const Expr *expr, Scope *scope, uint32_t dest) {
    Emitter *e = &f->e;
    BcCode *code = comp_code(f, expr, scope);
    uint32_t callee = expr_row(f, dest);
    emit_temp(e);
    fn_make_plain(f, expr->span, code, callee);
    make_iterator(f, expr->span, expr->comp.clauses[0].iter, emit_temp(e));
    emit(e, expr->span, OP_CALL, dest, callee, 1);
}

void expr_comprehension(Fn *f, const Expr *expr, uint32_t dest) {
    Scope *scope = resolve_scope_of(f->c->names, expr);
    if (scope->frame == scope) {
        comp_call(f, expr, scope, dest);
    } else {
        comp_inline(f, expr, scope, dest);
    }
}
