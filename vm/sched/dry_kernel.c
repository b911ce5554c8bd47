// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Kernels of dry runs: which are skipped, what they would read and write, and the state of storages after them.

#include <stdlib.h>
#include <string.h>

#include "vm/kernel/figures.h"
#include "vm/sched/dry_impl.h"
#include "vm/sched/operands.h"
#include "vm/sched/split.h"

// --- What a kernel touches ---------------------------------------------------------------------------

// Returns the extent of the largest part along dimension d.
static int64_t extent_of(const Dry *dry, const Kernel *k, int dim, int d) {
    return d == dim ? dry->largest : k->shape[d];
}

// Returns the bytes of an access along the dimensions in which the stride of `like` is below `below`; INT64_MAX: all.
static double bytes_within(const Dry *dry, const Kernel *k, int dim, const KernAccess *access, const KernAccess *like,
                           int64_t below) {
    double bytes = (double)dtype_size(access->dtype);
    for (int d = 0; d < k->ndim; d++)
        if (access->strides[d] != 0 && llabs(like->strides[d]) < below) bytes *= (double)extent_of(dry, k, dim, d);
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
static double touched_meanwhile(const Dry *dry, const Kernel *k, int dim, int load, int64_t bytes) {
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
        if (lag(k, i, &same) == 0 && !same) all += bytes_within(dry, k, dim, &k->loads[i], own, step);
    for (int s = 0; s < k->store_count; s++) all += bytes_within(dry, k, dim, &k->stores[s].to, own, step);
    return all * (double)(bytes / step);
}

static void add_stream(DryStep *step, DryStream *streams, DryStream stream) {
    streams[step->stream_count++] = stream;
}

static void find_streams(Dry *dry, const Kernel *k, int dim) {
    DryStep *step = &dry->kernel;
    for (int i = 0; i < k->load_count; i++) {
        const KernAccess *load = &k->loads[i];
        bool same;
        const int64_t behind = lag(k, i, &same);
        const double distance = behind ? touched_meanwhile(dry, k, dim, i, behind) : 0;
        if (same || (behind && distance <= 0)) continue;
        add_stream(step, dry->streams, (DryStream){.bytes = bytes_within(dry, k, dim, load, load, INT64_MAX),
                                                   .distance = distance, .whole = dim < 0 || load->strides[dim] == 0});
    }
    for (int s = 0; s < k->store_count; s++) {
        const KernAccess *to = &k->stores[s].to;
        add_stream(step, dry->streams, (DryStream){.bytes = bytes_within(dry, k, dim, to, to, INT64_MAX),
                                                   .whole = dim < 0 || to->strides[dim] == 0});
    }
}

static void keep_shape(Dry *dry, const int64_t *shape, int ndim) {
    memcpy(dry->shape, shape, (size_t)ndim * sizeof *shape);
    dry->kernel.shape = dry->shape;
    dry->kernel.ndim = ndim;
}

void dry_share(Vm *vm, const Kernel *k, int dim) {
    Dry *dry = dry_of(vm);
    const Link *link = link_of(vm);
    DryStep *step = &dry->kernel;
    dry->largest = 0;
    step->parts = 0;
    for (int r = 0; r < link->size; r++) {
        const int64_t count = link->ranges[r].high - link->ranges[r].low;
        step->parts += count > 0;
        if (count > dry->largest) dry->largest = count;
    }
    const int64_t own = link->ranges[0].high - link->ranges[0].low;
    dry->own = own > 0 ? own : 1; // an empty part of rank 0 counts as one index
    step->is_shared = true;
    step->dim = dim;
    step->share = (double)dry->largest / (double)k->shape[dim];
    keep_shape(dry, k->shape, k->ndim);
    find_streams(dry, k, dim);
    dry->has_kernel = true;
}

// Describes a kernel that every rank runs in full.
static void describe_whole(Dry *dry, const Kernel *k) {
    DryStep *step = &dry->kernel;
    step->share = 1;
    step->parts = dry->size;
    dry->largest = dry->own = 1;
    if (k->library == AOP_NONE) {
        keep_shape(dry, k->shape, k->ndim);
        find_streams(dry, k, -1);
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
    return is_cut(storage) || storage->buffer.valid == PLACE_UNKNOWN;
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
        if (is_cut(storages[i])) blocks_written(vm, storages[i]);
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
    step->operations = kernel_operations(kernel) * (double)dry->largest / (double)dry->own;
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

bool dry_direct(Vm *vm, const Node *node) {
    Storage *to = node->output.storage;
    bool skips = to->buffer.valid == PLACE_UNKNOWN;
    for (int i = 0; i < node->input_count; i++)
        skips |= !node->inputs[i].is_scalar && node->inputs[i].view.storage->buffer.valid == PLACE_UNKNOWN;
    return skips && dry_reach(vm, to) == ST_OK;
}
