// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Direct execution: runs operations on few elements at once, since recording and launching them would cost many times
// the work. No operand may be pending. If a float flag is raised that has to be reported, the operation is recorded
// after all, so that errors and warnings come as they do for pending nodes.

#include "vm/plan/watch.h"
#include "vm/sched/dry.h"
#include "vm/sched/sched.h"

// Inlined: it is asked for each operand of each small operation.
static inline __attribute__((always_inline)) bool is_here(const Vm *vm, const Storage *storage) {
    const Buffer *buffer = &storage->buffer;
    if (buffer->blocks || buffer->grid) return false; // it takes the way of distributed arrays
    if (storage->producer || !(buffer->valid & (PLACE_HOST | PLACE_UNKNOWN)) || buffer->busy) return false;
    return !storage->doubted || (storage->doubted == DOUBT_APART && vm->engine->graph.apart);
}

// Returns whether all operands are on the host, and no pending node reads what the node overwrites.
static bool is_ready(const Vm *vm, const Node *node) {
    const Storage *to = node->output.storage;
    bool overwrites = to->buffer.valid || to->producer;
    if (overwrites ? !is_here(vm, to) || to->held : node->op == AOP_PUT) return false;
    for (int i = 0; i < node->input_count; i++)
        if (!node->inputs[i].is_scalar && !is_here(vm, node->inputs[i].view.storage)) return false;
    return true;
}

// Returns whether the operation, or the cast of an operand, can raise flags that are reported.
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

// Returns the flags that have to be reported if they are raised.
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
    // A result large enough to be distributed is recorded.
    if (is_on_ranks(vm) && (int64_t)to->bytes >= engine->link.split_least) return false;
    const bool is_unknown = is_dry(vm) && dry_direct(node);
    bool blank = !to->valid;
    if (blank && !buffer_alloc_host(vm, to, FRESH_ANY)) return false;
    to->untouched = WRITTEN;
    if (!backend->direct(host->ctx, node, size, is_unknown ? 0 : reported_flags(vm, node))) {
        if (blank) buffer_free_host(vm, to);
        return false;
    }
    if (is_unknown) to->valid = PLACE_UNKNOWN;
    node->output.storage->version++;
    if (engine->graph.apart) node->output.storage->doubted |= DOUBT_APART;
    engine->stats.direct++;
    engine->runs[node->op]++;
    if (engine->watch && engine->watch->direct) engine->watch->direct(engine->watch, vm, node);
    return true;
}
