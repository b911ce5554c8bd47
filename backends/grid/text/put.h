// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arguments of scatters: for each of the indices `at`, elements of `many` are stored to the elements of `one` (take.h).

#ifndef NACRE_BACKENDS_GRID_TEXT_PUT_H
#define NACRE_BACKENDS_GRID_TEXT_PUT_H

typedef struct GridPut {
    GridView at, one, many;
    int64_t rest, step;     // elements of `one`; bytes that an index stands for
    int64_t lowest, unit;   // of places: the offset of number 0, and the bytes from one to the next
    int64_t begin, end;     // the range of indices that are scattered
} GridPut;

#endif
