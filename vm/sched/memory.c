// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Moves storages between the memory of the host and of the device.

#include "vm/plan/watch.h"
#include "vm/sched/apart.h"
#include "vm/sched/blocks.h"
#include "vm/sched/dry.h"
#include "vm/sched/grid.h"
#include "vm/sched/lazy_copy.h"

static Status copy_failed(Vm *vm, Place to) {
    return flight_device_failed(vm, "copy an array", to == PLACE_HOST ? "to the host" : "from the host");
}

static Status copy(Vm *vm, const Device *device, Buffer *buffer, Place to, Event *event) {
    EngineStats *stats = &vm->engine->stats;
    if (!device->backend->copy(vm, device->ctx, buffer, to, event)) return copy_failed(vm, to);
    if (to == PLACE_HOST) stats->copies_out++, stats->bytes_out += buffer->bytes;
    else stats->copies_in++, stats->bytes_in += buffer->bytes;
    if (*event) buffer->busy = *event;
    return ST_OK;
}

// Copies to the host and waits, since the caller needs the bytes.
static Status copy_out(Vm *vm, const Device *device, Buffer *buffer) {
    Event event = 0;
    Status st = copy(vm, device, buffer, PLACE_HOST, &event);
    if (st != ST_OK) return st;
    bool done = flight_await(vm, event);
    st = flight_settle(vm, event);
    return st == ST_OK && !done ? copy_failed(vm, PLACE_HOST) : st;
}

// Copies to the device without waiting, since the queue runs later kernels after the copy. Copies of memory that others
// own are waited for, since the owners may write to it once this returns.
static Status copy_in(Vm *vm, const Device *device, Buffer *buffer, bool is_own) {
    Event event = 0;
    Status st = flight_make_room(vm);
    if (st == ST_OK) st = copy(vm, device, buffer, PLACE_DEVICE, &event);
    if (st != ST_OK || !event) return st;
    buffer->copied = event;
    flight_copying(vm, event);
    return is_own || flight_await(vm, event) ? ST_OK : copy_failed(vm, PLACE_DEVICE);
}

// Clears the device's copy of a buffer that was never written, without waiting. The host's copy of np.empty has other
// elements than the cleared one, so it becomes invalid.
static Status clear_in(Vm *vm, const Device *device, Buffer *buffer) {
    Event event = 0;
    Status st = flight_make_room(vm);
    if (st != ST_OK) return st;
    if (!device->backend->clear(device->ctx, buffer, &event)) return flight_device_failed(vm, "clear an array", "there");
    buffer->valid = PLACE_DEVICE | (buffer->untouched == UNTOUCHED_ZEROS ? PLACE_HOST : 0);
    if (!event) return ST_OK;
    buffer->busy = event;
    flight_copying(vm, event);
    return ST_OK;
}

static Status look_after(Vm *vm, const Storage *storage) {
    if (storage->doubted & DOUBT_APART && is_on_ranks(vm)) return apart_refuse(vm);
    if (!(storage->doubted & DOUBT_BORROWED) || storage_is_there(storage)) return ST_OK;
    return vm_raise(vm, EXC_BufferError, "memory of an array is not there any more: its owner must keep it "
                    "until it is released");
}

static bool can_alloc_at(Vm *vm, const Device *device, Storage *storage) {
    Buffer *buffer = &storage->buffer;
    if (device->backend->place == PLACE_HOST)
        return buffer->host || buffer_alloc_host(vm, buffer, FRESH_ANY);
    return buffer->device || residents_alloc(vm, device, storage);
}

// Allocates memory for a storage in the device's place. If there is none, completes all flights, which may hold memory,
// then evicts least recently used storages from the device.
static Status alloc_at(Vm *vm, const Device *device, Storage *storage) {
    if (can_alloc_at(vm, device, storage)) return ST_OK;
    Status st = flight_settle_all(vm);
    if (st != ST_OK || can_alloc_at(vm, device, storage)) return st;
    for (Storage *cold; device->backend->place != PLACE_HOST && st == ST_OK && (cold = residents_coldest(vm));) {
        st = memory_leave(vm, cold);
        if (st == ST_OK && can_alloc_at(vm, device, storage)) return ST_OK;
    }
    return st == ST_OK ? vm_no_memory(vm) : st;
}

Status memory_to_host(Vm *vm, Storage *storage, bool for_writing) {
    struct Engine *engine = vm->engine;
    Status there = look_after(vm, storage);
    if (there != ST_OK) return there;
    Buffer *buffer = &storage->buffer;
    if (is_cut(storage) || is_on_grid(storage)) {
        Status st = is_cut(storage) ? blocks_gather(vm, storage) : grid_gather(vm, storage);
        if (st != ST_OK) return st;
    }
    if (graph_is_unknown(storage)) {
        if (!for_writing) dry_assume(vm, "elements");
        return dry_reach(vm, storage);
    }
    uint8_t valid = buffer->valid;
    if (!(valid & PLACE_HOST)) {
        Status st = alloc_at(vm, &engine->host, storage);
        if (st != ST_OK) return st;
        buffer->valid = valid;
        st = valid ? copy_out(vm, &engine->device, buffer) : ST_OK;
        if (st != ST_OK) return st;
        buffer->valid = valid | PLACE_HOST;
        engine->strays |= storage->home != 0;
    }
    if (!for_writing) return ST_OK;
    buffer->untouched = WRITTEN;
    if (engine->graph.apart) storage->doubted |= DOUBT_APART;
    flight_await(vm, buffer->copied);
    buffer->valid = buffer->made = PLACE_HOST;
    return ST_OK;
}

// --- Single elements ----------------------------------------------------------------------------

uint32_t memory_fare(const Buffer *buffer) {
    enum { TRANSFER = 1 << 17 };
    return (uint32_t)(buffer->bytes / TRANSFER);
}

// Lets single elements be read from the device until their reads have cost as much as copying the buffer. So whatever
// the program does later, it pays at most twice what was necessary.
bool memory_is_away(Vm *vm, Storage *storage) {
    enum { LINGERS = 4 };
    Buffer *buffer = &storage->buffer;
    const Device *device = &vm->engine->device;
    bool will_be = storage->producer && !storage->owner && vm->engine->placing == PLACING_DEVICE;
    bool on_device = storage->producer ? will_be : buffer->valid == PLACE_DEVICE;
    if (!on_device || !device->backend->read) return false;
    if (buffer->bytes == SIZE_MAX) return false;
    if (++buffer->touches >= LINGERS && vm->engine->lingers) vm->engine->lingers(vm);
    return buffer->touches <= memory_fare(buffer);
}

const char *memory_element(Vm *vm, Storage *storage, int64_t offset, size_t bytes) {
    struct Engine *engine = vm->engine;
    const Device *device = &engine->device;
    const Buffer *buffer = &storage->buffer;
    Event event = 0;
    if (is_on_grid(storage)) return grid_element(vm, storage, offset, bytes);
    if (buffer->valid != PLACE_DEVICE) return blocks_element(vm, storage, offset, bytes);
    if (look_after(vm, storage) != ST_OK) return NULL;
    bool begun = device->backend->read(vm, device->ctx, buffer, (BufferPart){(size_t)offset, bytes, engine->element}, &event);
    bool done = begun && flight_await(vm, event);
    Status st = begun ? flight_settle(vm, event) : ST_OK;
    if (st != ST_OK) return NULL;
    if (!done) {
        copy_failed(vm, PLACE_HOST);
        return NULL;
    }
    engine->stats.copies_out++;
    engine->stats.bytes_out += bytes;
    return engine->element;
}

const void *engine_peek(Vm *vm, Storage *storage) {
    Status st = memory_to_host(vm, storage, false);
    if (st != ST_OK) vm_clear_error(vm);
    return st == ST_OK ? storage->buffer.host : NULL;
}

// Frees the device's copy. Kernels in flight that use it are not disturbed: it counts as held until they are complete.
static void leave_device(Vm *vm, Buffer *buffer) {
    if (!residents_shares(vm, buffer)) flight_holds(vm, buffer);
    residents_free(vm, buffer);
}

Status memory_leave(Vm *vm, Storage *storage) {
    Status st = storage->buffer.valid & PLACE_HOST ? ST_OK : memory_to_host(vm, storage, false);
    if (st == ST_OK) leave_device(vm, &storage->buffer);
    return st;
}

void memory_drop(Vm *vm, Buffer *buffer) {
    blocks_drop(vm, buffer);
    grid_drop(vm, buffer);
    if (!buffer->device) return;
    leave_device(vm, buffer);
    buffer->copied = 0; // the host memory may outlive the engine and its events
}

Status memory_to_device(Vm *vm, const Device *device, Storage *storage) {
    if (device->backend->place == PLACE_HOST) {
        if (storage->buffer.valid & PLACE_HOST) return look_after(vm, storage);
        return memory_to_host(vm, storage, false);
    }
    Buffer *buffer = &storage->buffer;
    uint8_t valid = buffer->valid;
    if (valid & PLACE_DEVICE) return ST_OK;
    lazy_copy_leave(vm, storage);
    buffer->touches = 0;
    Status st = look_after(vm, storage);
    if (st != ST_OK) return st;
    st = alloc_at(vm, device, storage);
    if (st != ST_OK) return st;
    buffer->valid = valid;
    if (valid && buffer->untouched != WRITTEN && device->backend->clear) return clear_in(vm, device, buffer);
    if (valid) st = copy_in(vm, device, buffer, !storage->owner || storage->home);
    if (st == ST_OK) buffer->valid = valid | PLACE_DEVICE;
    return st;
}

void memory_await_readers(Vm *vm, const Device *device, const Storage *storage) {
    if (device->backend->place == PLACE_HOST) flight_await(vm, storage->buffer.copied);
}

void memory_written(Vm *vm, const Device *device, Storage *storage) {
    Buffer *buffer = &storage->buffer;
    if (is_cut(storage)) {
        blocks_written(vm, storage);
        return;
    }
    if (is_on_grid(storage)) {
        grid_written(storage);
        return;
    }
    if (vm->engine->graph.apart) storage->doubted |= DOUBT_APART;
    buffer->untouched = WRITTEN;
    buffer->valid = buffer->made = (uint8_t)device->backend->place;
    // Frees the host's copy, so that old addresses cannot be used by mistake. Memory that others own stays: it is
    // updated at once.
    if (device->backend->place != PLACE_HOST && (!storage->owner || storage->home)) flight_free_host(vm, buffer);
}
