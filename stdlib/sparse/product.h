// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What the product of two sparse matrices has for all semirings (product.c), and their loops (product_fill.c).

#ifndef NACRE_STDLIB_SPARSE_PRODUCT_H
#define NACRE_STDLIB_SPARSE_PRODUCT_H

#include "stdlib/sparse/ops.h"

// A thread's sum of a line.
typedef struct Summing {
    void *sums;            // by column, or by slot of the hash table
    int32_t *marks;        // dense: by column, which line or pass has met it last; at first -1
    int64_t *keys;         // hash: by slot, the column, or -1
    int32_t *columns;      // dense: those of this line, and as many places for sorting them
    int64_t *wide_columns; // hash: likewise
    int64_t *taken;        // hash: slots that this line has taken
} Summing;

typedef struct Product Product;
typedef void (*FillFn)(const Product *p, Summing *s, int64_t from, int64_t end);

struct Product {
    SparseCall *call;
    const void *a_indptr, *a_indices, *a_data, *b_indptr, *b_indices, *b_data;
    int64_t lines, width;
    bool wide, dense;
    size_t size;          // of an entry
    int64_t longest;      // the most entries of a line
    int64_t slots;        // of a hash table, a power of two
    int shift;            // 64 less its logarithm
    int parts;
    Summing *summing;     // by worker
    int64_t *counts;      // by line
    FillFn fill;
    void *to_indptr, *to_indices, *to_data;
};

// The loops of a semiring for a type; NULL: there are none.
FillFn fill_of(const char *semiring, bool wide, DType type);

// Puts the n columns of a line in order. `mark` is what they are marked with, if the sum is dense.
void sort_line(const Product *p, Summing *s, int64_t n, int32_t mark);

// The column's slot of the hash table, or the free one where it belongs: Fibonacci hashing and linear probing.
static inline uint64_t slot_of(const Product *p, const Summing *s, int64_t column) {
    uint64_t slot = (uint64_t)column * UINT64_C(0x9e3779b97f4a7c15) >> p->shift;
    while (s->keys[slot] >= 0 && s->keys[slot] != column) slot = (slot + 1) & (uint64_t)(p->slots - 1);
    return slot;
}

// Empties the table, in which the line has taken n slots.
static inline void empty_table(Summing *s, int64_t n) {
    while (n-- > 0) s->keys[s->taken[n]] = -1;
}

#endif
