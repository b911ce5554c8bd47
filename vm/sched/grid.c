// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Storages on a grid of ranks: boxes, memory, and the change from and to other layouts.

#include "vm/sched/grid.h"

#include <string.h>

#include "vm/sched/boxes.h"
#include "vm/sched/dry.h"
#include "vm/sched/grid_impl.h"
#include "vm/sched/sched.h"

// --- Boxes -----------------------------------------------------------------------------------------

Box grid_box(const Grid *grid, int rank) {
    Box box = {.along = {{0, 0}}};
    for (int l = 0; l < grid->levels; l++) {
        const GridLevel *level = &grid->level[l];
        const int part = rank / level->step % level->ranks;
        box.along[l] = (Extent){level->cuts[part], level->cuts[part + 1]};
    }
    return box;
}

bool box_is_empty(int levels, const Box *box) {
    for (int l = 0; l < levels; l++)
        if (extent_is_empty(box->along[l])) return true;
    return false;
}

bool box_has(int levels, const Box *outer, const Box *inner) {
    if (box_is_empty(levels, inner)) return true;
    for (int l = 0; l < levels; l++)
        if (!extent_has(outer->along[l], inner->along[l])) return false;
    return true;
}

Box box_meet(int levels, const Box *a, const Box *b) {
    Box met = {.along = {{0, 0}}};
    for (int l = 0; l < levels; l++) met.along[l] = extent_meet(a->along[l], b->along[l]);
    return met;
}

int64_t box_size(int levels, const Box *box) {
    int64_t size = 1;
    if (box_is_empty(levels, box)) return 0;
    for (int l = 0; l < levels; l++) size *= box->along[l].high - box->along[l].low;
    return size;
}

static Box box_of_all(const Grid *grid) {
    Box box = {.along = {{0, 0}}};
    for (int l = 0; l < grid->levels; l++) box.along[l] = (Extent){0, grid->level[l].extent};
    return box;
}

// --- Memory ----------------------------------------------------------------------------------------

void layout_pack(GridLayout *layout, int levels, const Box *box, char *base) {
    int64_t bytes = 1;
    layout->base = base;
    layout->box = *box;
    for (int l = levels - 1; l >= 0; l--) {
        layout->apart[l] = bytes;
        bytes *= extent_is_empty(box->along[l]) ? 0 : box->along[l].high - box->along[l].low;
    }
}

GridLayout layout_of(const Storage *storage) {
    const Grid *grid = storage->buffer.grid;
    GridLayout layout = {.base = storage->buffer.host, .box = grid->window};
    memcpy(layout.apart, grid->apart, sizeof layout.apart);
    return layout;
}

static GridLayout layout_whole(const Grid *grid, char *base) {
    GridLayout layout = {.base = base, .box = box_of_all(grid)};
    for (int l = 0; l < grid->levels; l++) layout.apart[l] = grid->level[l].stride;
    return layout;
}

static int64_t place_in(const GridLayout *layout, int levels, const Box *box) {
    int64_t at = 0;
    for (int l = 0; l < levels; l++) at += (box->along[l].low - layout->box.along[l].low) * layout->apart[l];
    return at;
}

static void copy_level(int levels, int l, const int64_t *counts, char *to, const int64_t *to_apart, const char *from,
                       const int64_t *from_apart) {
    if (l == levels - 1) {
        memcpy(to, from, (size_t)counts[l]);
        return;
    }
    for (int64_t i = 0; i < counts[l]; i++)
        copy_level(levels, l + 1, counts, to + i * to_apart[l], to_apart, from + i * from_apart[l], from_apart);
}

void layout_copy(int levels, const GridLayout *to, const GridLayout *from, const Box *box) {
    int64_t counts[GRID_LEVELS], to_apart[GRID_LEVELS], from_apart[GRID_LEVELS];
    if (box_is_empty(levels, box)) return;
    for (int l = 0; l < levels; l++) {
        counts[l] = box->along[l].high - box->along[l].low;
        to_apart[l] = to->apart[l];
        from_apart[l] = from->apart[l];
    }
    char *dest = to->base + place_in(to, levels, box);
    const char *source = from->base + place_in(from, levels, box);
    // Merges levels that are contiguous in both layouts.
    for (; levels > 1 && to_apart[levels - 2] == counts[levels - 1] && from_apart[levels - 2] == counts[levels - 1]; levels--) {
        counts[levels - 2] *= counts[levels - 1];
        to_apart[levels - 2] = from_apart[levels - 2] = 1;
    }
    copy_level(levels, 0, counts, dest, to_apart, source, from_apart);
}

int64_t layout_origin(const GridLayout *layout, int levels) {
    int64_t at = 0;
    for (int l = 0; l < levels; l++) at -= layout->box.along[l].low * layout->apart[l];
    return at;
}

// --- Plans -----------------------------------------------------------------------------------------

bool grid_plan(GridPlan *plan, int count, const int64_t *extents, const int64_t *strides) {
    if (count >= GRID_LEVELS) return false;
    plan->levels = count + 1;
    for (int l = 0; l < count; l++) plan->level[l] = (GridLevel){extents[l], strides[l], 1, 1, NULL};
    plan->level[count] = (GridLevel){count ? strides[count - 1] : 1, 1, 1, 1, NULL};
    return true;
}

bool grid_plan_ranks(GridPlan *plan, int ranks) {
    int64_t step = 1;
    for (int l = plan->levels - 1; l >= 0; l--) {
        plan->level[l].step = (int)step;
        step *= plan->level[l].ranks;
        if (step > ranks) return false;
    }
    return step == ranks;
}

static size_t grid_bytes(size_t cut_count) {
    return sizeof(Grid) + cut_count * sizeof(int64_t);
}

static Grid *grid_new(Vm *vm, const GridPlan *plan) {
    size_t count = 0;
    for (int l = 0; l < plan->levels; l++) count += (size_t)plan->level[l].ranks + 1;
    Grid *grid = mem_zalloc(&vm->mem, grid_bytes(count));
    if (!grid) return NULL;
    grid->levels = plan->levels;
    grid->cut_count = count;
    int64_t *cuts = grid->all_cuts;
    for (int l = 0; l < plan->levels; l++) {
        const GridLevel *from = &plan->level[l];
        GridLevel *level = &grid->level[l];
        *level = *from;
        level->cuts = cuts;
        for (int p = 0; p <= from->ranks; p++)
            cuts[p] = from->cuts ? from->cuts[p] : from->extent / from->ranks * p + from->extent % from->ranks * p / from->ranks;
        cuts += from->ranks + 1;
    }
    return grid;
}

// --- Windows ---------------------------------------------------------------------------------------

void grid_drop(Vm *vm, Buffer *buffer) {
    if (!buffer->grid) return;
    if (is_dry(vm)) dry_windows(vm, buffer->grid, true);
    mem_free(&vm->mem, buffer->grid, grid_bytes(buffer->grid->cut_count));
    buffer->grid = NULL;
}

static bool window_alloc(Vm *vm, int levels, const Box *box, Buffer *into) {
    *into = (Buffer){.bytes = (size_t)box_size(levels, box)};
    return buffer_alloc_host(vm, into, FRESH_ANY);
}

static void take_memory(Buffer *to, const Buffer *from) {
    to->host = from->host;
    to->block = from->block;
    to->block_bytes = from->block_bytes;
}

static Box widened(const Grid *grid, Box box, int64_t margin) {
    if (box_is_empty(grid->levels, &box)) return box;
    for (int l = 0; l < grid->levels; l++) {
        const GridLevel *level = &grid->level[l];
        if (level->ranks == 1) continue;
        box.along[l].low = box.along[l].low > margin ? box.along[l].low - margin : 0;
        box.along[l].high = level->extent - box.along[l].high > margin ? box.along[l].high + margin : level->extent;
    }
    return box;
}

static void use_window(Grid *grid, const GridLayout *layout) {
    grid->window = layout->box;
    memcpy(grid->apart, layout->apart, sizeof grid->apart);
}

// Puts a storage on a grid, with the memory `made`, which `layout` describes. Frees its former memory.
static void settle(Vm *vm, Storage *storage, Grid *grid, const GridLayout *layout, const Buffer *made) {
    Buffer *buffer = &storage->buffer;
    buffer_free_host(vm, buffer);
    blocks_drop(vm, buffer);
    if (buffer->grid != grid) grid_drop(vm, buffer);
    take_memory(buffer, made);
    use_window(grid, layout);
    grid_written_of(grid);
    for (int l = 0; l < GRID_CUTS; l++) grid->room[l] = link_of(vm)->margin;
    buffer->grid = grid;
    buffer->untouched = WRITTEN;
    buffer->valid = PLACE_GRID;
    if (is_dry(vm)) dry_windows(vm, grid, false);
}

Status grid_room(Vm *vm, Storage *storage, const Box *wanted) {
    Grid *grid = storage->buffer.grid;
    Buffer made;
    GridLayout from = layout_of(storage), to;
    Box box = grid->window;
    if (box_has(grid->levels, &box, wanted)) return ST_OK;
    for (int l = 0; l < grid->levels; l++) box.along[l] = extent_hull(box.along[l], wanted->along[l]);
    if (!window_alloc(vm, grid->levels, &box, &made)) return vm_no_memory(vm);
    layout_pack(&to, grid->levels, &box, made.host);
    if (!is_dry(vm)) layout_copy(grid->levels, &to, &from, &from.box);
    buffer_free_host(vm, &storage->buffer);
    take_memory(&storage->buffer, &made);
    use_window(grid, &to);
    return ST_OK;
}

// Allocates a window for this rank's box, with room for the widest halo so far.
static Status window_for(Vm *vm, const Grid *grid, GridLayout *layout, Buffer *made) {
    const Link *link = link_of(vm);
    const Box box = widened(grid, grid_box(grid, link->rank), link->margin);
    if (!window_alloc(vm, grid->levels, &box, made)) return vm_no_memory(vm);
    layout_pack(layout, grid->levels, &box, made->host);
    return ST_OK;
}

// Puts a storage that every rank has, or that nobody has written, on a grid: keeps this rank's box of it.
static Status cut_whole(Vm *vm, Storage *storage, Grid *grid) {
    GridLayout to;
    Buffer made;
    const Box own = grid_box(grid, link_of(vm)->rank);
    if (window_for(vm, grid, &to, &made) != ST_OK) return ST_ERROR;
    if (storage->buffer.host && !is_dry(vm)) {
        const GridLayout whole = layout_whole(grid, storage->buffer.host);
        layout_copy(grid->levels, &to, &whole, &own);
    }
    settle(vm, storage, grid, &to, &made);
    return ST_OK;
}

Status grid_cut(Vm *vm, Storage *storage, const GridPlan *plan) {
    Grid *grid = grid_new(vm, plan);
    if (!grid) return vm_no_memory(vm);
    Status st = cut_whole(vm, storage, grid);
    if (st != ST_OK) mem_free(&vm->mem, grid, grid_bytes(grid->cut_count));
    return st;
}

Status grid_resume(Vm *vm, Storage *storage) {
    Buffer *buffer = &storage->buffer;
    const bool is_whole = buffer->valid == PLACE_HOST || buffer->valid == PLACE_UNKNOWN;
    if (!buffer->grid || !is_whole || storage->owner) return ST_OK;
    return cut_whole(vm, storage, buffer->grid);
}

void grid_written_of(Grid *grid) {
    memset(grid->held, 0, sizeof grid->held);
    grid->reads = 0;
}

void grid_written(Storage *storage) {
    grid_written_of(storage->buffer.grid);
}

// --- From one layout to another ----------------------------------------------------------------------

static Box box_on_grid(const Lies *lies, int rank) {
    return grid_box(lies->grid, rank);
}

Lies lies_on_grid(const Grid *grid) {
    return (Lies){.box = box_on_grid, .grid = grid};
}

// A block, which is of whole rows of the first level.
static Box box_in_rows(const Lies *lies, int rank) {
    Box box = box_of_all(lies->grid);
    const Extent bytes = block_of(lies->rows, rank);
    const int64_t stride = lies->grid->level[0].stride;
    box.along[0] = (Extent){bytes.low / stride, bytes.high / stride};
    return box;
}

static Lies lies_in_rows(const Grid *grid, const Partition *rows) {
    return (Lies){.box = box_in_rows, .grid = grid, .rows = rows};
}

static Box box_whole(const Lies *lies, int rank) {
    (void)rank;
    return box_of_all(lies->grid);
}

static void keep_own(const Link *link, const Lies *from, const GridLayout *source, const Lies *to, const GridLayout *dest) {
    const int levels = from->grid->levels;
    const Box has = from->box(from, link->rank), gets = to->box(to, link->rank), kept = box_meet(levels, &has, &gets);
    layout_copy(levels, dest, source, &kept);
}

static Status move(Vm *vm, const Lies *from, const GridLayout *source, const Lies *to, const GridLayout *dest) {
    Link *link = link_of(vm);
    const size_t boxes = link->temp_count; // a kernel that is being prepared may own the first ones
    blocks_begin(vm);
    link->moves = true;
    vm->engine->stats.array_exchanges++;
    if (!link->dry) keep_own(link, from, source, to, dest);
    Status st = grid_list(vm, from, source, to, 1, NULL, dest);
    if (st == ST_OK) st = blocks_exchange(vm);
    boxes_release_from(vm, boxes);
    return st;
}

// Cuts the rows of the first level evenly over the ranks. If the grid's parts of that level are ranks in order, each
// part's rows go to its own ranks.
static void cut_rows(const Link *link, const Grid *grid, int64_t *cuts) {
    const GridLevel *level = &grid->level[0];
    const bool in_order = level->step * level->ranks == link->size;
    for (int r = 0; r <= link->size; r++) {
        int64_t low = 0, high = level->extent, part = r, parts = link->size;
        if (in_order && r < link->size) {
            low = level->cuts[r / level->step];
            high = level->cuts[r / level->step + 1];
            part = r % level->step;
            parts = level->step;
        }
        const int64_t rows = high - low;
        cuts[r] = (low + rows / parts * part + rows % parts * part / parts) * level->stride;
    }
    cuts[link->size] = level->extent * level->stride;
}

Status grid_to_rows(Vm *vm, Storage *storage) {
    Link *link = link_of(vm);
    Buffer *buffer = &storage->buffer, old = *buffer;
    Grid *grid = buffer->grid;
    const GridLayout source = layout_of(storage);
    cut_rows(link, grid, link->trial->cuts);
    buffer->host = buffer->block = NULL;
    buffer->valid = PLACE_NOWHERE;
    Status st = blocks_cut(vm, storage, link->trial->cuts);
    if (st == ST_OK) {
        const GridLayout dest = layout_whole(grid, buffer->host);
        const Lies boxes = lies_on_grid(grid), rows = lies_in_rows(grid, buffer->blocks->partition);
        st = move(vm, &boxes, &source, &rows, &dest);
    }
    if (st == ST_OK) {
        buffer_free_host(vm, &old);
        grid_drop(vm, buffer);
        return ST_OK;
    }
    buffer_free_host(vm, buffer);
    blocks_drop(vm, buffer);
    take_memory(buffer, &old);
    buffer->valid = PLACE_GRID;
    return st;
}

static bool has_whole_rows(const Link *link, const Partition *rows, int64_t stride) {
    for (int r = 1; r < link->size; r++)
        if (rows->cuts[r] % stride != 0) return false;
    return true;
}

Status grid_from_rows(Vm *vm, Storage *storage, const GridPlan *plan) {
    const Link *link = link_of(vm);
    const Partition *rows = storage->buffer.blocks->partition;
    GridLayout to;
    Buffer made;
    if (!has_whole_rows(link, rows, plan->level[0].stride)) {
        Status st = blocks_gather(vm, storage);
        return st == ST_OK ? grid_cut(vm, storage, plan) : st;
    }
    Grid *grid = grid_new(vm, plan);
    if (!grid) return vm_no_memory(vm);
    Status st = window_for(vm, grid, &to, &made);
    if (st == ST_OK) {
        const GridLayout source = layout_whole(grid, storage->buffer.host);
        const Lies blocks = lies_in_rows(grid, rows), boxes = lies_on_grid(grid);
        st = move(vm, &blocks, &source, &boxes, &to);
        if (st == ST_OK) settle(vm, storage, grid, &to, &made);
        else buffer_free_host(vm, &made);
    }
    if (st != ST_OK) mem_free(&vm->mem, grid, grid_bytes(grid->cut_count));
    return st;
}

Status grid_gather(Vm *vm, Storage *storage) {
    Link *link = link_of(vm);
    Buffer *buffer = &storage->buffer, made = {.bytes = buffer->bytes};
    Grid *grid = buffer->grid;
    const Lies boxes = lies_on_grid(grid), whole = {.box = box_whole, .grid = grid, .everywhere = true};
    if (!buffer_alloc_host(vm, &made, FRESH_ANY)) return vm_no_memory(vm);
    const GridLayout source = layout_of(storage), dest = layout_whole(grid, made.host);
    link->traffic.gathers = true;
    Status st = move(vm, &boxes, &source, &whole, &dest);
    link->traffic.gathers = false;
    if (st != ST_OK) {
        buffer_free_host(vm, &made);
        return st;
    }
    vm->engine->stats.arrays_gathered++;
    traffic_gathered(vm, storage);
    buffer_free_host(vm, buffer);
    take_memory(buffer, &made);
    buffer->valid = link->dry ? PLACE_UNKNOWN : PLACE_HOST;
    if (link->dry) dry_windows(vm, grid, true);
    return ST_OK;
}

// --- Single elements ---------------------------------------------------------------------------------

static int owner_of(const Grid *grid, int64_t offset) {
    int rank = 0;
    for (int l = 0; l < grid->levels; l++) {
        const GridLevel *level = &grid->level[l];
        const int64_t index = offset / level->stride % level->extent;
        int part = 0;
        while (level->cuts[part + 1] <= index) part++;
        rank += part * level->step;
    }
    return rank;
}

const char *grid_element(Vm *vm, Storage *storage, int64_t offset, size_t bytes) {
    Link *link = link_of(vm);
    Grid *grid = storage->buffer.grid;
    if (grid->reads++ >= blocks_reads_most(storage) || bytes > sizeof link->element) {
        if (engine_detour_here(vm, DETOUR_GATHERED, "a row of elements", "they are looked at one by one") != ST_OK) return NULL;
        return memory_to_host(vm, storage, false) == ST_OK ? storage->buffer.host + offset : NULL;
    }
    if (blocks_refuse_alone(vm) != ST_OK) return NULL;
    const int owner = owner_of(grid, offset);
    if (link->dry) {
        dry_assume(vm, "an element");
        memset(link->element, 0, sizeof link->element);
    } else if (owner == link->rank) {
        const GridLayout layout = layout_of(storage);
        int64_t at = layout_origin(&layout, grid->levels);
        for (int l = 0; l < grid->levels; l++) at += offset / grid->level[l].stride % grid->level[l].extent * layout.apart[l];
        memcpy(link->element, layout.base + at, bytes);
    }
    Status st = link_broadcast(vm, (StepKey){'e', (uint64_t)offset}, owner, link->element, bytes);
    return st == ST_OK ? link->element : NULL;
}
