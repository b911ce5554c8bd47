// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arguments of selection by masks.

#ifndef NACRE_BACKENDS_GRID_TEXT_SELECT_H
#define NACRE_BACKENDS_GRID_TEXT_SELECT_H

// `mask`, `from` and `to` are offsets in bytes, `count` the elements of the mask. `room`: the most elements that are
// selected, whatever the mask has. `first`: the number of the mask's first element, from which indices are computed by
// the extents.
typedef struct GridSelect {
    int64_t mask, from, to, count, room, first, ndim, extent[GRID_VIEW_DIMS];
} GridSelect;

#endif
