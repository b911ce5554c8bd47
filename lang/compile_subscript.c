// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Subscripts. The items of a tuple index `a[i, j]` are passed in registers, without making a tuple.

#include "lang/compile_internal.h"

static bool in_registers(Fn *f, const Expr *index) {
    BcConst folded;
    if (index->kind != EXPR_TUPLE) return false;
    if (index->items.count < 2 || index->items.count > MAX_INDEXES) return false;
    for (uint32_t i = 0; i < index->items.count; i++) {
        if (index->items.items[i]->kind == EXPR_STARRED) return false;
    }
    return !fold_items(f, index->items, &folded);
}

Index index_eval(Fn *f, const Expr *index) {
    if (!in_registers(f, index)) return (Index){.operand = expr_operand_before(f, index)};
    Index row = {.count = index->items.count, .first = f->e.top};
    for (uint32_t i = 0; i < row.count; i++) expr_next(f, index->items.items[i]);
    return row;
}

Index index_copy(Fn *f, Span span, Index index) {
    if (index.count == 0) return index;
    Index copy = {.count = index.count, .first = emit_temps(&f->e, index.count)};
    for (uint32_t i = 0; i < index.count; i++) {
        emit_move(&f->e, span, copy.first + i, index.first + i);
    }
    return copy;
}

Operand index_single(Fn *f, Span span, Index index) {
    if (index.count == 0) return index.operand;
    emit(&f->e, span, OP_TUPLE, index.first, index.first, index.count);
    return index.first;
}

void index_get(Fn *f, Span span, uint32_t dest, Operand object, Index index) {
    if (index.count == 0) {
        emit(&f->e, span, OP_GETITEM, dest, object, index.operand);
        return;
    }
    emit(&f->e, span, OP_GETITEMS, dest, object, index.first);
    emit_extension(&f->e, index.count);
}

void index_set(Fn *f, Span span, uint32_t object, Index index, Operand value) {
    if (index.count == 0) {
        emit(&f->e, span, OP_SETITEM, object, index.operand, value);
        return;
    }
    emit(&f->e, span, OP_SETITEMS, object, index.first, value);
    emit_extension(&f->e, index.count);
}
