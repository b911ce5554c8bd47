// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Finds what parts of an iteration space access of a storage on a grid of ranks, and brings that.

#include <stdlib.h>
#include <string.h>

#include "vm/sched/boxes.h"
#include "vm/sched/dry.h"
#include "vm/sched/grid_impl.h"
#include "vm/sched/sched.h"

// --- Accesses --------------------------------------------------------------------------------------

// Returns the outermost level whose stride divides a step in bytes; -1: none.
static int level_along(const Grid *grid, int64_t step) {
    for (int l = 0; l < grid->levels; l++)
        if (llabs(step) >= grid->level[l].stride && step % grid->level[l].stride == 0) return l;
    return -1;
}

bool grid_access(const Grid *grid, Space space, const KernAccess *access, GridAccess *found) {
    Extent reach[GRID_LEVELS];
    int64_t rest = access->offset;
    AxisSet used = 0; // levels
    found->item = (int64_t)dtype_size(access->dtype);
    for (int l = 0; l < grid->levels; l++) {
        found->first[l] = rest / grid->level[l].stride;
        rest -= found->first[l] * grid->level[l].stride;
        reach[l] = (Extent){found->first[l], found->first[l]};
    }
    for (int d = 0; d < space.ndim; d++) {
        const int64_t step = access->strides[d];
        found->level[d] = -1;
        if (step == 0 || space.shape[d] == 1) continue;
        const int l = level_along(grid, step);
        if (l < 0) return false;
        used |= axis_bit(l);
        found->level[d] = (int8_t)l;
        found->factor[d] = step / grid->level[l].stride;
        const int64_t far = (space.shape[d] - 1) * found->factor[d];
        *(far < 0 ? &reach[l].low : &reach[l].high) += far;
    }
    for (int d = 0; d < space.ndim; d++) { // an extent of 1 is one index of a level, perhaps its only one
        if (space.shape[d] != 1) continue;
        for (int l = 0; l < grid->levels && found->level[d] < 0; l++)
            if (llabs(access->strides[d]) == grid->level[l].stride && !(used >> l & 1)) found->level[d] = (int8_t)l;
        if (found->level[d] < 0) continue;
        used |= axis_bit(found->level[d]);
        found->factor[d] = 1;
    }
    reach[grid->levels - 1].high += found->item - 1;
    for (int l = 0; l < grid->levels; l++)
        if (reach[l].low < 0 || reach[l].high >= grid->level[l].extent) return false;
    return true;
}

// --- What parts access -------------------------------------------------------------------------------

Extent grid_touched_along(const Grid *grid, const GridAccess *access, const GridShare *share, Space space, int rank, int level) {
    Extent along = {access->first[level], access->first[level] + (level == grid->levels - 1 ? access->item : 1)};
    for (int d = 0; d < space.ndim; d++)
        if (access->level[d] == level) along = reach_moved(along, access->factor[d], grid_part(share, space, rank, d));
    return along;
}

Box grid_touched(const Grid *grid, const GridAccess *access, const GridShare *share, Space space, int rank) {
    Box box = {.along = {{0, 0}}};
    const bool is_empty = grid_part_is_empty(share, rank);
    for (int l = 0; l < grid->levels && !is_empty; l++) box.along[l] = grid_touched_along(grid, access, share, space, rank, l);
    return box;
}

double grid_missing(const Link *link, const Grid *grid, const GridAccess *access, const GridShare *share, Space space) {
    double missing = 0; // with many ranks more than an int64_t can be
    int64_t times;
    RankClasses classes;
    grid_classes(link, grid, access, share, space, &classes);
    for (int i = 0; i < classes.count; i++) {
        const int r = grid_class(&classes, i, &times);
        const Box own = grid_box(grid, r), touched = grid_touched(grid, access, share, space, r);
        const Box there = box_meet(grid->levels, &own, &touched);
        missing += (double)times * (double)(box_size(grid->levels, &touched) - box_size(grid->levels, &there));
    }
    return missing;
}

// Rewrites offset and strides of an access for the memory that a layout describes.
static void use_layout(const GridLayout *layout, int levels, const GridAccess *access, int ndim, KernAccess *made) {
    made->offset = 0;
    for (int l = 0; l < levels; l++) made->offset += (access->first[l] - layout->box.along[l].low) * layout->apart[l];
    for (int d = 0; d < ndim; d++)
        made->strides[d] = access->level[d] < 0 ? 0 : access->factor[d] * layout->apart[access->level[d]];
}

void grid_localize(const Storage *storage, const GridAccess *access, int ndim, KernAccess *made) {
    const GridLayout window = layout_of(storage);
    use_layout(&window, storage->buffer.grid->levels, access, ndim, made);
}

// --- Messages --------------------------------------------------------------------------------------

// Packs a piece of a layout into a box, and lists a message with it. Lists nothing if the piece is empty.
static Status grid_send(Vm *vm, int to, int levels, const GridLayout *from, const Box *piece) {
    const int64_t bytes = box_size(levels, piece);
    GridLayout packed;
    if (bytes == 0) return ST_OK;
    Storage *box = boxes_temp(vm, bytes);
    if (!box) return vm_no_memory(vm);
    layout_pack(&packed, levels, piece, box->buffer.host);
    layout_copy(levels, &packed, from, piece);
    return blocks_list(vm, to, true, packed.base, bytes) ? ST_OK : vm_no_memory(vm);
}

// Lists a message that brings a piece to a storage's window, or to a layout if `window` is NULL.
static Status grid_receive(Vm *vm, int from, int levels, Storage *window, const GridLayout *to, const Box *piece) {
    Link *link = link_of(vm);
    const int64_t bytes = box_size(levels, piece);
    if (bytes == 0) return ST_OK;
    Storage *box = boxes_temp(vm, bytes);
    if (!box || !mem_grow(&vm->mem, (void **)&link->arrivals, &link->arrival_room, link->arrival_count + 1, sizeof *link->arrivals))
        return vm_no_memory(vm);
    GridArrival *arrival = &link->arrivals[link->arrival_count++];
    *arrival = (GridArrival){.window = window, .box = *piece, .levels = levels};
    if (!window) arrival->to = *to;
    layout_pack(&arrival->packed, levels, piece, box->buffer.host);
    return blocks_list(vm, from, false, box->buffer.host, bytes) ? ST_OK : vm_no_memory(vm);
}

Status grid_list(Vm *vm, const Lies *from, const GridLayout *source, const Lies *to, int count, Storage *window, const GridLayout *dest) {
    const Link *link = link_of(vm);
    const int levels = from->grid->levels;
    const Box has = from->box(from, link->rank);
    Status st = ST_OK;
    if (link->dry) return dry_list(vm, from, to, count);
    for (int i = 0; i < count; i++) {
        const Box gets = to[i].box(&to[i], link->rank);
        for (int r = 0; st == ST_OK && r < link->size; r++) {
            const Box theirs = to[i].box(&to[i], r), other = from->box(from, r);
            const Box sent = box_meet(levels, &has, &theirs), got = box_meet(levels, &other, &gets);
            if (r == link->rank) continue;
            st = grid_send(vm, r, levels, source, &sent);
            if (st == ST_OK) st = grid_receive(vm, r, levels, window, dest, &got);
        }
    }
    return st;
}

void grid_arrive(Vm *vm) {
    Link *link = link_of(vm);
    for (size_t i = 0; i < link->arrival_count; i++) {
        const GridArrival *arrival = &link->arrivals[i];
        const GridLayout to = arrival->window ? layout_of(arrival->window) : arrival->to;
        layout_copy(arrival->levels, &to, &arrival->packed, &arrival->box);
    }
    link->arrival_count = 0;
}

void grid_none_came(Vm *vm) {
    Link *link = link_of(vm);
    for (size_t i = 0; i < link->arrival_count; i++)
        if (link->arrivals[i].window) grid_written(link->arrivals[i].window);
    link->arrival_count = 0;
}

// --- Halos -------------------------------------------------------------------------------------------

// What ranks lack for a load, beyond their own boxes.
typedef struct Lack {
    bool any;        // some rank lacks something
    bool is_regular; // all ranks lack little, which is then kept as a halo of their boxes
    int64_t low[GRID_LEVELS], high[GRID_LEVELS]; // by how much boxes would have to be widened
} Lack;

static void widen(int levels, const Box *own, const Box *touched, Lack *lack) {
    for (int l = 0; l < levels; l++) {
        const int64_t low = own->along[l].low - touched->along[l].low, high = touched->along[l].high - own->along[l].high;
        if (low > lack->low[l]) lack->low[l] = low;
        if (high > lack->high[l]) lack->high[l] = high;
    }
}

static bool is_narrow(const Grid *grid, const Lack *lack) {
    enum { NARROW = 8, PART = 4 };
    for (int l = 0; l < grid->levels; l++) {
        const GridLevel *level = &grid->level[l];
        const int64_t wide = lack->low[l] > lack->high[l] ? lack->low[l] : lack->high[l];
        if (wide > NARROW && wide > level->extent / level->ranks / PART) return false;
    }
    return true;
}

static Lack lack_of(const Link *link, const Grid *grid, const GridAccess *access, const GridShare *share, Space space) {
    Lack lack = {.is_regular = share->count > 0};
    RankClasses classes;
    int64_t times;
    grid_classes(link, grid, access, share, space, &classes);
    for (int i = 0; i < classes.count; i++) {
        const int r = grid_class(&classes, i, &times);
        const Box own = grid_box(grid, r), touched = grid_touched(grid, access, share, space, r);
        const bool owns_none = box_is_empty(grid->levels, &own);
        if (box_is_empty(grid->levels, &touched)) {
            lack.is_regular &= owns_none;
            continue;
        }
        lack.any |= !box_has(grid->levels, &own, &touched);
        lack.is_regular &= !owns_none;
        if (lack.is_regular) widen(grid->levels, &own, &touched, &lack);
    }
    lack.is_regular = lack.is_regular && is_narrow(grid, &lack);
    return lack;
}

// Returns where a side is along a level: -1, 0, 1: before, in, or behind the box.
static int side_along(int side, int level) {
    for (; level > 0; level--) side /= 3;
    return side % 3 - 1;
}

// Notes in grid->wanted the sides that a box widened by `lack` has, and their widths.
static void note_sides(Grid *grid, const Lack *lack) {
    for (int s = 0; s < GRID_SIDES; s++) {
        int64_t wide[GRID_CUTS] = {0};
        bool has = false, all = true;
        for (int l = 0; l < GRID_CUTS; l++) {
            const int along = side_along(s, l);
            if (along == 0) continue;
            wide[l] = l >= grid->levels ? 0 : along < 0 ? lack->low[l] : lack->high[l];
            has = true;
            all &= wide[l] > 0;
        }
        for (int l = 0; l < GRID_CUTS && has && all; l++)
            if (wide[l] > grid->wanted[s].wide[l]) grid->wanted[s].wide[l] = wide[l];
    }
}

static Box box_beside(const Lies *lies, int rank) {
    const Grid *grid = lies->grid;
    const int side = lies->side;
    Box box = grid_box(grid, rank);
    if (box_is_empty(grid->levels, &box)) return box;
    for (int l = 0; l < grid->levels && l < GRID_CUTS; l++) {
        const int along = side_along(side, l);
        const int64_t wide = grid->held[side].wide[l];
        Extent *e = &box.along[l];
        if (along < 0) *e = (Extent){e->low - wide, e->low};
        if (along > 0) *e = (Extent){e->high, e->high + wide};
        *e = extent_meet(*e, (Extent){0, grid->level[l].extent});
    }
    return box;
}

// Returns whether more of a side is wanted than ranks hold.
static bool is_lacking(const Grid *grid, int side) {
    for (int l = 0; l < GRID_CUTS; l++)
        if (grid->wanted[side].wide[l] > grid->held[side].wide[l]) return true;
    return false;
}

Status grid_want_halos(Vm *vm, Storage *storage) {
    Link *link = link_of(vm);
    Grid *grid = storage->buffer.grid;
    Lies sides[GRID_SIDES];
    const Lies boxes = lies_on_grid(grid);
    int count = 0;
    Status st = ST_OK;
    for (int s = 0; st == ST_OK && s < GRID_SIDES; s++) {
        if (!is_lacking(grid, s)) continue;
        for (int l = 0; l < GRID_CUTS; l++) {
            int64_t *held = &grid->held[s].wide[l];
            if (grid->wanted[s].wide[l] > *held) *held = grid->wanted[s].wide[l];
            if (*held > link->margin) link->margin = *held;
            if (*held > grid->room[l]) grid->room[l] = *held;
        }
        sides[count] = (Lies){.box = box_beside, .grid = grid, .side = s};
        const Box wanted = box_beside(&sides[count++], link->rank);
        if (!box_is_empty(grid->levels, &wanted)) st = grid_room(vm, storage, &wanted);
    }
    memset(grid->wanted, 0, sizeof grid->wanted);
    if (count == 0 || st != ST_OK) return st;
    link->moves = true;
    vm->engine->stats.array_exchanges++;
    if (link->dry) dry_windows(vm, grid, false);
    const GridLayout window = layout_of(storage);
    return grid_list(vm, &boxes, &window, sides, count, storage, NULL);
}

static Box box_touched(const Lies *lies, int rank) {
    return grid_touched(lies->grid, lies->access, lies->share, lies->space, rank);
}

// Notes, in a dry run, the memory of the rank whose part of an access is largest, as far as this rank has less.
static void note_largest(Vm *vm, const Lies *parts, int64_t own) {
    const Link *link = link_of(vm);
    RankClasses classes;
    int64_t most = own, times;
    grid_classes(link, parts->grid, parts->access, parts->share, parts->space, &classes);
    for (int i = 0; i < classes.count; i++) {
        const Box box = parts->box(parts, grid_class(&classes, i, &times));
        const int64_t bytes = box_size(parts->grid->levels, &box);
        if (bytes > most) most = bytes;
    }
    dry_borrowed(vm, (size_t)(most - own));
}

// Lists the messages that bring what a load accesses to a box of its own, for this kernel only. If this rank needs one,
// *is_local is set, and the load reads that box.
static Status want_box(Vm *vm, Storage *storage, const GridAccess *access, const GridShare *share, Space space, KernAccess *load,
                       bool *is_local) {
    const Link *link = link_of(vm);
    const Grid *grid = storage->buffer.grid;
    const int levels = grid->levels;
    const Box own = grid_box(grid, link->rank), touched = grid_touched(grid, access, share, space, link->rank);
    const GridLayout window = layout_of(storage);
    const Lies boxes = lies_on_grid(grid);
    const Lies parts = {.box = box_touched, .grid = grid, .share = share, .access = access, .space = space};
    // A kernel that every rank runs in full needs the same layout of operands on all ranks, to give the same bits.
    const bool lacks = share->count == 0 || !box_has(levels, &own, &touched);
    GridLayout box = window;
    Storage *temp = lacks ? boxes_temp(vm, box_size(levels, &touched)) : NULL;
    if (lacks && !temp) return vm_no_memory(vm);
    if (lacks) {
        const Box here = box_meet(levels, &own, &touched);
        layout_pack(&box, levels, &touched, temp->buffer.host);
        if (link->dry) temp->buffer.valid = PLACE_UNKNOWN; // so that its kernel is not run
        else layout_copy(levels, &box, &window, &here);
    }
    if (link->dry) note_largest(vm, &parts, lacks ? box_size(levels, &touched) : 0);
    Status st = grid_list(vm, &boxes, &window, &parts, 1, NULL, &box);
    if (st != ST_OK || !lacks) return st;
    *is_local = true;
    load->storage = temp;
    load->base = temp->buffer.host;
    use_layout(&box, levels, access, space.ndim, load);
    return ST_OK;
}

Status grid_want(Vm *vm, Storage *storage, const GridAccess *access, const GridShare *share, Space space, KernAccess *load,
                 bool *is_local) {
    Link *link = link_of(vm);
    Grid *grid = storage->buffer.grid;
    const Lack lack = lack_of(link, grid, access, share, space);
    *is_local = false;
    if (!lack.any) return ST_OK;
    if (lack.is_regular) {
        note_sides(grid, &lack);
        return ST_OK;
    }
    link->moves = true;
    vm->engine->stats.array_exchanges++;
    return want_box(vm, storage, access, share, space, load, is_local);
}
