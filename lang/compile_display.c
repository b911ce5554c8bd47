// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Tuple, list, set and dict displays. Short ones are built from consecutive registers; those that
// are too long for that, or hold stars, are filled item by item.

#include "lang/compile_internal.h"

typedef struct Container {
    Opcode build, add, extend;
} Container;

static const Container list_container = {OP_LIST, OP_APPEND, OP_EXTEND};
static const Container set_container = {OP_SET, OP_SET_ADD, OP_SET_UPDATE};

enum { MIN_FOLDED_ITEMS = 4 }; // fewer constants are as fast to move one by one

static uint32_t leading_plain(ExprList items) {
    uint32_t count = 0;
    while (count < items.count && items.items[count]->kind != EXPR_STARRED) count++;
    return count;
}

static bool fits_row(ExprList items) {
    return items.count <= MAX_ROW && leading_plain(items) == items.count;
}

// Builds a container with instruction `op` from the first `count` items.
static void build_row(Fn *f, Span span, Opcode op, ExprList items, uint32_t count, uint32_t dest) {
    uint32_t row = expr_row(f, dest);
    for (uint32_t i = 0; i < count; i++) expr_next(f, items.items[i]);
    emit(&f->e, span, op, dest, row, count);
}

static void add_item(Fn *f, const Container *kind, const Expr *item, uint32_t dest) {
    bool star = item->kind == EXPR_STARRED;
    uint32_t mark = f->e.top;
    Operand value = expr_operand(f, star ? item->operand : item);
    emit(&f->e, item->span, star ? kind->extend : kind->add, dest, value, 0);
    f->e.top = mark;
}

// Builds a container item by item in `dest`, a temporary that no item reads.
static void fill(Fn *f, Span span, const Container *kind, ExprList items, uint32_t dest) {
    BcConst folded;
    if (items.count >= MIN_FOLDED_ITEMS && fold_items(f, items, &folded)) {
        emit(&f->e, span, kind->build, dest, dest, 0);
        emit(&f->e, span, kind->extend, dest, emit_const(&f->e, &folded), 0);
        return;
    }
    uint32_t row = leading_plain(items);
    if (row > MAX_ROW) row = MAX_ROW;
    uint32_t mark = f->e.top;
    build_row(f, span, kind->build, items, row, dest);
    f->e.top = mark;
    for (uint32_t i = row; i < items.count; i++) add_item(f, kind, items.items[i], dest);
}

static void expr_container(Fn *f, const Expr *expr, const Container *kind, uint32_t dest) {
    BcConst folded;
    bool constant = expr->items.count >= MIN_FOLDED_ITEMS && fold_items(f, expr->items, &folded);
    if (fits_row(expr->items) && !constant) {
        build_row(f, expr->span, kind->build, expr->items, expr->items.count, dest);
        return;
    }
    uint32_t built = is_temp(f, dest) ? dest : emit_temp(&f->e);
    fill(f, expr->span, kind, expr->items, built);
    emit_move(&f->e, expr->span, dest, built);
}

void expr_list(Fn *f, const Expr *expr, uint32_t dest) {
    expr_container(f, expr, &list_container, dest);
}

void expr_set(Fn *f, const Expr *expr, uint32_t dest) {
    expr_container(f, expr, &set_container, dest);
}

void expr_tuple(Fn *f, const Expr *expr, uint32_t dest) {
    if (fits_row(expr->items)) {
        build_row(f, expr->span, OP_TUPLE, expr->items, expr->items.count, dest);
        return;
    }
    uint32_t list = emit_temp(&f->e);
    fill(f, expr->span, &list_container, expr->items, list);
    emit(&f->e, expr->span, OP_LIST_TUPLE, dest, list, 0);
}

static bool is_plain_tuple(Fn *f, const Expr *expr) {
    BcConst folded;
    return expr->kind == EXPR_TUPLE && fits_row(expr->items) && !fold_items(f, expr->items, &folded);
}

bool display_pair(Fn *f, const Expr *first, const Expr *second, uint32_t dest) {
    if (!is_plain_tuple(f, first) || !is_plain_tuple(f, second)) return false;
    const ExprList items[2] = {first->items, second->items};
    uint32_t rows[2];
    for (int n = 0; n < 2; n++) {
        rows[n] = f->e.top;
        for (uint32_t i = 0; i < items[n].count; i++) expr_next(f, items[n].items[i]);
    }
    for (uint32_t n = 0; n < 2; n++)
        emit(&f->e, (n ? second : first)->span, OP_TUPLE, dest + n, rows[n], items[n].count);
    return true;
}

bool display_sequence(Fn *f, Span span, ExprList items, uint32_t dest) {
    BcConst folded;
    if (fold_items(f, items, &folded)) {
        emit_move(&f->e, span, dest, emit_const(&f->e, &folded));
        return false;
    }
    bool row = fits_row(items);
    if (row) {
        build_row(f, span, OP_TUPLE, items, items.count, dest);
    } else {
        fill(f, span, &list_container, items, dest);
    }
    return !row;
}

// ---- dict ---------------------------------------------------------------------------------------

static uint32_t leading_pairs(const Expr *expr) {
    uint32_t count = 0, most = MAX_ROW / 2;
    while (count < expr->dict.keys.count && count < most && expr->dict.keys.items[count]) count++;
    return count;
}

static void build_pairs(Fn *f, const Expr *expr, uint32_t count, uint32_t dest) {
    uint32_t row = expr_row(f, dest);
    for (uint32_t i = 0; i < count; i++) {
        expr_next(f, expr->dict.keys.items[i]);
        expr_next(f, expr->dict.values.items[i]);
    }
    emit(&f->e, expr->span, OP_DICT, dest, row, count);
}

static void add_pair(Fn *f, const Expr *key, const Expr *value, uint32_t dest) {
    uint32_t mark = f->e.top;
    if (key) {
        Operand k = expr_operand_before(f, key);
        Operand v = expr_operand(f, value);
        emit(&f->e, key->span, OP_DICT_SET, dest, k, v);
    } else {
        emit(&f->e, value->span, OP_DICT_UPDATE, dest, expr_operand(f, value), 0);
    }
    f->e.top = mark;
}

void expr_dict(Fn *f, const Expr *expr, uint32_t dest) {
    uint32_t count = expr->dict.keys.count, row = leading_pairs(expr);
    if (row == count) {
        build_pairs(f, expr, row, dest);
        return;
    }
    uint32_t built = is_temp(f, dest) ? dest : emit_temp(&f->e), mark = f->e.top;
    build_pairs(f, expr, row, built);
    f->e.top = mark;
    for (uint32_t i = row; i < count; i++) {
        add_pair(f, expr->dict.keys.items[i], expr->dict.values.items[i], built);
    }
    emit_move(&f->e, expr->span, dest, built);
}
