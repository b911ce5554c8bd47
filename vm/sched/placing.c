// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Decides where kernels run, and moves arrays where a script wants them.

#include "vm/sched/placing.h"

#include <string.h>

#include "vm/sched/dry.h"
#include "vm/sched/operands.h"
#include "vm/sched/sched.h"

static bool has_device(const struct Engine *engine) {
    return engine->device.ctx != engine->host.ctx;
}

// --- Kernels -------------------------------------------------------------------------------------

const Device *placing_home(const struct Engine *engine) {
    return engine->placing == PLACING_DEVICE ? &engine->device : &engine->host;
}

int64_t placing_least(const struct Engine *engine) {
    return engine->limits.device_least ? engine->limits.device_least : engine->device.backend->least;
}

// Returns whether an op reads about as many elements of its first operand as it has results.
static bool looks_up(OpId op) {
    return op == AOP_TAKE || op == AOP_SEARCHSORTED || op == AOP_INTERPOLATE;
}

// Returns a kernel's work, in elements of a loop that take as long.
static int64_t work_of(const Kernel *k) {
    enum { PRODUCTS_EACH = 16 }; // multiplications that take as long as one element of a loop, which is bound by memory
    int64_t work = 1;
    if (k->library == AOP_NONE) {
        for (int d = 0; d < k->ndim; d++) work *= k->shape[d];
        return work;
    }
    work = k->library == AOP_PUT ? 1 : view_size(&k->result.view);
    if (looks_up(k->library)) return work;
    for (int i = 0; i < op_info[k->library].arity; i++) {
        int64_t size = k->args[i].is_scalar ? 1 : view_size(&k->args[i].view);
        if (size > work) work = size;
    }
    const View *a = &k->args[0].view;
    return op_is_cubic(k->library) && a->ndim > 0 ? work * a->shape[a->ndim - 1] / PRODUCTS_EACH : work;
}

bool placing_is_little(const struct Engine *engine, const Kernel *kernel) {
    return kernel->library != AOP_HOST && work_of(kernel) < placing_least(engine);
}

// Returns whether a kernel of little work has an operand that is on the device only and should stay there. An operand
// is brought to the host after as many launches as bringing it, and perhaps taking it back, costs, so that at most
// twice what was necessary is paid. It is not brought for its first few launches, since the host would have to wait.
// `for_good`: operands always stay.
static bool is_held_away(const Kernel *k, bool for_good) {
    enum { FEW = 64, FARES = 4 }; // FARES: multiple of memory_fare, the cost of one way in single-element reads
    Storage *storages[KERNEL_STORAGES];
    int written, count = kernel_storages(k, storages, &written);
    bool held = false;
    for (int i = 0; i < count; i++) {
        Buffer *buffer = &storages[i]->buffer;
        if (buffer->valid != PLACE_DEVICE) continue;
        if (for_good || storages[i]->home || ++buffer->touches <= FEW + FARES * memory_fare(buffer)) held = true;
    }
    return held;
}

// Returns whether a kernel runs on the host. With PLACING_FOLLOWS it runs on the device if an operand is on the device
// only: a script has put it there, or it is shared with other libraries.
static bool stays_on_host(const struct Engine *engine, const Kernel *kernel) {
    if (kernel->hints & HINT_HOST || engine->placing == PLACING_HOST) return true;
    if (engine->placing == PLACING_DEVICE && !placing_is_little(engine, kernel)) return false;
    return !is_held_away(kernel, engine->placing == PLACING_FOLLOWS);
}

const Device *placing_of(const struct Engine *engine, const Kernel *kernel) {
    return has_device(engine) && stays_on_host(engine, kernel) ? &engine->host : &engine->device;
}

// --- Places that a script chooses --------------------------------------------------------------------

// Returns whether a script's name of a device means a backend. The number ":0" may be left out: there is one device of
// each name.
static bool is_of_name(const char *name, const char *backend) {
    size_t length = strlen(backend);
    return strncmp(name, backend, length) == 0 && (!name[length] || strcmp(name + length, ":0") == 0);
}

static Status open_device(Vm *vm, const char *name) {
    struct Engine *engine = vm->engine;
    char plain[32];
    size_t length = strcspn(name, ":");
    if (length >= sizeof plain || (name[length] && strcmp(name + length, ":0") != 0))
        return vm_raise(vm, EXC_ValueError, "there is no device '%s'", name);
    memcpy(plain, name, length);
    plain[length] = '\0';
    if (has_device(engine))
        return vm_raise(vm, EXC_ValueError, "the device of this program is '%s', not '%s'", engine->device.backend->name, name);
    if (is_on_ranks(vm) || is_dry(vm)) return vm_raise(vm, EXC_ValueError, "programs on ranks have no devices");
    const Backend *backend = engine->sandboxed ? backend_built_in(plain) : backend_find(plain);
    if (!backend || backend->place == PLACE_HOST) return vm_raise(vm, EXC_ValueError, "there is no device '%s'", name);
    Status st = flight_settle_all(vm);
    if (st != ST_OK) return st;
    void *ctx = backend->open(vm, &engine->options);
    if (!ctx)
        return vm_raise(vm, EXC_RuntimeError, "there is no device for backend '%s': `nacre info` says what is missing", plain);
    engine->device = (Device){backend, ctx};
    engine->graph.has_device = true;
    return ST_OK;
}

Status placing_find(Vm *vm, const char *name, Place *place) {
    struct Engine *engine = vm->engine;
    *place = PLACE_HOST;
    if (is_of_name(name, "cpu")) return ST_OK;
    *place = PLACE_DEVICE;
    return has_device(engine) && is_of_name(name, engine->device.backend->name) ? ST_OK : open_device(vm, name);
}

// Changes where nodes run. Runs the pending ones before, and drops all recipes, since plans are made for one place.
static Status change(Vm *vm, Placing placing) {
    struct Engine *engine = vm->engine;
    Status st = placing == engine->placing ? ST_OK : engine_observe_all(vm);
    if (st != ST_OK || placing == engine->placing) return st;
    engine->placing = placing;
    engine->graph.on_device = placing == PLACING_DEVICE;
    recipes_free(vm, &engine->recipes);
    return ST_OK;
}

Status placing_choose(Vm *vm, Place place, Placing *before) {
    *before = vm->engine->placing;
    return change(vm, place == PLACE_HOST ? PLACING_HOST : PLACING_DEVICE);
}

Status placing_resume(Vm *vm, Placing before) {
    return change(vm, before);
}

Status placing_move(Vm *vm, Storage *storage, Place place) {
    struct Engine *engine = vm->engine;
    Status st = graph_observe(vm, storage);
    if (st != ST_OK || !has_device(engine)) return st;
    if (place == PLACE_HOST) return graph_host(vm, storage, true) ? ST_OK : ST_ERROR;
    st = memory_to_device(vm, &engine->device, storage);
    if (st == ST_OK) memory_written(vm, &engine->device, storage);
    return st;
}

const char *placing_name(Vm *vm, Storage *storage) {
    const struct Engine *engine = vm->engine;
    if (graph_observe(vm, storage) != ST_OK) return NULL;
    const bool away = storage->home || storage->buffer.made == PLACE_DEVICE;
    return away ? engine->device.backend->name : engine->host.backend->name;
}
