// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Distribution by hand: ranks that work by themselves, and arrays that are cut as the program says.

#include "vm/sched/apart.h"

#include <stdlib.h>

#include "vm/sched/sched.h"
#include "vm/sched/grid.h"
#include "vm/sched/split.h"

// --- Ranks by themselves ----------------------------------------------------------------------------

void apart_begin(Vm *vm) {
    Link *link = link_of(vm);
    if (link->size == 1) return;
    link->apart++;
    vm->engine->graph.apart = true;
}

void apart_end(Vm *vm) {
    Link *link = link_of(vm);
    if (link->size == 1) return;
    link->apart--;
    vm->engine->graph.apart = link->apart > 0;
}

Status apart_enter(Vm *vm) {
    Link *link = link_of(vm);
    Status st = link->apart ? ST_OK : engine_observe_all(vm);
    if (st != ST_OK) return st;
    if (!link->apart) {
        link->gc_count = vm->gc_count;
        link->gc_made = vm->gc_made;
    }
    apart_begin(vm);
    return ST_OK;
}

Status apart_leave(Vm *vm) {
    Link *link = link_of(vm);
    Status st = link->apart == 1 ? engine_observe_all(vm) : ST_OK;
    apart_end(vm);
    if (link->size == 1 || link->apart) return st;
    // Restores the counts that trigger the cycle collector, so that it runs at the same place on all ranks.
    vm->gc_count = link->gc_count;
    vm->gc_made = link->gc_made;
    return st;
}

Status apart_refuse(Vm *vm) {
    return vm_raise(vm, EXC_RuntimeError, "an array that this rank has made by itself is wanted outside of nacre.alone(): "
                    "nacre.from_local makes one array of the ranks' parts");
}

Status apart_refuse_cut(Vm *vm) {
    return vm_raise(vm, EXC_RuntimeError, "a distributed array is wanted inside of nacre.alone(): nacre.local copies the "
                    "part that this rank has");
}

Status apart_refuse_call(Vm *vm, const char *name) {
    if (!link_of(vm)->apart) return ST_OK;
    return vm_raise(vm, EXC_RuntimeError, "%s is for all ranks together, outside of nacre.alone()", name);
}

static Status check_storage(Vm *vm, const Storage *storage) {
    if (link_of(vm)->apart) return storage->buffer.blocks || storage->buffer.grid ? apart_refuse_cut(vm) : ST_OK;
    return storage->doubted & DOUBT_APART ? apart_refuse(vm) : ST_OK;
}

Status apart_check(Vm *vm, const Node *node) {
    Status st = check_storage(vm, node->output.storage);
    for (int i = 0; st == ST_OK && i < node->input_count; i++)
        if (!node->inputs[i].is_scalar) st = check_storage(vm, node->inputs[i].view.storage);
    return st;
}

// --- How arrays are cut -------------------------------------------------------------------------------

// Returns the axis not in `tried` with the largest stride, of equal strides the longest axis; -1: none. An axis of
// extent 1 counts, too, since it may be the one that was cut.
static int next_axis(const View *view, AxisSet tried) {
    int best = -1;
    for (int d = 0; d < view->ndim; d++) {
        if (tried >> d & 1 || view->strides[d] == 0) continue;
        const long long step = best < 0 ? -1 : llabs(view->strides[best]), own = llabs(view->strides[d]);
        if (own > step || (own == step && view->shape[d] > view->shape[best])) best = d;
    }
    return best;
}

// Places each empty range between the ranges of its neighbours.
static void place_empty(const Vm *vm, const View *view, int axis, Extent *ranges) {
    const bool backwards = view->strides[axis] < 0;
    int64_t at = backwards ? view->shape[axis] : 0;
    for (int r = 0; r < link_of(vm)->size; r++) {
        if (extent_is_empty(ranges[r])) ranges[r] = (Extent){at, at};
        else at = backwards ? ranges[r].low : ranges[r].high;
    }
}

Status parts_find(Vm *vm, const View *view, int *axis, Extent *ranges) {
    Storage *storage = view->storage;
    *axis = -1;
    Status st = graph_observe(vm, storage);
    if (st == ST_OK) blocks_resume(vm, storage);
    if (st == ST_OK && is_on_grid(storage)) st = grid_to_rows(vm, storage);
    if (st != ST_OK || !is_cut(storage) || view_size(view) == 0) return st;
    AxisSet tried = 0;
    for (int d; (d = next_axis(view, tried)) >= 0; tried |= axis_bit(d)) {
        if (!split_ranges(link_of(vm), view, d, ranges)) continue;
        *axis = d;
        place_empty(vm, view, d, ranges);
        return ST_OK;
    }
    // No axis has one owner for each of its indices: gathers the array.
    return graph_of(vm)->hooks.to_host(vm, storage, false);
}

void parts_even(const Vm *vm, int64_t length, int64_t *lengths) {
    const int size = link_of(vm)->size;
    for (int r = 0; r < size; r++) {
        int64_t each = length / size, left = length % size; // length * r may overflow
        lengths[r] = each + (left * (r + 1) / size - left * r / size);
    }
}

Status parts_cut(Vm *vm, const View *view, int axis, const int64_t *lengths) {
    Link *link = link_of(vm);
    const int64_t bytes = (int64_t)view->storage->buffer.bytes;
    int64_t *cuts, before = 0;
    if (link->size == 1 || view_size(view) == 0) return ST_OK; // link->trial is NULL for a single rank
    cuts = link->trial->cuts;
    for (int r = 0; r <= link->size; r++) {
        cuts[r] = bytes / view->shape[axis] * before;
        if (r < link->size) before += lengths[r];
    }
    return blocks_cut(vm, view->storage, cuts);
}
