// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Partitions a convolution: each element of the result is computed by the rank that owns the element of the row in the
// middle of its window. A rank reads the elements of the row that its windows cover, and all weights.

#include "vm/sched/sched.h"
#include "vm/sched/split_impl.h"

static int64_t clamp(int64_t i, int64_t n) {
    return i < 0 ? 0 : i > n ? n : i;
}

// Finds each rank's range of results from the blocks of the row. Returns false if an element lies in two blocks.
static bool find_ranges(const Link *link, const Kernel *k, Extent *ranges) {
    const View *row = &k->args[0].view;
    const int64_t sums = k->result.view.shape[0], shift = k->args[1].view.shape[0] / 2 - k->attrs.step;
    Kernel loop;
    kernel_clear(&loop);
    loop.ndim = loop.load_count = 1;
    loop.shape[0] = row->shape[0];
    kernel_set_access(&loop.loads[0], row);
    if (!split_follows(link, &loop, &loop.loads[0], 0, ranges)) return false;
    int64_t next = 0;
    for (int r = 0, last = link->size - 1; r <= last; r++) {
        const int64_t high = extent_is_empty(ranges[r]) ? next : clamp(ranges[r].high + shift, sums);
        ranges[r] = (Extent){next, r == last ? sums : high};
        next = ranges[r].high;
    }
    return true;
}

// Returns the elements of the row that a range of results is computed from.
static Extent read_by(const Kernel *k, Extent sums) {
    const int64_t n = k->args[0].view.shape[0], before = k->args[1].view.shape[0] - 1;
    if (extent_is_empty(sums)) return (Extent){0, 0};
    return (Extent){clamp(sums.low + k->attrs.step - before, n), clamp(sums.high + k->attrs.step, n)};
}

static Status bring(Vm *vm, const Kernel *k) {
    const Link *link = link_of(vm);
    const View *row = &k->args[0].view, *window = &k->args[1].view;
    const int64_t item = (int64_t)dtype_size(row->dtype);
    for (int r = 0; r < link->size; r++) {
        const Extent e = read_by(k, link->ranges[r]);
        link->scratch[r] = extent_is_empty(e) ? e : (Extent){row->offset + e.low * item, row->offset + e.high * item};
    }
    Status st = blocks_bring(vm, row->storage, link->scratch);
    if (st != ST_OK || !is_cut(window->storage)) return st;
    for (int r = 0; r < link->size; r++) link->scratch[r] = (Extent){0, (int64_t)window->storage->buffer.bytes};
    return blocks_bring(vm, window->storage, link->scratch);
}

static void keep_part(Kernel *k, Extent sums) {
    View *row = &k->args[0].view, *to = &k->result.view;
    const Extent read = read_by(k, sums);
    row->offset += read.low * row->strides[0];
    row->shape[0] = read.high - read.low;
    k->attrs.step += sums.low - read.low;
    to->offset += sums.low * to->strides[0];
    to->shape[0] = sums.high - sums.low;
}

Status split_window(Vm *vm, Kernel *k, Split *split) {
    Link *link = link_of(vm);
    View *to = &k->result.view;
    if (!is_cut(k->args[0].view.storage) || !split_is_new(to) || !find_ranges(link, k, link->ranges)) return ST_OK;
    Status st = bring(vm, k);
    link->trial->cuts[0] = 0;
    for (int r = 0; r < link->size; r++)
        link->trial->cuts[r + 1] = link->ranges[r].high * (int64_t)dtype_size(to->dtype);
    if (st == ST_OK) st = blocks_cut(vm, to->storage, link->trial->cuts);
    if (st != ST_OK) return st;
    const Extent own = link->ranges[link->rank];
    split_begin(split, k);
    split->is_empty = extent_is_empty(own);
    split->flags = false;
    if (!split->is_empty) keep_part(k, own);
    k->split = split;
    vm->engine->stats.kernels_shared++;
    return ST_OK;
}
