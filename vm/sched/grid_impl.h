// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Layouts of boxes in memory, and messages with boxes. Shared by grid.c, grid_move.c, grid_share.c and split_grid.c.

#ifndef NACRE_VM_SCHED_GRID_IMPL_H
#define NACRE_VM_SCHED_GRID_IMPL_H

#include "vm/sched/grid.h"

// A box in memory, whose first element is at `base`. Bytes along the last level are contiguous.
typedef struct GridLayout {
    char *base;
    Box box;
    int64_t apart[GRID_LEVELS];
} GridLayout;

void layout_pack(GridLayout *layout, int levels, const Box *box, char *base); // lays a box out contiguously in C order
GridLayout layout_of(const Storage *storage);                                // the layout of this rank's window
void layout_copy(int levels, const GridLayout *to, const GridLayout *from, const Box *box);
// Returns the offset from `base` at which index 0 of every level would be. It need not be in the box.
int64_t layout_origin(const GridLayout *layout, int levels);

// A box that a message brings. grid_arrive copies it to its destination.
typedef struct GridArrival {
    Storage *window; // the destination is this storage's window, wherever it is by then; NULL: it is `to`
    GridLayout to, packed;
    Box box;
    int levels;
} GridArrival;

// Packs a piece of a layout into a box, and lists a message with it. Lists nothing if the piece is empty.
Status grid_send(Vm *vm, int to, int levels, const GridLayout *from, const Box *piece);
// Lists a message that brings a piece to a storage's window, or to a layout if `window` is NULL.
Status grid_receive(Vm *vm, int from, int levels, Storage *window, const GridLayout *to, const Box *piece);
// Notes that all halos are stale.
void grid_written_of(Grid *grid);
// Enlarges a storage's window until it contains a box.
Status grid_room(Vm *vm, Storage *storage, const Box *wanted);

// --- Shares (grid_share.c) ----------------------------------------------------------------------------

Status grid_scratch_ready(Vm *vm); // allocates Link.grid_ranges and grid_cuts
// Returns the dimension that moves along a level; -1: none does, -2: several do.
int grid_dim_along(const GridAccess *access, int ndim, int level);
bool grid_is_cut_along(const GridShare *share, int dim);

// What a choice of cuts depends on.
typedef struct GridFollow {
    Space space;
    AxisSet whole; // dimensions that may not be cut
    const GridShare *share; // the cuts chosen so far
    bool turns;    // where the access moves backwards along a level, parts may be in descending order. If not, as
                   // for a new result, parts are even instead
} GridFollow;
// Cuts the space where a level of an access's storage is cut: sets cut->dim, and ranges or `only`; the caller has set
// the other fields. Returns false if that dimension may not be cut.
bool grid_follow_level(const GridFollow *f, const Grid *grid, const GridAccess *access, int level, GridCut *cut);

#endif
