// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// if, while, for, break, continue, return.

#include "lang/compile_internal.h"

void nesting_enter(Fn *f, Span span) {
    if (f->nesting++ == MAX_STATIC_NESTING) {
        ctx_fail(f->c->ctx, span, "too many statically nested blocks");
    }
}

void nesting_leave(Fn *f) {
    f->nesting--;
}

void stmt_if(Fn *f, const Stmt *stmt) {
    Emitter *e = &f->e;
    Label end = emit_label(e);
    for (uint32_t i = 0; i < stmt->if_.branch_count; i++) {
        const IfBranch *branch = &stmt->if_.branches[i];
        bool last = i + 1 == stmt->if_.branch_count && stmt->if_.orelse.count == 0;
        Label next = last ? end : emit_label(e);
        e->statement = true; // the test of an elif counts as a statement
        expr_jump(f, branch->test, next, false);
        stmt_body(f, branch->body);
        if (!last) {
            emit_jump(e, branch->span, OP_JUMP, 0, end);
            emit_bind(e, next);
        }
    }
    stmt_body(f, stmt->if_.orelse);
    emit_bind(e, end);
}

// ---- loops --------------------------------------------------------------------------------------
//
// The test for another iteration follows the body, so that each iteration takes one jump:
//
//         JUMP again
//   body: ...
//  again: FOR (or LOOP and the test of a `while`), to body

// Emits the jump to the loop's test, and binds label `body` after it.
static void loop_enter(Fn *f, Span span, const Block *loop, Label body) {
    emit_expect(&f->e, body);
    emit_jump(&f->e, span, OP_JUMP, 0, loop->again);
    emit_bind(&f->e, body);
}

static void while_test(Fn *f, const Stmt *stmt, Label label, bool sense) {
    f->e.statement = true;
    expr_jump(f, stmt->while_.test, label, sense);
}

static void while_body(Fn *f, const Stmt *stmt, Block *loop) {
    block_push(f, loop);
    stmt_body(f, stmt->while_.body);
    block_pop(f, loop);
}

void stmt_while(Fn *f, const Stmt *stmt) {
    Emitter *e = &f->e;
    nesting_enter(f, stmt->span);
    Label done = emit_label(e);
    Block loop = {.kind = BLOCK_LOOP,
                  .reg = NO_REG,
                  .span = stmt->span,
                  .guard = NO_LABEL,
                  .again = emit_label(e),
                  .exit = emit_label(e)};
    BcConst constant;
    if (fold_expr(f, stmt->while_.test, &constant)) { // no test per iteration is needed
        emit_bind(e, loop.again);
        emit(e, stmt->span, OP_LOOP, 0, 0, 0);
        while_test(f, stmt, done, false);
        while_body(f, stmt, &loop);
        emit_jump(e, stmt->while_.test->span, OP_JUMP, 0, loop.again);
    } else {
        Label body = emit_label(e);
        loop_enter(f, stmt->span, &loop, body);
        while_body(f, stmt, &loop);
        emit_bind(e, loop.again);
        emit(e, stmt->span, OP_LOOP, 0, 0, 0);
        while_test(f, stmt, body, true);
    }
    emit_bind(e, done);
    stmt_body(f, stmt->while_.orelse);
    emit_bind(e, loop.exit);
    nesting_leave(f);
}

// Emits the iterator of a `for` and returns its register. A list of constants becomes a constant tuple.
static uint32_t loop_iterator(Fn *f, const Stmt *stmt) {
    const Expr *iter = stmt->for_.iter;
    uint32_t iterator = emit_temp(&f->e);
    BcConst folded;
    Operand over;
    if (iter->kind == EXPR_LIST && fold_items(f, iter->items, &folded)) {
        over = emit_const(&f->e, &folded);
    } else {
        over = expr_operand_in(f, iter, iterator);
    }
    emit(&f->e, stmt->span, OP_ITER, iterator, over, 0);
    return iterator;
}

static void loop_body(Fn *f, const Stmt *stmt, Block *loop) {
    Emitter *e = &f->e;
    Label body = emit_label(e);
    const Expr *target = stmt->for_.target;
    uint32_t mark = e->top;
    uint32_t item = target->kind == EXPR_NAME ? name_register(f, target->name) : NO_REG;
    bool direct = item != NO_REG;
    if (!direct) item = emit_temp(e);
    loop_enter(f, stmt->span, loop, body);
    if (!direct) assign_target(f, target, item);
    e->top = mark;
    block_push(f, loop);
    stmt_body(f, stmt->for_.body);
    block_pop(f, loop);
    emit_bind(e, loop->again);
    emit_for(e, stmt->span, loop->reg, item, body);
}

void stmt_for(Fn *f, const Stmt *stmt) {
    Emitter *e = &f->e;
    uint32_t mark = e->top;
    nesting_enter(f, stmt->span);
    Block loop = {.kind = BLOCK_LOOP,
                  .span = stmt->span,
                  .guard = NO_LABEL,
                  .again = emit_label(e),
                  .exit = emit_label(e)};
    loop.reg = loop_iterator(f, stmt);
    loop_body(f, stmt, &loop);
    e->top = mark;
    stmt_body(f, stmt->for_.orelse);
    emit_bind(e, loop.exit);
    nesting_leave(f);
}

// ---- leaving ------------------------------------------------------------------------------------

// Returns whether leaving `block` and the blocks around it, up to `until`, runs code of the program.
static bool runs_code(const Block *block, const Block *until) {
    for (; block != until; block = block->outer) {
        if (block->kind == BLOCK_FINALLY || block->kind == BLOCK_WITH) return true;
    }
    return false;
}

// Emits the code that leaves every block inside `until` (NULL: all), innermost first. While the code
// for one is emitted, f->blocks excludes it and the blocks inside it. Iterators are not released if
// the function returns next, as its frame releases all registers.
static void leave_blocks(Fn *f, const Block *until) {
    Block *innermost = f->blocks;
    for (Block *block = innermost; block != until; block = block->outer) {
        guard_close(f, block);
        f->blocks = block->outer;
        bool needless = block->kind == BLOCK_LOOP && !until && !runs_code(block, NULL);
        if (!needless) block_leave(f, block);
    }
    f->blocks = innermost;
}

// Reopens the guards of the blocks for the code that follows the jump.
static void reenter_blocks(Fn *f, const Block *until) {
    for (Block *block = f->blocks; block != until; block = block->outer) {
        block->guard_start = f->e.len;
    }
}

static Block *enclosing_loop(Fn *f) {
    Block *block = f->blocks;
    while (block && block->kind != BLOCK_LOOP) block = block->outer;
    return block;
}

void stmt_break(Fn *f, const Stmt *stmt) {
    Block *loop = enclosing_loop(f);
    if (!loop) ctx_fail(f->c->ctx, stmt->span, "'break' outside loop");
    leave_blocks(f, loop);
    if (loop->reg != NO_REG) emit(&f->e, stmt->span, OP_UNDEFINE, loop->reg, 0, 0);
    emit_jump(&f->e, stmt->span, OP_JUMP, 0, loop->exit);
    reenter_blocks(f, loop);
}

void stmt_continue(Fn *f, const Stmt *stmt) {
    Block *loop = enclosing_loop(f);
    if (!loop) ctx_fail(f->c->ctx, stmt->span, "'continue' not properly in loop");
    leave_blocks(f, loop);
    emit_jump(&f->e, stmt->span, OP_JUMP, 0, loop->again);
    reenter_blocks(f, loop);
}

// Evaluates the value of a `return`. It is copied if code runs between here and the return that could
// change a local: `except E as e: return e` unbinds e. Otherwise a local stays in its register.
static Operand return_operand(Fn *f, const Stmt *stmt) {
    BcConst folded;
    bool in_place = true;
    for (const Block *block = f->blocks; block; block = block->outer) {
        if (block->kind != BLOCK_LOOP && block->kind != BLOCK_TRY) in_place = false;
    }
    if (!stmt->value) return expr_none(f);
    if (in_place) return expr_operand(f, stmt->value);
    if (fold_expr(f, stmt->value, &folded)) return emit_const(&f->e, &folded);
    return expr_next(f, stmt->value);
}

void stmt_return(Fn *f, const Stmt *stmt) {
    uint32_t mark = f->e.top;
    if (f->frame->kind != SCOPE_FUNCTION) {
        ctx_fail(f->c->ctx, stmt->span, "'return' outside function");
    }
    Operand value = return_operand(f, stmt);
    leave_blocks(f, NULL);
    emit(&f->e, stmt->span, OP_RETURN, value, 0, 0);
    reenter_blocks(f, NULL);
    f->e.top = mark;
}
