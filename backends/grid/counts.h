// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Counts on a device, which are replaced by the sums of those before them: where selected elements go, and those of a
// digit. The text of a row that uses it has that of grid_counts_text in front, and GRID_COUNT_NAMES among its functions.

#ifndef NACRE_BACKENDS_GRID_COUNTS_H
#define NACRE_BACKENDS_GRID_COUNTS_H

#include "backends/grid/library.h"

#define GRID_COUNT_NAMES "nacre_count_sums", "nacre_count_all", "nacre_count_parts"
enum { GRID_LANES = 128 }; // of the groups of texts with that of counts.cl (LANES)

typedef struct GridTally {
    void *counts, *sums; // int64_t
    int64_t count;
} GridTally;

void grid_counts_text(Buf *out);
bool grid_tally_take(GridRun *run, GridTally *tally, int64_t count); // false: there is no memory
// `function`: the number of the first of GRID_COUNT_NAMES.
void grid_tally_sum(GridRun *run, int function, const GridTally *tally);

#endif
