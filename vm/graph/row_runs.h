// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Runs of rows of a compressed matrix. They make products with stencil and band matrices cheaper. In a run every row
// has equally many entries, and from one row to the next all their columns move by the same step. So a product need not
// read `indices` there, a third of the matrix's bytes. (Kourtis, Karakasis, Goumas and Koziris, CSX, 2011, call them
// substructures.)

#ifndef NACRE_VM_GRAPH_ROW_RUNS_H
#define NACRE_VM_GRAPH_ROW_RUNS_H

#include "vm/graph/storage.h"

typedef struct RowRun {
    int64_t row;     // first row; the run ends where the next begins
    int64_t entries; // number of entries of each row; -1: rows that are in no run
    int64_t entry;   // index of the first row's first entry
    int64_t step;    // what columns move by from one row to the next
    int64_t columns; // index of the first row's columns in RowRuns.columns
} RowRun;

// Kept with the storage of `indices`, for one version of it and of indptr.
typedef struct RowRuns {
    uint64_t version, indptr_version;
    int64_t offset, indptr_offset, rows;
    Storage *indptr; // a reference
    bool noted, sought; // a product has been recorded; the runs have been searched for
    int64_t count;   // number of runs; 0: none known, or too few rows are in runs
    RowRun *runs;    // `count` runs, and an entry for the row after the last
    int64_t *columns;
    size_t room, column_room;
    void *reach; // of a matrix on ranks: what each rank's rows read (vm/sched/split_lines.c), or NULL
    size_t reach_bytes;
} RowRuns;

// Returns the cache entry of these index arrays in their current version, and makes one if there is none; it does not
// search for runs. Borrowed. NULL: out of memory, or the arrays cannot be cached.
RowRuns *row_runs_record(Vm *vm, const View *indptr, const View *indices);
void row_runs_forget_reach(Vm *vm, RowRuns *runs);

// Records that a product with these index arrays is computed, and searches for their runs at the second one. The arrays
// are contiguous, checked, and both int32 or both int64. No runs are found if there are few rows, the arrays are not in
// the host's memory, or memory is short.
void row_runs_note(Vm *vm, const View *indptr, const View *indices);
// Returns the runs of a matrix's current version; NULL: none are known. The rows may be a part of those that were
// searched: *first is the number of row 0 among these.
const RowRuns *row_runs_of(const View *indptr, const View *indices, int64_t *first);
// Returns the run that contains the row.
const RowRun *row_run_at(const RowRuns *runs, int64_t row);
void row_runs_free(Vm *vm, RowRuns *runs); // accepts NULL

#endif
