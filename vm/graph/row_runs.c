// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Finds runs of rows.

#include "vm/graph/row_runs.h"

#include <string.h>

// Limits of useful runs. Runs of fewer rows do not pay for switching loops, and rows of more entries do not pay for
// storing their columns. The search ends once more than ROWS_LEAST rows, and more than half, are in no run.
enum { RUN_LEAST = 16, ENTRIES_MOST = 64, ROWS_LEAST = 256 };

// --- Index arrays ----------------------------------------------------------------------------------

typedef struct Finder {
    Vm *vm;
    RowRuns *found;
    const char *indptr, *indices;
    bool wide;       // indices have 64 bits, not 32
    int64_t rows;
    int64_t in_runs; // number of rows in runs so far
} Finder;

static int64_t index_at(const Finder *f, const char *from, int64_t i) {
    return f->wide ? ((const int64_t *)(const void *)from)[i] : ((const int32_t *)(const void *)from)[i];
}

static int64_t entry_of(const Finder *f, int64_t row) {
    return index_at(f, f->indptr, row);
}

static int64_t entries_of(const Finder *f, int64_t row) {
    return entry_of(f, row + 1) - entry_of(f, row);
}

// Returns whether the columns of a row are those of the row before, each plus `step`.
static bool follows(const Finder *f, int64_t row, int64_t entries, int64_t step) {
    int64_t here = entry_of(f, row), before = entry_of(f, row - 1);
    for (int64_t k = 0; k < entries; k++)
        if (index_at(f, f->indices, here + k) - index_at(f, f->indices, before + k) != step) return false;
    return true;
}

// Returns the row after the run that begins at `row`. *step: what columns move by from row to row.
static int64_t run_end(const Finder *f, int64_t row, int64_t entries, int64_t *step) {
    *step = 0;
    if (row + 1 == f->rows || entries == 0 || entries > ENTRIES_MOST || entries_of(f, row + 1) != entries) return row + 1;
    *step = index_at(f, f->indices, entry_of(f, row + 1)) - index_at(f, f->indices, entry_of(f, row));
    int64_t end = row + 1;
    while (end < f->rows && entries_of(f, end) == entries && follows(f, end, entries, *step)) end++;
    return end;
}

// --- What is kept ----------------------------------------------------------------------------------

// Grows an array so that `more` elements fit. False: no memory.
static bool reserve(Vm *vm, void **elements, size_t size, size_t *room, size_t used, size_t more) {
    if (used + more <= *room) return true;
    size_t wanted = (*room + more) * 2;
    void *larger = mem_alloc(&vm->mem, wanted * size);
    if (!larger) return false;
    if (used > 0) memcpy(larger, *elements, used * size);
    mem_free(&vm->mem, *elements, *room * size);
    *elements = larger;
    *room = wanted;
    return true;
}

static bool put_run(Finder *f, const RowRun *run, size_t *columns) {
    RowRuns *found = f->found;
    const size_t more = run->entries > 0 ? (size_t)run->entries : 0;
    if (!reserve(f->vm, (void **)&found->runs, sizeof *found->runs, &found->room, (size_t)found->count, 1) ||
        !reserve(f->vm, (void **)&found->columns, sizeof *found->columns, &found->column_room, *columns, more))
        return false;
    found->runs[found->count] = *run;
    found->runs[found->count++].columns = (int64_t)*columns;
    for (size_t k = 0; k < more; k++)
        found->columns[(*columns)++] = index_at(f, f->indices, run->entry + (int64_t)k);
    return true;
}

// Appends an entry for rows from … to - 1, which are in no run.
static bool put_others(Finder *f, int64_t from, int64_t to, size_t *columns) {
    return from == to || put_run(f, &(RowRun){.row = from, .entries = -1, .entry = entry_of(f, from)}, columns);
}

// Finds all runs. False: too few rows are in runs, or no memory.
static bool find_runs(Finder *f) {
    size_t columns = 0;
    int64_t others = 0; // the first row that has not been appended
    for (int64_t row = 0, end; row < f->rows; row = end) {
        const int64_t entries = entries_of(f, row);
        int64_t step;
        end = run_end(f, row, entries, &step);
        if (end - row < RUN_LEAST) {
            if (end - f->in_runs > ROWS_LEAST && f->in_runs < end / 2) return false;
            continue;
        }
        const RowRun run = {.row = row, .entries = entries, .entry = entry_of(f, row), .step = step};
        if (!put_others(f, others, row, &columns) || !put_run(f, &run, &columns)) return false;
        f->in_runs += end - row;
        others = end;
    }
    return f->in_runs >= f->rows / 2 && put_others(f, others, f->rows, &columns) &&
           put_run(f, &(RowRun){.row = f->rows, .entries = -1}, &columns);
}

static void forget_runs(Vm *vm, RowRuns *runs) {
    mem_free(&vm->mem, runs->runs, runs->room * sizeof *runs->runs);
    mem_free(&vm->mem, runs->columns, runs->column_room * sizeof *runs->columns);
    runs->runs = NULL;
    runs->columns = NULL;
    runs->room = runs->column_room = 0;
    runs->count = 0;
}

static void seek(Vm *vm, RowRuns *runs, const View *indptr, const View *indices) {
    Finder f = {.vm = vm, .found = runs, .wide = indptr->dtype == DT_INT64, .rows = runs->rows,
                .indptr = indptr->storage->buffer.host + indptr->offset,
                .indices = indices->storage->buffer.host + indices->offset};
    runs->sought = true;
    if (find_runs(&f)) runs->count--; // does not count the entry after the last row
    else forget_runs(vm, runs);
}

void row_runs_forget_reach(Vm *vm, RowRuns *runs) {
    mem_free(&vm->mem, runs->reach, runs->reach_bytes);
    runs->reach = NULL;
    runs->reach_bytes = 0;
}

void row_runs_free(Vm *vm, RowRuns *runs) {
    if (!runs) return;
    forget_runs(vm, runs);
    row_runs_forget_reach(vm, runs);
    storage_release(vm, runs->indptr);
    mem_free(&vm->mem, runs, sizeof *runs);
}

// --- Use -------------------------------------------------------------------------------------------

static bool is_about(const RowRuns *runs, const Storage *indptr, int64_t indptr_offset, int64_t rows,
                     const Storage *indices, int64_t offset) {
    return runs->indptr == indptr && runs->indptr_version == indptr->version && runs->indptr_offset == indptr_offset &&
           runs->rows == rows && runs->version == indices->version && runs->offset == offset;
}

// Returns NULL for memory that others own or were lent, as it changes without a new version. Also if both arrays share
// a storage, which would hold a reference to itself and never be freed.
RowRuns *row_runs_record(Vm *vm, const View *indptr, const View *indices) {
    Storage *storage = indices->storage;
    const int64_t rows = indptr->shape[0] - 1;
    RowRuns *runs = storage->row_runs;
    if (storage->owner || indptr->storage->owner || indptr->storage == storage) return NULL;
    if (runs && is_about(runs, indptr->storage, indptr->offset, rows, storage, indices->offset)) return runs;
    row_runs_free(vm, runs);
    storage->row_runs = runs = mem_zalloc(&vm->mem, sizeof *runs);
    if (!runs) return NULL;
    *runs = (RowRuns){.version = storage->version, .indptr_version = indptr->storage->version, .rows = rows,
                      .offset = indices->offset, .indptr_offset = indptr->offset,
                      .indptr = storage_retain(indptr->storage)};
    return runs;
}

static bool is_here(const Storage *storage) {
    return !storage->producer && !storage->buffer.blocks && storage->buffer.valid & PLACE_HOST;
}

void row_runs_note(Vm *vm, const View *indptr, const View *indices) {
    if (indptr->shape[0] <= ROWS_LEAST || !is_here(indptr->storage) || !is_here(indices->storage)) return;
    RowRuns *runs = row_runs_record(vm, indptr, indices);
    if (!runs || runs->sought) return;
    if (runs->noted) seek(vm, runs, indptr, indices);
    runs->noted = true;
}

const RowRuns *row_runs_of(const View *indptr, const View *indices, int64_t *first) {
    const Storage *storage = indices->storage;
    const RowRuns *runs = storage->row_runs;
    if (!runs || runs->count == 0 || runs->indptr != indptr->storage || runs->version != storage->version ||
        runs->indptr_version != indptr->storage->version || runs->offset != indices->offset)
        return NULL;
    const int64_t before = indptr->offset - runs->indptr_offset, size = (int64_t)dtype_size(indptr->dtype);
    *first = before / size;
    return before >= 0 && *first + indptr->shape[0] - 1 <= runs->rows ? runs : NULL;
}

// Gallops from a guess, which is right or near where runs are about evenly spaced, as a stencil's are.
const RowRun *row_run_at(const RowRuns *runs, int64_t row) {
    const int64_t count = runs->count;
    int64_t low = (int64_t)((double)row / (double)runs->rows * (double)count), high, step;
    if (low > count - 1) low = count - 1;
    high = low + 1;
    for (step = 1; low > 0 && runs->runs[low].row > row; step *= 2) {
        high = low;
        low = low > step ? low - step : 0;
    }
    for (step = 1; high < count && runs->runs[high].row <= row; step *= 2) {
        low = high;
        high = count - high > step ? high + step : count;
    }
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (runs->runs[middle].row <= row) low = middle;
        else high = middle;
    }
    return &runs->runs[low];
}
