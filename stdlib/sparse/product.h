// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The product of two sparse matrices: what all semirings share (product.c), and their loops (product_fill.c).

#ifndef NACRE_STDLIB_SPARSE_PRODUCT_H
#define NACRE_STDLIB_SPARSE_PRODUCT_H

#include "stdlib/sparse/ops.h"

// A thread's accumulator for one line.
typedef struct Summing {
    void *sums;            // by column, or by slot of the hash table
    int32_t *marks;        // dense: by column, the mark of the last line and pass that had it; at first -1
    int64_t *keys;         // hash: by slot, the column; -1: free
    int32_t *columns;      // dense: the columns of this line, then as much room to sort them
    int64_t *wide_columns; // hash: the same
    int64_t *taken;        // hash: slots that this line uses
    bool cleared;          // dense: all sums have been set to the semiring's ZERO once
    int order_count;       // columns of the last line that was sorted by rank; 0: none
    uint8_t order[32];     // their positions in the sorted line
} Summing;

typedef struct Product Product;
typedef void (*FillFn)(const Product *p, Summing *s, int64_t from, int64_t end);

struct Product {
    SparseCall *call;
    const void *a_indptr, *a_indices, *a_data, *b_indptr, *b_indices, *b_data;
    int64_t lines, width;
    bool wide, dense;
    size_t size;          // bytes of an entry
    int64_t longest;      // bound on the entries of a line
    int64_t slots;        // of the hash table, a power of two
    int shift;            // 64 - log2(slots)
    int parts;
    Summing *summing;     // by worker
    int64_t *counts;      // by line
    FillFn fill;
    void *to_indptr, *to_indices, *to_data;
};

// Returns the loops of a semiring for a type; NULL: there are none.
FillFn fill_of(const char *semiring, bool wide, DType type);

// Sorts the n columns of a line. `mark` is their mark, if the accumulator is dense.
void sort_line(const Product *p, Summing *s, int64_t n, int32_t mark);

// Returns the column's slot in the hash table, or the free slot where it belongs. Fibonacci hashing, linear probing.
static inline uint64_t slot_of(const Product *p, const Summing *s, int64_t column) {
    uint64_t slot = (uint64_t)column * UINT64_C(0x9e3779b97f4a7c15) >> p->shift;
    while (s->keys[slot] >= 0 && s->keys[slot] != column) slot = (slot + 1) & (uint64_t)(p->slots - 1);
    return slot;
}

// Empties the table, in which the line uses n slots.
static inline void empty_table(Summing *s, int64_t n) {
    while (n-- > 0) s->keys[s->taken[n]] = -1;
}

#endif
