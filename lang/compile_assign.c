// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Assignment in its forms, and del.

#include "lang/compile_internal.h"

// ---- targets ------------------------------------------------------------------------------------

static uint32_t target_register(Fn *f, const Expr *target) {
    return target->kind == EXPR_NAME ? name_register(f, target->name) : NO_REG;
}

// Returns the first register of the targets if they are locals in consecutive registers, else NO_REG.
static uint32_t locals_in_a_row(Fn *f, ExprList targets) {
    uint32_t first = NO_REG;
    for (uint32_t i = 0; i < targets.count; i++) {
        uint32_t reg = target_register(f, targets.items[i]);
        if (reg == NO_REG) return NO_REG;
        if (i == 0) first = reg;
        if (reg != first + i) return NO_REG;
    }
    return first;
}

static Opcode unpack_shape(Fn *f, const Expr *pattern, uint32_t *shape) {
    ExprList targets = pattern->items;
    uint32_t star = 0;
    while (star < targets.count && targets.items[star]->kind != EXPR_STARRED) star++;
    *shape = targets.count;
    if (star == targets.count) return OP_UNPACK;
    uint32_t after = targets.count - star - 1;
    if (star > 255 || after > 255) {
        ctx_fail(f->c->ctx, pattern->span, "too many expressions in star-unpacking assignment");
    }
    *shape = star | after << 8;
    return OP_UNPACK_STAR;
}

static void assign_unpack(Fn *f, const Expr *pattern, Operand value) {
    Emitter *e = &f->e;
    ExprList targets = pattern->items;
    uint32_t shape, mark = e->top;
    Opcode op = unpack_shape(f, pattern, &shape);
    uint32_t row = locals_in_a_row(f, targets);
    if (row != NO_REG) {
        emit(e, pattern->span, op, row, value, shape);
        return;
    }
    // With no targets the instruction still names a register.
    row = emit_temps(e, targets.count ? targets.count : 1);
    emit(e, pattern->span, op, row, value, shape);
    for (uint32_t i = 0; i < targets.count; i++) {
        const Expr *target = targets.items[i];
        assign_target(f, target->kind == EXPR_STARRED ? target->operand : target, row + i);
    }
    e->top = mark;
}

static void assign_attribute(Fn *f, const Expr *target, Operand value) {
    uint32_t object = expr_register(f, target->attribute.object);
    Name name = resolve_mangle(f->c->names, f->scope, target->attribute.name);
    emit(&f->e, target->span, OP_SETATTR, object, emit_name(&f->e, name), value);
}

void assign_target(Fn *f, const Expr *target, Operand value) {
    uint32_t mark = f->e.top;
    switch (target->kind) {
    case EXPR_NAME: name_store(f, target->span, target->name, value); break;
    case EXPR_ATTRIBUTE: assign_attribute(f, target, value); break;
    case EXPR_SUBSCRIPT: {
        uint32_t object = expr_register_before(f, target->subscript.object);
        Index index = index_eval(f, target->subscript.index);
        index_set(f, target->span, object, index, value);
        break;
    }
    default: assign_unpack(f, target, value); break;
    }
    f->e.top = mark;
}

// ---- a, b = x, y --------------------------------------------------------------------------------

static bool stores_register(Fn *f, const Expr *target, uint32_t reg) {
    switch (target->kind) {
    case EXPR_NAME: return name_register(f, target->name) == reg;
    case EXPR_STARRED: return stores_register(f, target->operand, reg);
    case EXPR_TUPLE:
    case EXPR_LIST:
        for (uint32_t i = 0; i < target->items.count; i++) {
            if (stores_register(f, target->items.items[i], reg)) return true;
        }
        return false;
    default: return false;
    }
}

static bool has_star(ExprList items) {
    for (uint32_t i = 0; i < items.count; i++) {
        if (items.items[i]->kind == EXPR_STARRED) return true;
    }
    return false;
}

static bool is_parallel(const Expr *target, const Expr *value) {
    if (target->kind != EXPR_TUPLE && target->kind != EXPR_LIST) return false;
    if (value->kind != EXPR_TUPLE && value->kind != EXPR_LIST) return false;
    uint32_t count = target->items.count;
    return count == value->items.count && count > 0 && count <= MAX_ROW &&
           !has_star(target->items) && !has_star(value->items);
}

// Evaluates item `index` of the right-hand side. A constant needs no code, nor does a local that no
// earlier target overwrites; a local that one does is copied.
static Operand parallel_operand(Fn *f, ExprList targets, ExprList values, uint32_t index) {
    const Expr *value = values.items[index];
    uint32_t reg = target_register(f, value);
    if (reg == NO_REG) return expr_operand(f, value);
    for (uint32_t i = 0; i < index; i++) {
        if (stores_register(f, targets.items[i], reg)) return expr_next(f, value);
    }
    return expr_operand_before(f, value);
}

// Returns whether the last item can be evaluated directly into its target, before the other targets
// are stored to. Those have to be other locals, whose stores have no visible effect.
static bool last_goes_direct(Fn *f, ExprList targets, const Operand *operands, uint32_t last) {
    uint32_t dest = target_register(f, targets.items[last]);
    if (dest == NO_REG) return false;
    for (uint32_t i = 0; i < last; i++) {
        uint32_t reg = target_register(f, targets.items[i]);
        if (reg == NO_REG || reg == dest || operands[i] == dest) return false;
    }
    return true;
}

static void assign_parallel(Fn *f, ExprList targets, ExprList values) {
    uint32_t last = targets.count - 1, mark = f->e.top;
    Operand *operands = ctx_alloc(f->c->ctx, targets.count * sizeof *operands);
    for (uint32_t i = 0; i < last; i++) operands[i] = parallel_operand(f, targets, values, i);
    if (last_goes_direct(f, targets, operands, last)) {
        uint32_t dest = target_register(f, targets.items[last]);
        expr_into(f, values.items[last], dest);
        operands[last] = dest;
    } else {
        operands[last] = parallel_operand(f, targets, values, last);
    }
    for (uint32_t i = 0; i <= last; i++) assign_target(f, targets.items[i], operands[i]);
    f->e.top = mark;
}

// ---- a = b = x ----------------------------------------------------------------------------------

static void assign_one(Fn *f, const Expr *target, const Expr *value) {
    uint32_t reg = target_register(f, target);
    if (reg != NO_REG) {
        expr_into(f, value, reg);
    } else if (is_parallel(target, value)) {
        assign_parallel(f, target->items, value->items);
    } else if (target->kind == EXPR_NAME) {
        assign_target(f, target, expr_operand(f, value));
    } else {
        assign_target(f, target, expr_operand_before(f, value));
    }
}

static bool all_names(ExprList targets) {
    for (uint32_t i = 0; i < targets.count; i++) {
        if (targets.items[i]->kind != EXPR_NAME) return false;
    }
    return true;
}

static void assign_many(Fn *f, ExprList targets, const Expr *value) {
    uint32_t reg = target_register(f, targets.items[0]);
    Operand operand;
    if (!all_names(targets)) {
        operand = expr_next(f, value); // copied: storing to a target may change the local that holds it
    } else if (reg != NO_REG) {
        expr_into(f, value, reg);
        operand = reg;
    } else {
        operand = expr_operand(f, value);
    }
    for (uint32_t i = 0; i < targets.count; i++) assign_target(f, targets.items[i], operand);
}

void assign_stmt(Fn *f, const Stmt *stmt) {
    uint32_t mark = f->e.top;
    ExprList targets = stmt->assign.targets;
    if (targets.count == 1) {
        assign_one(f, targets.items[0], stmt->assign.value);
    } else {
        assign_many(f, targets, stmt->assign.value);
    }
    f->e.top = mark;
}

// ---- x += y -------------------------------------------------------------------------------------

static void augment(Fn *f, const Stmt *stmt, uint32_t dest, Operand left) {
    Operand right = expr_operand(f, stmt->aug_assign.value);
    emit_alt(&f->e, stmt->span, binary_opcode(stmt->aug_assign.op), dest, left, right);
}

static void augment_name(Fn *f, const Stmt *stmt) {
    const Expr *target = stmt->aug_assign.target;
    uint32_t reg = name_register(f, target->name);
    if (reg != NO_REG && !name_may_rebind(f, target->name)) {
        name_check(f, target->span, target->name);
        augment(f, stmt, reg, reg);
        return;
    }
    uint32_t temp = emit_temp(&f->e);
    name_load(f, target->span, target->name, temp);
    augment(f, stmt, temp, temp);
    name_store(f, target->span, target->name, temp);
}

static void augment_attribute(Fn *f, const Stmt *stmt) {
    Emitter *e = &f->e;
    const Expr *target = stmt->aug_assign.target;
    uint32_t object = expr_register_before(f, target->attribute.object), temp = emit_temp(e);
    uint32_t name = emit_name(e, resolve_mangle(f->c->names, f->scope, target->attribute.name));
    emit(e, target->span, OP_GETATTR, temp, object, name);
    augment(f, stmt, temp, temp);
    emit(e, target->span, OP_SETATTR, object, name, temp);
}

static void augment_subscript(Fn *f, const Stmt *stmt) {
    Emitter *e = &f->e;
    const Expr *target = stmt->aug_assign.target;
    uint32_t object = expr_register_before(f, target->subscript.object);
    Index index = index_eval(f, target->subscript.index);
    uint32_t temp = emit_temp(e);
    index_get(f, target->span, temp, object, index_copy(f, target->span, index));
    e->top = temp + 1;
    augment(f, stmt, temp, temp);
    index_set(f, target->span, object, index, temp);
}

void assign_augmented(Fn *f, const Stmt *stmt) {
    uint32_t mark = f->e.top;
    switch (stmt->aug_assign.target->kind) {
    case EXPR_NAME: augment_name(f, stmt); break;
    case EXPR_ATTRIBUTE: augment_attribute(f, stmt); break;
    default: augment_subscript(f, stmt); break;
    }
    f->e.top = mark;
}

// ---- x: T = y -----------------------------------------------------------------------------------

// Returns an annotation as its source text, for `from __future__ import annotations`.
static Operand annotation_text(Fn *f, Span span) {
    Context *ctx = f->c->ctx;
    Text first = diag_source_line(ctx->text, ctx->len, span.line);
    Text last = diag_source_line(ctx->text, ctx->len, span.end_line);
    const char *start = first.bytes + span.col;
    return emit_const_text(&f->e, (Text){start, (size_t)(last.bytes + span.end_col - start)});
}

Operand annotation_operand(Fn *f, const Expr *annotation) {
    if (f->c->names->future_annotations) return annotation_text(f, annotation->span);
    return expr_operand(f, annotation);
}

// Evaluates the parts of an annotated target that has no value (`a.b: int`), for their effects.
static void evaluate_target(Fn *f, const Expr *target) {
    if (target->kind == EXPR_ATTRIBUTE) {
        expr_discard(f, target->attribute.object);
    } else if (target->kind == EXPR_SUBSCRIPT) {
        expr_discard(f, target->subscript.object);
        expr_discard(f, target->subscript.index);
    }
}

void assign_annotated(Fn *f, const Stmt *stmt) {
    const Expr *target = stmt->ann_assign.target;
    uint32_t mark = f->e.top;
    if (stmt->ann_assign.value) {
        assign_one(f, target, stmt->ann_assign.value);
    } else {
        evaluate_target(f, target);
    }
    f->e.top = mark;
    if (f->frame->kind != SCOPE_MODULE && f->frame->kind != SCOPE_CLASS) return;
    if (stmt->ann_assign.simple) {
        Operand annotation = annotation_operand(f, stmt->ann_assign.annotation);
        Name name = resolve_mangle(f->c->names, f->scope, target->name);
        emit(&f->e, stmt->span, OP_ANNOTATE, emit_name(&f->e, name), annotation, 0);
    } else if (!f->c->names->future_annotations) {
        expr_discard(f, stmt->ann_assign.annotation);
    }
    f->e.top = mark;
}

// ---- del ----------------------------------------------------------------------------------------

static void delete_subscript(Fn *f, const Expr *target) {
    uint32_t object = expr_register_before(f, target->subscript.object);
    Operand index = expr_operand(f, target->subscript.index);
    emit(&f->e, target->span, OP_DELITEM, object, index, 0);
}

void assign_delete(Fn *f, const Expr *target) {
    uint32_t mark = f->e.top;
    switch (target->kind) {
    case EXPR_NAME: name_delete(f, target->span, target->name); break;
    case EXPR_ATTRIBUTE: {
        uint32_t object = expr_register(f, target->attribute.object);
        Name name = resolve_mangle(f->c->names, f->scope, target->attribute.name);
        emit(&f->e, target->span, OP_DELATTR, object, emit_name(&f->e, name), 0);
        break;
    }
    case EXPR_SUBSCRIPT: delete_subscript(f, target); break;
    default:
        for (uint32_t i = 0; i < target->items.count; i++) {
            assign_delete(f, target->items.items[i]);
        }
    }
    f->e.top = mark;
}
