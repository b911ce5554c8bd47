// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Deferral of results whose holder will hardly ask for them, such as a host's garbage that is not collected yet
// (storage_defer). When a plan computes with such a result, the result is not stored. Its node stays pending, with
// nodes that lead only to it, and the plan runs copies of these nodes instead, whose results nobody else sees. If the
// holder asks after all, the pending nodes run. So only cheap nodes are deferred, elementwise ones, and each only
// once.

#include "vm/sched/sched.h"

// The plan's nodes that are deferred, and the copies that run instead.
typedef struct Deferring {
    Plan *plan;
    Storage *const *asked; // storages whose values the plan is for
    size_t asked_count;
    bool can[DEPTH_MAX];   // whether each node can be deferred
    Node *copies[DEPTH_MAX]; // NULL: the node itself runs
} Deferring;

static bool is_asked(const Deferring *d, const Storage *storage) {
    for (size_t i = 0; i < d->asked_count; i++)
        if (d->asked[i] == storage) return true;
    return false;
}

static bool is_seen(const Storage *storage) {
    return storage->refs > storage->held;
}

// Returns the plan's only node that writes the storage, if before node `reader`. NO_WRITER: none writes it. BAD_WRITER:
// several do, or one at `reader` or after it.
enum { NO_WRITER = -1, BAD_WRITER = -2 };
static int writer_of(const Deferring *d, const Storage *storage, int reader) {
    int writer = NO_WRITER;
    for (int n = 0; n < d->plan->node_count; n++) {
        if (d->plan->nodes[n]->output.storage != storage) continue;
        if (writer != NO_WRITER || n >= reader) return BAD_WRITER;
        writer = n;
    }
    return writer;
}

// Returns whether what a node reads of a storage will be the same later, and available: stored, or computed again.
static bool lasts(const Deferring *d, int at, const Storage *storage) {
    int writer = writer_of(d, storage, at);
    if (writer == NO_WRITER) return true;
    return writer >= 0 && (is_seen(storage) || d->can[writer]);
}

static bool is_all_of(const View *view) {
    return view_is_injective(view) && (size_t)view_size(view) * dtype_size(view->dtype) == view->storage->buffer.bytes;
}

// Returns whether a node can be deferred: it is elementwise and cannot fail, and its result is the first value of a
// whole storage of its own.
static bool can_wait(const Deferring *d, int at) {
    const Node *node = d->plan->nodes[at];
    const Storage *to = node->output.storage;
    if (op_info[node->op].op_class != CLASS_ELEMENTWISE || node->attrs.begun || node_can_fail(node) || node->hints ||
        to->producer != node || node->version != 1 || to->buffer.valid || to->owner ||
        !is_all_of(&node->output) || is_asked(d, to))
        return false;
    for (int i = 0; i < node->input_count; i++)
        if (!node->inputs[i].is_scalar && !lasts(d, at, node->inputs[i].view.storage)) return false;
    return true;
}

static bool is_deferred(const Storage *storage) {
    return storage->deferral == DEFERRED && is_seen(storage);
}

static bool reads(const Node *node, const Storage *storage) {
    for (int i = 0; i < node->input_count; i++)
        if (!node->inputs[i].is_scalar && node->inputs[i].view.storage == storage) return true;
    return false;
}

// Returns whether a node stays pending: its result is marked as deferred, or nobody else sees it and a node that stays
// pending reads it.
static bool waits(const Deferring *d, const bool *waiting, int at) {
    const Storage *storage = d->plan->nodes[at]->output.storage;
    if (!d->can[at]) return false;
    if (is_seen(storage)) return is_deferred(storage);
    for (int n = at + 1; n < d->plan->node_count; n++)
        if (waiting[n] && reads(d->plan->nodes[n], storage)) return true;
    return false;
}

static Storage *moved(const Deferring *d, Storage *storage) {
    for (int n = 0; n < d->plan->node_count; n++)
        if (d->copies[n] && d->plan->nodes[n]->output.storage == storage) return d->copies[n]->output.storage;
    return storage;
}

// Returns a copy of a node that has a result of its own and reads the results of other copies. NULL: out of memory.
static Node *copy_of(Vm *vm, const Deferring *d, const Node *node) {
    Node *copy = graph_node(vm, node->op);
    Storage *to = copy ? storage_new(vm, node->output.storage->buffer.bytes) : NULL;
    if (!to) {
        if (copy) graph_discard(vm, copy);
        return NULL;
    }
    for (int i = 0; i < node->input_count; i++) {
        const NodeInput *in = &node->inputs[i];
        View view;
        if (in->is_scalar) {
            node_input_scalar(copy, in->dtype, in->scalar);
            continue;
        }
        view_copy(&view, &in->view);
        view.storage = moved(d, view.storage);
        node_input_view(copy, &view);
    }
    View output;
    view_copy(&output, &node->output);
    output.storage = to;
    node_output(copy, &output);
    node_hold(copy);
    storage_release(vm, to); // the node holds it
    copy->attrs = node->attrs;
    copy->place = node->place;
    if (copy->place.code) copy->place.code->refs++;
    copy->aside = node->aside;
    copy->version = to->version = 1;
    return copy;
}

static void read_from_copies(Vm *vm, const Deferring *d, Node *node) {
    for (int i = 0; i < node->input_count; i++) {
        if (node->inputs[i].is_scalar) continue;
        View *view = &node->inputs[i].view;
        Storage *old = view->storage, *new = moved(d, old);
        if (new == old) continue;
        view->storage = storage_retain(new);
        new->held++;
        old->held--;
        storage_release(vm, old);
    }
}

// Inserts the copies after their nodes. The copies report the float flags, and the nodes become quiet.
static void put_in_place(Graph *graph, const Deferring *d) {
    for (int n = 0; n < d->plan->node_count; n++) {
        Node *node = d->plan->nodes[n], *copy = d->copies[n];
        if (!copy) continue;
        copy->next = node->next;
        node->next = copy;
        if (graph->last == node) graph->last = copy;
        copy->output.storage->producer = copy;
        graph->recorded++;
        graph->pending_count++;
        node->attrs.quiet = true;
        if (node->output.storage->deferral) node->output.storage->deferral = DEFERRED_BEFORE;
        d->plan->nodes[n] = copy;
    }
}

// Makes the copies of all waiting nodes, or none. False: out of memory.
static bool make_copies(Vm *vm, Deferring *d, const bool *waiting) {
    for (int n = 0; n < d->plan->node_count; n++) {
        if (!waiting[n] || (d->copies[n] = copy_of(vm, d, d->plan->nodes[n]))) continue;
        while (n-- > 0)
            if (d->copies[n]) node_let_go(vm, d->copies[n]), graph_discard(vm, d->copies[n]);
        return false;
    }
    return true;
}

void plan_defer(Vm *vm, Plan *plan, Storage *const *asked, size_t asked_count) {
    Graph *graph = &vm->engine->graph;
    int count = 0;
    for (int n = 0; n < plan->node_count; n++) count += is_deferred(plan->nodes[n]->output.storage);
    if (count == 0) return;
    bool waiting[DEPTH_MAX] = {false};
    Deferring d = {.plan = plan, .asked = asked, .asked_count = asked_count};
    for (int n = 0; n < plan->node_count; n++) d.can[n] = can_wait(&d, n);
    count = 0;
    for (int n = plan->node_count - 1; n >= 0; n--) count += waiting[n] = waits(&d, waiting, n);
    // The copies must fit into the limit of pending nodes.
    if (count == 0 || graph->pending_count + (uint64_t)count >= DEPTH_MAX || !make_copies(vm, &d, waiting)) return;
    for (int n = 0; n < plan->node_count; n++)
        if (!d.copies[n]) read_from_copies(vm, &d, plan->nodes[n]);
    put_in_place(graph, &d);
}
