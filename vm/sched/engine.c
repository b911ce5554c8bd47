// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The engine's state and figures.

#include "vm/sched/engine.h"

#include <string.h>

struct Engine {
    int threads;
    uint64_t recorded, executed, eliminated, kernels, library_calls;
};

bool engine_start(Vm *vm, const char *backend, int threads) {
    if (backend && strcmp(backend, "cpu") != 0) return false;
    vm->engine = mem_zalloc(&vm->mem, sizeof *vm->engine);
    if (!vm->engine) return false;
    vm->engine->threads = threads;
    return true;
}

void engine_stop(Vm *vm) {
    if (vm->engine) mem_free(&vm->mem, vm->engine, sizeof *vm->engine);
    vm->engine = NULL;
}

Status engine_observe_all(Vm *vm) {
    (void)vm;
    return ST_OK;
}

void engine_stats(const Vm *vm, uint64_t *recorded, uint64_t *executed, uint64_t *eliminated,
                  uint64_t *kernels, uint64_t *library_calls) {
    const struct Engine *engine = vm->engine;
    *recorded = engine->recorded;
    *executed = engine->executed;
    *eliminated = engine->eliminated;
    *kernels = engine->kernels;
    *library_calls = engine->library_calls;
}

void engine_describe(Buf *out) {
    buf_puts(out, "backends: cpu\n");
}
