// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arguments of draws.

#ifndef NACRE_BACKENDS_GRID_TEXT_DRAW_H
#define NACRE_BACKENDS_GRID_TEXT_DRAW_H

#define GRID_DRAW_JUMPS 18

typedef struct GridDraw {
    int64_t offset, count; // count: of elements
    int64_t items;         // work items, each of which computes every items-th draw, or a block of Philox
    uint64_t words[6];     // of the state
    // Several steps x -> a * x + c of PCG as one step, whose a and c are a low and a high word each: 1, 2, 4 … steps;
    // and `items` steps.
    uint64_t jumps[GRID_DRAW_JUMPS][4], stride[4];
} GridDraw;

#endif
