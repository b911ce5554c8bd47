// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What is chosen of a compressed matrix (select.c), and places in one (locate.c).

#ifndef NACRE_STDLIB_SPARSE_SELECT_H
#define NACRE_STDLIB_SPARSE_SELECT_H

#include "stdlib/sparse/ops.h"

enum { SELECT_POLLED = 4096 }; // lines between two looks for interrupts

typedef struct Select Select;
struct Select {
    SparseCall *call;
    const void *indptr, *indices, *data;
    bool wide;
    int64_t from_lines; // of the matrix
    int64_t entries;    // that indices and data have
    size_t size;        // of an entry
    int64_t lines;      // of the result
    int64_t (*count)(const Select *s, int64_t line);          // entries of a line of the result; -1: see SELECT_LINE
    void (*fill)(const Select *s, int64_t line, int64_t to);  // writes them, from that entry on
    int64_t *counts;
    int parts;
    void *to_indptr, *to_indices, *to_data;
    const SparseArg *chosen;                // lines by number, or NULL:
    int64_t first, step;                    // lines of a slice
    int64_t low, minor_count, minor_step;   // places along them
    const int64_t *starts, *places;         // chosen places along them: see `invert`
    const uint64_t *chosen_bits;            // by index: whether it is chosen
    const void *values;                     // entries that are added: see assign.c
};

// Sets what a matrix of three arrays is; false: it is not one. indptr's elements are not looked at.
bool select_begin(SparseCall *call, Select *s, const SparseArg *of);
// Makes the result, with s->count and s->fill. `work`: how much there is to do, in entries.
void select_run(Select *s, int64_t work);

static inline int64_t select_indptr(const Select *s, int64_t line) {
    return s->wide ? ((const int64_t *)s->indptr)[line] : ((const int32_t *)s->indptr)[line];
}

// Declares the entries of a line. They are checked where a line is used, so that choosing little of a large matrix
// takes little time; `otherwise` is done if they are none of the matrix's.
#define SELECT_LINE(s, line, low, high, otherwise)                                      \
    const int64_t low = select_indptr(s, line), high = select_indptr(s, (line) + 1);     \
    if (low < 0 || high < low || high > (s)->entries) otherwise

// Sets the error of a call that has met such a line.
void select_broken(SparseCall *call);

// Whether an array of numbers of lines or indices has only such as are from 0 to below `extent`. If not, the call has
// the IndexError.
bool check_places(SparseCall *call, const SparseArg *places, int64_t extent);

#endif
