// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arguments of prefix sums of counts.

#ifndef NACRE_BACKENDS_GRID_TEXT_COUNTS_H
#define NACRE_BACKENDS_GRID_TEXT_COUNTS_H

typedef struct GridCounts {
    int64_t count;
} GridCounts;

#endif
