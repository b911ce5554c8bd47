// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// When pending nodes are run, and which. An observation runs what leads to the value that is asked for
// and leaves the rest. All of it is run when so many nodes are pending.

#include <string.h>

#include "vm/sched/sched.h"

// --- What an observation needs -----------------------------------------------------------------

enum { WANTED_READ = 1, WANTED_WRITTEN = 2 }; // by a node that will be run: reads, overwrites

static void want_for(Node *node) {
    for (int i = 0; i < node->input_count; i++)
        if (!node->inputs[i].is_scalar) node->inputs[i].view.storage->wanted |= WANTED_READ;
    node->output.storage->wanted |= WANTED_WRITTEN;
}

static bool is_wanted(const Node *node) {
    if (node->output.storage->wanted) return true;
    for (int i = 0; i < node->input_count; i++)
        if (!node->inputs[i].is_scalar && node->inputs[i].view.storage->wanted & WANTED_WRITTEN)
            return true;
    return false;
}

static void forget_wanted(Plan *plan) {
    for (int n = 0; n < plan->node_count; n++) {
        const Node *node = plan->nodes[n];
        for (int i = 0; i < node->input_count; i++)
            if (!node->inputs[i].is_scalar) node->inputs[i].view.storage->wanted = 0;
        node->output.storage->wanted = 0;
    }
}

static void take_pending(Graph *graph, Plan *plan) {
    plan->node_count = 0;
    for (Node *node = graph->first; node; node = node->next) plan->nodes[plan->node_count++] = node;
}

// Leaves those of the plan's nodes that lead to the storage's value, from the last one back: what is
// read is written before, and what is overwritten has been read before.
static void select_ancestors(Plan *plan, Storage *storage, bool for_writing) {
    Node *needed[DEPTH_MAX];
    int count = 0;
    storage->wanted = WANTED_READ | (for_writing ? WANTED_WRITTEN : 0);
    for (int n = plan->node_count - 1; n >= 0; n--) {
        if (!is_wanted(plan->nodes[n])) continue;
        want_for(plan->nodes[n]);
        needed[count++] = plan->nodes[n];
    }
    forget_wanted(plan);
    storage->wanted = 0;
    plan->node_count = count;
    for (int n = 0; n < count; n++) plan->nodes[n] = needed[count - 1 - n];
}

// --- Running -----------------------------------------------------------------------------------

static bool float_action_is_set(const Vm *vm, FloatAction least) {
    for (int i = 0; i < FLOAT_ERROR_COUNT; i++)
        if (vm->float_errors.action[i] >= least) return true;
    return false;
}

// A single loop among library nodes has nothing to be fused with.
static bool is_worth_planning(const Plan *plan) {
    int loops = 0;
    for (int n = 0; n < plan->node_count; n++) {
        OpClass class = (OpClass)op_info[plan->nodes[n]->op].op_class;
        loops += class == CLASS_ELEMENTWISE || class == CLASS_REDUCTION;
    }
    return loops > 1;
}

static Status run_in_order(Vm *vm, Plan *plan) {
    Status st = ST_OK;
    for (int n = 0; st == ST_OK && n < plan->node_count; n++) st = run_single(vm, plan->nodes[n]);
    graph_sweep(vm);
    return st;
}

// The plan's nodes by the recipe for their key, an old one or a new one. `nodes`: room for them,
// as making a recipe rearranges the plan.
static Status run_plan(Vm *vm) {
    struct Engine *engine = vm->engine;
    Plan *plan = &engine->plan;
    PlanKey *key = &engine->recipes.key;
    Node *nodes[DEPTH_MAX];
    bool warns = float_action_is_set(vm, FLOAT_WARN);
    if (!is_worth_planning(plan)) return run_in_order(vm, plan);
    memcpy(nodes, plan->nodes, (size_t)plan->node_count * sizeof *nodes);
    plan_key_make(key, nodes, plan->node_count, warns);
    Recipe *recipe = recipe_find(&engine->recipes, key), *made = NULL;
    if (recipe) engine->stats.plans_reused++;
    else recipe = made = recipe_make(vm, plan, key, warns);
    plan_key_clear(key);
    if (!recipe) return ST_ERROR;
    if (made) engine->stats.plans_made++;
    Status st = run_recipe(vm, recipe, nodes, key);
    graph_sweep(vm);
    if (made && made->hash) recipe_keep(vm, &engine->recipes, made);
    else recipe_free(vm, made);
    return st;
}

Status sched_observe(Vm *vm, Storage *storage, bool for_writing) {
    struct Engine *engine = vm->engine;
    bool settled = storage && !storage->producer && !(for_writing && storage->held);
    if (settled) return ST_OK;
    Status st = ST_OK;
    if (engine->graph.first) {
        take_pending(&engine->graph, &engine->plan);
        if (storage) select_ancestors(&engine->plan, storage, for_writing);
        st = run_plan(vm);
    }
    return storage || st != ST_OK ? st : flight_settle_all(vm);
}

Status sched_run_all(Vm *vm) {
    struct Engine *engine = vm->engine;
    if (!engine->graph.first) return ST_OK;
    take_pending(&engine->graph, &engine->plan);
    return run_plan(vm);
}

// --- Recording ---------------------------------------------------------------------------------

// What can fail is run where it is written, so that whoever handles the exception sees every array as
// it is there.
Status sched_recorded(Vm *vm) {
    struct Engine *engine = vm->engine;
    Node *node = engine->graph.last;
    Status st = ST_OK;
    if (engine->graph.pending_count == LOOP_DEPTH) atomic_store(&vm->safe_stop, 0);
    if (engine->graph.pending_count >= engine->depth_limit) st = sched_run_all(vm);
    else if (node_can_fail(node) || (float_action_is_set(vm, FLOAT_RAISE) && node_can_tell(node)))
        st = sched_observe(vm, node->output.storage, false);
    if (st == ST_OK || !engine->graph.last || engine->graph.last != node) return st;
    graph_finish(vm, node, NODE_ELIMINATED); // an exception where it is written: it has not happened
    graph_sweep(vm);
    return st;
}
