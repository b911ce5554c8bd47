// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arguments of gathers and scatters. `one` is the indexed array without the axes that the indices replace; `many` is
// the array of all selected elements: for each of the indices, all elements of `one`.

#ifndef NACRE_BACKENDS_GRID_TEXT_TAKE_H
#define NACRE_BACKENDS_GRID_TEXT_TAKE_H

typedef struct GridPlaces {
    GridView at, one, many;
    int64_t count, rest; // elements of `many`, and of `one`
    int64_t step;        // bytes that an index stands for
} GridPlaces;

#endif
