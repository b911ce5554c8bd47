// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Runs of rows: what makes products with stencils and bands cheaper. In a run every row has equally many entries, and
// from a row to the next their columns all move by the same step; so a product need not read `indices` there, a third
// of the matrix's bytes. (Kourtis, Karakasis, Goumas and Koziris, CSX, 2011, call them substructures.)

#ifndef NACRE_VM_GRAPH_ROW_RUNS_H
#define NACRE_VM_GRAPH_ROW_RUNS_H

#include "vm/graph/storage.h"

typedef struct RowRun {
    int64_t row;     // the first one; the run ends where the next begins
    int64_t entries; // of each row; -1: rows that are not alike
    int64_t entry;   // the first of the first row
    int64_t step;    // of the columns, from a row to the next
    int64_t columns; // index of the first row's columns in RowRuns.columns
} RowRun;

// Kept with the storage of `indices`, for one version of it and of indptr.
typedef struct RowRuns {
    uint64_t version, indptr_version;
    int64_t offset, indptr_offset, rows;
    Storage *indptr; // a reference
    bool noted, sought; // a product has been recorded; the runs have been looked for
    int64_t count;   // of runs; 0: not worth it
    RowRun *runs;    // count of them, and one that begins behind the last row
    int64_t *columns;
    size_t room, column_room;
    void *reach; // of a matrix on ranks: what each rank's rows read (vm/sched/split_lines.c), or NULL
    size_t reach_bytes;
} RowRuns;

// Finds, and caches, the row runs of these index arrays in their current version. Borrowed. NULL: out of memory, or the
// arrays cannot be cached.
RowRuns *row_runs_record(Vm *vm, const View *indptr, const View *indices);
void row_runs_forget_reach(Vm *vm, RowRuns *runs);

// Notes a product with rows of these arrays, contiguous, checked, of int32 or int64 both. From the second one on their
// runs are known, if they are long and the indices are in the host's memory. Without memory there are none.
void row_runs_note(Vm *vm, const View *indptr, const View *indices);
// Runs of those rows as they are now; NULL: none are known. They may be some of the rows that the runs are of: *first is the
// number that row 0 has there.
const RowRuns *row_runs_of(const View *indptr, const View *indices, int64_t *first);
// The run that has the row.
const RowRun *row_run_at(const RowRuns *runs, int64_t row);
void row_runs_free(Vm *vm, RowRuns *runs); // accepts NULL

#endif
