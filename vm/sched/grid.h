// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Storages that are cut along several dimensions, over a grid of ranks (PLACE_GRID): each rank has a box of their
// elements, and perhaps a halo around it, packed in its memory. Elements that a kernel reads of other ranks' boxes
// travel packed, in a message for each pair of ranks.
//
// A storage has dimensions of its own, its levels, from the slowest one: byte b has index b / stride % extent along
// each. The last level counts the bytes within the dimensions that are not cut, and is never cut itself. Since levels
// belong to the storage, any view can be described by them: a transposed one, one with steps, a window of rows and
// columns.
//
// What every rank holds and needs follows from the program, as in blocks.h. Kernels that cannot be shared out over a
// grid have their operands brought into blocks of rows (grid_to_rows).

#ifndef NACRE_VM_SCHED_GRID_H
#define NACRE_VM_SCHED_GRID_H

#include "vm/sched/reach.h"

enum { GRID_LEVELS = 4, GRID_CUTS = GRID_LEVELS - 1, GRID_SIDES = 27 }; // sides: 3 ^ GRID_CUTS

// A range of indices along each level.
typedef struct Box {
    Extent along[GRID_LEVELS];
} Box;

// The part of a halo on one side of a box. Along level l, side s lies before the box, within its range, or behind it,
// as s / 3^l % 3 is 0, 1 or 2. `wide` is its width in indices along the levels where it is before or behind.
typedef struct GridSide {
    int64_t wide[GRID_CUTS];
} GridSide;

typedef struct GridLevel {
    int64_t extent, stride; // number of indices, and bytes from one to the next
    int ranks, step;        // the level has `ranks` parts, of which rank r has number r / step % ranks
    int64_t *cuts;          // part p has the indices cuts[p] … cuts[p + 1] - 1
} GridLevel;

typedef struct Grid {
    int levels;
    GridLevel level[GRID_LEVELS];
    Box window;                // the indices that this rank's memory has room for; the memory begins with the first one
    int64_t apart[GRID_LEVELS]; // bytes in that memory from one index to the next
    GridSide held[GRID_SIDES];   // the halo that every rank has received since the last write
    GridSide wanted[GRID_SIDES]; // the halo that a kernel needs, while its exchange is listed
    int reads;                   // single elements read since the last write
    // In a dry run: by how many indices windows are wider than boxes, at most, and the bytes by which the largest window
    // of any rank exceeds this rank's.
    int64_t room[GRID_CUTS], beyond;
    size_t cut_count;
    int64_t all_cuts[];
} Grid;

static inline bool is_on_grid(const Storage *storage) {
    return storage->buffer.valid == PLACE_GRID;
}

// How the levels of a storage are to be cut. The product of the levels' `ranks` is the number of ranks.
typedef struct GridPlan {
    int levels;
    GridLevel level[GRID_LEVELS]; // cuts: borrowed; NULL: even parts
} GridPlan;
// Plans a level for each of `count` dimensions, slowest first, and a last one for the bytes within them. No level is
// cut yet. Returns false if there are too many.
bool grid_plan(GridPlan *plan, int count, const int64_t *extents, const int64_t *strides);
// Sets each level's `step`, so that parts of the last cut level change fastest from rank to rank. Returns false if the
// product of the levels' `ranks` is not the number of ranks.
bool grid_plan_ranks(GridPlan *plan, int ranks);

// Cuts a storage that every rank has whole, or that has no memory yet. Sends no message. Frees other ranks' elements.
Status grid_cut(Vm *vm, Storage *storage, const GridPlan *plan);
// Redistributes a storage from blocks of rows to a grid. Collective.
Status grid_from_rows(Vm *vm, Storage *storage, const GridPlan *plan);
// Redistributes a storage from a grid to blocks of rows. Collective.
Status grid_to_rows(Vm *vm, Storage *storage);
// Brings the whole storage to every rank, and remembers how it was cut. Collective.
Status grid_gather(Vm *vm, Storage *storage);
// Cuts a gathered storage again as it was cut before, without a message. Does nothing if it was not gathered.
Status grid_resume(Vm *vm, Storage *storage);
// Returns the address of one element, which its owner broadcasts; after blocks_reads_most such reads, gathers the
// storage instead. The address is valid until the next call. NULL: an exception is set. Collective.
const char *grid_element(Vm *vm, Storage *storage, int64_t offset, size_t bytes);
// Notes that each rank has written its own box, which makes halos stale.
void grid_written(Storage *storage);
void grid_drop(Vm *vm, Buffer *buffer);

// --- Boxes -------------------------------------------------------------------------------------------

Box grid_box(const Grid *grid, int rank); // the box of elements that a rank owns
bool box_is_empty(int levels, const Box *box);
bool box_has(int levels, const Box *outer, const Box *inner);
Box box_meet(int levels, const Box *a, const Box *b);
int64_t box_size(int levels, const Box *box);

// --- Accesses ----------------------------------------------------------------------------------------

// How an access moves along the levels of its storage.
typedef struct GridAccess {
    int8_t level[NDIM_MAX];   // the level that a dimension moves along; -1: none
    int64_t factor[NDIM_MAX]; // by how many indices of that level each index of the dimension moves
    int64_t first[GRID_LEVELS], item; // the levels' indices of the first element; bytes of an element
} GridAccess;
// Describes an access by levels. Returns false if a dimension moves along several levels, or beyond a level's extent.
bool grid_access(const Grid *grid, Space space, const KernAccess *access, GridAccess *found);

// One cut of an iteration space over a grid of ranks: rank r has part p = r / step % ranks, which has the indices
// ranges[p] of dimension `dim`.
typedef struct GridCut {
    int dim;  // -1: no dimension is cut, and only the ranks of part `only` have a part
    int ranks, step, only;
    Extent *ranges; // borrowed
} GridCut;
typedef struct GridShare {
    int count; // 0: every rank has the whole space
    GridCut cut[GRID_CUTS];
} GridShare;

// Returns the indices that one rank's part has along a dimension.
Extent grid_part(const GridShare *share, Space space, int rank, int dim);
bool grid_part_is_empty(const GridShare *share, int rank);
// Returns the box of elements that a rank's part touches.
Box grid_touched(const Grid *grid, const GridAccess *access, const GridShare *share, Space space, int rank);
// Returns the extent of that box along a level, for a part that is not empty.
Extent grid_touched_along(const Grid *grid, const GridAccess *access, const GridShare *share, Space space, int rank, int level);
// Returns the level that is cut over the same ranks as a cut of an iteration space; -1: none is.
int grid_level_of(const Grid *grid, const GridCut *cut);
// Returns the bytes that parts of an access touch outside of their rank's own box, summed over all ranks.
double grid_missing(const struct Link *link, const Grid *grid, const GridAccess *access, const GridShare *share, Space space);
// Lists the messages with what ranks lack of a load, between blocks_begin and blocks_post. Where ranks lack about the same, only notes the halo for grid_want_halos. Otherwise, if this rank lacks
// something, makes the load an access of a new box and sets *is_local. All other accesses are made ones of this rank's
// window by grid_localize once everything is listed, since windows may move until then.
Status grid_want(Vm *vm, Storage *storage, const GridAccess *access, const GridShare *share, Space space, KernAccess *load,
                 bool *is_local);
// Lists the messages with the halos that loads of a storage have asked for. Called after grid_want of all loads.
Status grid_want_halos(Vm *vm, Storage *storage);
void grid_localize(const Storage *storage, const GridAccess *access, int ndim, KernAccess *made);
// Called by blocks_finish: copies the elements that the exchange has brought to where they belong.
void grid_arrive(Vm *vm);
void grid_none_came(Vm *vm); // called instead if the exchange has failed: forgets the halos that it was to bring

// split_grid.c: shares out a kernel with operands on a grid, and sets kernel->split. If it stays NULL, there are four
// outcomes. *done: every rank runs all of the kernel. *rows: operands were brought into blocks of rows. split->apart:
// the kernel's nodes are to be run one by one, and nothing has changed. None of these: the kernel is as it was.
struct Split;
Status split_grid(Vm *vm, Kernel *k, struct Split *split, bool *done, bool *rows);
// Finds which indices of a view of a storage on a grid each rank owns. share->count is 0 if dimensions of the view do
// not follow the levels that are cut.
Status grid_share_of(Vm *vm, const View *view, GridShare *share);
void grid_scratch_free(Vm *vm);

#endif
