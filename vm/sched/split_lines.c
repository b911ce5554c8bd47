// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Partitions products of sparse matrices over the ranks.
//
// Compressed rows: each rank computes a block of rows; of a square matrix, those at the indices of its block of the
// vector. It receives the entries of its rows, and the interval of the vector from the smallest column index in them to
// the largest: for a banded matrix, a halo. Two gathers per version of the matrix exchange these bounds, which are
// cached. The interval is the image of the row block (Yadav et al., Legate Sparse, 2023).
//
// Compressed columns: each rank multiplies the columns at the indices of its block of the vector. The partial sums are
// reduced and scattered to the owners of the result.

#include <string.h>

#include "vm/graph/row_runs.h"
#include "vm/sched/boxes.h"
#include "vm/sched/sched.h"
#include "vm/sched/split_impl.h"

// What the product of a rank's lines reads, as ranges of indices: the lines, their entries, and the elements of x.
typedef struct RankReach {
    Extent lines, entries, columns;
} RankReach;

typedef struct LineProduct {
    View *indptr, *indices, *data, *x, *to;
    RankReach *reach; // per rank
} LineProduct;

// --- Lines -----------------------------------------------------------------------------------------

// Divides lines evenly, if no operand determines their owners.
static void even_lines(const Link *link, int64_t lines, Extent *ranges) {
    for (int r = 0; r < link->size; r++)
        ranges[r] = (Extent){lines * r / link->size, lines * (r + 1) / link->size};
}

// Makes ranges follow each other from 0 to the last line.
static void close_up(const Link *link, int64_t lines, Extent *ranges) {
    int64_t next = 0;
    for (int r = 0, last = link->size - 1; r <= last; r++) {
        int64_t high = extent_is_empty(ranges[r]) || ranges[r].high < next ? next : ranges[r].high;
        ranges[r] = (Extent){next, r == last || high > lines ? lines : high};
        next = ranges[r].high;
    }
}

static void choose_lines(const Link *link, const LineProduct *p, Extent *ranges) {
    const int64_t lines = p->to->shape[0];
    bool found = false;
    if (p->x->shape[0] == lines && is_cut(p->x->storage)) found = split_ranges(link, p->x, 0, ranges);
    if (!found && is_cut(p->indptr->storage)) found = split_ranges(link, p->indptr, 0, ranges);
    if (!found) even_lines(link, lines, ranges);
    close_up(link, lines, ranges);
}

// --- What they read --------------------------------------------------------------------------------

static int64_t index_at(const View *view, int64_t i) {
    const char *from = view->storage->buffer.host + view->offset;
    return view->dtype == DT_INT64 ? ((const int64_t *)(const void *)from)[i] : ((const int32_t *)(const void *)from)[i];
}

// Brings each rank its elements of a contiguous view, which are whole rows of `width`.
static Status bring(Vm *vm, const View *view, int64_t width, const LineProduct *p, Extent (*of)(const RankReach *reach)) {
    const Link *link = link_of(vm);
    const int64_t item = width * (int64_t)dtype_size(view->dtype);
    if (!is_cut(view->storage)) return ST_OK;
    for (int r = 0; r < link->size; r++) {
        const Extent e = of(&p->reach[r]);
        link->scratch[r] = extent_is_empty(e) ? (Extent){0, 0}
                                              : (Extent){view->offset + e.low * item, view->offset + e.high * item};
    }
    return blocks_bring(vm, view->storage, link->scratch);
}

static Extent bounds_of(const RankReach *reach) { // indptr has one element more than there are lines
    return extent_is_empty(reach->lines) ? reach->lines : (Extent){reach->lines.low, reach->lines.high + 1};
}

static Extent entries_of(const RankReach *reach) {
    return reach->entries;
}

static Extent columns_of(const RankReach *reach) {
    return reach->columns;
}

static Extent own_entries(const LineProduct *p, Extent lines) {
    if (extent_is_empty(lines)) return (Extent){0, 0};
    return (Extent){index_at(p->indptr, lines.low), index_at(p->indptr, lines.high)};
}

static Extent own_columns(const LineProduct *p, Extent entries) {
    if (extent_is_empty(entries)) return (Extent){0, 0};
    Extent found = {INT64_MAX, 0};
    for (int64_t k = entries.low; k < entries.high; k++) {
        const int64_t column = index_at(p->indices, k);
        if (column < found.low) found.low = column;
        if (column >= found.high) found.high = column + 1;
    }
    return found;
}

// Gathers what each rank has found: the range of columns, or that of entries. Collective.
static Status tell(Vm *vm, Extent own, const LineProduct *p, bool columns) {
    const Link *link = link_of(vm);
    Status st = link_gather(vm, (StepKey){'i', (uint64_t)columns}, &own, link->scratch, sizeof own);
    for (int r = 0; st == ST_OK && r < link->size; r++) {
        if (columns) p->reach[r].columns = link->scratch[r];
        else p->reach[r].entries = link->scratch[r];
    }
    return st;
}

// Returns whether what was found from the matrix's structure may be cached until the structure is written.
static bool can_be_kept(const LineProduct *p) {
    const Storage *indptr = p->indptr->storage, *indices = p->indices->storage;
    return indptr != indices && !indptr->producer && !indices->producer && !indptr->owner && !indices->owner;
}

static bool is_known(const Link *link, const LineProduct *p) {
    for (int r = 0; r < link->size; r++) {
        const Extent known = p->reach[r].lines, now = link->ranges[r];
        if (known.low != now.low || known.high != now.high) return false;
    }
    return true;
}

static Status look_up(Vm *vm, const LineProduct *p) {
    const Link *link = link_of(vm);
    const RankReach *mine = &p->reach[link->rank];
    for (int r = 0; r < link->size; r++) p->reach[r] = (RankReach){.lines = link->ranges[r]};
    Status st = bring(vm, p->indptr, 1, p, bounds_of);
    if (st == ST_OK) st = tell(vm, own_entries(p, mine->lines), p, false);
    if (st == ST_OK) st = bring(vm, p->indices, 1, p, entries_of);
    if (st == ST_OK) st = tell(vm, own_columns(p, mine->entries), p, true);
    return st;
}

// Finds or allocates memory for p->reach: in a cached record, *kept, or in a box for this kernel only. Raises
// MemoryError on a rank without memory, since the other ranks continue with collective steps.
static Status make_reach(Vm *vm, LineProduct *p, RowRuns **kept) {
    const size_t bytes = (size_t)link_of(vm)->size * sizeof *p->reach;
    *kept = NULL;
    if (!can_be_kept(p)) {
        Storage *room = boxes_temp(vm, (int64_t)bytes);
        p->reach = room ? (RankReach *)(void *)room->buffer.host : NULL;
        return room ? ST_OK : vm_no_memory(vm);
    }
    RowRuns *record = *kept = row_runs_record(vm, p->indptr, p->indices);
    if (!record) return vm_no_memory(vm);
    if (!record->reach) {
        record->reach = mem_zalloc(&vm->mem, bytes);
        if (!record->reach) return vm_no_memory(vm);
        record->reach_bytes = bytes;
    }
    p->reach = record->reach;
    return ST_OK;
}

// Finds p->reach for link->ranges, with indptr and indices in place. Collective.
static Status find_reach(Vm *vm, LineProduct *p) {
    RowRuns *kept;
    Status st = make_reach(vm, p, &kept);
    if (st != ST_OK) return st;
    if (kept && is_known(link_of(vm), p)) {
        st = bring(vm, p->indptr, 1, p, bounds_of);
        return st == ST_OK ? bring(vm, p->indices, 1, p, entries_of) : st;
    }
    st = look_up(vm, p);
    if (st != ST_OK && kept) row_runs_forget_reach(vm, kept);
    return st;
}

// --- The call --------------------------------------------------------------------------------------

static bool is_worth_it(const Link *link, const LineProduct *p) {
    const View *operands[] = {p->indptr, p->indices, p->data, p->x};
    bool cut = (int64_t)p->to->storage->buffer.bytes >= link->split_least;
    for (int i = 0; i < 4; i++) cut |= is_cut(operands[i]->storage);
    return cut;
}

static Status cut_result(Vm *vm, const View *to) {
    const Link *link = link_of(vm);
    const int64_t row = (to->ndim == 2 ? to->shape[1] : 1) * (int64_t)dtype_size(to->dtype);
    link->trial->cuts[0] = 0;
    for (int r = 0; r < link->size; r++) link->trial->cuts[r + 1] = link->ranges[r].high * row;
    return blocks_cut(vm, to->storage, link->trial->cuts);
}

static void keep_bounds(Kernel *k, const LineProduct *p, Extent own) {
    k->lines[0].first += own.low;
    p->indptr->offset += own.low * (int64_t)dtype_size(p->indptr->dtype);
    p->indptr->shape[0] = own.high - own.low + 1;
}

static void keep_lines(Kernel *k, const LineProduct *p, Extent own) {
    keep_bounds(k, p, own);
    p->to->offset += own.low * p->to->strides[0];
    p->to->shape[0] = own.high - own.low;
}

static Status split_rows(Vm *vm, Kernel *k, LineProduct *p, Split *split) {
    Link *link = link_of(vm);
    if (!split_is_new(p->to)) return ST_OK;
    choose_lines(link, p, link->ranges);
    Status st = find_reach(vm, p);
    if (st == ST_OK) st = bring(vm, p->data, 1, p, entries_of);
    if (st == ST_OK) st = bring(vm, p->x, p->x->ndim == 2 ? p->x->shape[1] : 1, p, columns_of);
    if (st == ST_OK) st = cut_result(vm, p->to);
    if (st != ST_OK) return st;
    const Extent own = link->ranges[link->rank];
    split_begin(split, k);
    split->is_empty = extent_is_empty(own);
    split->flags = false;
    if (!split->is_empty) keep_lines(k, p, own);
    k->split = split;
    vm->engine->stats.kernels_shared++;
    return ST_OK;
}

// --- By column -------------------------------------------------------------------------------------

static void go_along(KernAccess *access, int8_t *dims, const View *view, int first) {
    kernel_set_access(access, view);
    memset(access->strides, 0, sizeof access->strides);
    memset(dims, -1, NDIM_MAX);
    for (int axis = 0; axis < view->ndim; axis++) {
        const int dim = axis == 0 ? first : 2;
        access->strides[dim] = view->strides[axis];
        dims[dim] = (int8_t)axis;
    }
}

// Builds the space of a product by columns. Dimension 0 is the matrix's columns, along which partial results are
// summed; 1 is the result's rows, and 2 the columns of x.
static void column_space(const Kernel *k, const LineProduct *p, CallSpace *space) {
    Kernel *loop = &space->loop;
    kernel_clear(loop);
    loop->site_count = k->site_count;
    loop->load_count = loop->store_count = loop->reduction_count = 1;
    loop->reductions[0] = (KernReduction){.op = AOP_ADD};
    loop->ndim = 1 + p->to->ndim;
    loop->reduced = axis_bit(0);
    loop->shape[0] = p->x->shape[0];
    for (int axis = 0; axis < p->to->ndim; axis++) loop->shape[1 + axis] = p->to->shape[axis];
    space->limits = (Limits){.whole = axes_below(loop->ndim) & ~axis_bit(0)};
    space->args[0] = 3;
    go_along(&loop->loads[0], space->dims[0], p->x, 0);
    go_along(&loop->stores[0].to, space->dims[1], p->to, 1);
}

// Partitions a product by columns: each rank multiplies the columns for which it has elements of x, which gives partial
// results.
static Status split_columns(Vm *vm, Kernel *k, LineProduct *p, Split *split) {
    Link *link = link_of(vm);
    CallSpace space;
    if (is_cut(p->x->storage) && !split_ranges(link, p->x, 0, link->scratch)) return ST_OK;
    column_space(k, p, &space);
    Status st = split_along(vm, k, &space, split);
    if (st != ST_OK || !k->split) return st;
    close_up(link, p->indptr->shape[0] - 1, link->ranges);
    st = find_reach(vm, p);
    if (st == ST_OK) st = bring(vm, p->data, 1, p, entries_of);
    if (st == ST_OK && !split->is_empty) keep_bounds(k, p, link->ranges[link->rank]);
    return st;
}

Status split_lines(Vm *vm, Kernel *k, Split *split) {
    const Link *link = link_of(vm);
    LineProduct p = {&k->args[0].view, &k->args[1].view, &k->args[2].view, &k->args[3].view, &k->result.view, NULL};
    if (link->dry || view_size(p.to) == 0 || p.indptr->shape[0] < 2 || !is_worth_it(link, &p)) return ST_OK;
    return k->attrs.right ? split_columns(vm, k, &p, split) : split_rows(vm, k, &p, split);
}
