// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The engine's life and figures.

#include "vm/sched/engine.h"

#include <string.h>

#include "vm/sched/sched.h"

enum { DEPTH_LIMIT = 1 };

static const Backend *backend_by_name(const char *name) {
    for (const Backend *const *at = backends; *at; at++) {
        if ((*at)->abi_version != BACKEND_ABI || (*at)->struct_size != sizeof(Backend)) continue;
        if (!name || strcmp((*at)->name, name) == 0) return *at;
    }
    return NULL;
}

bool engine_start(Vm *vm, const char *backend, int threads) {
    const Backend *chosen = backend_by_name(backend);
    if (!chosen) return false;
    struct Engine *engine = mem_zalloc(&vm->mem, sizeof *engine);
    if (!engine) return false;
    vm->engine = engine;
    graph_init(&engine->graph, vm);
    engine->graph.observe = sched_observe;
    engine->graph.recorded_one = sched_recorded;
    engine->depth_limit = DEPTH_LIMIT;
    engine->backend = chosen;
    engine->ctx = chosen->open(vm, &(BackendOptions){.threads = threads});
    return engine->ctx != NULL;
}

void engine_stop(Vm *vm) {
    struct Engine *engine = vm->engine;
    if (!engine) return;
    graph_free(&engine->graph, vm);
    if (engine->ctx) engine->backend->close(vm, engine->ctx);
    mem_free(&vm->mem, engine, sizeof *engine);
    vm->engine = NULL;
}

Status engine_observe_all(Vm *vm) {
    return graph_observe_all(vm);
}

void engine_stats(const Vm *vm, uint64_t *recorded, uint64_t *executed, uint64_t *eliminated,
                  uint64_t *kernels, uint64_t *library_calls) {
    const struct Engine *engine = vm->engine;
    *recorded = engine->graph.recorded;
    *executed = engine->graph.executed;
    *eliminated = engine->graph.eliminated;
    *kernels = engine->kernels;
    *library_calls = engine->library_calls;
}

void engine_describe(Buf *out) {
    buf_puts(out, "backends:");
    for (const Backend *const *at = backends; *at; at++) buf_printf(out, " %s", (*at)->name);
    buf_putc(out, '\n');
    for (const Backend *const *at = backends; *at; at++)
        if ((*at)->describe) (*at)->describe(out);
}
