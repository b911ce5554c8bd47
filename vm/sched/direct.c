// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Small operations, done where they are written: for a few elements, a node, a place in a plan and
// a kernel are many times the work. Only what needs nothing that is pending is done so; if it meets a float condition that something is to be said of, it is
// recorded after all, so that errors and warnings come as they do for nodes.

#include "vm/plan/watch.h"
#include "vm/sched/sched.h"

static bool is_here(const Storage *storage) {
    const Buffer *buffer = &storage->components[0];
    return !storage->producer && buffer->valid & PLACE_HOST && !buffer->busy && !storage->doubted;
}

// What is overwritten is nobody's operand, not even a pending node's, but for an operation in
// place.
static bool is_ready(const struct Engine *engine, const Direct *d) {
    const Backend *backend = engine->device.backend;
    bool overwrites = d->to->components[0].valid || d->to->producer;
    if (d->elements > engine->limits.direct_most) return false;
    if (!backend->direct || backend->place != PLACE_HOST) return false;
    if (overwrites && (!is_here(d->to) || d->to->held)) return false;
    for (int i = 0; i < d->count; i++) {
        const Storage *storage = d->operands[i].storage;
        if (storage && (!is_here(storage) || (storage == d->to && !d->in_place))) return false;
    }
    return true;
}

// The op, or what its operands become.
static bool can_tell(const Direct *d) {
    if (op_info[d->combines || d->op == AOP_REDUCE ? d->combine : d->op].effects == EFFECT_FPE) return true;
    for (int i = 0; i < d->count; i++)
        if (d->operands[i].storage && cast_can_tell(d->operands[i].own, d->loop)) return true;
    return false;
}

// Conditions that are not ignored.
static uint32_t told_flags(const Vm *vm, const Direct *d) {
    static const uint32_t flags[FLOAT_ERROR_COUNT] = {[FLOAT_DIVIDE] = FLAG_DIVIDE,
                                                      [FLOAT_OVERFLOW] = FLAG_OVERFLOW,
                                                      [FLOAT_UNDERFLOW] = FLAG_UNDERFLOW,
                                                      [FLOAT_INVALID] = FLAG_INVALID};
    uint32_t told = 0;
    if (!can_tell(d)) return 0;
    for (int i = 0; i < FLOAT_ERROR_COUNT; i++)
        if (vm->float_errors.action[i] != FLOAT_IGNORE) told |= flags[i];
    return told;
}

bool sched_direct(Vm *vm, const Direct *d) {
    struct Engine *engine = vm->engine;
    const Device *device = &engine->device;
    Buffer *to = &d->to->components[0];
    if (!is_ready(engine, d)) return false;
    if (!to->valid && !buffer_alloc_host(vm, to, FRESH_ANY)) return false;
    if (!device->backend->direct(device->ctx, d, told_flags(vm, d))) return false;
    d->to->version++;
    engine->stats.direct++;
    engine->runs[d->op]++;
    if (engine->watch && engine->watch->direct) engine->watch->direct(engine->watch, vm, d);
    return true;
}
