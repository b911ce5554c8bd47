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

// Which box of a storage each rank has, or is to be brought.
typedef struct Lies {
    Box (*box)(const struct Lies *lies, int rank);
    const Grid *grid;
    int side; // of halos
    // What boxes depend on besides, or NULL: blocks of rows; parts of an access.
    const Partition *rows;
    const GridShare *share;
    const GridAccess *access;
    Space space;
    bool everywhere; // every rank has everything
} Lies;
Lies lies_on_grid(const Grid *grid);

// Lists the messages that bring each rank r what the others have, by `from`, of its boxes to[i].box(r). This rank's
// elements are read in `source`. What it is sent goes to a storage's window, or to the layout `dest` if `window` is NULL.
Status grid_list(Vm *vm, const Lies *from, const GridLayout *source, const Lies *to, int count, Storage *window, const GridLayout *dest);
// In a dry run: notes how large the windows of a grid are; with `gone`, that they were freed.
void dry_windows(Vm *vm, Grid *grid, bool gone);
// In a dry run: does for all ranks what grid_list does for one, only counting messages, and reports the exchange.
Status dry_list(Vm *vm, const Lies *from, const Lies *to, int count);
// Notes that all halos are stale.
void grid_written_of(Grid *grid);
// Enlarges a storage's window until it contains a box.
Status grid_room(Vm *vm, Storage *storage, const Box *wanted);

// --- Shares (grid_share.c) ----------------------------------------------------------------------------

Status grid_scratch_ready(Vm *vm); // allocates Link.grid_ranges and grid_cuts
// Returns the dimension that moves along a level; -1: none does, -2: several do.
int grid_dim_along(const GridAccess *access, int ndim, int level);
bool grid_is_cut_along(const GridShare *share, int dim);

// Ranks whose own boxes and parts of an access lie alike to each other: what follows from the two is the same for all
// ranks of a class. Most often there are few classes: the corners of the grid, its edges, and the ranks within.
enum { CLASSES_ALONG = 12 };
typedef struct RankClasses {
    int count; // without `sorted`, every rank is a class
    bool sorted;
    int digits;
    struct {
        int step, count, part[CLASSES_ALONG], times[CLASSES_ALONG]; // for each class the first such part of a level
    } digit[GRID_CUTS];
} RankClasses;
void grid_classes(const struct Link *link, const Grid *grid, const GridAccess *access, const GridShare *share, Space space,
                  RankClasses *classes);
// Returns a rank of class i, and how many ranks there are in it.
int grid_class(const RankClasses *classes, int i, int64_t *times);

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
