// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Work on the entries of each line (a row of CSR, a column of CSC) in place: sorting, adding duplicates, dropping
// zeros. Lines are processed in groups, which threads share. A group that gets shorter leaves a gap, which `pack_lines`
// closes.

#ifndef NACRE_STDLIB_SPARSE_LINES_H
#define NACRE_STDLIB_SPARSE_LINES_H

#include "stdlib/sparse/ops.h"

enum { LINE_GROUPS = 1024 }; // at most

typedef struct Lines {
    SparseCall *call;
    DType index, type; // of indptr and indices; of data
    void *indptr, *indices, *data;
    int64_t lines;
    int shift, groups;            // group g has the lines [g << shift, (g + 1) << shift)
    bool sort, add, drop;         // what is done: sort by index, then add entries of equal index, then drop zeros
    int64_t *begins, *kept;       // by group: where its entries begin (one more: where the last one's end);
                                  // and how many it has left
    void *room;                   // workspace for sorting, `room_each` bytes per entry
    size_t room_each;
} Lines;

// Returns how many bytes sorting needs for each entry.
size_t line_room(DType index, DType type);
// Chooses the groups, and allocates `begins` and `kept`. False: no memory; the call's error is set.
bool lines_begin(Lines *l);
// Processes the entries of one group; indptr[line + 1] becomes the end of the line. Any thread may call it.
void finish_group(Lines *l, int group);
// Closes the gaps between groups. Returns the number of entries, or -1: no memory; the call's error is set.
int64_t pack_lines(Lines *l);

// Performs `transpose` (compress.c) if successive entries mostly go to nearby places. Otherwise does nothing and
// returns false. The arguments have been checked, except the indices.
bool transpose_near(SparseCall *call);

#endif
