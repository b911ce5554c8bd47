// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The list of storages on the device, unordered.

#include "vm/sched/residents.h"

#include "vm/sched/lazy_copy.h"
#include "vm/sched/sharing.h"

static bool has_room(Vm *vm, Residents *r) {
    return r->count < UINT32_MAX && mem_grow(&vm->mem, (void **)&r->list, &r->room, r->count + 1, sizeof *r->list);
}

bool residents_add(Vm *vm, Storage *storage) {
    Residents *r = &vm->engine->residents;
    if (!has_room(vm, r)) return false;
    r->list[r->count++] = storage;
    storage->buffer.resident = (uint32_t)r->count;
    return true;
}

bool residents_alloc(Vm *vm, const Device *device, Storage *storage) {
    return has_room(vm, &vm->engine->residents) && device->backend->alloc(vm, device->ctx, &storage->buffer) &&
           residents_add(vm, storage);
}

void residents_leave(Vm *vm, Storage *storage) {
    Residents *r = &vm->engine->residents;
    Buffer *buffer = &storage->buffer;
    Storage *last = r->list[--r->count];
    r->list[buffer->resident - 1] = last;
    last->buffer.resident = buffer->resident;
    buffer->resident = 0;
    vm->engine->shared -= storage->home == PLACE_DEVICE;
}

bool residents_shares(const Vm *vm, const Buffer *buffer) {
    return vm->engine->residents.list[buffer->resident - 1]->sharer;
}

void residents_free(Vm *vm, Buffer *buffer) {
    const Device *device = &vm->engine->device;
    Storage *storage = vm->engine->residents.list[buffer->resident - 1];
    if (storage->sharer) {
        lazy_copy_leave(vm, storage);
        return;
    }
    residents_leave(vm, storage);
    if (sharing_is_own(storage)) {
        device->backend->free(vm, device->ctx, buffer);
        return;
    }
    flight_await(vm, buffer->busy);
    buffer->device = NULL;
    buffer->valid &= (uint8_t)~PLACE_DEVICE;
}

void residents_moved(Vm *vm, Storage *storage) {
    uint32_t number = storage->buffer.resident;
    if (number) vm->engine->residents.list[number - 1] = storage;
}

void residents_pin(Vm *vm, Storage *const *storages, int count) {
    vm->engine->residents.pinned = storages;
    vm->engine->residents.pinned_count = count;
}

static bool is_pinned(const Residents *r, const Storage *storage) {
    for (int i = 0; i < r->pinned_count; i++)
        if (r->pinned[i] == storage) return true;
    return false;
}

// Skips memory without valid elements, which is of a result whose kernel has not been launched yet.
Storage *residents_coldest(const Vm *vm) {
    const Residents *r = &vm->engine->residents;
    Storage *found = NULL;
    for (size_t i = 0; i < r->count; i++) {
        Storage *storage = r->list[i];
        if (!(storage->buffer.valid & PLACE_DEVICE) || storage->home || is_pinned(r, storage)) continue;
        if (!found || storage->buffer.busy < found->buffer.busy) found = storage;
    }
    return found;
}

void residents_end(Vm *vm) {
    Residents *r = &vm->engine->residents;
    mem_free(&vm->mem, r->list, r->room * sizeof *r->list);
    *r = (Residents){.list = NULL};
}
