// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Integers of a nest of loops as sums: of what is the same in all its rounds, and of how often each
// of its loops has gone round. As region_depend.h wants them.

#ifndef NACRE_VM_REGION_PARALLEL_INDEX_H
#define NACRE_VM_REGION_PARALLEL_INDEX_H

#include "vm/region/depend.h"
#include "vm/region/loops.h"

// Names of terms: a parameter of the outermost loop's head by its number, what comes from outside by
// its slot, an extent by array and dimension.
enum { NAME_INPUT = 1 << 16, NAME_EXTENT = 1 << 17 };

typedef struct IndexForms {
    RegionMaker *maker;
    const Flow *flow;
    const FlowLoop *loop; // the outermost one
    int32_t count;        // values of the region when this was opened
    int32_t *block_of, *origin;
    int levels;
    int32_t level_heads[DEPEND_LEVELS]; // the head of the loop that a level counts, 0: `loop`
    int depth;
    bool roughly; // where range() and slices end does not matter
} IndexForms;

bool forms_open(RegionMaker *maker, const Flow *flow, const FlowLoop *loop, IndexForms *out);
void forms_close(IndexForms *s);

// The value that another one always is, by another name.
int32_t forms_origin(IndexForms *s, int32_t value);
// What a parameter of a loop's head grows by each round. False: not by the same number.
bool forms_step(IndexForms *s, const FlowLoop *loop, int32_t param, int64_t *step);
bool forms_number(IndexForms *s, int32_t value, int64_t *number); // it is one
// A parameter of `loop`'s head that is the same in all rounds.
bool forms_same(IndexForms *s, int32_t param);
// An index that is known not to be counted from the end, unless it is a number.
DependIndex forms_index(IndexForms *s, int32_t value);

// The largest loop within `loop`, or itself, whose head a block is; NULL: none.
const FlowLoop *forms_loop_of(const IndexForms *s, int32_t head);

// Whether one of the values that an instruction computes with, those of its nest among them, is such.
bool any_operand(const Region *r, const RegionInstr *in,
                 bool (*is)(const void *context, int32_t value), const void *context);

// The edges into a block, one after the other; begin with zeros.
typedef struct EdgesIn {
    int32_t block, edge; // where the edge comes from; the number behind it
} EdgesIn;
const RegionEdge *next_edge_in(const Region *r, int32_t block, EdgesIn *at);

#endif
