// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Sorts a row that is cut over the ranks, by regular sampling (Shi and Schaeffer, "Parallel sorting by regular
// sampling", 1992). Each rank sorts its part and contributes some of its elements as samples. The samples of all
// determine the borders, the values between the ranks' shares of the result. Elements are sent to their shares, and
// sorted once more. Elements that equal a border are divided evenly among the adjacent shares, so that shares are even
// however often a value occurs.

#include <string.h>

#include "vm/sched/boxes.h"
#include "vm/sched/dry.h"
#include "vm/sched/operands.h"
#include "vm/sched/own.h"
#include "vm/sched/sched.h"
#include "vm/sched/split_impl.h"

// --- Deciding --------------------------------------------------------------------------------------

// Returns the only dimension of a view with more than one index; -1: there is none, or several.
static int row_of(const View *view) {
    int found = -1;
    for (int d = 0; d < view->ndim; d++) {
        if (view->shape[d] == 1) continue;
        if (found >= 0) return -1;
        found = d;
    }
    return found;
}

static void access_row(const View *view, int axis, KernAccess *access) {
    access->storage = view->storage;
    access->dtype = view->dtype;
    access->offset = view->offset;
    access->strides[0] = view->strides[axis];
}

// Makes a view a contiguous row in a storage.
static void as_row(View *view, Storage *storage, int64_t offset, int64_t count) {
    view->storage = storage;
    view->offset = offset;
    view->ndim = 1;
    view->shape[0] = count;
    view->strides[0] = (int64_t)dtype_size(view->dtype);
}

static bool is_dense(const View *view, int axis) {
    return view->strides[axis] == (int64_t)dtype_size(view->dtype);
}

// Returns whether the sorted shares can be stored: into a new storage that is cut to fit them, or into the blocks of
// one that is cut already.
static bool can_hold(const View *to, int axis) {
    const Storage *storage = to->storage;
    if (storage->owner || storage->doubted || !is_dense(to, axis)) return false;
    if (is_cut(storage)) return true;
    const size_t bytes = (size_t)view_size(to) * dtype_size(to->dtype);
    return is_blank(&storage->buffer) && to->offset == 0 && storage->buffer.bytes == bytes;
}

Status split_sorted(Vm *vm, Kernel *k, Split *split) {
    const Link *link = link_of(vm);
    View *from = &k->args[0].view, *to = &k->result.view;
    const int axis = row_of(from);
    Kernel loop;
    Cost cost;
    // np.partition (attrs.points) leaves the order of most elements open: every rank runs all of it.
    if (axis < 0 || from->shape[axis] == 0 || k->attrs.points != 0 || !(k->attrs.axes >> axis & 1)) return ST_OK;
    if (!is_cut(from->storage) || !is_dense(from, axis) || !can_hold(to, axis)) return ST_OK;
    kernel_clear(&loop);
    loop.ndim = 1;
    loop.shape[0] = from->shape[axis];
    loop.load_count = 1;
    access_row(from, axis, &loop.loads[0]);
    if (split_choose(link, &loop, &(Limits){.in_place = true}, &cost) < 0) return ST_OK;
    const Extent own = split_part(link);
    Storage *sorted = boxes_temp(vm, (own.high - own.low) * (int64_t)dtype_size(from->dtype));
    if (!sorted) return vm_no_memory(vm);
    split_keep(link, &loop, 0, split);
    split->sorts = true;
    access_row(to, axis, &split->target);
    as_row(from, from->storage, from->offset + own.low * from->strides[axis], own.high - own.low);
    as_row(to, sorted, 0, own.high - own.low);
    k->attrs.axes = 1;
    k->split = split;
    vm->engine->stats.kernels_shared++;
    return ST_OK;
}

// --- Borders ---------------------------------------------------------------------------------------

// A contiguous row of elements in a box.
typedef struct Row {
    Storage *storage;
    int64_t count;
} Row;

static void row_arg(KernArg *arg, const Row *row, DType type) {
    arg->is_scalar = false;
    arg->view.dtype = type;
    as_row(&arg->view, row->storage, 0, row->count);
    arg->base = row->storage->buffer.host;
}

// Runs a library call of the engine's own: sorts a row in place, or searches in one.
static Status call_own(Vm *vm, const Kernel *like, OpId op, const Row *a, const Row *b, const Row *to, DType type,
                       bool right) {
    Kernel call;
    uint32_t flags[KERN_SITES] = {0};
    kernel_clear(&call);
    call.library = op;
    call.attrs = like->attrs;
    call.attrs.right = right;
    call.site_count = 1;
    row_arg(&call.args[0], a, like->result.view.dtype);
    if (b) row_arg(&call.args[1], b, like->result.view.dtype);
    row_arg(&call.result, to, type);
    Status st = own_run(vm, &call, flags);
    return st == ST_OK && flags[0] & FLAG_INTERRUPTED ? vm_poll(vm) : st;
}

// Writes evenly spaced samples of this rank's sorted part to a message, at most `most`.
static void take_samples(const Kernel *k, const Split *split, int64_t most, char *message) {
    const size_t item = dtype_size(k->result.view.dtype);
    const int64_t count = split->is_empty ? 0 : k->result.view.shape[0], shown = count < most ? count : most;
    memcpy(message, &shown, sizeof shown);
    for (int64_t i = 0; i < shown; i++)
        memcpy(message + sizeof shown + (size_t)i * item,
               k->result.view.storage->buffer.host + (size_t)((2 * i + 1) * count / (2 * shown)) * item, item);
}

// Finds the borders: size - 1 values between the shares, evenly spaced among the sorted samples of all ranks.
static Status find_borders(Vm *vm, const Kernel *k, Row *borders) {
    const Link *link = link_of(vm);
    const size_t item = dtype_size(k->result.view.dtype), bytes = sizeof(int64_t) + (size_t)link->size * item;
    Storage *all = boxes_temp(vm, (int64_t)bytes * (link->size + 1));
    Row samples = {boxes_temp(vm, (int64_t)item * link->size * link->size), 0};
    borders->storage = boxes_temp(vm, (int64_t)item * link->size);
    borders->count = link->size - 1;
    if (!all || !samples.storage || !borders->storage) return vm_no_memory(vm);
    char *own = all->buffer.host + bytes * (size_t)link->size;
    take_samples(k, k->split, link->size, own);
    Status st = link_gather(vm, (StepKey){'s', bytes}, own, all->buffer.host, bytes);
    for (int r = 0; st == ST_OK && r < link->size; r++) {
        const char *message = all->buffer.host + bytes * (size_t)r;
        int64_t shown;
        memcpy(&shown, message, sizeof shown);
        memcpy(samples.storage->buffer.host + (size_t)samples.count * item, message + sizeof shown, (size_t)shown * item);
        samples.count += shown;
    }
    if (st == ST_OK) st = call_own(vm, k, AOP_SORT, &samples, NULL, &samples, k->result.view.dtype, false);
    for (int b = 1; st == ST_OK && b < link->size; b++)
        memcpy(borders->storage->buffer.host + (size_t)(b - 1) * item,
               samples.storage->buffer.host + (size_t)(samples.count * b / link->size) * item, item);
    return st;
}

// Returns whether two borders have the same value: they have the same positions in every rank's part, and some element
// equals them. If no element does, there is nothing to divide.
static bool is_same_border(const Link *link, const int64_t *bounds, int a, int b) {
    const int row = 2 * link->size;
    bool any = false;
    for (int r = 0; r < link->size; r++) {
        const int64_t *at = bounds + r * row;
        if (at[2 * a] != at[2 * b] || at[2 * a + 1] != at[2 * b + 1]) return false;
        any |= at[2 * a] != at[2 * a + 1];
    }
    return any;
}

// Cuts each rank's sorted part at the borders. The `many` elements that equal a border are divided evenly among the
// adjacent shares: n + 1 shares for n equal borders. They go to the shares in the order of ranks, so that the
// sort is stable.
static void cut_parts(const Link *link, const int64_t *bounds, int64_t *cuts) {
    const int borders = link->size - 1, row = 2 * link->size; // a row: low and high of each border, then the length
    for (int first = 0, end; first < borders; first = end) {
        int64_t many = 0, before = 0;
        end = first + 1;
        for (int r = 0; r < link->size; r++) many += bounds[r * row + 2 * first + 1] - bounds[r * row + 2 * first];
        while (end < borders && is_same_border(link, bounds, first, end)) end++;
        for (int r = 0; r < link->size; r++) {
            const int64_t low = bounds[r * row + 2 * first], equal = bounds[r * row + 2 * first + 1] - low;
            for (int b = first; b < end; b++) {
                const int64_t wanted = many * (b - first + 1) / (end - first + 1) - before;
                cuts[r * (link->size + 1) + b + 1] = low + (wanted < 0 ? 0 : wanted < equal ? wanted : equal);
            }
            before += equal;
        }
    }
    for (int r = 0; r < link->size; r++) {
        cuts[r * (link->size + 1)] = 0;
        cuts[r * (link->size + 1) + link->size] = bounds[r * row + row - 1];
    }
}

// --- Exchanging ------------------------------------------------------------------------------------

// Copies numbers to every second place of `to`.
static void spread(const Row *from, int64_t *to) {
    for (int64_t i = 0; i < from->count; i++) to[2 * i] = ((const int64_t *)from->storage->buffer.host)[i];
}

// Computes counts[from * size + to], the number of elements that each rank sends to each other one. Collective.
static Status count_shares(Vm *vm, const Kernel *k, Storage **counts) {
    const Link *link = link_of(vm);
    const size_t row = 2 * (size_t)link->size * sizeof(int64_t), size = (size_t)link->size;
    const Row part = {k->result.view.storage, k->split->is_empty ? 0 : k->result.view.shape[0]};
    Row borders, low = {boxes_temp(vm, (int64_t)row), link->size - 1};
    Row high = {boxes_temp(vm, (int64_t)row), link->size - 1};
    Storage *bounds = boxes_temp(vm, (int64_t)(row * (size + 1))), *cuts = boxes_temp(vm, (int64_t)(row * (size + 1)));
    *counts = boxes_temp(vm, (int64_t)(row * size));
    if (!low.storage || !high.storage || !bounds || !cuts || !*counts) return vm_no_memory(vm);
    int64_t *own = (int64_t *)(bounds->buffer.host + row * size);
    memset(own, 0, row);
    own[2 * link->size - 1] = part.count;
    Status st = find_borders(vm, k, &borders);
    if (st == ST_OK && part.count) st = call_own(vm, k, AOP_SEARCHSORTED, &part, &borders, &low, DT_INT64, false);
    if (st == ST_OK && part.count) st = call_own(vm, k, AOP_SEARCHSORTED, &part, &borders, &high, DT_INT64, true);
    if (st != ST_OK) return st;
    if (part.count) spread(&low, own), spread(&high, own + 1);
    st = link_gather(vm, (StepKey){'n', row}, own, bounds->buffer.host, row);
    if (st != ST_OK) return st;
    const int64_t *cut = (int64_t *)cuts->buffer.host;
    cut_parts(link, (int64_t *)bounds->buffer.host, (int64_t *)cuts->buffer.host);
    for (int r = 0; r < link->size; r++)
        for (int to = 0; to < link->size; to++)
            ((int64_t *)(*counts)->buffer.host)[r * link->size + to] =
                cut[r * (link->size + 1) + to + 1] - cut[r * (link->size + 1) + to];
    return ST_OK;
}

// Sends every rank the elements of this rank's part that belong to its share, and receives this rank's share: a sorted
// run from each rank, one after another. Collective.
static Status exchange_shares(Vm *vm, const Kernel *k, const int64_t *counts, Row *share) {
    const Link *link = link_of(vm);
    const int64_t item = (int64_t)dtype_size(k->result.view.dtype);
    int64_t to = 0, from = 0;
    share->count = 0;
    for (int r = 0; r < link->size; r++) share->count += counts[r * link->size + link->rank];
    share->storage = boxes_temp(vm, share->count * item);
    if (!share->storage) return vm_no_memory(vm);
    blocks_begin(vm);
    link_of(vm)->moves = true;
    vm->engine->stats.array_exchanges++;
    for (int r = 0; r < link->size; r++) {
        const int64_t sent = counts[link->rank * link->size + r] * item;
        const int64_t received = counts[r * link->size + link->rank] * item;
        char *source = k->result.view.storage->buffer.host + from, *goal = share->storage->buffer.host + to;
        from += sent;
        to += received;
        if (r == link->rank) memcpy(goal, source, (size_t)sent);
        else if (!blocks_list(vm, r, true, source, sent) || !blocks_list(vm, r, false, goal, received))
            return vm_no_memory(vm);
    }
    return blocks_exchange(vm);
}

// Returns the range of the result's bytes that are a rank's share.
static Extent share_of(const Link *link, const KernAccess *target, const int64_t *counts, int rank) {
    const int64_t item = (int64_t)dtype_size(target->dtype);
    int64_t low = target->offset, high;
    for (int r = 0; r < rank; r++)
        for (int from = 0; from < link->size; from++) low += counts[from * link->size + r] * item;
    high = low;
    for (int from = 0; from < link->size; from++) high += counts[from * link->size + rank] * item;
    return (Extent){low, high};
}

// Writes the shares to the result. A new result is cut to fit them; for an existing one they are sent to its blocks.
static Status place_shares(Vm *vm, const KernAccess *target, const int64_t *counts, const Row *share) {
    Link *link = link_of(vm);
    Storage *to = target->storage;
    const Extent own = share_of(link, target, counts, link->rank);
    Status st = ST_OK;
    for (int r = 0; r < link->size; r++) link->trial->cuts[r] = share_of(link, target, counts, r).low;
    link->trial->cuts[link->size] = (int64_t)to->buffer.bytes;
    if (!is_cut(to)) st = blocks_cut(vm, to, link->trial->cuts);
    if (st != ST_OK) return st;
    blocks_begin(vm);
    const Partition *partition = to->buffer.blocks->partition;
    link->moves = memcmp(partition->cuts, link->trial->cuts, ((size_t)link->size + 1) * sizeof(int64_t)) != 0;
    for (int r = 0; r < link->size; r++) {
        const Extent sent = extent_meet(own, block_of(partition, r));
        const Extent received = extent_meet(share_of(link, target, counts, r), block_of(partition, link->rank));
        char *source = share->storage->buffer.host + (sent.low - own.low), *goal = to->buffer.host + received.low;
        if (r == link->rank) {
            if (!extent_is_empty(sent)) memcpy(goal, source, (size_t)(sent.high - sent.low));
            continue;
        }
        if (!extent_is_empty(sent) && !blocks_list(vm, r, true, source, sent.high - sent.low)) return vm_no_memory(vm);
        if (!extent_is_empty(received) && !blocks_list(vm, r, false, goal, received.high - received.low))
            return vm_no_memory(vm);
    }
    st = blocks_exchange(vm);
    if (st == ST_OK) memory_written(vm, &vm->engine->host, to);
    return st;
}

// Does a dry run of the sort, in which every rank sends equal numbers of elements to all.
static Status sort_dry(Vm *vm, const Kernel *k) {
    Link *link = link_of(vm);
    const KernAccess *target = &k->split->target;
    const int64_t item = (int64_t)dtype_size(target->dtype), count = k->split->shape[0];
    dry_assume(vm, "an even order of elements");
    Status st = link_gather(vm, (StepKey){'s', 0}, NULL, NULL, sizeof(int64_t) + (size_t)(link->size * item));
    if (st == ST_OK) st = link_gather(vm, (StepKey){'n', 0}, NULL, NULL, 2 * (size_t)link->size * sizeof(int64_t));
    for (int r = 0; r < link->size; r++) {
        const Extent part = link->ranges[r];
        link->owners[r] = (Extent){r, r + 1};
        link->starts[r] = extent_is_empty(part) ? 0 : (part.high - part.low) * item / link->size;
        link->trial->cuts[r] = target->offset + count * r / link->size * item;
    }
    link->trial->cuts[link->size] = (int64_t)target->storage->buffer.bytes;
    blocks_begin(vm);
    link->moves = true;
    vm->engine->stats.array_exchanges++;
    if (st == ST_OK) st = dry_boxes(vm, link->starts, true, true);
    if (st == ST_OK) st = blocks_exchange(vm);
    if (st == ST_OK && !is_cut(target->storage)) st = blocks_cut(vm, target->storage, link->trial->cuts);
    if (st == ST_OK) memory_written(vm, &vm->engine->host, target->storage);
    return st;
}

Status split_sort_finish(Vm *vm, const Kernel *k) {
    if (is_dry(vm)) return sort_dry(vm, k);
    Storage *found;
    Row share;
    Status st = count_shares(vm, k, &found);
    const int64_t *counts = st == ST_OK ? (const int64_t *)found->buffer.host : NULL;
    if (st == ST_OK) st = exchange_shares(vm, k, counts, &share);
    if (st == ST_OK && share.count) st = call_own(vm, k, AOP_SORT, &share, NULL, &share, k->result.view.dtype, false);
    return st == ST_OK ? place_shares(vm, &k->split->target, counts, &share) : st;
}
