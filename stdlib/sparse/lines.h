// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Work on the entries of each line (a row of CSR, a column of CSC) in place: sorting, adding up, leaving out. Lines
// are taken in groups, which threads share; what a group no longer needs leaves a gap behind it, and `pack_lines`
// closes the gaps.

#ifndef NACRE_STDLIB_SPARSE_LINES_H
#define NACRE_STDLIB_SPARSE_LINES_H

#include "stdlib/sparse/ops.h"

enum { LINE_GROUPS = 1024 }; // at most

typedef struct Lines {
    SparseCall *call;
    DType index, type; // of indptr and indices; of data
    void *indptr, *indices, *data;
    int64_t lines;
    int shift, groups;            // group g has the lines from g << shift to (g + 1) << shift
    bool sort, add, drop;         // what is done: sort by index, add entries of one index (of sorted lines), drop zeros
    int64_t *begins, *kept;       // of each group: where its entries begin (and where the last one's end), and how
                                  // many it has left
    void *room;                   // of `room_each` bytes for each entry, for sorting; NULL: lines are short
    size_t room_each;
} Lines;

// Bytes that sorting needs for each entry.
size_t line_room(DType index, DType type);
// Chooses the groups, and makes what is counted for each. False: no memory.
bool lines_begin(Lines *l);
// The entries of one group; indptr[line + 1] becomes the end of the line. Called by any thread.
void finish_group(Lines *l, int group);
// Closes the gaps between groups. Returns the number of entries, or -1: no memory.
int64_t pack_lines(Lines *l);

// Does `transpose` (compress.c), if entries that are near each other go near each other; else false, and nothing is done.
// Its arguments have been checked, but for the indices.
bool transpose_near(SparseCall *call);

#endif
