// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Replaces each count of an array on a device by the sum of the counts before it, which says where selected elements,
// or elements with a digit, are moved to. An operation that uses this puts grid_counts_text in front of its own text,
// and GRID_COUNT_NAMES among its functions.

#ifndef NACRE_BACKENDS_GRID_COUNTS_H
#define NACRE_BACKENDS_GRID_COUNTS_H

#include "backends/grid/library.h"

#define GRID_COUNT_NAMES "nacre_count_sums", "nacre_count_all", "nacre_count_parts"
enum { GRID_LANES = 128 }; // lanes of the groups of texts that contain counts.cl (LANES)

typedef struct GridTally {
    void *counts, *sums; // int64_t; sums of groups' counts, NULL if one group sums up all
    int64_t count;
} GridTally;

void grid_counts_text(Buf *out);
bool grid_tally_take(GridRun *run, GridTally *tally, int64_t count); // false: there is no memory
// `function`: the number of the first of GRID_COUNT_NAMES.
void grid_tally_sum(GridRun *run, int function, const GridTally *tally);

#endif
