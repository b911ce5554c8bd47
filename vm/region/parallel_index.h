// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Expresses integers of a loop nest as affine sums of loop-invariant terms and loop counters, in
// the form that depend.h takes.

#ifndef NACRE_VM_REGION_PARALLEL_INDEX_H
#define NACRE_VM_REGION_PARALLEL_INDEX_H

#include "vm/region/depend.h"
#include "vm/region/loops.h"

// Names of terms: a head parameter of the outermost loop is named by its number, an input by its
// slot, an extent by array and dimension.
enum { NAME_INPUT = 1 << 16, NAME_EXTENT = 1 << 17 };

typedef struct IndexForms {
    RegionMaker *maker;
    const Flow *flow;
    const FlowLoop *loop; // the outermost loop of the nest
    int32_t count;        // number of the region's values when this was opened
    int32_t *block_of, *origin;
    int levels;
    int32_t level_heads[DEPEND_LEVELS]; // head of the loop that each level counts; level 0 is
                                        // `loop`
    int depth;
    bool roughly; // approximate: ignores where range() and slices end
} IndexForms;

bool forms_open(RegionMaker *maker, const Flow *flow, const FlowLoop *loop, IndexForms *out);
void forms_close(IndexForms *s);

// Returns the value that a value is a copy of, or the value itself.
int32_t forms_origin(IndexForms *s, int32_t value);
// Finds the constant step of a loop head's parameter. False: the step varies.
bool forms_step(IndexForms *s, const FlowLoop *loop, int32_t param, int64_t *step);
bool forms_number(IndexForms *s, int32_t value, int64_t *number); // returns whether it is a constant
// Returns whether a parameter of the outermost loop's head is loop-invariant.
bool forms_same(IndexForms *s, int32_t param);
// Expresses an index. The index must not be negative unless it is a constant.
DependIndex forms_index(IndexForms *s, int32_t value);

// Returns the largest loop with this head that is s->loop or inside it; NULL: none.
const FlowLoop *forms_loop_of(const IndexForms *s, int32_t head);

// Tests whether any operand, including those of the instruction's nest, satisfies the predicate.
bool any_operand(const Region *r, const RegionInstr *in,
                 bool (*is)(const void *context, int32_t value), const void *context);

// Iterates over the edges into a block; start from zeros.
typedef struct EdgesIn {
    int32_t block, edge; // source block of the edge, and its number plus one
} EdgesIn;
const RegionEdge *next_edge_in(const Region *r, int32_t block, EdgesIn *at);

#endif
