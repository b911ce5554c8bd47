// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Submatrices of compressed matrices (select.c), and single places in them (locate.c, assign.c).

#ifndef NACRE_STDLIB_SPARSE_SELECT_H
#define NACRE_STDLIB_SPARSE_SELECT_H

#include "stdlib/sparse/ops.h"

enum { SELECT_POLLED = 4096 }; // lines between two checks for interrupts

typedef struct Select Select;
struct Select {
    SparseCall *call;
    const void *indptr, *indices, *data;
    bool wide;
    int64_t from_lines; // of the matrix
    int64_t entries;    // length of indices and data, whichever is shorter
    size_t size;        // bytes of an entry's element
    int64_t lines;      // of the result
    int64_t (*count)(const Select *s, int64_t line);          // entries of a result's line; -1: see SELECT_LINE
    void (*fill)(const Select *s, int64_t line, int64_t to);  // writes them, starting at entry `to`
    int64_t *counts;
    int parts;
    void *to_indptr, *to_indices, *to_data;
    const SparseArg *chosen;                // numbers of lines; NULL: first and step apply
    int64_t first, step;                    // slice of the lines
    int64_t low, minor_count, minor_step;   // slice along the lines
    const int64_t *starts, *places;         // chosen indices along the lines, see `invert`
    const uint64_t *chosen_bits;            // by index: whether it is chosen
    const void *values;                     // new entries, see assign.c
};

// Reads a matrix from three arguments. False: it is none; sets the call's error. The values of indptr are not checked.
bool select_begin(SparseCall *call, Select *s, const SparseArg *of);
// Makes the call's results with s->count and s->fill. `work` is the amount of work, in entries.
void select_run(Select *s, int64_t work);

static inline int64_t select_indptr(const Select *s, int64_t line) {
    return s->wide ? ((const int64_t *)s->indptr)[line] : ((const int32_t *)s->indptr)[line];
}

// Declares the range [low, high) of a line's entries, and runs `otherwise` if it is invalid. Lines are checked only
// when they are used, so that choosing little of a large matrix takes little time.
#define SELECT_LINE(s, line, low, high, otherwise)                                      \
    const int64_t low = select_indptr(s, line), high = select_indptr(s, (line) + 1);     \
    if (low < 0 || high < low || high > (s)->entries) otherwise

// Sets the call's error for an invalid line.
void select_broken(SparseCall *call);

// Returns whether all elements of an array of lines or indices are >= 0 and < `extent`. False: sets the call's
// IndexError.
bool check_places(SparseCall *call, const SparseArg *places, int64_t extent);

#endif
