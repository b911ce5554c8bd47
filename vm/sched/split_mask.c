// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Partitions selection by a mask, its inverse, and finding where a mask is true. Each rank counts the true elements of
// its part of the mask. Ranks gather the counts, which determine where each part of the selected elements begins.
// Selected elements stay on the rank that had them, so that the result's parts differ in length; likewise indices of
// true elements.

#include <string.h>

#include "vm/sched/dry.h"
#include "vm/sched/sched.h"
#include "vm/sched/split_impl.h"

// The operands: `full` has an element for each of the mask, `few` for each true one.
typedef struct Masked {
    const View *mask, *full, *few; // without `full`, `few` are the indices of true elements
    bool expands; // `full` is the result; otherwise `few` is
    int64_t width; // elements of `few` for each true element of the mask
} Masked;

static Masked masked_of(const Kernel *k) {
    const View *result = &k->result.view;
    if (k->library == AOP_COMPRESS)
        return (Masked){.full = &k->args[0].view, .mask = &k->args[1].view, .few = result, .width = 1};
    if (k->library == AOP_NONZERO)
        return (Masked){.mask = &k->args[0].view, .few = result, .width = k->args[0].view.ndim};
    return (Masked){.mask = &k->args[0].view, .few = &k->args[1].view, .full = result, .expands = true, .width = 1};
}

static void follow_flat(KernAccess *access, const View *view) {
    access->storage = view->storage;
    access->dtype = view->dtype;
    access->offset = view->offset;
    access->strides[0] = (int64_t)dtype_size(view->dtype);
}

// Makes the call a one-dimensional loop over the mask's elements: the mask and what is selected from are contiguous.
static void flat_space(const Kernel *k, const Masked *m, Kernel *loop) {
    kernel_clear(loop);
    loop->site_count = k->site_count;
    loop->ndim = 1;
    loop->shape[0] = view_size(m->mask);
    follow_flat(&loop->loads[loop->load_count++], m->mask);
    if (m->expands) follow_flat(&loop->stores[loop->store_count++].to, m->full);
    else if (m->full) follow_flat(&loop->loads[loop->load_count++], m->full);
}

static int64_t count_true(const View *mask, Extent part) {
    const char *at = mask->storage->buffer.host + mask->offset;
    int64_t count = 0;
    for (int64_t i = part.low; i < part.high; i++) count += at[i] != 0;
    return count;
}

// Computes starts[r], the number of true elements before rank r's part; starts[size] is the number of all. Collective.
static Status find_starts(Vm *vm, const View *mask, int64_t *starts) {
    Link *link = link_of(vm);
    // A dry run assumes that there are none, as it tells the program.
    int64_t own = link->dry ? 0 : count_true(mask, link->ranges[link->rank]), before = 0;
    Status st = link_gather(vm, (StepKey){'m', (uint64_t)view_size(mask)}, &own, starts, sizeof own);
    for (int r = 0; st == ST_OK && r <= link->size; r++) {
        int64_t count = r < link->size ? starts[r] : 0;
        starts[r] = before;
        before += count;
    }
    return st;
}

static void flat_part(View *view, int64_t low, int64_t high) {
    int64_t item = (int64_t)dtype_size(view->dtype);
    view->ndim = 1;
    view->offset += low * item;
    view->shape[0] = high - low;
    view->strides[0] = item;
}

// Cuts the new array of selected elements so that each rank owns those that it selects.
static Status cut_selected(Vm *vm, const Masked *m, const int64_t *starts) {
    const Link *link = link_of(vm);
    const int64_t item = m->width * (int64_t)dtype_size(m->few->dtype);
    for (int r = 0; r <= link->size; r++) link->trial->cuts[r] = starts[r] * item;
    return blocks_cut(vm, m->few->storage, link->trial->cuts);
}

// Brings each rank the elements of `few` that go to the true elements of its part of the mask.
static Status bring_selected(Vm *vm, const View *few, const int64_t *starts) {
    const Link *link = link_of(vm);
    const int64_t item = (int64_t)dtype_size(few->dtype);
    if (!is_cut(few->storage)) return ST_OK;
    for (int r = 0; r < link->size; r++)
        link->scratch[r] = (Extent){few->offset + starts[r] * item, few->offset + starts[r + 1] * item};
    return blocks_bring(vm, few->storage, link->scratch);
}

bool split_is_new(const View *view) {
    const Storage *of = view->storage;
    return !of->buffer.host && !is_cut(of) && !of->owner && view->offset == 0 &&
           of->buffer.bytes == (size_t)view_size(view) * dtype_size(view->dtype);
}

static bool can_cut(const Masked *m, int64_t selected) {
    return split_is_new(m->few) && view_size(m->few) == selected * m->width;
}

static void slice_elements(Kernel *k, bool expands, Extent own, Extent selected) {
    View *full = expands ? &k->result.view : &k->args[0].view, *few = expands ? &k->args[1].view : &k->result.view;
    flat_part(full, own.low, own.high);
    flat_part(expands ? &k->args[0].view : &k->args[1].view, own.low, own.high);
    if (!expands || !k->args[1].is_scalar) flat_part(few, selected.low, selected.high);
}

// Restricts a NONZERO call to this rank's part of the mask, by attrs.step and points. The mask keeps its shape, which
// the indices refer to.
static void slice_indices(Kernel *k, Extent own, Extent selected) {
    View *rows = &k->result.view;
    k->attrs.step = own.low;
    k->attrs.points = own.high - own.low;
    rows->offset += selected.low * rows->strides[0];
    rows->shape[0] = selected.high - selected.low;
}

static Status share_out(Vm *vm, Kernel *k, const Masked *m, const Kernel *loop, Split *split) {
    const Link *link = link_of(vm);
    const Extent own = link->ranges[link->rank];
    int64_t *starts = link->starts;
    const Cost fitting = {.bytes = 0};
    Status st = find_starts(vm, m->mask, starts);
    if (st != ST_OK || (!m->expands && !can_cut(m, starts[link->size]))) return st;
    if (m->expands) st = bring_selected(vm, m->few, starts);
    if (st == ST_OK) st = m->expands ? split_cut(vm, loop, 0, &fitting) : cut_selected(vm, m, starts);
    if (st != ST_OK) return st;
    const int64_t first = starts[link->rank], last = starts[link->rank + 1];
    split_keep(link, loop, 0, split);
    split->is_empty |= first == last;
    if (m->full) slice_elements(k, m->expands, own, (Extent){first, last});
    else slice_indices(k, own, (Extent){first, last});
    k->split = split;
    if (link->dry) dry_share(vm, loop, 0);
    vm->engine->stats.kernels_shared++;
    return ST_OK;
}

Status split_masked(Vm *vm, Kernel *k, Split *split) {
    const Link *link = link_of(vm);
    const Masked m = masked_of(k);
    Kernel loop;
    if (k->args[0].is_scalar || (m.full && k->args[1].is_scalar)) return ST_OK;
    flat_space(k, &m, &loop);
    Cost cost;
    if (loop.shape[0] == 0 || split_choose(link, &loop, &(Limits){.in_place = true}, &cost) < 0) return ST_OK;
    Status st = split_bring(vm, &loop, 0, &cost);
    return st == ST_OK ? share_out(vm, k, &m, &loop, split) : st;
}
