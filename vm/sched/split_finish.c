// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// After a partitioned kernel has run: ranks agree on its flags, and combine partial results of reductions.

#include <string.h>

#include "vm/sched/dry.h"
#include "vm/sched/sched.h"
#include "vm/sched/split_impl.h"

// --- Combining -------------------------------------------------------------------------------------

void split_start_afresh(KernReduction *reduction, DType type) {
    if (op_info[reduction->op].identity == IDENTITY_NONE) return;
    reduction->begun = false;
    reduction->has_initial = true;
    reduction->initial = op_identity((OpId)reduction->op, type);
}

static size_t result_bytes(const Split *split, int s) {
    size_t size = dtype_size(split->results[s].dtype);
    for (int d = 0; d < split->ndim; d++)
        if (!(split->reduced >> d & 1)) size *= (size_t)split->shape[d];
    return size;
}

// A kernel that reduces `count` parts of a result, `apart` bytes from each other, along a dimension of their own.
static void kernel_combining(Kernel *all, const Split *split, int s, Storage *parts, int64_t offset, int64_t apart,
                             int64_t count) {
    const KernAccess *to = &split->results[s];
    KernAccess *load = &all->loads[0], *store = &all->stores[0].to;
    kernel_clear(all);
    *load = (KernAccess){.storage = parts, .dtype = to->dtype, .offset = offset, .base = parts->buffer.host};
    *store = (KernAccess){.storage = to->storage, .dtype = to->dtype, .offset = to->offset,
                          .base = to->storage->buffer.host};
    all->stores[0].value = 0;
    all->shape[all->ndim++] = count;
    for (int d = 0; d < split->ndim; d++) {
        if (split->reduced >> d & 1) continue;
        store->strides[all->ndim] = to->strides[d];
        all->shape[all->ndim++] = split->shape[d];
    }
    int64_t stride = (int64_t)dtype_size(to->dtype);
    for (int d = all->ndim - 1; d > 0; stride *= all->shape[d--]) load->strides[d] = stride;
    load->strides[0] = apart;
    memcpy(all->order, load->strides, (size_t)all->ndim * sizeof *all->order);
    all->load_count = all->store_count = all->reduction_count = 1;
    all->reductions[0] = split->reductions[s];
    all->reductions[0].site = 0;
    all->reductions[0].begun = false;
    split_start_afresh(&all->reductions[0], to->dtype);
    all->reduced = 1;
    all->site_count = 1;
    all->like[0] = 0;
    all->flags = split->flags;
    all->runs.buffered = false;
    kernel_sum_runs(all);
    kernel_simplify(all);
}

// Runs a kernel of the engine's own on the host.
static Status run_own(Vm *vm, Kernel *k, uint32_t *flags) {
    const Device *host = &vm->engine->host;
    Event event = 0;
    size_t bytes = host->backend->workspace(host->ctx, k);
    if (bytes) bytes += BUFFER_ALIGN;
    char *workspace = mem_alloc(&vm->mem, bytes);
    if (bytes && !workspace) return vm_no_memory(vm);
    k->lasting = NULL;
    k->workspace = bytes ? workspace + BUFFER_ALIGN - (uintptr_t)workspace % BUFFER_ALIGN : NULL;
    bool done = host->backend->launch(host->ctx, k, NULL, flags, &event);
    mem_free(&vm->mem, workspace, bytes);
    return done ? ST_OK : vm_raise(vm, EXC_SystemError, "the host's backend refuses to combine partial results");
}

// Copies a result's elements to contiguous memory, in the order of the kept dimensions.
static void pack_result(const Split *split, int s, char *packed) {
    const KernAccess *to = &split->results[s];
    size_t item = dtype_size(to->dtype);
    int64_t index[NDIM_MAX] = {0};
    for (int d = 0; d >= 0;) {
        int64_t offset = to->offset;
        for (d = 0; d < split->ndim; d++) offset += index[d] * to->strides[d];
        memcpy(packed, to->storage->buffer.host + offset, item);
        packed += item;
        for (d = split->ndim - 1; d >= 0; d--) {
            if (split->reduced >> d & 1) continue;
            if (++index[d] < split->shape[d]) break;
            index[d] = 0;
        }
    }
}

// --- Messages --------------------------------------------------------------------------------------

// What one rank sends: its flags, then its part of each result, each at a multiple of BUFFER_ALIGN.
typedef struct Message {
    size_t bytes, results[KERN_STORES];
} Message;

static Message message_of(const Split *split) {
    Message m = {.bytes = aligned_bytes((size_t)split->site_count * sizeof(uint32_t))};
    for (int s = 0; s < split->result_count; s++) {
        m.results[s] = m.bytes;
        m.bytes += aligned_bytes(result_bytes(split, s));
    }
    return m;
}

static void write_message(const Split *split, const Message *m, const uint32_t *flags, char *at) {
    memcpy(at, flags, (size_t)split->site_count * sizeof *flags);
    for (int s = 0; s < split->result_count && !split->is_empty; s++) pack_result(split, s, at + m->results[s]);
}

static void join_flags(Vm *vm, const Split *split, const char *message, uint32_t *flags) {
    uint32_t theirs[KERN_SITES];
    memcpy(theirs, message, (size_t)split->site_count * sizeof *theirs);
    for (int i = 0; i < split->site_count; i++) {
        flags[i] |= theirs[i];
        // One rank's interrupt is everybody's.
        if (flags[i] & FLAG_INTERRUPTED && !vm_interrupted(vm)) atomic_store(&vm->interrupt, BREAK_INTERRUPT);
    }
}

static Status read_messages(Vm *vm, const Split *split, const Message *m, Storage *all, uint32_t *flags) {
    const Link *link = link_of(vm);
    char *base = all->buffer.host;
    int64_t parts = 0;
    Status st = ST_OK;
    for (int r = 0; r < link->size; r++) join_flags(vm, split, base + m->bytes * (size_t)r, flags);
    for (int r = 0; r < link->size; r++) // parts next to each other
        if (!extent_is_empty(link->ranges[r]) && parts++ < r)
            memcpy(base + m->bytes * (size_t)(parts - 1), base + m->bytes * (size_t)r, m->bytes);
    for (int s = 0; st == ST_OK && s < split->result_count; s++) {
        Kernel combining;
        uint32_t found = 0;
        kernel_combining(&combining, split, s, all, (int64_t)m->results[s], (int64_t)m->bytes, parts);
        st = run_own(vm, &combining, &found);
        flags[split->reductions[s].site] |= found;
    }
    return st;
}

Status split_finish(Vm *vm, const Split *split, uint32_t *flags) {
    const Link *link = link_of(vm);
    if (!split->result_count && !split->flags) return ST_OK;
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
