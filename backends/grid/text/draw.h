// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arguments of draws.

#ifndef NACRE_BACKENDS_GRID_TEXT_DRAW_H
#define NACRE_BACKENDS_GRID_TEXT_DRAW_H

#define GRID_DRAW_JUMPS 18

typedef struct GridDraw {
    int64_t offset, count; // elements
    int64_t items;         // work items, each of which makes every items-th draw
    uint64_t words[6];     // of the state
    // Jumps of PCG's step x -> a * x + c, words low and high: over 1, 2, 4 … steps, and over as many as there are
    // items.
    uint64_t jumps[GRID_DRAW_JUMPS][4], stride[4];
} GridDraw;

#endif
