// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Cuts an iteration space over a grid of ranks: chooses the dimensions, and the indices of each part.

#include <string.h>

#include "vm/sched/grid_impl.h"
#include "vm/sched/sched.h"

// --- Parts -----------------------------------------------------------------------------------------

static int part_of(const GridCut *cut, int rank) {
    return rank / cut->step % cut->ranks;
}

Extent grid_part(const GridShare *share, Space space, int rank, int dim) {
    for (int c = 0; c < share->count; c++)
        if (share->cut[c].dim == dim) return share->cut[c].ranges[part_of(&share->cut[c], rank)];
    return (Extent){0, space.shape[dim]};
}

bool grid_part_is_empty(const GridShare *share, int rank) {
    for (int c = 0; c < share->count; c++) {
        const GridCut *cut = &share->cut[c];
        const int part = part_of(cut, rank);
        if (cut->dim < 0 ? part != cut->only : extent_is_empty(cut->ranges[part])) return true;
    }
    return false;
}

// --- Scratch ---------------------------------------------------------------------------------------

static size_t ranges_bytes(const Link *link) {
    return GRID_CUTS * (size_t)link->size * sizeof(Extent);
}

static size_t cuts_bytes(const Link *link) {
    return GRID_CUTS * ((size_t)link->size + 1) * sizeof(int64_t);
}

void grid_scratch_free(Vm *vm) {
    Link *link = link_of(vm);
    mem_free(&vm->mem, link->grid_ranges, link->grid_ranges ? ranges_bytes(link) : 0);
    mem_free(&vm->mem, link->grid_cuts, link->grid_cuts ? cuts_bytes(link) : 0);
    mem_free(&vm->mem, link->arrivals, link->arrival_room * sizeof *link->arrivals);
    link->grid_ranges = NULL;
    link->grid_cuts = NULL;
    link->arrivals = NULL;
    link->arrival_room = 0;
}

Status grid_scratch_ready(Vm *vm) {
    Link *link = link_of(vm);
    if (!link->grid_ranges) link->grid_ranges = mem_alloc(&vm->mem, ranges_bytes(link));
    if (!link->grid_cuts) link->grid_cuts = mem_alloc(&vm->mem, cuts_bytes(link));
    return link->grid_ranges && link->grid_cuts ? ST_OK : vm_no_memory(vm);
}

// --- Cuts that follow an operand -------------------------------------------------------------------

int grid_dim_along(const GridAccess *access, int ndim, int level) {
    int found = -1;
    for (int d = 0; d < ndim; d++)
        if (access->level[d] == level) found = found == -1 ? d : -2;
    return found;
}

bool grid_is_cut_along(const GridShare *share, int dim) {
    for (int c = 0; c < share->count; c++)
        if (share->cut[c].dim == dim) return true;
    return false;
}

int grid_level_of(const Grid *grid, const GridCut *cut) {
    for (int l = 0; l < grid->levels; l++)
        if (grid->level[l].ranks == cut->ranks && grid->level[l].step == cut->step) return l;
    return -1;
}

bool grid_follow_level(const GridFollow *f, const Grid *grid, const GridAccess *access, int level, GridCut *cut) {
    const GridLevel *along = &grid->level[level];
    const int dim = grid_dim_along(access, f->space.ndim, level);
    cut->dim = dim;
    if (dim == -2) return false;
    if (dim == -1) {
        for (cut->only = 0; along->cuts[cut->only + 1] <= access->first[level]; cut->only++) {}
        return true;
    }
    if (f->whole >> dim & 1 || grid_is_cut_along(f->share, dim)) return false;
    const int64_t count = f->space.shape[dim], first = access->first[level];
    if (access->factor[dim] < 0 && !f->turns) reach_evenly_in(along->ranks, count, cut->ranges);
    else
        for (int p = 0; p < along->ranks; p++) {
            const Extent part = {along->cuts[p], along->cuts[p + 1]};
            const Extent found = reach_indices_in((Extent){first, first + 1}, access->factor[dim], count, part);
            cut->ranges[p] = extent_is_empty(found) ? (Extent){0, 0} : found;
        }
    return true;
}

// --- Views -----------------------------------------------------------------------------------------

Status grid_share_of(Vm *vm, const View *view, GridShare *share) {
    const Link *link = link_of(vm);
    const Grid *grid = view->storage->buffer.grid;
    const GridFollow f = {{view->ndim, view->shape}, 0, share, true};
    KernAccess access;
    GridAccess found;
    share->count = 0;
    if (grid_scratch_ready(vm) != ST_OK) return ST_ERROR;
    kernel_set_access(&access, view);
    bool fits = grid_access(grid, f.space, &access, &found);
    for (int l = 0; fits && l < grid->levels; l++) {
        GridCut cut = {.ranks = grid->level[l].ranks, .step = grid->level[l].step,
                       .ranges = link->grid_ranges + share->count * link->size};
        if (cut.ranks == 1) continue;
        fits = grid_follow_level(&f, grid, &found, l, &cut) && cut.dim >= 0;
        if (fits) share->cut[share->count++] = cut;
    }
    if (!fits) share->count = 0;
    return ST_OK;
}
