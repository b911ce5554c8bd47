// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arguments of scatters: for each of the indices `at`, elements of `many` go to those of `one` (take.h).

#ifndef NACRE_BACKENDS_GRID_TEXT_PUT_H
#define NACRE_BACKENDS_GRID_TEXT_PUT_H

typedef struct GridPut {
    GridView at, one, many;
    int64_t rest, step;     // elements of `one`; bytes that an index stands for
    int64_t lowest, unit;   // places are numbered: the first one's bytes, bytes between them
    int64_t begin, end;     // the indices that are looked at
} GridPut;

#endif
