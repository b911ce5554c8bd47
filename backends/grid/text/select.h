// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arguments of selection by masks.

#ifndef NACRE_BACKENDS_GRID_TEXT_SELECT_H
#define NACRE_BACKENDS_GRID_TEXT_SELECT_H

// Offsets in bytes. `room`: how many elements there are room for, whatever the mask has. `first`: the place of the mask's
// first element, whose indices follow from the extents.
typedef struct GridSelect {
    int64_t mask, from, to, count, room, first, ndim, extent[GRID_VIEW_DIMS];
} GridSelect;

#endif
