// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Kernels of dry runs: which are skipped, what they would read and write, and the state of storages after them.

#include <stdlib.h>
#include <string.h>

#include "vm/kernel/figures.h"
#include "vm/sched/dry_impl.h"
#include "vm/sched/grid.h"
#include "vm/sched/operands.h"
#include "vm/sched/split.h"
#include "vm/sched/split_cost.h"

// --- What a kernel touches ---------------------------------------------------------------------------

// Returns the bytes of an access along the dimensions in which the stride of `like` is below `below`; INT64_MAX: all.
static double bytes_within(const Dry *dry, const Kernel *k, const KernAccess *access, const KernAccess *like,
                           int64_t below) {
    double bytes = (double)dtype_size(access->dtype);
    for (int d = 0; d < k->ndim; d++)
        if (access->strides[d] != 0 && llabs(like->strides[d]) < below) bytes *= (double)dry->part[d];
    return bytes;
}

static bool moves_alike(const Kernel *k, const KernAccess *a, const KernAccess *b) {
    return a->storage == b->storage && memcmp(a->strides, b->strides, (size_t)k->ndim * sizeof *a->strides) == 0;
}

// Returns by how many bytes a load lags behind another load of the same elements; 0: it is the first to touch them.
// *same: an earlier load of the kernel is equal.
static int64_t lag(const Kernel *k, int load, bool *same) {
    const KernAccess *own = &k->loads[load];
    int64_t least = 0;
    *same = false;
    for (int i = 0; i < k->load_count; i++) {
        const int64_t ahead = k->loads[i].offset - own->offset;
        if (i == load || !moves_alike(k, own, &k->loads[i])) continue;
        *same |= ahead == 0 && i < load;
        if (ahead > 0 && (least == 0 || ahead < least)) least = ahead;
    }
    return least;
}

// Estimates the bytes that all operands touch while a load advances by `bytes`; 0: next to nothing.
static double touched_meanwhile(const Dry *dry, const Kernel *k, int load, int64_t bytes) {
    const KernAccess *own = &k->loads[load];
    int64_t step = 0;
    double all = 0;
    bool same;
    for (int d = 0; d < k->ndim; d++) {
        const int64_t stride = llabs(own->strides[d]);
        if (k->shape[d] > 1 && stride <= bytes && stride > step) step = stride;
    }
    if (step == 0) return 0;
    for (int i = 0; i < k->load_count; i++)
        if (lag(k, i, &same) == 0 && !same) all += bytes_within(dry, k, &k->loads[i], own, step);
    for (int s = 0; s < k->store_count; s++) all += bytes_within(dry, k, &k->stores[s].to, own, step);
    return all * (double)(bytes / step);
}

static void add_stream(DryStep *step, DryStream *streams, DryStream stream) {
    streams[step->stream_count++] = stream;
}

static bool is_whole(const Dry *dry, const Kernel *k, const KernAccess *access) {
    for (int d = 0; d < k->ndim; d++)
        if (dry->cut >> d & 1 && access->strides[d] != 0) return false;
    return true;
}

static void find_streams(Dry *dry, const Kernel *k) {
    DryStep *step = &dry->kernel;
    for (int i = 0; i < k->load_count; i++) {
        const KernAccess *load = &k->loads[i];
        bool same;
        const int64_t behind = lag(k, i, &same);
        const double distance = behind ? touched_meanwhile(dry, k, i, behind) : 0;
        if (same || (behind && distance <= 0)) continue;
        add_stream(step, dry->streams, (DryStream){.bytes = bytes_within(dry, k, load, load, INT64_MAX),
                                                   .distance = distance, .whole = is_whole(dry, k, load)});
    }
    for (int s = 0; s < k->store_count; s++) {
        const KernAccess *to = &k->stores[s].to;
        add_stream(step, dry->streams, (DryStream){.bytes = bytes_within(dry, k, to, to, INT64_MAX), .whole = is_whole(dry, k, to)});
    }
}

static void keep_shape(Dry *dry, const int64_t *shape, int ndim) {
    memcpy(dry->shape, shape, (size_t)ndim * sizeof *shape);
    memcpy(dry->part, shape, (size_t)ndim * sizeof *shape);
    dry->cut = 0;
    dry->largest = dry->own = 1;
    dry->kernel.shape = dry->shape;
    dry->kernel.ndim = ndim;
}

static void begin_share(Vm *vm, const Kernel *k, int dim) {
    Dry *dry = dry_of(vm);
    DryStep *step = &dry->kernel;
    step->parts = parts_of(link_of(vm));
    step->is_shared = true;
    step->dim = dim;
    step->share = 1;
    keep_shape(dry, k->shape, k->ndim);
    dry->has_kernel = true;
}

// Notes that a dimension is cut into parts.
static void share_along(Dry *dry, int dim, const Extent *ranges, int count) {
    int64_t most = 0;
    for (int p = 0; p < count; p++)
        if (ranges[p].high - ranges[p].low > most) most = ranges[p].high - ranges[p].low;
    dry->kernel.share *= (double)most / (double)dry->shape[dim];
    dry->part[dim] = most;
    dry->cut |= axis_bit(dim);
    dry->largest *= (double)most;
    if (!extent_is_empty(ranges[0])) dry->own *= (double)(ranges[0].high - ranges[0].low); // if empty, it counts as one index
}

void dry_share(Vm *vm, const Kernel *k, int dim) {
    begin_share(vm, k, dim);
    share_along(dry_of(vm), dim, link_of(vm)->ranges, link_of(vm)->size);
    find_streams(dry_of(vm), k);
}

void dry_share_boxes(Vm *vm, const Kernel *k, const GridShare *share) {
    begin_share(vm, k, -1);
    for (int c = 0; c < share->count; c++)
        if (share->cut[c].dim >= 0) share_along(dry_of(vm), share->cut[c].dim, share->cut[c].ranges, share->cut[c].ranks);
    find_streams(dry_of(vm), k);
}

void dry_overlaps(Vm *vm, double inner) {
    dry_of(vm)->kernel.inner = inner;
}

// Describes a kernel that every rank runs in full.
static void describe_whole(Dry *dry, const Kernel *k) {
    DryStep *step = &dry->kernel;
    step->share = 1;
    step->parts = dry->size;
    if (k->library == AOP_NONE) {
        keep_shape(dry, k->shape, k->ndim);
        find_streams(dry, k);
        return;
    }
    keep_shape(dry, k->result.view.shape, k->result.view.ndim);
    for (int i = 0; i < op_info[k->library].arity; i++)
        if (!k->args[i].is_scalar)
            add_stream(step, dry->streams, (DryStream){.bytes = (double)view_bytes(&k->args[i].view), .whole = true});
    add_stream(step, dry->streams, (DryStream){.bytes = (double)view_bytes(&k->result.view), .whole = true});
}

// --- Skipping ----------------------------------------------------------------------------------------

static bool is_unknown(const Storage *storage) {
    return is_cut(storage) || is_on_grid(storage) || storage->buffer.valid == PLACE_UNKNOWN;
}

// Returns whether a storage has the size of distributed ones. Its elements are not computed even if they could be.
static bool is_large(const Vm *vm, const Storage *storage) {
    enum { AT_MOST = 16 << 20 }; // bytes
    const int64_t least = vm->engine->link.split_least;
    return (int64_t)storage->buffer.bytes >= (least < AT_MOST ? least : AT_MOST);
}

bool dry_skips(Vm *vm, const Kernel *kernel) {
    Storage *storages[KERNEL_STORAGES];
    int written, count;
    if (!is_dry(vm)) return false;
    count = kernel_storages(kernel, storages, &written);
    bool skips = kernel->split != NULL;
    for (int i = 0; i < count; i++) skips |= is_unknown(storages[i]) || is_large(vm, storages[i]);
    if (!skips) dry_of(vm)->is_at = false;
    return skips;
}

// Brings the kernel's storages into the state in which the kernel would leave them.
static Status pass_over(Vm *vm, const Kernel *kernel) {
    Storage *storages[KERNEL_STORAGES];
    int written, count = kernel_storages(kernel, storages, &written);
    Status st = ST_OK;
    for (int i = 0; st == ST_OK && i < count; i++)
        if (is_cut(storages[i]) && !kernel->split) st = blocks_gather(vm, storages[i]);
    if (st == ST_OK && kernel->split) st = split_finish(vm, kernel, NULL);
    for (int i = written; st == ST_OK && i < count; i++) {
        if (is_cut(storages[i]) || is_on_grid(storages[i])) memory_written(vm, &vm->engine->host, storages[i]);
        else st = dry_reach(vm, storages[i]);
    }
    return st;
}

void dry_loop(Vm *vm, const Kernel *kernel, const Node *node) {
    Dry *dry = dry_of(vm);
    DryStep *step = &dry->kernel;
    if (kernel->library == AOP_NONE) vm->engine->stats.kernels++;
    else vm->engine->stats.library_calls++;
    if (!dry->has_kernel) describe_whole(dry, kernel);
    step->what = node->attrs.called ? node->attrs.called : op_info[node->op].name;
    step->is_library = kernel->library != AOP_NONE;
    step->operations = kernel_operations(kernel) * dry->largest / dry->own;
    step->streams = dry->streams;
    dry_note_memory(vm, 0);
    dry_report(vm, step);
    dry->is_at = false;
}

Status dry_launch(Vm *vm, const Kernel *kernel, const Node *node) {
    Status st = pass_over(vm, kernel);
    if (st == ST_OK) dry_loop(vm, kernel, node);
    else dry_of(vm)->is_at = false;
    return st;
}

bool dry_direct(const Node *node) {
    bool any = graph_is_unknown(node->output.storage);
    for (int i = 0; i < node->input_count; i++) any |= !node->inputs[i].is_scalar && graph_is_unknown(node->inputs[i].view.storage);
    return any;
}
