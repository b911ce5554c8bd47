// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Brings a kernel's operands to its device, and lets results take over an operand's memory.

#include <string.h>

#include "vm/sched/blocks.h"
#include "vm/sched/grid.h"
#include "vm/sched/operands.h"
#include "vm/sched/placing.h"

// --- Where they are ----------------------------------------------------------------------------

int kernel_storages(const Kernel *k, Storage *found[KERNEL_STORAGES], int *written) {
    int count = 0;
    for (int i = 0; i < k->load_count; i++) found[count++] = k->loads[i].storage;
    for (int i = 0; k->library != AOP_NONE && i < op_info[k->library].arity; i++)
        if (!k->args[i].is_scalar) found[count++] = k->args[i].view.storage;
    *written = count;
    for (int i = 0; i < k->store_count; i++) found[count++] = k->stores[i].to.storage;
    if (k->library != AOP_NONE) found[count++] = k->result.view.storage;
    return count;
}

Status operands_bring(Vm *vm, const Device *device, const Kernel *kernel) {
    Storage *storages[KERNEL_STORAGES];
    int written, count = kernel_storages(kernel, storages, &written);
    Status st = ST_OK;
    residents_pin(vm, storages, count);
    for (int i = 0; st == ST_OK && i < count; i++)
        if (!is_on_grid(storages[i]) && !(kernel->split && is_cut(storages[i]))) st = memory_to_device(vm, device, storages[i]);
    residents_pin(vm, NULL, 0);
    for (int i = written; st == ST_OK && i < count; i++) memory_await_readers(vm, device, storages[i]);
    return st;
}

void operands_busy(const Kernel *kernel, Event event) {
    Storage *storages[KERNEL_STORAGES];
    int written, count = kernel_storages(kernel, storages, &written);
    for (int i = 0; i < count; i++) storages[i]->buffer.busy = event;
}

char *operand_base(const Device *device, const Storage *storage) {
    const Buffer *buffer = &storage->buffer;
    return device->backend->place == PLACE_HOST ? buffer->host : buffer->device;
}

void operands_find(const Device *device, Kernel *kernel) {
    for (int i = 0; i < kernel->load_count; i++)
        kernel->loads[i].base = operand_base(device, kernel->loads[i].storage);
    for (int i = 0; i < kernel->store_count; i++)
        kernel->stores[i].to.base = operand_base(device, kernel->stores[i].to.storage);
    if (kernel->library == AOP_NONE) return;
    for (int i = 0; i < op_info[kernel->library].arity; i++)
        if (!kernel->args[i].is_scalar)
            kernel->args[i].base = operand_base(device, kernel->args[i].view.storage);
    kernel->result.base = operand_base(device, kernel->result.view.storage);
}

// Returns whether a kernel is more than an assignment to a few elements. After such an assignment, the program may go
// on reading single elements, whose count (Buffer.touches) is kept therefore.
static bool is_more(const Kernel *kernel) {
    enum { FEW = 64 };
    int64_t count = 1;
    for (int d = 0; d < kernel->ndim && count <= FEW; d++) count *= kernel->shape[d];
    return count > FEW;
}

void operands_written(Vm *vm, const Device *device, const Kernel *kernel) {
    const bool more = is_more(kernel) && !placing_is_little(vm->engine, kernel);
    for (int i = 0; i < kernel->store_count; i++) {
        memory_written(vm, device, kernel->stores[i].to.storage);
        if (more) kernel->stores[i].to.storage->buffer.touches = 0;
    }
    if (kernel->library != AOP_NONE) memory_written(vm, device, kernel->result.view.storage);
}

// --- Memory that is used again -----------------------------------------------------------------

void exchange_swap(Vm *vm, const Exchange *exchange) {
    for (int i = 0; i < exchange->count; i++) {
        Buffer *from = &exchange->from[i]->buffer, *to = &exchange->to[i]->buffer;
        Buffer old = *from;
        *from = *to;
        *to = old;
        residents_moved(vm, exchange->from[i]);
        residents_moved(vm, exchange->to[i]);
    }
}

// Returns whether a store can take over a load's memory: both access the same elements in the same order, the load's
// buffer is valid on the device and not distributed, and the store's has no memory yet.
static bool fits(const Device *device, const Kernel *k, const KernAccess *load,
                 const KernAccess *store) {
    const Buffer *old = &load->storage->buffer, *new = &store->storage->buffer;
    if (!is_blank(new) || old->valid != device->backend->place || old->blocks || old->bytes != new->bytes ||
        load->storage->owner || load->storage->sharer || load->offset != store->offset ||
        dtype_size(load->dtype) != dtype_size(store->dtype))
        return false;
    return memcmp(load->strides, store->strides, (size_t)k->ndim * sizeof *load->strides) == 0;
}

static bool is_taken(const Exchange *found, const Storage *storage) {
    for (int i = 0; i < found->count; i++)
        if (found->to[i] == storage) return true;
    return false;
}

void exchange_find(const Device *device, Kernel *k, uint32_t dying, Exchange *found) {
    found->count = 0;
    for (int s = k->reduction_count; dying && s < k->store_count; s++) {
        const KernAccess *store = &k->stores[s].to;
        if (is_taken(found, store->storage)) continue;
        for (int i = 0; i < k->load_count; i++) {
            KernAccess *load = &k->loads[i];
            if (!(dying >> i & 1) || !fits(device, k, load, store)) continue;
            found->from[found->count] = load->storage;
            found->to[found->count++] = store->storage;
            load->storage = store->storage;
            dying &= ~((uint32_t)1 << i);
            k->whole = true;
            break;
        }
    }
}

void exchange_find_addend(const Device *device, Kernel *k, Exchange *found) {
    View *addend = &k->args[2].view;
    Storage *from = addend->storage, *to = k->result.view.storage;
    const Buffer *old = &from->buffer, *new = &to->buffer;
    bool whole = k->whole;
    found->count = 0;
    if (!is_blank(new) || old->valid != device->backend->place || old->blocks || old->bytes != new->bytes ||
        from->owner || from->sharer)
        return;
    kernel_take_over(k);
    if (view_same(addend, &k->result.view) &&
        device->backend->supports(device->ctx, k) == SUPPORT_YES) {
        *found = (Exchange){.from = {from}, .to = {to}, .count = 1};
        return;
    }
    addend->storage = from;
    k->whole = whole;
}
