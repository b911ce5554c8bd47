// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Boxes in memory, and what is on its way there: between grid.c and grid_move.c.

#ifndef NACRE_VM_SCHED_GRID_IMPL_H
#define NACRE_VM_SCHED_GRID_IMPL_H

#include "vm/sched/grid.h"

// A box whose first element is at `base`. The last level's bytes are contiguous.
typedef struct GridLayout {
    char *base;
    Box box;
    int64_t apart[GRID_LEVELS];
} GridLayout;

void layout_pack(GridLayout *layout, int levels, const Box *box, char *base); // contiguous, in the order of levels
GridLayout layout_of(const Storage *storage);                                // of a rank's window
void layout_copy(int levels, const GridLayout *to, const GridLayout *from, const Box *box);
// Bytes from index 0 of each level, which need not be in it, to the first element.
int64_t layout_origin(const GridLayout *layout, int levels);

// A box that a message brings. It is copied to where it belongs when it is there.
typedef struct GridArrival {
    Storage *window; // to there, wherever that is by then; NULL: to `to`
    GridLayout to, packed;
    Box box;
    int levels;
} GridArrival;

// Lists a message with a piece of what a layout has.
Status grid_send(Vm *vm, int to, int levels, const GridLayout *from, const Box *piece);
// Lists one that brings a piece. `window`: for a storage's window; otherwise for a layout.
Status grid_receive(Vm *vm, int from, int levels, Storage *window, const GridLayout *to, const Box *piece);
// What every rank holds beside its own box is stale.
void grid_written_of(Grid *grid);
// Makes room for a box in a window.
Status grid_room(Vm *vm, Storage *storage, const Box *wanted);

// --- Shares (grid_share.c) ----------------------------------------------------------------------------

Status grid_scratch_ready(Vm *vm); // Link.grid_ranges and grid_cuts
// The dimension along a level; -1: there is none, -2: several.
int grid_dim_along(const GridAccess *access, int ndim, int level);
bool grid_is_cut_along(const GridShare *share, int dim);

// What the cuts of a space are chosen of.
typedef struct GridFollow {
    Space space;
    AxisSet whole; // dimensions that may not be cut
    const GridShare *share;
    bool turns;    // parts may go backwards with ranks, as they do along a level that is passed backwards. Those of a new result
                   // may not: then they are even
} GridFollow;
// Cuts the space where a level of an access's storage is. *cut has ranks, step and room for ranges. False: it may not
// be.
bool grid_follow_level(const GridFollow *f, const Grid *grid, const GridAccess *access, int level, GridCut *cut);

#endif
