// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Small operations, done where they are written: for a few elements, a place in a plan and a kernel are
// many times the work. Only what needs nothing that is pending is done so; if it meets a float condition that is to be reported, it is recorded after all, so that
// errors and warnings come as they do for pending nodes.

#include "vm/plan/watch.h"
#include "vm/sched/dry.h"
#include "vm/sched/sched.h"

static bool is_here(const Vm *vm, const Storage *storage) {
    const Buffer *buffer = &storage->buffer;
    const uint8_t harmless = vm->engine->graph.apart ? DOUBT_APART : 0;
    if (buffer->blocks) return false; // it takes the way of distributed arrays
    return !storage->producer && buffer->valid & (PLACE_HOST | PLACE_UNKNOWN) && !buffer->busy && !(storage->doubted & ~harmless);
}

// Operands are on the host, and what is overwritten is no pending node's operand.
static bool is_ready(const Vm *vm, const Node *node) {
    const Storage *to = node->output.storage;
    bool overwrites = to->buffer.valid || to->producer;
    if (overwrites ? !is_here(vm, to) || to->held : node->op == AOP_PUT) return false;
    for (int i = 0; i < node->input_count; i++)
        if (!node->inputs[i].is_scalar && !is_here(vm, node->inputs[i].view.storage)) return false;
    return true;
}

// The op, or what its operands become.
static bool can_report(const Node *node) {
    OpId combine = node->attrs.combine;
    if (node->attrs.quiet) return false;
    if (op_info[combine < AOP_COUNT ? combine : node->op].effects == EFFECT_FPE) return true;
    for (int i = 0; i < node->input_count; i++) {
        const NodeInput *input = &node->inputs[i];
        bool casts = !input->is_scalar && input->dtype != node->attrs.loop;
        if (casts && cast_can_tell(input->dtype, node->attrs.loop)) return true;
    }
    return false;
}

// Conditions that are not ignored.
static uint32_t reported_flags(const Vm *vm, const Node *node) {
    static const uint32_t flags[FLOAT_ERROR_COUNT] = {[FLOAT_DIVIDE] = FLAG_DIVIDE,
                                                      [FLOAT_OVERFLOW] = FLAG_OVERFLOW,
                                                      [FLOAT_UNDERFLOW] = FLAG_UNDERFLOW,
                                                      [FLOAT_INVALID] = FLAG_INVALID};
    uint32_t reported = 0;
    if (!can_report(node)) return 0;
    for (int i = 0; i < FLOAT_ERROR_COUNT; i++)
        if (vm->float_errors.action[i] != FLOAT_IGNORE) reported |= flags[i];
    return reported;
}

bool sched_direct(Vm *vm, const Node *node) {
    struct Engine *engine = vm->engine;
    const Device *host = &engine->host;
    const Backend *backend = host->backend;
    Buffer *to = &node->output.storage->buffer;
    if (!backend->direct || (engine->watch && engine->watch->all) || !is_ready(vm, node)) return false;
    int64_t size = backend->direct_size(node);
    if (size <= 0 || size > engine->limits.direct_most) return false;
    if (engine->graph.on_device && size >= placing_least(engine)) return false;
    // A result that is to be distributed takes the way of those.
    if (is_on_ranks(vm) && (int64_t)to->bytes >= engine->link.split_least) return false;
    if (is_dry(vm) && dry_direct(vm, node)) {
        node->output.storage->version++;
        engine->stats.direct++;
        return true;
    }
    bool blank = !to->valid;
    if (blank && !buffer_alloc_host(vm, to, FRESH_ANY)) return false;
    to->untouched = WRITTEN;
    if (!backend->direct(host->ctx, node, size, reported_flags(vm, node))) {
        if (blank) buffer_free_host(vm, to);
        return false;
    }
    node->output.storage->version++;
    if (engine->graph.apart) node->output.storage->doubted |= DOUBT_APART;
    engine->stats.direct++;
    engine->runs[node->op]++;
    if (engine->watch && engine->watch->direct) engine->watch->direct(engine->watch, vm, node);
    return true;
}
