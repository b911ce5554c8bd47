// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// After a partitioned kernel has run: ranks agree on its float flags, combine partial results, and send boxes to
// owners.

#include <string.h>

#include "vm/sched/boxes.h"
#include "vm/sched/dry.h"
#include "vm/sched/own.h"
#include "vm/sched/sched.h"
#include "vm/sched/split_impl.h"

// --- Combining -------------------------------------------------------------------------------------

void split_start_afresh(KernReduction *reduction, DType type) {
    if (op_info[reduction->op].identity == IDENTITY_NONE) return;
    reduction->begun = false;
    reduction->has_initial = true;
    reduction->initial = op_identity((OpId)reduction->op, type);
}

static bool is_reduced(const SplitResult *result, int d) {
    return result->to.strides[d] == 0;
}

static size_t result_bytes(const Split *split, const SplitResult *result) {
    size_t size = dtype_size(result->to.dtype);
    for (int d = 0; d < split->ndim; d++)
        if (!is_reduced(result, d)) size *= (size_t)split->shape[d];
    return size;
}

// Combines `count` partial results by a kernel that reduces along the dimension of ranks.
static Status combine(Vm *vm, const Split *split, const SplitResult *result, const Sums *sums, int64_t count,
                      uint32_t *flags) {
    Kernel all;
    uint32_t found = 0;
    KernAccess *load = &all.loads[0], *store = &all.stores[0].to;
    kernel_clear(&all);
    *load = (KernAccess){.storage = sums->parts, .dtype = result->to.dtype, .offset = sums->offset,
                         .base = sums->parts->buffer.host};
    *store = (KernAccess){.storage = sums->to.storage, .dtype = result->to.dtype, .offset = sums->to.offset,
                          .base = sums->to.storage->buffer.host};
    all.stores[0].value = 0;
    load->strides[0] = sums->apart;
    all.shape[all.ndim++] = count;
    for (int d = 0; d < split->ndim; d++) {
        if (is_reduced(result, d)) continue;
        if (sums->shape[d] == 0) return ST_OK; // this rank owns no elements
        store->strides[all.ndim] = sums->to.strides[d];
        load->strides[all.ndim] = sums->strides[d];
        all.shape[all.ndim++] = sums->shape[d];
    }
    memcpy(all.order, load->strides, (size_t)all.ndim * sizeof *all.order);
    all.load_count = all.store_count = all.reduction_count = 1;
    all.reductions[0] = result->reduction;
    all.reductions[0].site = 0;
    all.reductions[0].begun = false;
    split_start_afresh(&all.reductions[0], result->to.dtype);
    all.reduced = 1;
    all.site_count = 1;
    all.like[0] = 0;
    all.flags = split->flags;
    all.runs.buffered = false;
    kernel_sum_runs(&all);
    kernel_simplify(&all);
    Status st = own_run(vm, &all, &found);
    flags[result->reduction.site] |= found;
    return st;
}

// --- Results that every rank has ---------------------------------------------------------------------

// Sets the strides of a contiguous result in the order of the kept dimensions; 0 along the reduced ones.
static void packed_strides(const Split *split, const SplitResult *result, int64_t *strides) {
    int64_t bytes = (int64_t)dtype_size(result->to.dtype);
    memset(strides, 0, (size_t)split->ndim * sizeof *strides);
    for (int d = split->ndim - 1; d >= 0; d--) {
        if (is_reduced(result, d)) continue;
        strides[d] = bytes;
        bytes *= split->shape[d];
    }
}

// Copies this rank's part of a result to a message.
static void pack_result(const Split *split, const SplitResult *result, char *packed) {
    const KernAccess *to = &result->to;
    size_t item = dtype_size(to->dtype);
    int64_t index[NDIM_MAX] = {0};
    for (int d = 0; d >= 0;) {
        int64_t offset = to->offset;
        for (d = 0; d < split->ndim; d++) offset += index[d] * to->strides[d];
        memcpy(packed, to->storage->buffer.host + offset, item);
        packed += item;
        for (d = split->ndim - 1; d >= 0; d--) {
            if (is_reduced(result, d)) continue;
            if (++index[d] < split->shape[d]) break;
            index[d] = 0;
        }
    }
}

// What one rank sends: its flags, then its partial results without a box, each at a multiple of BUFFER_ALIGN.
typedef struct Message {
    size_t bytes, results[KERN_STORES];
} Message;

static Message message_of(const Split *split) {
    Message m = {.bytes = aligned_bytes((size_t)split->site_count * sizeof(uint32_t))};
    for (int s = 0; s < split->result_count; s++) {
        m.results[s] = m.bytes;
        if (!split->results[s].box) m.bytes += aligned_bytes(result_bytes(split, &split->results[s]));
    }
    return m;
}

static void write_message(const Split *split, const Message *m, const uint32_t *flags, char *at) {
    memcpy(at, flags, (size_t)split->site_count * sizeof *flags);
    for (int s = 0; s < split->result_count && !split->is_empty; s++)
        if (!split->results[s].box) pack_result(split, &split->results[s], at + m->results[s]);
}

void split_join_flags(Vm *vm, uint32_t *flags, uint32_t theirs) {
    *flags |= theirs;
    if (*flags & FLAG_INTERRUPTED && !vm_interrupted(vm)) atomic_store(&vm->interrupt, BREAK_INTERRUPT);
}

static void join_flags(Vm *vm, const Split *split, const char *message, uint32_t *flags) {
    uint32_t theirs[KERN_SITES];
    memcpy(theirs, message, (size_t)split->site_count * sizeof *theirs);
    for (int i = 0; i < split->site_count; i++) {
        split_join_flags(vm, &flags[i], theirs[i]);
    }
}

static Status read_messages(Vm *vm, const Split *split, const Message *m, Storage *all, uint32_t *flags) {
    const Link *link = link_of(vm);
    char *base = all->buffer.host;
    int64_t parts = 0;
    Status st = ST_OK;
    for (int r = 0; r < link->size; r++) join_flags(vm, split, base + m->bytes * (size_t)r, flags);
    for (int r = 0; r < link->size; r++) // moves the messages of ranks with parts next to each other
        if (!extent_is_empty(link->ranges[r]) && parts++ < r)
            memcpy(base + m->bytes * (size_t)(parts - 1), base + m->bytes * (size_t)r, m->bytes);
    for (int s = 0; st == ST_OK && s < split->result_count; s++) {
        const SplitResult *result = &split->results[s];
        Sums sums = {.parts = all, .offset = (int64_t)m->results[s], .apart = (int64_t)m->bytes, .to = result->to};
        if (result->box) continue;
        packed_strides(split, result, sums.strides);
        memcpy(sums.shape, split->shape, (size_t)split->ndim * sizeof *sums.shape);
        st = combine(vm, split, result, &sums, parts, flags);
    }
    return st;
}

static bool has_messages(const Split *split) {
    bool any = split->flags;
    for (int s = 0; s < split->result_count; s++) any |= !split->results[s].box;
    return any;
}

// Gathers all messages in one step, and combines their contents.
static Status exchange_messages(Vm *vm, const Split *split, uint32_t *flags) {
    const Link *link = link_of(vm);
    const Message m = message_of(split);
    const size_t others = m.bytes * (size_t)link->size;
    if (link->dry) {
        dry_borrowed(vm, others + m.bytes);
        return link_gather(vm, (StepKey){'g', m.bytes}, NULL, NULL, m.bytes);
    }
    Storage *all = storage_new(vm, others + m.bytes);
    bool there = all && buffer_alloc_host(vm, &all->buffer, FRESH_ZEROED);
    Status st = there ? ST_OK : vm_no_memory(vm);
    if (there) {
        char *own = all->buffer.host + others;
        write_message(split, &m, flags, own);
        st = link_gather(vm, (StepKey){'g', m.bytes}, own, all->buffer.host, m.bytes);
    }
    if (st == ST_OK) st = read_messages(vm, split, &m, all, flags);
    storage_release(vm, all);
    return st;
}

// --- Results of which each rank owns its block -------------------------------------------------------

// Sends boxes to the elements' owners, who store or combine them. Combining may raise float flags, so that ranks agree
// on flags after this.
static Status deliver(Vm *vm, const Split *split, uint32_t *flags) {
    Storage *inboxes[KERN_STORES];
    Status st = ST_OK;
    blocks_begin(vm);
    for (int s = 0; st == ST_OK && s < split->result_count; s++)
        if (split->results[s].box) st = boxes_send(vm, split, &split->results[s], &inboxes[s]);
    if (st == ST_OK) st = blocks_exchange(vm);
    for (int s = 0; st == ST_OK && s < split->result_count; s++) {
        const SplitResult *result = &split->results[s];
        Sums sums;
        if (!result->box) continue;
        if (result->sums && !is_dry(vm)) {
            boxes_sums(vm, split, result, inboxes[s], &sums);
            st = combine(vm, split, result, &sums, parts_of(link_of(vm)), flags);
        } else if (!is_dry(vm)) {
            st = boxes_place(vm, split, result, inboxes[s]);
        }
        if (st == ST_OK) memory_written(vm, &vm->engine->host, result->to.storage);
    }
    return st;
}

Status split_finish(Vm *vm, const Kernel *kernel, uint32_t *flags) {
    const Split *split = kernel->split;
    Status st = split->scans ? split_scan_finish(vm, kernel, flags) : split->sorts ? split_sort_finish(vm, kernel) : ST_OK;
    if (st == ST_OK) st = deliver(vm, split, flags);
    return st == ST_OK && has_messages(split) ? exchange_messages(vm, split, flags) : st;
}
