// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Copy on write of arrays on a device.

#include "vm/sched/lazy_copy.h"

#include <string.h>

#include "vm/sched/operands.h"
#include "vm/sched/placing.h"

// --- Sharing -----------------------------------------------------------------------------------

// Returns whether an access touches each byte of its storage once, in order.
static bool is_whole(const Kernel *k, const KernAccess *access) {
    const int64_t size = (int64_t)dtype_size(access->dtype);
    return access->offset == 0 && access->strides[0] == size && access->storage->buffer.bytes == (size_t)(k->shape[0] * size);
}

static bool can_share(const struct Engine *engine, const Storage *from, const Storage *to) {
    const Buffer *old = &from->buffer, *new = &to->buffer;
    return old->valid & PLACE_DEVICE && old->bytes >= engine->limits.lazy_copy_least && !from->sharer && !from->owner &&
           !from->home && !old->blocks && !old->grid && is_blank(new) && !new->valid && !to->owner && !new->blocks && !new->grid;
}

static bool is_of_copies(const struct Engine *engine, const Kernel *k) {
    if (k->library != AOP_NONE || k->code_count || k->reduction_count || k->lines_count || k->split || k->ndim != 1) return false;
    for (int s = 0; s < k->store_count; s++) {
        const KernAccess *to = &k->stores[s].to;
        if (k->stores[s].value >= k->load_count) return false;
        const KernAccess *from = &k->loads[k->stores[s].value];
        if (!is_whole(k, from) || !is_whole(k, to) || !can_share(engine, from->storage, to->storage)) return false;
        for (int before = 0; before < s; before++) // two storages share memory, not three
            if (k->loads[k->stores[before].value].storage == from->storage || k->stores[before].to.storage == to->storage)
                return false;
    }
    return true;
}

// Makes `to`, which has no memory, share the memory of `from`. False: out of memory.
static bool share(Vm *vm, Storage *from, Storage *to) {
    if (!residents_add(vm, to)) return false;
    Buffer *buffer = &to->buffer;
    buffer->device = from->buffer.device;
    buffer->busy = from->buffer.busy;
    buffer->valid = buffer->made = PLACE_DEVICE;
    buffer->untouched = WRITTEN;
    buffer->touches = 0;
    from->sharer = to;
    to->sharer = from;
    return true;
}

bool lazy_copy_begin(Vm *vm, const Kernel *k) {
    const struct Engine *engine = vm->engine;
    if (!engine->graph.has_device || engine->unfused || !is_of_copies(engine, k)) return false;
    const Device *device = placing_of(engine, k);
    if (device != &engine->device || device->backend->place != PLACE_DEVICE) return false;
    for (int s = 0; s < k->store_count; s++) {
        if (share(vm, k->loads[k->stores[s].value].storage, k->stores[s].to.storage)) continue;
        while (s-- > 0) {
            lazy_copy_leave(vm, k->stores[s].to.storage);
            k->stores[s].to.storage->buffer.valid = PLACE_NOWHERE;
        }
        return false;
    }
    return true;
}

void lazy_copy_leave(Vm *vm, Storage *storage) {
    Storage *sharer = storage->sharer;
    Buffer *buffer = &storage->buffer;
    if (!sharer) return;
    // Work on the memory of either has to be done before it is freed.
    if (sharer->buffer.busy < buffer->busy) sharer->buffer.busy = buffer->busy;
    storage->sharer = sharer->sharer = NULL;
    residents_leave(vm, storage);
    buffer->device = NULL;
    buffer->valid &= (uint8_t)~PLACE_DEVICE;
}

// --- Copying what is not written -----------------------------------------------------------------

// The bytes that a store writes: runs of `run` bytes, the first at `first`, repeated along `depth` dimensions, outermost
// first, without overlapping.
typedef struct Runs {
    int depth;
    int64_t first, run, count[NDIM_MAX], step[NDIM_MAX];
    int64_t extent[NDIM_MAX + 1]; // from the first byte to the last one along dimensions d … depth - 1, and of a run
} Runs;

static void insert_dim(Runs *runs, int64_t count, int64_t step) {
    int at = runs->depth++;
    for (; at > 0 && runs->step[at - 1] < step; at--) {
        runs->step[at] = runs->step[at - 1];
        runs->count[at] = runs->count[at - 1];
    }
    runs->step[at] = step;
    runs->count[at] = count;
}

// False: the bytes are not of that form.
static bool runs_of(const Kernel *k, const KernAccess *to, Runs *runs) {
    runs->depth = 0;
    runs->first = to->offset;
    runs->run = (int64_t)dtype_size(to->dtype);
    for (int d = 0; d < k->ndim; d++) {
        const int64_t step = to->strides[d];
        if (k->shape[d] == 1) continue;
        if (step < 0) runs->first += (k->shape[d] - 1) * step;
        insert_dim(runs, k->shape[d], step < 0 ? -step : step);
    }
    while (runs->depth > 0 && runs->step[runs->depth - 1] == runs->run) runs->run *= runs->count[--runs->depth];
    runs->extent[runs->depth] = runs->run;
    for (int d = runs->depth - 1; d >= 0; d--) {
        if (runs->step[d] < runs->extent[d + 1]) return false;
        runs->extent[d] = (runs->count[d] - 1) * runs->step[d] + runs->extent[d + 1];
    }
    return true;
}

static int64_t bytes_of(const Runs *runs) {
    int64_t bytes = runs->run;
    for (int d = 0; d < runs->depth; d++) bytes *= runs->count[d];
    return bytes;
}

// A copy from one storage to another.
typedef struct Copy {
    const Device *device;
    const Site *site;
    Storage *from, *to;
    int64_t bytes; // of each storage
    bool refused;  // the device does not run one of its kernels
} Copy;

static Status launch(Vm *vm, Copy *copy, Kernel *k) {
    Target target = {.device = copy->device};
    kernel_simplify(k);
    copy->refused = copy->refused || !target_takes(vm, &target, k);
    if (copy->refused) return ST_OK;
    operands_find(copy->device, k);
    return flight_launch(vm, &target, k, copy->site, &copy->refused);
}

// Returns the largest integer type whose size divides the numbers that `all` is the bitwise or of.
static DType unit_of(int64_t all) {
    return all % 8 == 0 ? DT_INT64 : all % 4 == 0 ? DT_INT32 : all % 2 == 0 ? DT_INT16 : DT_UINT8;
}

// Copies runs of `run` bytes, the first at `first`, that are repeated along dimensions 0 … depth - 1 of `runs`, along
// the last of these only `last` times.
static Status copy_runs(Vm *vm, Copy *copy, const Runs *runs, int depth, int64_t last, int64_t first, int64_t run) {
    Kernel k;
    int64_t all = run;
    if (run <= 0 || (depth > 0 && last <= 0)) return ST_OK;
    for (int d = 0; d < depth; d++) all |= runs->step[d];
    const DType unit = unit_of(all | first);
    kernel_clear(&k);
    k.ndim = depth + 1;
    k.load_count = k.store_count = k.site_count = 1;
    k.like[0] = 0;
    KernAccess *load = &k.loads[0], *store = &k.stores[0].to;
    for (int d = 0; d < depth; d++) {
        k.shape[d] = d == depth - 1 ? last : runs->count[d];
        load->strides[d] = runs->step[d];
    }
    k.shape[depth] = run / (int64_t)dtype_size(unit);
    load->strides[depth] = (int64_t)dtype_size(unit);
    load->dtype = unit;
    load->offset = first;
    *store = *load;
    load->storage = copy->from;
    store->storage = copy->to;
    k.stores[0].value = 0;
    return launch(vm, copy, &k);
}

// Copies what lies before the first run and after the last, which takes one launch if both have the same length.
static Status copy_ends(Vm *vm, Copy *copy, int64_t first, int64_t end) {
    const int64_t rest = copy->bytes - end;
    const Runs two = {.depth = 1, .count = {2}, .step = {end}};
    if (first == rest) return copy_runs(vm, copy, &two, 1, 2, 0, first);
    Status st = copy_runs(vm, copy, &two, 0, 0, 0, first);
    return st == ST_OK ? copy_runs(vm, copy, &two, 0, 0, end, rest) : st;
}

// Copies what lies outside of runs: both ends, and the gaps between runs along each dimension.
static Status copy_around(Vm *vm, Copy *copy, const Runs *runs) {
    Status st = copy_ends(vm, copy, runs->first, runs->first + runs->extent[0]);
    for (int d = 0; st == ST_OK && d < runs->depth; d++)
        st = copy_runs(vm, copy, runs, d + 1, runs->count[d] - 1, runs->first + runs->extent[d + 1],
                       runs->step[d] - runs->extent[d + 1]);
    return st;
}

// --- Separating ----------------------------------------------------------------------------------

// Returns the first store of a loop to the storage that does not combine with what is there; NULL: there is none.
static const KernAccess *store_to(const Kernel *k, const Storage *storage) {
    for (int s = k->reduction_count; k->library == AOP_NONE && s < k->store_count; s++)
        if (k->stores[s].to.storage == storage) return &k->stores[s].to;
    return NULL;
}

// Copies to new memory the elements that the kernel (NULL: any) does not write. Copies nearly all as a whole, in one
// launch.
static Status copy_needed(Vm *vm, Copy *copy, const Kernel *k) {
    const KernAccess *store = k ? store_to(k, copy->from) : NULL;
    Runs runs;
    if (store && runs_of(k, store, &runs) && bytes_of(&runs) * 2 > copy->bytes) return copy_around(vm, copy, &runs);
    return copy_runs(vm, copy, &(Runs){.depth = 0}, 0, 0, 0, copy->bytes);
}

// Gives the device's memory of `from` to a storage that has none there.
static void move_memory(Vm *vm, Storage *from, Storage *to) {
    to->buffer.device = from->buffer.device;
    to->buffer.busy = from->buffer.busy;
    to->buffer.resident = from->buffer.resident;
    to->buffer.valid |= PLACE_DEVICE;
    residents_moved(vm, to);
    from->buffer.device = NULL;
    from->buffer.resident = 0;
    from->buffer.valid = PLACE_NOWHERE;
}

// Finds memory for a storage's own elements. *fresh is NULL if it shares none any more: for lack of memory its sharer has
// left the device.
static Status memory_for(Vm *vm, const Device *device, Storage *storage, bool may_evict, Storage **fresh) {
    Storage *found = storage_new_scratch(vm, storage->buffer.bytes);
    *fresh = NULL;
    if (!found) return vm_no_memory(vm);
    Status st = memory_to_device(vm, device, found);
    if (st == ST_OK) {
        *fresh = found;
        return ST_OK;
    }
    storage_release(vm, found);
    if (!vm_error_is(vm, EXC_MemoryError) || (storage->sharer && !may_evict)) return st;
    vm_clear_error(vm);
    return storage->sharer ? memory_leave(vm, storage->sharer) : ST_OK;
}

// How a storage was given memory of its own.
typedef enum Outcome {
    NOT_SHARED, // it was not: nothing shares its memory any more
    SEPARATED,
    REFUSED,    // it was not: the device does not run a copy
} Outcome;

// Gives a storage memory of its own, with the elements that the kernel (NULL: any) does not write. `may_evict`: the sharer
// may leave the device. Waits and reports, which may run the program's code, only before it looks whether the memory is
// still shared.
static Status separate(Vm *vm, const Device *device, const Kernel *k, const Site *site, Storage *storage, bool may_evict,
                       Outcome *outcome) {
    *outcome = NOT_SHARED;
    Storage *fresh;
    Status st = memory_for(vm, device, storage, may_evict, &fresh);
    if (st != ST_OK && vm_error_is(vm, EXC_MemoryError)) {
        view_no_memory(vm, &site->node->output);
        if (vm->trace) vm->trace(vm, site->node->place);
    }
    if (!fresh) return st;
    st = flight_reserve(vm, (k ? k->ndim + 2 : 1) + 1); // for the kernel, too
    if (st == ST_OK && storage->sharer) {
        Copy copy = {.device = device, .site = site, .from = storage, .to = fresh, .bytes = (int64_t)storage->buffer.bytes};
        st = copy_needed(vm, &copy, k);
        *outcome = copy.refused ? REFUSED : SEPARATED;
        if (st == ST_OK && !copy.refused) {
            lazy_copy_leave(vm, storage);
            move_memory(vm, fresh, storage);
        }
        if (st != ST_OK && vm->trace) vm->trace(vm, site->node->place);
    }
    storage_release(vm, fresh);
    return st;
}

static void read_sharer(Kernel *k, const Storage *storage, Storage *sharer) {
    for (int i = 0; k->library == AOP_NONE && i < k->load_count; i++)
        if (k->loads[i].storage == storage) k->loads[i].storage = sharer;
}

static bool is_among(Storage *const *storages, int from, int count, const Storage *storage) {
    for (int i = from; i < count; i++)
        if (storages[i] == storage) return true;
    return false;
}

Status lazy_copy_separate(Vm *vm, const Device *device, Kernel *k, const Site *site, Separated *out, bool *refused) {
    Storage *storages[KERNEL_STORAGES + 2 * (KERN_STORES + 1)];
    int written, count = kernel_storages(k, storages, &written), pinned = count;
    Status st = ST_OK;
    out->count = 0;
    for (int i = written; st == ST_OK && !*refused && i < count; i++) {
        Storage *storage = storages[i], *sharer = storage->sharer;
        if (!sharer) continue;
        // If the kernel writes both, the elements that it reads have to be copied.
        const bool is_alone = !is_among(storages, written, count, sharer);
        const bool may_evict = !is_among(storages, 0, pinned, sharer);
        Outcome outcome;
        storages[pinned++] = storage_retain(sharer);
        residents_pin(vm, storages, pinned);
        st = separate(vm, device, is_alone ? k : NULL, site, storage, may_evict, &outcome);
        residents_pin(vm, NULL, 0);
        *refused = st == ST_OK && outcome == REFUSED;
        if (st == ST_OK && outcome == SEPARATED && is_alone) {
            read_sharer(k, storage, sharer);
            out->written[out->count] = storage;
            out->sharer[out->count++] = sharer; // keeps the reference
        } else {
            storage_release(vm, sharer);
            pinned--;
        }
    }
    if (st != ST_OK || *refused) lazy_copy_rejoin(vm, out);
    return st;
}

void lazy_copy_done(Vm *vm, Separated *separated) {
    while (separated->count > 0) storage_release(vm, separated->sharer[--separated->count]);
}

// Lets the storage share memory again, or copies the sharer's elements on the host if the program's code has changed
// where these are meanwhile.
static void rejoin(Vm *vm, Storage *storage, Storage *sharer) {
    Buffer *buffer = &storage->buffer;
    memory_drop(vm, buffer);
    if (sharer->buffer.device && sharer->buffer.valid & PLACE_DEVICE && !sharer->sharer && share(vm, sharer, storage)) return;
    const void *elements = engine_peek(vm, sharer);
    if (elements && buffer_alloc_host(vm, buffer, FRESH_ANY)) memcpy(buffer->host, elements, buffer->bytes);
}

void lazy_copy_rejoin(Vm *vm, Separated *separated) {
    for (int i = 0; i < separated->count; i++) rejoin(vm, separated->written[i], separated->sharer[i]);
    lazy_copy_done(vm, separated);
}

Status lazy_copy_finish(Vm *vm, Storage *storage) {
    const Device *device = &vm->engine->device;
    const int64_t bytes = (int64_t)storage->buffer.bytes;
    Outcome outcome;
    Node node; // its views are large, and not cleared
    if (!storage->sharer) return ST_OK;
    node.op = AOP_CAST;
    node.input_count = 0;
    node.attrs = (NodeAttrs){.loop = DT_UINT8};
    node.place = (CodePlace){.code = NULL};
    if (vm->where) vm->where(vm, 0, &node.place);
    view_set(&node.output, storage, 0, DT_UINT8, 1, &bytes, (const int64_t[]){1});
    const Site site = {.node = &node, .reader = &node};
    Status st = separate(vm, device, NULL, &site, storage, false, &outcome);
    if (st != ST_OK || outcome != REFUSED) return st;
    st = memory_to_host(vm, storage, false);
    if (st == ST_OK) lazy_copy_leave(vm, storage);
    return st == ST_OK ? memory_to_device(vm, device, storage) : st;
}
