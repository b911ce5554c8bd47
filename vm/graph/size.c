// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Interning and arithmetic of affine size expressions.

#include "vm/graph/size.h"

#include <string.h>

void size_table_init(SizeTable *table, Mem *mem) {
    *table = (SizeTable){.mem = mem};
}

void size_table_free(SizeTable *table) {
    mem_free(table->mem, table->exprs, table->cap * sizeof *table->exprs);
    mem_free(table->mem, table->index, table->index_size * sizeof *table->index);
    mem_free(table->mem, table->values, table->values_cap * sizeof *table->values);
    *table = (SizeTable){.mem = table->mem};
}

static size_t expr_hash(const SizeExpr *expr) {
    uint64_t h = (uint64_t)expr->constant * 0x9e3779b97f4a7c15u;
    for (int i = 0; i < SIZE_TERMS; i++) {
        h = (h ^ expr->terms[i].symbol) * 0xff51afd7ed558ccdu;
        h = (h ^ (uint64_t)expr->terms[i].factor ^ h >> 29) * 0xc4ceb9fe1a85ec53u;
    }
    return (size_t)(h ^ h >> 32);
}

static bool expr_equal(const SizeExpr *a, const SizeExpr *b) {
    if (a->constant != b->constant) return false;
    for (int i = 0; i < SIZE_TERMS; i++)
        if (a->terms[i].symbol != b->terms[i].symbol || a->terms[i].factor != b->terms[i].factor)
            return false;
    return true;
}

static bool index_grow(SizeTable *table) {
    size_t size = table->index_size ? 2 * table->index_size : 32;
    uint32_t *index = mem_zalloc(table->mem, size * sizeof *index);
    if (!index) return false;
    for (size_t i = 0; i < table->count; i++) {
        size_t at = expr_hash(&table->exprs[i]) & (size - 1);
        while (index[at]) at = (at + 1) & (size - 1);
        index[at] = (uint32_t)i + 1;
    }
    mem_free(table->mem, table->index, table->index_size * sizeof *table->index);
    table->index = index;
    table->index_size = size;
    return true;
}

static bool intern(SizeTable *table, const SizeExpr *expr, SizeId *out) {
    if (2 * (table->count + 1) > table->index_size && !index_grow(table)) return false;
    size_t at = expr_hash(expr) & (table->index_size - 1);
    for (; table->index[at]; at = (at + 1) & (table->index_size - 1)) {
        if (!expr_equal(&table->exprs[table->index[at] - 1], expr)) continue;
        *out = table->index[at] - 1;
        return true;
    }
    if (!mem_grow(table->mem, (void **)&table->exprs, &table->cap, table->count + 1,
                  sizeof *table->exprs))
        return false;
    table->exprs[table->count] = *expr;
    *out = (SizeId)table->count++;
    table->index[at] = *out + 1;
    return true;
}

bool size_constant(SizeTable *table, int64_t value, SizeId *out) {
    SizeExpr expr;
    memset(&expr, 0, sizeof expr);
    expr.constant = value;
    return intern(table, &expr, out);
}

bool size_symbol(SizeTable *table, int64_t value, SizeId *out) {
    if (!mem_grow(table->mem, (void **)&table->values, &table->values_cap, table->symbols + 2,
                  sizeof *table->values))
        return false;
    table->values[++table->symbols] = value;
    SizeExpr expr;
    memset(&expr, 0, sizeof expr);
    expr.terms[0] = (SizeTerm){(uint32_t)table->symbols, 1};
    return intern(table, &expr, out);
}

// Merges two sorted lists of terms.
bool size_add(SizeTable *table, SizeId a, SizeId b, SizeId *out) {
    const SizeExpr *x = &table->exprs[a], *y = &table->exprs[b];
    SizeExpr sum;
    memset(&sum, 0, sizeof sum);
    if (__builtin_add_overflow(x->constant, y->constant, &sum.constant)) return false;
    int i = 0, j = 0, n = 0;
    while ((i < SIZE_TERMS && x->terms[i].symbol) || (j < SIZE_TERMS && y->terms[j].symbol)) {
        uint32_t sx = i < SIZE_TERMS && x->terms[i].symbol ? x->terms[i].symbol : UINT32_MAX;
        uint32_t sy = j < SIZE_TERMS && y->terms[j].symbol ? y->terms[j].symbol : UINT32_MAX;
        SizeTerm term = {sx < sy ? sx : sy, 0};
        if (sx <= sy) term.factor = x->terms[i++].factor;
        if (sy <= sx && __builtin_add_overflow(term.factor, y->terms[j++].factor, &term.factor))
            return false;
        if (term.factor == 0) continue;
        if (n == SIZE_TERMS) return false;
        sum.terms[n++] = term;
    }
    return intern(table, &sum, out);
}

bool size_scale(SizeTable *table, SizeId a, int64_t factor, SizeId *out) {
    SizeExpr scaled = table->exprs[a];
    if (factor == 0) return size_constant(table, 0, out);
    if (__builtin_mul_overflow(scaled.constant, factor, &scaled.constant)) return false;
    for (int i = 0; i < SIZE_TERMS && scaled.terms[i].symbol; i++)
        if (__builtin_mul_overflow(scaled.terms[i].factor, factor, &scaled.terms[i].factor))
            return false;
    return intern(table, &scaled, out);
}

int64_t size_value(const SizeTable *table, SizeId id) {
    const SizeExpr *expr = &table->exprs[id];
    int64_t value = expr->constant;
    for (int i = 0; i < SIZE_TERMS && expr->terms[i].symbol; i++)
        value += expr->terms[i].factor * table->values[expr->terms[i].symbol];
    return value;
}
