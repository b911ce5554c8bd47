// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Loops of compiled code that run on the device. The code holds addresses of arrays in the host's memory while it
// runs, so that memory stays allocated. Pages of it are not touched unless elements are brought to the host.

#include "vm/sched/items.h"

#include "vm/sched/blocks.h"
#include "vm/sched/lazy_copy.h"

static const Backend *backend_of(const struct Engine *engine) {
    return engine->placing == PLACING_DEVICE && engine->graph.on_device ? engine->device.backend : NULL;
}

bool engine_has_items(const Vm *vm) {
    const Backend *backend = backend_of(vm->engine);
    return backend && backend->items && vm->float_errors.action[FLOAT_UNDERFLOW] == FLOAT_IGNORE && !vm->engine->unfused;
}

void engine_when_lingering(Vm *vm, void (*fn)(Vm *vm)) {
    vm->engine->lingers = fn;
}

// Returns whether an array may stay on the device while code runs: nobody else sees its memory, and it is neither
// distributed nor doubted.
static bool may_be_away(const Storage *storage) {
    return !storage->owner && !storage->home && !storage->doubted && !is_cut(storage) && storage->buffer.valid &&
           !(storage->buffer.valid & ~(PLACE_HOST | PLACE_DEVICE));
}

Status engine_items_open(Vm *vm, Storage *storage, bool written, bool *away) {
    Buffer *buffer = &storage->buffer;
    *away = may_be_away(storage);
    if (!*away) return engine_items_home(vm, storage, written);
    const uint8_t valid = buffer->valid;
    if (!buffer->host && !buffer_alloc_host(vm, buffer, FRESH_ANY)) {
        *away = false;
        return engine_items_home(vm, storage, written);
    }
    buffer->valid = valid;
    return ST_OK;
}

Status engine_items_home(Vm *vm, Storage *storage, bool written) {
    return (written ? graph_write(vm, storage) : graph_read(vm, storage)) ? ST_OK : ST_ERROR;
}

void engine_items_close(Vm *vm, Storage *storage) {
    Buffer *buffer = &storage->buffer;
    if (buffer->valid == PLACE_DEVICE && buffer->host && !storage->owner && !storage->home) flight_free_host(vm, buffer);
}

// --- Placing ---------------------------------------------------------------------------------------

// Returns whether an array is valid on the device only and is better left there. It is brought to the host after as
// many loops as the transfer costs, as placing.c does with little work.
static bool is_held(Storage *const *storages, int count) {
    enum { FEW = 64, FARES = 4 };
    bool held = false;
    for (int i = 0; i < count; i++) {
        Buffer *buffer = storages[i] ? &storages[i]->buffer : NULL;
        if (buffer && buffer->valid == PLACE_DEVICE && ++buffer->touches <= FEW + FARES * memory_fare(buffer)) held = true;
    }
    return held;
}

bool engine_items_worth(Vm *vm, ItemsSize size, Storage *const *storages, int count) {
    enum { WORK_EACH = 8, ITEMS_LEAST = 256 }; // instructions that an element of a loop is worth; items that make a device busy
    const double least = (double)placing_least(vm->engine);
    if (least <= 1 || (size.work >= least * WORK_EACH && size.items >= ITEMS_LEAST)) return true;
    return is_held(storages, count);
}

// --- Running ---------------------------------------------------------------------------------------

static Status bring(Vm *vm, const Device *device, Storage *const *storages, int count, uint32_t written) {
    Storage *all[REGION_ARRAYS] = {NULL};
    int found = 0;
    Status st = ST_OK;
    for (int i = 0; i < count; i++)
        if (storages[i]) all[found++] = storages[i];
    residents_pin(vm, all, found);
    for (int i = 0; st == ST_OK && i < found; i++) st = memory_to_device(vm, device, all[i]);
    for (int i = 0; st == ST_OK && i < count; i++)
        if (storages[i] && written >> i & 1) st = lazy_copy_finish(vm, storages[i]);
    residents_pin(vm, NULL, 0);
    return st;
}

// Notes that the device has written an array. Its host memory is kept, since code holds the address.
static void note_written(Vm *vm, Storage *storage) {
    Buffer *buffer = &storage->buffer;
    flight_await(vm, buffer->copied);
    if (vm->engine->graph.apart) storage->doubted |= DOUBT_APART;
    storage->version++;
    buffer->untouched = WRITTEN;
    buffer->valid = buffer->made = PLACE_DEVICE;
}

Status engine_items_run(Vm *vm, RegionItems *items, Storage *const *storages, uint32_t written, bool *done) {
    struct Engine *engine = vm->engine;
    const Device *device = &engine->device;
    const int count = items->region->array_count;
    Status st = bring(vm, device, storages, count, written);
    *done = false;
    // The device may have less free memory than when the loop began.
    if (st != ST_OK && vm_error_is(vm, EXC_MemoryError)) {
        vm_clear_error(vm);
        return ST_OK;
    }
    if (st != ST_OK) return st;
    for (int a = 0; a < count; a++)
        if (storages[a]) {
            items->memories[a].memory = storages[a]->buffer.device;
            items->memories[a].bytes = storages[a]->buffer.bytes;
        }
    *done = device->backend->items(device->ctx, items);
    if (!*done) return ST_OK;
    engine->stats.kernels++;
    engine->stats.waits++;
    engine->device_launches++;
    for (int a = 0; a < count; a++)
        if (storages[a] && written >> a & 1) note_written(vm, storages[a]);
    return ST_OK;
}
