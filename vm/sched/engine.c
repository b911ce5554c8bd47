// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Starts and stops the engine, passes requests on to its parts, and reports its figures.

#include "vm/sched/engine.h"

#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "vm/plan/watch.h"
#include "vm/sched/batch.h"
#include "vm/sched/dry.h"
#include "vm/sched/edit.h"
#include "vm/sched/sched.h"

#ifdef NDEBUG
enum { ALWAYS_CHECKS = false };
#else
enum { ALWAYS_CHECKS = true };
#endif

// Returns how many pending nodes make a loop's back edge run them. A quarter of the depth is left for the next
// iteration, so that the limit does not divide it.
static int loop_depth_of(int depth) {
    int most = depth - depth / 4;
    return most > LOOP_DEPTH ? most : LOOP_DEPTH;
}

static EngineLimits limits_of(const EngineOptions *options) {
    EngineLimits limits = {.depth = DEPTH_DEFAULT, .loop_depth = LOOP_DEPTH, .recipe_sets = RECIPE_SETS, .recipe_ways = RECIPE_WAYS,
                           .kept_blocks = KEPT_BLOCKS, .flights = FLIGHTS,
                           .band_least = BAND_LEAST, .direct_most = DIRECT_MOST, .lazy_copy_least = LAZY_COPY_LEAST};
    if (options->stress)
        limits = (EngineLimits){.depth = 2, .loop_depth = LOOP_DEPTH, .recipe_sets = 1, .recipe_ways = 1, .kept_blocks = 1,
                                .flights = 1, .tile = 2, .band_least = 1};
    limits.device_least = options->stress ? 1 : options->device_least; // 0: the device's own limit
    if (limits.device_least == 1) limits.lazy_copy_least = 1; // the device does all work
    if (options->depth > 0) {
        limits.depth = options->depth < DEPTH_MAX ? options->depth : DEPTH_MAX;
        limits.loop_depth = loop_depth_of(limits.depth);
        limits.direct_most = 0;
    }
    return limits;
}

static bool device_open(Vm *vm, Device *device, const Backend *backend, const BackendOptions *options) {
    device->backend = backend;
    device->ctx = backend->open(vm, options);
    return device->ctx;
}

static void device_close(Vm *vm, const Device *device) {
    if (device->ctx) device->backend->close(vm, device->ctx);
}

static size_t machine_memory(void) {
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (size_t)pages * (size_t)size : SIZE_MAX / 2;
}

bool engine_start(Vm *vm, const EngineOptions *options) {
    const Backend *chosen = backend_find(options->backend);
    if (!chosen || (options->stream && !(chosen->takes & TAKES_STREAM))) return false;
    struct Engine *engine = mem_zalloc(&vm->mem, sizeof *engine);
    if (!engine) return false;
    vm->engine = engine;
    graph_init(&engine->graph);
    engine->graph.hooks = (GraphHooks){.recorded = sched_recorded, .observe = sched_observe,
                                       .to_host = memory_to_host, .drop = memory_drop,
                                       .free_host = flight_free_host, .direct = sched_direct, .fetched = detour_fetch,
                                       .element = memory_element, .away = memory_is_away};
    vm->settle = flight_settle_all;
    // In deterministic mode only the VM's limit counts, not the machine's memory.
    engine->graph.memory_max = options->deterministic ? SIZE_MAX / 2 : machine_memory();
    engine->limits = limits_of(options);
    engine->strict = options->strict;
    engine->checks = options->stress || ALWAYS_CHECKS;
    if (options->dry) engine->graph.reserving.least = RESERVE_LEAST;
    engine->graph.kept.limit = engine->limits.kept_blocks;
    engine->graph.kept.pattern = options->stress;
    engine->recipes.sets = engine->limits.recipe_sets;
    engine->recipes.ways_used = engine->limits.recipe_ways;
    engine->options = (BackendOptions){.threads = options->threads, .tile = engine->limits.tile,
                                       .reproducible = options->reproducible,
                                       .deterministic = options->deterministic, .stress = options->stress,
                                       .tier = (Tier)options->tier, .stream = options->stream};
    engine->unfused = engine->graph.unfused = options->unfused;
    engine->sandboxed = options->sandboxed;
    if (!link_open(vm, options)) return false;
    engine->options.reproducible |= !link_has_equal(vm, options->threads);
    if (!device_open(vm, &engine->device, chosen, &engine->options)) return false;
    engine->host = engine->device;
    engine->graph.has_device = engine->graph.on_device = chosen->place != PLACE_HOST;
    if (engine->graph.on_device && options->depth <= 0) engine->limits.loop_depth = DEVICE_LOOP_DEPTH;
    engine->placing = engine->graph.on_device ? PLACING_DEVICE : PLACING_FOLLOWS;
    return chosen == backends[0] || device_open(vm, &engine->host, backends[0], &engine->options);
}

void engine_forget(Vm *vm) {
    if (!vm->engine) return;
    graph_forget(vm);
    detours_free(vm, &vm->engine->detours);
    traffic_forget(vm, &vm->engine->link.traffic);
}

void engine_stop(Vm *vm) {
    struct Engine *engine = vm->engine;
    if (!engine) return;
    vm->settle = NULL;
    if (engine->device.ctx) flight_forget_all(vm);
    graph_free(&engine->graph, vm);
    flight_free_spare(vm);
    residents_end(vm);
    lasting_collect(&engine->outlasting, &vm->mem, true);
    bands_free(vm);
    editing_free(vm);
    recipes_free(vm, &engine->recipes);
    if (engine->host.backend != engine->device.backend) device_close(vm, &engine->host);
    if (!engine->retired) device_close(vm, &engine->device);
    link_close(vm);
    mem_free(&vm->mem, engine, sizeof *engine);
    vm->engine = NULL;
}

void engine_give_back(Vm *vm) {
    if (vm->engine) lasting_collect(&vm->engine->outlasting, &vm->mem, false);
}

bool engine_checks(const Vm *vm) {
    return vm->engine->checks;
}

void engine_share(Vm *vm, RegionPartFn run, void *job, int parts) {
    const Device *host = &vm->engine->host;
    host->backend->share(host->ctx, run, job, parts);
}

int engine_threads(const Vm *vm) {
    const Device *host = &vm->engine->host;
    return host->backend->threads(host->ctx);
}

bool engine_use_pass(Vm *vm, const char *name, bool used) {
    int number = pass_number(name);
    if (number < 0) return false;
    uint32_t bit = (uint32_t)1 << number;
    vm->engine->left_out = used ? vm->engine->left_out & ~bit : vm->engine->left_out | bit;
    recipes_free(vm, &vm->engine->recipes);
    return true;
}

void engine_watch(Vm *vm, Watch *watch) {
    vm->engine->watch = watch;
}

void engine_visit(Vm *vm, Visitor *visitor) {
    if (!vm->engine) return;
    graph_visit(vm, visitor);
    flight_visit(vm, visitor);
    detours_visit(&vm->engine->detours, visitor);
    traffic_visit(&vm->engine->link.traffic, visitor);
}

Status engine_safe_point(Vm *vm) {
    const Graph *graph = &vm->engine->graph;
    const uint64_t most = (uint64_t)vm->engine->limits.loop_depth;
    if (graph->pending_count < most) return ST_OK;
    batch_rounds(vm, true, NULL);
    return graph->pending_count < most - most / 4 ? ST_OK : sched_run_all(vm);
}

bool engine_on_device(const Vm *vm) {
    return vm->engine->graph.on_device;
}

int64_t engine_device_least(const Vm *vm) {
    return placing_least(vm->engine);
}

Status engine_device_launches(Vm *vm, uint64_t *count) {
    Status st = engine_observe_all(vm);
    *count = vm->engine->device_launches;
    return st;
}

bool engine_is_unfused(const Vm *vm) {
    return vm->engine->unfused;
}

const char *engine_device_name(const Vm *vm) {
    return vm->engine->device.backend->name;
}

bool engine_is_strict(const Vm *vm) {
    return vm->engine->strict != STRICT_OFF;
}

void *engine_region(Vm *vm, const Region *region, const RegionNotes *notes) {
    const Device *host = &vm->engine->host;
    return host->backend->region ? host->backend->region(vm, host->ctx, region, notes) : NULL;
}

const RegionCalls *engine_region_calls(const Vm *vm) {
    const Device *host = &vm->engine->host;
    return host->backend->region_calls(host->ctx);
}

RegionFn engine_region_code(Vm *vm, void *asked, bool wait, bool *failed) {
    const Device *host = &vm->engine->host;
    return host->backend->region_code(vm, host->ctx, asked, wait, failed);
}

bool engine_region_source(const Vm *vm, const Region *region, const RegionNotes *notes, Buf *out) {
    const Device *host = &vm->engine->host;
    return host->backend->region_source &&
           host->backend->region_source(host->ctx, region, notes, out);
}

bool engine_kernel_source(const Vm *vm, int index, Buf *out) {
    const Device *host = &vm->engine->host;
    return host->backend->kernel_source && host->backend->kernel_source(host->ctx, index, out);
}

Status engine_observe_all(Vm *vm) {
    return graph_observe_all(vm);
}

Status engine_settle(Vm *vm) {
    return flight_settle_all(vm);
}

EngineStats engine_stats(const Vm *vm) {
    return engine_stats_of(vm, vm->engine->link.rank);
}

EngineStats engine_stats_of(const Vm *vm, int rank) {
    EngineStats stats = vm->engine->stats;
    stats.recorded = vm->engine->graph.recorded;
    stats.executed = vm->engine->graph.executed;
    stats.eliminated = vm->engine->graph.eliminated;
    stats.pending = vm->engine->graph.pending_count;
    const Device *device = &vm->engine->device;
    stats.threads = (uint64_t)device->backend->threads(device->ctx);
    if (device->backend->compiled) stats.compiled = (uint64_t)device->backend->compiled(device->ctx);
    stats.threads_used = (uint64_t)device->backend->workers(device->ctx);
    const Link *link = &vm->engine->link;
    stats.ranks = link->size;
    stats.rank = rank;
    if (link->fns) link->fns->counts(link->ctx, &stats.link);
    if (link->dry) {
        dry_counts(vm, rank, &stats.link, &stats.array_bytes_received);
        stats.array_memory_peak = dry_memory_peak(vm);
    }
    return stats;
}

uint64_t engine_runs(const Vm *vm, int index, const char **name) {
    bool known = index >= 0 && index < AOP_COUNT;
    *name = known ? op_info[index].name : NULL;
    return known ? vm->engine->runs[index] : 0;
}

void engine_prepare(bool for_ranks) {
    backends_prepare(for_ranks);
}

void engine_describe(Buf *out) {
    backends_describe(out);
    ranks_describe(out);
}
