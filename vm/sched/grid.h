// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Storages that are cut along several dimensions, over a grid of ranks: each rank has a box of their elements, and
// perhaps a halo around it, packed in memory of its own (PLACE_GRID). Boxes that a kernel reads of others travel
// packed, a message for each pair of ranks.
//
// A storage is looked at as dimensions of its own, its levels, from the slowest one: byte b has index b / stride %
// extent along each. The last level counts the bytes of what is not cut, and is never cut itself. So a view moves along
// levels whatever its shape is: a transposed one, one with steps, a window of some rows and columns.
//
// What every rank holds and needs follows from the program, as in blocks.h. What is not laid out so can be brought into
// blocks of rows (grid_to_rows), which all kernels know.

#ifndef NACRE_VM_SCHED_GRID_H
#define NACRE_VM_SCHED_GRID_H

#include "vm/sched/reach.h"

enum { GRID_LEVELS = 4, GRID_CUTS = GRID_LEVELS - 1, GRID_SIDES = 27 }; // sides: before, in and behind a box along each cut

// Indices along each level.
typedef struct Box {
    Extent along[GRID_LEVELS];
} Box;

// What lies on one side of a box, so many indices wide along each level where it is not beside the box itself. Side s
// is before the box, in it or behind it along level l as s / 3^l % 3 says.
typedef struct GridSide {
    int64_t wide[GRID_CUTS];
} GridSide;

typedef struct GridLevel {
    int64_t extent, stride; // indices, and bytes from one to the next
    int ranks, step;        // parts, of which rank r has number r / step % ranks
    int64_t *cuts;          // part p has the indices cuts[p] … cuts[p + 1]
} GridLevel;

typedef struct Grid {
    int levels;
    GridLevel level[GRID_LEVELS];
    Box window;                // what the memory of this rank has room for: its first byte is the first element of that
    int64_t apart[GRID_LEVELS]; // bytes there from one index to the next
    GridSide held[GRID_SIDES];   // what every rank has beside its box since the last write
    GridSide wanted[GRID_SIDES]; // and what a kernel needs, while its exchange is listed
    int reads;                   // of single elements since the last write
    size_t cut_count;
    int64_t all_cuts[];
} Grid;

static inline bool is_on_grid(const Storage *storage) {
    return storage->buffer.valid == PLACE_GRID;
}

// How the levels of a storage are cut, before that is done. The product of `ranks` is the number of ranks.
typedef struct GridPlan {
    int levels;
    GridLevel level[GRID_LEVELS]; // cuts: borrowed; NULL: even parts
} GridPlan;
// Levels of these dimensions in memory, slowest first, and the bytes of what remains. False: too many.
bool grid_plan(GridPlan *plan, int count, const int64_t *extents, const int64_t *strides);
// Numbers the parts: the last level that is cut changes fastest from rank to rank. False: not as many as there are
// ranks.
bool grid_plan_ranks(GridPlan *plan, int ranks);

// Cuts a storage that every rank has, or that nobody has written. No message. Frees what this rank had of others.
Status grid_cut(Vm *vm, Storage *storage, const GridPlan *plan);
// Blocks of rows become those of a grid. Collective.
Status grid_from_rows(Vm *vm, Storage *storage, const GridPlan *plan);
// And the other way. Collective.
Status grid_to_rows(Vm *vm, Storage *storage);
// Makes it valid on every rank's host. Collective. How it was cut is remembered.
Status grid_gather(Vm *vm, Storage *storage);
// It is cut again as it was before it was gathered; does nothing where it was not. No message.
Status grid_resume(Vm *vm, Storage *storage);
// One element, by its owner; after some of these, the whole storage. Collective. Valid until the next call.
const char *grid_element(Vm *vm, Storage *storage, int64_t offset, size_t bytes);
// Each rank has written its own box: halos are stale.
void grid_written(Storage *storage);
void grid_drop(Vm *vm, Buffer *buffer);

// --- Boxes -------------------------------------------------------------------------------------------

Box grid_box(const Grid *grid, int rank); // of elements that it owns
bool box_is_empty(int levels, const Box *box);
bool box_has(int levels, const Box *outer, const Box *inner);
Box box_meet(int levels, const Box *a, const Box *b);
int64_t box_size(int levels, const Box *box);

// --- Accesses ----------------------------------------------------------------------------------------

// How an access moves along the levels of its storage.
typedef struct GridAccess {
    int8_t level[NDIM_MAX];   // that a dimension goes along; -1: none
    int64_t factor[NDIM_MAX]; // indices of that level for each of the dimension
    int64_t first[GRID_LEVELS], item;
} GridAccess;
// False: some dimension goes across several levels.
bool grid_access(const Grid *grid, Space space, const KernAccess *access, GridAccess *found);

// How an iteration space is shared out: along each cut, part p of its ranks has the indices ranges[p] of a dimension.
typedef struct GridCut {
    int dim;  // -1: of no dimension, and part `only` has everything
    int ranks, step, only;
    Extent *ranges; // borrowed
} GridCut;
typedef struct GridShare {
    int count; // none: every rank does all of it
    GridCut cut[GRID_CUTS];
} GridShare;

// The indices of one rank's part along a dimension.
Extent grid_part(const GridShare *share, Space space, int rank, int dim);
bool grid_part_is_empty(const GridShare *share, int rank);
// What a rank's part touches.
Box grid_touched(const Grid *grid, const GridAccess *access, const GridShare *share, Space space, int rank);
// Bytes that ranks lack of an access, over all of them.
int64_t grid_missing(const struct Link *link, const Grid *grid, const GridAccess *access, const GridShare *share, Space space);
// Lists what all ranks lack of a load (blocks_begin and blocks_exchange, which grid_arrive follows), and makes it an
// access of this rank's memory, or of a box of its own. A window may move: loads that come later, and stores, are to be
// made accesses of memory by grid_localize once all have been listed.
Status grid_want(Vm *vm, Storage *storage, const GridAccess *access, const GridShare *share, Space space, KernAccess *load,
                 bool *is_local);
// Lists the halos that loads of a storage have asked for: behind all of them.
Status grid_want_halos(Vm *vm, Storage *storage);
void grid_localize(const Storage *storage, const GridAccess *access, int ndim, KernAccess *made);
// Unpacks what has come.
void grid_arrive(Vm *vm);

// split_grid.c: shares a kernel out of which some operand is on a grid. With kernel->split NULL the kernel is as it
// was, or done by every rank (*done), or its operands are in blocks of rows now (*rows); or its nodes are to be run
// apart (split->apart), and nothing has changed.
struct Split;
Status split_grid(Vm *vm, Kernel *k, struct Split *split, bool *done, bool *rows);
// Which indices of a view over a grid each rank has. share->count 0: its dimensions do not lie as the grid does.
Status grid_share_of(Vm *vm, const View *view, GridShare *share);
void grid_scratch_free(Vm *vm);

#endif
