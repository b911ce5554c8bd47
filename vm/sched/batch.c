// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Looks for rounds in the list of pending nodes, and batches them: the batched round runs its first node for all
// rounds, then its second for all, and so on. Its private storages hold those of all rounds, one behind the other, and
// scalars that differ from round to round become an array of the units' values.
//
// Where a run's first round is a batch, the units of the others are joined to its own along the leading axis, so that a
// loop of thousands of rounds, of which only some are pending at a time, becomes one round. Where that axis cannot be
// continued, as at the end of an inner loop, batches are batched along a further axis.

#include "vm/sched/batch.h"

#include <string.h>

#include "vm/kernel/kernel.h"
#include "vm/sched/edit.h"
#include "vm/sched/rounds.h"
#include "vm/sched/sched.h"

enum {
    PERIODS_TRIED = 3,
    ROUNDS_LEAST = 4,   // fewer are not worth a kernel of their own, which may have to be compiled, unless
    ROUNDS_IN_LOOP = 2, // a loop goes on
};

// --- Batching ------------------------------------------------------------------------------------

// The storages and nodes of a batched round.
typedef struct Made {
    Storage *storages[PERIOD_MOST];             // by maker
    Storage *values[PERIOD_MOST][NODE_INPUTS];  // of scalars that vary
    Node *nodes[PERIOD_MOST];
} Made;

// Makes the storage with all units' values of an operand. NULL: out of memory.
static Storage *storage_of_values(Vm *vm, const RoundRun *run, int n, int at) {
    const int64_t bytes = run->progressions[n][at].step;
    Storage *storage = storage_new_scratch(vm, (size_t)(run->units * bytes));
    if (!storage || !buffer_alloc_host(vm, &storage->buffer, FRESH_ANY)) {
        storage_release(vm, storage);
        return NULL;
    }
    storage->of_scalars = true;
    char *to = storage->buffer.host;
    for (int r = 0; r < run->rounds; r++) {
        const NodeInput *input = &run->nodes[r * run->period + n]->inputs[at];
        const int64_t units = run_units_of(run, r);
        if (!input->is_scalar) memcpy(to, input->view.storage->buffer.host, (size_t)(units * bytes));
        for (int64_t u = 0; input->is_scalar && u < units; u++)
            dtype_store(input->dtype, to + u * bytes, input->scalar);
        to += units * bytes;
    }
    return storage;
}

static void view_of_values(const RoundRun *run, Storage *values, int n, int at, View *to) {
    const NodeInput *first = &run->nodes[n]->inputs[at];
    const int64_t step = run->progressions[n][at].step;
    view_of_units(to, &run->nodes[n]->output, run->inner, step, 0, run->units);
    to->storage = values;
    to->offset = 0;
    to->dtype = first->dtype;
    for (int d = 1; d < to->ndim; d++) to->strides[d] = first->is_scalar ? 0 : first->view.strides[d - 1 + run->inner];
}

static void batch_view(const RoundRun *run, const Made *made, int n, int at, View *to) {
    const int maker = run->progressions[n][at].maker;
    view_of_units(to, view_at(run->nodes[n], at), run->inner, run->progressions[n][at].step, 0, run->units);
    if (maker >= 0) to->storage = made->storages[maker];
}

// Makes the batched node of a round's node. NULL: out of memory.
static Node *batched_node(Vm *vm, const RoundRun *run, const Made *made, int n) {
    const Node *first = run->nodes[n];
    Node *node = graph_node(vm, first->op);
    if (!node) return NULL;
    node->batched = true;
    node->hints = first->hints;
    node->attrs = first->attrs;
    if (!run->inner) node->attrs.axes <<= 1;
    node->place = first->place;
    node->input_count = first->input_count;
    for (int i = 0; i < first->input_count; i++) {
        NodeInput *input = &node->inputs[i];
        input->is_scalar = first->inputs[i].is_scalar && !run->progressions[n][i].varies;
        input->dtype = first->inputs[i].dtype;
        if (input->is_scalar) input->scalar = first->inputs[i].scalar;
        else if (run->progressions[n][i].varies) view_of_values(run, made->values[n][i], n, i, &input->view);
        else batch_view(run, made, n, i, &input->view);
    }
    batch_view(run, made, n, VIEW_OUTPUT, &node->output);
    return node;
}

static void release_storages(Vm *vm, const RoundRun *run, Made *made) {
    for (int n = 0; n < run->period; n++) {
        storage_release(vm, made->storages[n]);
        for (int i = 0; i < NODE_INPUTS; i++) storage_release(vm, made->values[n][i]);
    }
}

// Makes a private storage for all units. NULL: out of memory.
static Storage *storage_of_units(Vm *vm, const RoundRun *run, int n) {
    Storage *storage = storage_new_scratch(vm, (size_t)(run->units * run->unit_bytes[n]));
    if (!storage || !storage_is_zeroed(run->nodes[n]->output.storage)) return storage;
    if (!buffer_alloc_host(vm, &storage->buffer, FRESH_ZEROED)) {
        storage_release(vm, storage);
        return NULL;
    }
    storage->buffer.untouched = UNTOUCHED_ZEROS;
    return storage;
}

// Makes the batched round's own storages, and its nodes. False: out of memory, and nothing was made.
static bool make_round(Vm *vm, const RoundRun *run, Made *made) {
    bool good = true;
    *made = (Made){.storages = {NULL}};
    for (int n = 0; good && n < run->period; n++) {
        if (run->progressions[n][VIEW_OUTPUT].maker == n)
            good = (made->storages[n] = storage_of_units(vm, run, n)) != NULL;
        for (int i = 0; good && i < run->nodes[n]->input_count; i++)
            if (run->progressions[n][i].varies) good = (made->values[n][i] = storage_of_values(vm, run, n, i)) != NULL;
    }
    for (int n = 0; good && n < run->period; n++) good = (made->nodes[n] = batched_node(vm, run, made, n)) != NULL;
    if (good) return true;
    for (int n = 0; n < run->period; n++)
        if (made->nodes[n]) graph_discard(vm, made->nodes[n]);
    release_storages(vm, run, made);
    return false;
}

// Puts the batched round in the place of the run's nodes, which the next graph_sweep unlinks.
static void replace_rounds(Vm *vm, const RoundRun *run, Made *made) {
    Graph *graph = graph_of(vm);
    Node *const *const round = made->nodes;
    Node *const *const last = run->nodes + (run->rounds - 1) * run->period;
    Node *const rest = last[run->period - 1]->next;
    for (int n = 0; n < run->period; n++) {
        Storage *to = round[n]->output.storage;
        const bool is_private = run->progressions[n][VIEW_OUTPUT].maker >= 0;
        node_hold(round[n]);
        if (round[n]->place.code) round[n]->place.code->refs++;
        if (made->storages[n] && !to->buffer.valid) graph->promised += to->buffer.bytes;
        round[n]->version = is_private ? ++to->version : last[n]->version;
        if (is_private || to->producer == last[n]) to->producer = round[n];
        round[n]->next = n + 1 < run->period ? round[n + 1] : rest;
        graph->pending_count++;
    }
    last[run->period - 1]->next = round[0];
    for (int i = 0; i < run->rounds * run->period; i++) {
        graph_finish(vm, run->nodes[i], NODE_ELIMINATED);
        graph->eliminated--;
    }
    vm->engine->stats.batched += (uint64_t)((run->rounds - 1) * run->period);
    release_storages(vm, run, made);
}

// --- Looking for rounds --------------------------------------------------------------------------

// Returns whether the nodes may be a round and the next: a comparison that is quick, since most nodes fail it.
static bool seem_rounds(Node *const *nodes, int period) {
    for (int n = 0; n < period; n++) {
        const Node *a = nodes[n], *b = nodes[n + period];
        if (a->op != b->op || a->place.pc != b->place.pc || a->place.code != b->place.code) return false;
        if (!node_is_batchable(b)) return false;
    }
    return true;
}

typedef enum Carried {
    CARRIED_NONE,
    CARRIED_HIDDEN, // in a new storage: perhaps rounds begin at another node
    CARRIED,        // from round to round
} Carried;

// Finds whether the second of two rounds needs what the first one writes, or overwrites what it accesses.
static Carried find_carried(Node *const *nodes, int period) {
    Carried carried = CARRIED_NONE;
    for (int n = 0; n < 2 * period; n++) {
        const Node *writer = nodes[n];
        const Storage *to = writer->output.storage;
        Node *const *other = nodes + (n < period ? period : 0);
        for (int m = 0; m < period; m++)
            for (int at = 0; at <= VIEW_OUTPUT; at++) {
                const View *view = view_at(other[m], at);
                if (!view || view->storage != to || !view_meets(view, &writer->output)) continue;
                if (!storage_is_new(to)) return CARRIED;
                carried = CARRIED_HIDDEN;
            }
    }
    return carried;
}

// Batches the rounds that begin with nodes[0], if any do. Returns how many nodes to skip.
static int batch_at(Vm *vm, Node *const *nodes, int count, const RunLimits *limits, bool *batched) {
    RoundRun run;
    Made made;
    for (int period = 1, tried = 0; period <= PERIOD_MOST && 2 * period <= count && tried < PERIODS_TRIED; period++) {
        if (!node_is_batchable(nodes[0]) || !seem_rounds(nodes, period)) continue;
        tried++;
        const Carried carried = find_carried(nodes, period);
        if (carried == CARRIED) return period;
        if (carried == CARRIED_HIDDEN) continue;
        if (!run_find(&run, nodes, count, period, 1, limits) && !run_find(&run, nodes, count, period, 0, limits))
            continue;
        if (!make_round(vm, &run, &made)) return 1;
        replace_rounds(vm, &run, &made);
        *batched = true;
        return run.rounds * period;
    }
    return 1;
}

// Returns how many bytes the private storages of a batch may take: a part of what is left, since a batch that does not
// fit is not split again.
static size_t bytes_most(Vm *vm) {
    enum { BYTES_MOST = 1 << 25, PART = 8 };
    const size_t part = graph_room(vm) / PART;
    return part < BYTES_MOST ? part : BYTES_MOST;
}

// Returns whether nodes may be changed at all.
static bool may_batch(const struct Engine *engine) {
    return engine->placing == PLACING_DEVICE && engine->graph.on_device && !engine->unfused && engine->link.size <= 1 &&
           !engine->graph.apart && !engine->aside && !engine->starved && !is_editing(engine) && !engine->editor;
}

// Goes through the pending nodes once, up to `but`. Returns whether any were batched.
static bool batch_pending(Vm *vm, const RunLimits *limits, const Node *but) {
    Node *nodes[DEPTH_MAX];
    int count = 0;
    bool batched = false;
    for (Node *node = graph_of(vm)->first; node && node != but && count < DEPTH_MAX; node = node->next)
        nodes[count++] = node;
    for (int at = 0; at < count;) at += batch_at(vm, nodes + at, count - at, limits, &batched);
    if (batched) graph_sweep(vm);
    return batched;
}

void batch_rounds(Vm *vm, bool in_loop, const Node *but) {
    if (!may_batch(vm->engine)) return;
    const RunLimits limits = {in_loop ? ROUNDS_IN_LOOP : ROUNDS_LEAST, bytes_most(vm)};
    while (vm->engine->graph.pending_count > 1 && batch_pending(vm, &limits, but)); // batches may continue each other
}
