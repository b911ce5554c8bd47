// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Memory of the device that is shared with other libraries.

#include "vm/sched/sharing.h"

#include "vm/sched/lazy_copy.h"

static const Device *device_of(const Vm *vm) {
    return &vm->engine->device;
}

int32_t sharing_type(const Vm *vm) {
    return device_of(vm)->backend->shares;
}

Status sharing_find(Vm *vm, Storage *storage, bool *there) {
    Status st = graph_observe(vm, storage);
    bool away = storage->home || (storage->buffer.made == PLACE_DEVICE && !storage->owner);
    *there = away && sharing_type(vm);
    return st;
}

Status sharing_lend(Vm *vm, Storage *storage, bool writes) {
    struct Engine *engine = vm->engine;
    Status st = sched_observe(vm, storage, writes);
    if (st == ST_OK) st = memory_to_device(vm, &engine->device, storage);
    if (st == ST_OK) st = lazy_copy_finish(vm, storage);
    if (st != ST_OK) return st;
    if (writes) storage->version++;
    if (storage->home) return ST_OK;
    storage_lend(storage);
    storage->home = PLACE_DEVICE;
    engine->shared++;
    return ST_OK;
}

Storage *sharing_adopt(Vm *vm, void *memory, size_t bytes, void *owner, void (*give_back)(Vm *vm, void *owner)) {
    Storage *storage = storage_over(vm, NULL, bytes, owner, give_back);
    if (!storage) return NULL;
    if (!residents_add(vm, storage)) {
        storage->owner = NULL;
        storage_release(vm, storage);
        return NULL;
    }
    storage->buffer.device = memory;
    storage->buffer.valid = storage->home = PLACE_DEVICE;
    vm->engine->shared++;
    return storage;
}

Status sharing_update(Vm *vm, Storage *storage) {
    return storage->home ? memory_to_device(vm, device_of(vm), storage) : memory_to_host(vm, storage, false);
}

static bool order(const Device *device, int64_t stream, bool theirs_first) {
    return !device->backend->order || device->backend->order(device->ctx, stream, theirs_first);
}

Status sharing_order(Vm *vm, int64_t stream) {
    return order(device_of(vm), stream, false) ? ST_OK : vm_raise(vm, EXC_RuntimeError, "there is no such stream to be made to wait");
}

// --- The host program's turn -----------------------------------------------------------------------

void sharing_enter(Vm *vm) {
    if (vm->engine && vm->engine->shared) order(device_of(vm), 0, true);
}

// Copies shared storages to the device, if necessary, and drops the host's copies, since others may write to the memory
// once the host program continues. A storage that cannot be copied is tried again later.
static void bring_home(Vm *vm) {
    struct Engine *engine = vm->engine;
    const Residents *r = &engine->residents;
    engine->strays = false;
    for (size_t i = 0; i < r->count; i++) {
        Storage *storage = r->list[i];
        if (!storage->home) continue;
        if (sharing_update(vm, storage) == ST_OK) {
            storage->buffer.valid = PLACE_DEVICE;
            continue;
        }
        vm_clear_error(vm);
        engine->strays = true;
    }
}

void sharing_leave(Vm *vm) {
    if (!vm->engine || !vm->engine->shared) return;
    if (vm->engine->strays) bring_home(vm);
    order(device_of(vm), 0, false);
}

// --- After the end -----------------------------------------------------------------------------------

Left sharing_retire(Vm *vm, Storage *storage) {
    struct Engine *engine = vm->engine;
    const Left left = {engine->device.backend, engine->device.ctx};
    flight_forget_all(vm);
    if (sharing_update(vm, storage) != ST_OK) vm_clear_error(vm);
    flight_forget_all(vm);
    flight_free_host(vm, &storage->buffer);
    residents_leave(vm, storage);
    if (!engine->retired && left.backend->retire) left.backend->retire(left.ctx);
    engine->retired = true;
    return left;
}

void sharing_free(Vm *vm, Left left, Storage *storage) {
    order(&(const Device){left.backend, left.ctx}, 0, true);
    if (sharing_is_own(storage)) left.backend->free(vm, left.ctx, &storage->buffer);
    storage->buffer.device = NULL;
}

void sharing_close(Vm *vm, Left left) {
    if (left.ctx) left.backend->close(vm, left.ctx);
}
