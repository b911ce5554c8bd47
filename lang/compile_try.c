// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// try and with, the stack of blocks that control may have to leave, and the ranges in which exceptions
// are caught.
//
// A handler has its exception in register r; EXC_ENTER saves the one that was being handled before in
// r + 1. The handler has a guard of its own: an exception raised in it arrives in r + 2, EXC_LEAVE
// restores the previous state, and the new exception propagates.

#include "lang/compile_internal.h"

// ---- blocks -------------------------------------------------------------------------------------

void block_push(Fn *f, Block *block) {
    block->outer = f->blocks;
    block->depth = f->blocks ? f->blocks->depth + 1 : 1;
    f->blocks = block;
}

void block_pop(Fn *f, Block *block) {
    f->blocks = block->outer;
}

void guard_open(Fn *f, Block *block, Label guard, uint32_t reg) {
    block->guard = guard;
    block->guard_reg = reg;
    block->guard_start = f->e.len;
}

void guard_close(Fn *f, Block *block) {
    if (block->guard == NO_LABEL) return;
    emit_protect(&f->e, block->guard_start, block->guard, block->guard_reg, block->depth);
}

// Push a block and open its guard; close the guard and pop the block.
static void enter(Fn *f, Block *block, Label guard, uint32_t reg) {
    block_push(f, block);
    guard_open(f, block, guard, reg);
}

static void leave(Fn *f, Block *block) {
    guard_close(f, block);
    block_pop(f, block);
}

// Calls __exit__(None, None, None). The three registers after the pair are reserved for the arguments.
static void call_exit_plain(Fn *f, Span span, uint32_t pair) {
    for (uint32_t i = 0; i < 3; i++) emit_move(&f->e, span, pair + 2 + i, expr_none(f));
    emit(&f->e, span, OP_CALLM, pair, pair, 3);
    emit(&f->e, span, OP_UNDEFINE, pair, 0, 0);
}

void block_leave(Fn *f, const Block *block) {
    Emitter *e = &f->e;
    switch (block->kind) {
    case BLOCK_TRY: break;
    case BLOCK_LOOP:
        if (block->reg != NO_REG) emit(e, block->span, OP_UNDEFINE, block->reg, 0, 0);
        break;
    case BLOCK_FINALLY: stmt_body(f, block->finally); break;
    case BLOCK_HANDLER: emit(e, block->span, OP_EXC_LEAVE, block->reg, 0, 0); break;
    case BLOCK_NAMED: name_clear(f, block->span, block->name); break;
    case BLOCK_WITH: call_exit_plain(f, block->span, block->reg); break;
    }
}

// ---- handling -----------------------------------------------------------------------------------

// Begins a handler at label `entry`, where the exception arrives in the next temporary.
static void handler_begin(Fn *f, Block *block, Span span, Label entry, Label cleanup) {
    Emitter *e = &f->e;
    emit_bind(e, entry);
    uint32_t reg = emit_temps(e, 2);
    *block = (Block){.kind = BLOCK_HANDLER, .reg = reg, .span = span};
    emit(e, span, OP_EXC_ENTER, reg, 0, 0);
    enter(f, block, cleanup, reg + 2);
}

// Ends a handler: raises the exception again if no clause has handled it. The code at `cleanup` does
// the same for an exception that was raised inside the handler.
static void handler_end(Fn *f, Block *block, Label cleanup) {
    Emitter *e = &f->e;
    leave(f, block);
    uint32_t next = emit_temp(e);
    emit_move(e, block->span, next, block->reg);
    emit_bind(e, cleanup);
    emit(e, block->span, OP_EXC_LEAVE, block->reg, 0, 0);
    emit(e, block->span, OP_RERAISE, next, 0, 0);
    e->top = block->reg;
}

// ---- try … except -------------------------------------------------------------------------------

// Emits the body of `except E as name:`. The name is unbound on every way out of it.
static void named_body(Fn *f, const Handler *handler, const Block *around, Label cleanup) {
    Emitter *e = &f->e;
    Label unbind = emit_label(e), done = emit_label(e);
    Block named = {.kind = BLOCK_NAMED, .name = handler->name, .span = handler->span};
    name_store(f, handler->span, handler->name, around->reg);
    enter(f, &named, unbind, around->reg + 2);
    stmt_body(f, handler->body);
    leave(f, &named);
    name_clear(f, handler->span, handler->name);
    emit_jump(e, handler->span, OP_JUMP, 0, done);
    emit_bind(e, unbind);
    uint32_t mark = e->top, raised = emit_temp(e);
    (void)raised; // holds the exception that the guard caught
    name_clear(f, handler->span, handler->name);
    emit_jump(e, handler->span, OP_JUMP, 0, cleanup);
    e->top = mark;
    emit_bind(e, done);
}

static void except_clause(Fn *f, const Handler *handler, Block *block, Label cleanup, Label end) {
    Emitter *e = &f->e;
    Label next = emit_label(e);
    uint32_t mark = e->top;
    if (handler->type) {
        e->statement = true;
        Operand type = expr_operand(f, handler->type);
        uint32_t matched = emit_temp(e);
        emit(e, handler->type->span, OP_EXC_MATCH, matched, block->reg, type);
        emit_jump(e, handler->type->span, OP_JUMP_IFNOT, matched, next);
        e->top = mark;
    }
    if (handler->name) {
        named_body(f, handler, block, cleanup);
    } else {
        stmt_body(f, handler->body);
    }
    guard_close(f, block);
    emit(e, handler->span, OP_EXC_LEAVE, block->reg, 0, 0);
    emit_jump(e, handler->span, OP_JUMP, 0, end);
    block->guard_start = e->len;
    emit_bind(e, next);
}

static void try_except(Fn *f, const Stmt *stmt) {
    Emitter *e = &f->e;
    Label entry = emit_label(e), cleanup = emit_label(e), end = emit_label(e);
    Block body = {.kind = BLOCK_TRY, .span = stmt->span}, block;
    enter(f, &body, entry, e->top);
    stmt_body(f, stmt->try_.body);
    leave(f, &body);
    stmt_body(f, stmt->try_.orelse);
    emit_jump(e, stmt->span, OP_JUMP, 0, end);
    handler_begin(f, &block, stmt->span, entry, cleanup);
    for (uint32_t i = 0; i < stmt->try_.handler_count; i++) {
        except_clause(f, &stmt->try_.handlers[i], &block, cleanup, end);
    }
    handler_end(f, &block, cleanup);
    emit_bind(e, end);
}

// ---- try … finally ------------------------------------------------------------------------------

static void try_finally(Fn *f, const Stmt *stmt) {
    Emitter *e = &f->e;
    Label entry = emit_label(e), cleanup = emit_label(e), end = emit_label(e);
    Block body = {.kind = BLOCK_FINALLY, .finally = stmt->try_.finally, .span = stmt->span}, block;
    enter(f, &body, entry, e->top);
    if (stmt->try_.handler_count > 0) {
        try_except(f, stmt);
    } else {
        stmt_body(f, stmt->try_.body);
    }
    leave(f, &body);
    stmt_body(f, stmt->try_.finally);
    emit_jump(e, stmt->span, OP_JUMP, 0, end);
    handler_begin(f, &block, stmt->span, entry, cleanup);
    stmt_body(f, stmt->try_.finally);
    handler_end(f, &block, cleanup);
    emit_bind(e, end);
}

void stmt_try(Fn *f, const Stmt *stmt) {
    nesting_enter(f, stmt->span);
    if (stmt->try_.finally.count > 0) {
        try_finally(f, stmt);
    } else {
        try_except(f, stmt);
    }
    nesting_leave(f);
}

// ---- with ---------------------------------------------------------------------------------------

// Registers from `pair`: __exit__ and its self, three arguments, then the exception handled.
enum { WITH_ARGS = 2, WITH_SIZE = 5 };

static void with_enter(Fn *f, const WithItem *item, uint32_t pair) {
    Emitter *e = &f->e;
    Operand context = expr_operand_in(f, item->context, pair);
    if (context & CONST_BIT) {
        emit_move(e, item->context->span, pair, context);
        context = pair;
    }
    emit(e, item->context->span, OP_WITH_PREP, pair, context, 0);
}

// Handles an exception from the body: calls __exit__, whose result says whether it is suppressed.
static void with_handler(Fn *f, const Stmt *stmt, uint32_t pair, Label entry, Label end) {
    Emitter *e = &f->e;
    Label cleanup = emit_label(e), suppress = emit_label(e);
    Block block;
    handler_begin(f, &block, stmt->span, entry, cleanup);
    emit(e, stmt->span, OP_EXC_TRIPLE, pair + WITH_ARGS, block.reg, 0);
    emit(e, stmt->span, OP_CALLM, pair, pair, 3);
    emit_jump(e, stmt->span, OP_JUMP_IF, pair, suppress);
    handler_end(f, &block, cleanup);
    emit_bind(e, suppress);
    emit(e, stmt->span, OP_EXC_LEAVE, block.reg, 0, 0);
    emit_jump(e, stmt->span, OP_JUMP, 0, end);
}

// Emits the with statement from item `index` on. MAX_STATIC_NESTING bounds the recursion.
static void with_items(Fn *f, const Stmt *stmt, uint32_t index) {
    if (index == stmt->with.item_count) {
        stmt_body(f, stmt->with.body);
        return;
    }
    Emitter *e = &f->e;
    const WithItem *item = &stmt->with.items[index];
    nesting_enter(f, stmt->span);
    uint32_t pair = emit_temps(e, WITH_SIZE), entered = pair + WITH_ARGS;
    Label entry = emit_label(e), end = emit_label(e);
    with_enter(f, item, pair);
    emit(e, item->context->span, OP_CALLM, entered, entered, 0);
    Block block = {.kind = BLOCK_WITH, .reg = pair, .span = stmt->span};
    enter(f, &block, entry, pair + WITH_SIZE);
    if (item->target) {
        assign_target(f, item->target, entered);
    } else {
        emit(e, item->context->span, OP_UNDEFINE, entered, 0, 0);
    }
    with_items(f, stmt, index + 1);
    leave(f, &block);
    call_exit_plain(f, stmt->span, pair);
    emit_jump(e, stmt->span, OP_JUMP, 0, end);
    with_handler(f, stmt, pair, entry, end);
    emit_bind(e, end);
    e->top = pair;
    nesting_leave(f);
}

void stmt_with(Fn *f, const Stmt *stmt) {
    with_items(f, stmt, 0);
}
