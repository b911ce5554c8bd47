// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Interned affine size expressions: c + k1*s1 + k2*s2 …, the extents of arrays as the graph, plans
// and ahead-of-time code see them. Equal expressions are one object, so equality is a comparison of
// numbers. Recording supplies each symbol's concrete value.

#ifndef NACRE_VM_GRAPH_SIZE_H
#define NACRE_VM_GRAPH_SIZE_H

#include "lang/support/mem.h"

enum { SIZE_TERMS = 4 };

typedef uint32_t SizeId; // number of an expression in its table

typedef struct SizeTerm {
    uint32_t symbol; // from 1; 0 ends the list. Terms are sorted by symbol
    int64_t factor;  // never 0
} SizeTerm;

typedef struct SizeExpr {
    int64_t constant;
    SizeTerm terms[SIZE_TERMS];
} SizeExpr;

typedef struct SizeTable {
    Mem *mem;
    SizeExpr *exprs;
    size_t count, cap;
    uint32_t *index; // open addressing; 0: empty, otherwise number + 1
    size_t index_size;
    int64_t *values; // of symbols; values[0] is unused
    size_t symbols, values_cap;
} SizeTable;

void size_table_init(SizeTable *table, Mem *mem);
void size_table_free(SizeTable *table);

// All answer false when out of memory, or when an expression would need more than SIZE_TERMS terms
// or does not fit 64 bits.
bool size_constant(SizeTable *table, int64_t value, SizeId *out);
bool size_symbol(SizeTable *table, int64_t value, SizeId *out); // a new unknown with its value now
bool size_add(SizeTable *table, SizeId a, SizeId b, SizeId *out);
bool size_scale(SizeTable *table, SizeId a, int64_t factor, SizeId *out);

int64_t size_value(const SizeTable *table, SizeId id); // concrete

#endif
