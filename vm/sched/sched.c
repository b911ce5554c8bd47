// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Decides when pending nodes are run, and which. An observation runs the nodes that the observed value depends on, with
// those that would keep large operands of these alive, and leaves the others pending. All nodes are run when their number
// reaches a limit.

#include <string.h>

#include "vm/plan/watch.h"
#include "vm/sched/apart.h"
#include "vm/sched/batch.h"
#include "vm/sched/edit.h"
#include "vm/sched/sharing.h"
#include "vm/value/warnings.h"

// --- What an observation needs -----------------------------------------------------------------

enum { WANTED_READ = 1, WANTED_WRITTEN = 2 }; // Storage.wanted: a node that will be run reads it, or overwrites it

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
    for (Node *node = graph->first; node && plan->node_count < DEPTH_MAX; node = node->next) plan->nodes[plan->node_count++] = node;
}

// What is observed: the values of `count` storages, to be read or to be overwritten.
typedef struct Demand {
    Storage *const *storages; // NULL: everything
    size_t count;
    bool for_writing;
} Demand;

// Removes the nodes from a plan that the storages' values do not depend on. Goes from the last node backwards, and
// keeps nodes that write what a kept one reads, or that read or write what a kept one overwrites.
static void select_ancestors(Plan *plan, const Demand *demand) {
    Node *needed[DEPTH_MAX];
    int count = 0;
    for (size_t i = 0; i < demand->count; i++)
        demand->storages[i]->wanted = WANTED_READ | (demand->for_writing ? WANTED_WRITTEN : 0);
    for (int n = plan->node_count - 1; n >= 0; n--) {
        if (!is_wanted(plan->nodes[n])) continue;
        want_for(plan->nodes[n]);
        needed[count++] = plan->nodes[n];
    }
    forget_wanted(plan);
    for (size_t i = 0; i < demand->count; i++) demand->storages[i]->wanted = 0;
    plan->node_count = count;
    for (int n = 0; n < count; n++) plan->nodes[n] = needed[count - 1 - n];
}

// Returns whether nothing but pending nodes refers to a large storage, so that its memory is free after the last of them.
static bool is_dying(const Storage *storage) {
    enum { LARGE = 1 << 20 }; // bytes
    return storage->refs == storage->held && storage->buffer.bytes >= LARGE;
}

static bool reads_dying(const Node *node) {
    for (int i = 0; i < node->input_count; i++) {
        const NodeInput *input = &node->inputs[i];
        if (!input->is_scalar && input->view.storage->wanted && is_dying(input->view.storage)) return true;
    }
    return false;
}

// Finds the pending nodes outside a plan that read a large operand of the plan which nobody else will: in
// `x += a * p; p = r + b * p`, where the next p is wanted, the update of x. Left pending, it would keep the old p alive, to
// be read again later, while new memory is found for the new one. Returns how many storages they write.
static size_t find_last_readers(const Graph *graph, Plan *plan, Storage **storages) {
    size_t count = 0;
    int n = 0;
    for (int i = 0; i < plan->node_count; i++)
        for (int k = 0; k < plan->nodes[i]->input_count; k++)
            if (!plan->nodes[i]->inputs[k].is_scalar) plan->nodes[i]->inputs[k].view.storage->wanted = WANTED_READ;
    for (Node *node = graph->first; node && count < DEPTH_MAX; node = node->next) {
        if (n < plan->node_count && plan->nodes[n] == node) {
            n++;
        } else if (!node->aside && reads_dying(node)) {
            storages[count++] = node->output.storage;
            node->output.storage->wanted = WANTED_READ; // a value in between is not to be kept, either
        }
    }
    forget_wanted(plan);
    for (size_t i = 0; i < count; i++) storages[i]->wanted = 0;
    return count;
}

// --- Running -----------------------------------------------------------------------------------

static bool float_errors_are_told(const Vm *vm) {
    for (int i = 0; i < FLOAT_ERROR_COUNT; i++)
        if (vm->float_errors.action[i] != FLOAT_IGNORE) return true;
    return false;
}

// Returns whether float flags must be reported at the operation: an exception, at its place in the program, or printed
// text, in the program's order.
static bool float_errors_are_due_at_once(const Vm *vm) {
    for (int i = 0; i < FLOAT_ERROR_COUNT; i++)
        if (vm->float_errors.action[i] == FLOAT_PRINT) return true;
    return sched_float_errors_raise(vm);
}

bool sched_float_errors_raise(const Vm *vm) {
    bool warns_at_once = vm->warnings_heard || warnings_are_raised(vm);
    for (int i = 0; i < FLOAT_ERROR_COUNT; i++) {
        FloatAction action = vm->float_errors.action[i];
        if (action == FLOAT_RAISE || (action == FLOAT_WARN && warns_at_once)) return true;
    }
    return false;
}

// Returns whether nodes may gain by fusion: there are several loops, or a loop that can become the epilogue of a
// product.
static bool is_worth_planning(const Plan *plan) {
    int loops = 0, products = 0;
    for (int n = 0; n < plan->node_count; n++) {
        const Node *node = plan->nodes[n];
        OpClass class = (OpClass)op_info[node->op].op_class;
        loops += class == CLASS_ELEMENTWISE || class == CLASS_REDUCTION;
        products += node->op == AOP_MATMUL;
    }
    return loops > 1 || (loops && products);
}

// Returns whether a node can be dropped: nothing can see its result, and it raises no error or warning. Later nodes
// have been checked before, so that they do not hold its result any more.
static bool is_of_no_use(const Node *node, bool warns) {
    const Storage *to = node->output.storage;
    return to->refs == 1 && !to->owner && !node_can_fail(node) && !(warns && node_can_tell(node) && !node->attrs.spared);
}

static Status run_in_order(Vm *vm, Plan *plan) {
    bool warns = float_errors_are_told(vm);
    Status st = ST_OK;
    for (int n = plan->node_count - 1; n >= 0; n--)
        if (is_of_no_use(plan->nodes[n], warns)) graph_finish(vm, plan->nodes[n], NODE_ELIMINATED);
    for (int n = 0; st == ST_OK && n < plan->node_count; n++)
        if (plan->nodes[n]->state == NODE_RECORDED) st = run_single(vm, plan->nodes[n]);
    graph_sweep(vm);
    return st;
}

// Shows a plan to the watcher. If it is run without making a recipe, and the watcher wants more, runs the passes for it
// to see their decisions (a reused recipe), or shows it without any (nodes run one by one).
static Status show(Making *m, PlanUse use) {
    m->watch = m->vm->engine->watch;
    if (!m->watch->plan(m->watch, m->vm, m->plan, m->key, use)) m->watch = NULL;
    if (!m->watch || use == PLAN_MADE) return ST_OK;
    if (use == PLAN_REUSED) return passes_run(m);
    passes_none(m);
    return ST_OK;
}

static Status run_watched_in_order(Vm *vm, Making *m) {
    plan_key_make(&vm->engine->recipes.key, m->plan->nodes, m->plan->node_count, m->warns);
    show(m, PLAN_SINGLE);
    plan_key_clear(&vm->engine->recipes.key);
    return run_in_order(vm, m->plan);
}

// Adds a plan to EngineStats.plans_hash, which tells whether two runs have made the same decisions.
static void note_plan(struct Engine *engine, const Plan *plan, uint64_t key) {
    uint64_t hash = hash_mixed(hash_mixed(engine->stats.plans_hash, key), (uint64_t)plan->node_count);
    for (int n = 0; n < plan->node_count; n++) hash = hash_mixed(hash, plan->nodes[n]->op);
    engine->stats.plans_hash = hash;
}

// Runs the plan's nodes by the recipe for their key: a cached one, or a new one.
static Status run_plan(Vm *vm) {
    struct Engine *engine = vm->engine;
    Plan *plan = &engine->plan;
    PlanKey *key = &engine->recipes.key;
    Making making = {.vm = vm, .plan = plan, .key = key, .checks = engine->checks, .left_out = engine->left_out,
                     .device = placing_home(engine),
                     .has_lines = placing_home(engine)->backend->lines && !is_on_ranks(vm)};
    Status st = ST_OK;
    if (engine->unfused || !is_worth_planning(plan)) {
        note_plan(engine, plan, 0);
        return engine->watch ? run_watched_in_order(vm, &making) : run_in_order(vm, plan);
    }
    making.warns = float_errors_are_told(vm);
    plan_key_make(key, plan->nodes, plan->node_count, making.warns);
    note_plan(engine, plan, key->hash);
    Recipe *recipe = recipe_find(&engine->recipes, key), *made = NULL;
    if (engine->watch) st = show(&making, recipe ? PLAN_REUSED : PLAN_MADE);
    if (recipe) engine->stats.plans_reused++;
    else if (st == ST_OK) recipe = made = recipe_make(&making);
    plan_key_clear(key);
    if (!recipe || st != ST_OK) return ST_ERROR;
    if (made) engine->stats.plans_made++;
    st = run_recipe(vm, recipe, plan->nodes);
    graph_sweep(vm);
    if (made && made->hash) recipe_keep(vm, &engine->recipes, made);
    else recipe_free(vm, made);
    return st;
}

// Returns the bytes of pending results that are referred to by more than pending nodes.
static size_t bytes_seen(const Graph *graph) {
    size_t bytes = 0;
    for (const Node *node = graph->first; node; node = node->next) {
        const Storage *storage = node->output.storage;
        if (storage->producer == node && storage->refs > storage->held) bytes += storage->buffer.bytes;
    }
    return bytes;
}

static void take(Vm *vm, const Demand *demand) {
    Plan *plan = &vm->engine->plan;
    take_pending(&vm->engine->graph, plan);
    if (!demand->storages) return;
    select_ancestors(plan, demand);
    Storage *all[2 * DEPTH_MAX];
    const bool fits = !demand->for_writing && demand->count <= DEPTH_MAX && (uint64_t)plan->node_count < vm->engine->graph.pending_count;
    const size_t more = fits ? find_last_readers(&vm->engine->graph, plan, all) : 0;
    if (!more) return;
    memcpy(all + more, demand->storages, demand->count * sizeof *all);
    take_pending(&vm->engine->graph, plan);
    select_ancestors(plan, &(Demand){all, more + demand->count, false});
}

// Lets an editor change the plan that was taken, and takes it again if it was changed.
static Status edit_taken(Vm *vm, const Demand *demand, Editor *editor) {
    Plan *plan = &vm->engine->plan;
    bool changed;
    if (!editor || plan->node_count == 0) return ST_OK;
    // Holds the observed storages, since the editor may drop nodes that refer to them.
    for (size_t i = 0; i < demand->count; i++) storage_retain(demand->storages[i]);
    Status st = plan_edit(vm, plan, editor, float_errors_are_told(vm), &changed);
    if (changed) take(vm, demand);
    for (size_t i = 0; i < demand->count; i++) storage_release(vm, demand->storages[i]);
    return st;
}

// Returns whether the exception is about lack of memory or about the device. It is no error of the program, so the
// nodes that failed stay pending.
static bool leaves_pending(const Vm *vm) {
    return vm_error_is(vm, EXC_MemoryError) || vm->engine->device_failed;
}

static Status run_for(Vm *vm, const Demand *demand) {
    vm->engine->device_failed = false;
    size_t bytes = vm->host.reclaim ? bytes_seen(&vm->engine->graph) : 0;
    if (is_editing(vm->engine))
        return vm_raise(vm, EXC_RuntimeError, "a pass cannot wait for array work that is pending");
    if (bytes) vm->host.reclaim(vm->host.ctx, bytes);
    vm->engine->barred = false;
    graph_make_room(vm);
    take(vm, demand);
    Status st = edit_taken(vm, demand, vm->engine->editor);
    if (st == ST_OK && demand->storages && !demand->for_writing)
        plan_defer(vm, &vm->engine->plan, demand->storages, demand->count);
    if (st == ST_OK) st = run_plan(vm);
    if (st != ST_OK) vm->engine->starved |= leaves_pending(vm);
    // Otherwise output of an exception handler would run the same nodes again.
    if (st != ST_OK && (vm_broken_off(vm) || vm->engine->barred)) engine_put_aside(vm);
    return st;
}

// Runs each pending node with those that it depends on. Nodes that fail for lack of memory, or by the device, stay
// pending.
static Status run_apart(Vm *vm) {
    const Graph *graph = &vm->engine->graph;
    Status st = ST_OK;
    for (int left = 0, at = 0; st == ST_OK; at = 0) {
        const Node *node = graph->first;
        while (node && at < left) node = node->next, at++;
        if (!node) break;
        uint64_t before = graph->pending_count;
        st = run_for(vm, &(const Demand){(Storage *const[]){node->output.storage}, 1, false});
        left += graph->pending_count == before;
        if (st == ST_OK || !leaves_pending(vm)) continue;
        vm_clear_error(vm);
        st = ST_OK;
    }
    return st;
}

// Runs all nodes that were not put aside by a stop, and those that they depend on.
static Status run_but_aside(Vm *vm) {
    Storage *storages[DEPTH_MAX];
    Demand demand = {storages, 0, false};
    for (const Node *node = vm->engine->graph.first; node; node = node->next)
        if (!node->aside) storages[demand.count++] = node->output.storage;
    return demand.count ? run_for(vm, &demand) : ST_OK;
}

void engine_put_aside(Vm *vm) {
    for (Node *node = vm->engine->graph.first; node; node = node->next) {
        node->aside = true;
        vm->engine->aside = true;
    }
}

// Runs all pending nodes. Nodes that failed for lack of memory, or by the device, stay pending, and every observation
// of their values raises the error again. Running everything raises it only once, so that exception handlers can print
// and unrelated work continues.
static Status run_everything(Vm *vm) {
    struct Engine *engine = vm->engine;
    bool starved = engine->starved;
    Status st = engine->aside ? run_but_aside(vm) : run_for(vm, &(const Demand){0});
    if (st != ST_OK && starved && leaves_pending(vm)) {
        vm_clear_error(vm);
        st = run_apart(vm);
    }
    if (!engine->graph.first) engine->starved = engine->aside = false;
    return st;
}

Status sched_observe(Vm *vm, Storage *storage, bool for_writing) {
    struct Engine *engine = vm->engine;
    bool settled = storage && !storage->producer && !(for_writing && storage->held);
    if (settled) return ST_OK;
    Status st = ST_OK;
    if (!storage && is_editing(engine)) return ST_OK; // pending nodes wait until the editor has finished
    const Demand demand = {(Storage *const[]){storage}, 1, for_writing};
    if (!storage || storage->refs > storage->held) batch_rounds(vm, false, NULL);
    if (engine->graph.first) st = storage ? run_for(vm, &demand) : run_everything(vm);
    return storage || st != ST_OK ? st : flight_settle_all(vm);
}

Status engine_observe(Vm *vm, Storage *const *storages, size_t count) {
    const Demand demand = {storages, count, false};
    return count && vm->engine->graph.first ? run_for(vm, &demand) : ST_OK;
}

Status engine_edit_now(Vm *vm, Storage *const *storages, size_t count, Editor *editor) {
    const Demand demand = {count ? storages : NULL, count, false};
    if (is_editing(vm->engine)) return vm_raise(vm, EXC_RuntimeError, "a pass is at work already");
    take(vm, &demand);
    return edit_taken(vm, &demand, editor);
}

Status sched_run_all(Vm *vm) {
    return vm->engine->graph.first && !is_editing(vm->engine) ? run_everything(vm) : ST_OK;
}

// --- Recording ---------------------------------------------------------------------------------

// Returns whether a node is still pending. Compares its target as well, since the address may have been reused for a
// new node.
static bool is_pending(const Graph *graph, const Node *node, const Storage *target) {
    const Node *at = graph->first;
    while (at && at != node) at = at->next;
    return at && at->output.storage == target;
}

// Checks a node that an editor records. It is not run now, but with the nodes that the editor changes.
static Status record_edit(Vm *vm, Node *node) {
    Status st = ST_OK;
    if (vm->engine->graph.pending_count >= DEPTH_MAX) // leaves room for the program's next node
        st = vm_raise(vm, EXC_RuntimeError, "a pass makes too many nodes");
    else if (node->output.storage->owner || node->output.storage->number)
        st = vm_raise(vm, EXC_ValueError, "a pass may not write to the program's arrays");
    if (st == ST_OK) return ST_OK;
    graph_finish(vm, node, NODE_ELIMINATED);
    graph_sweep(vm);
    return st;
}

// Runs a node that can fail at once, so that exception handlers see all arrays as they are at this place of the
// program. A node that writes memory owned by something else, such as a mapped file, is run at once, too.
Status sched_recorded(Vm *vm) {
    struct Engine *engine = vm->engine;
    Node *node = engine->graph.last;
    Storage *target = node->output.storage;
    Status st = ST_OK;
    uint64_t most = (uint64_t)engine->limits.depth;
    if (is_editing(engine)) return record_edit(vm, node);
    if (engine->link.size > 1 && (st = apart_check(vm, node)) != ST_OK) {
        graph_finish(vm, node, NODE_ELIMINATED);
        graph_sweep(vm);
        return st;
    }
    const bool foreign = target->owner != NULL;
    if (foreign) storage_retain(target); // its node may be the only owner
    if (engine->graph.pending_count == (uint64_t)engine->limits.loop_depth) atomic_store(&vm->safe_stop, 0);
    if (engine->graph.pending_count >= most) batch_rounds(vm, false, node);
    if (engine->graph.pending_count >= most) {
        st = sched_run_all(vm);
        if (st == ST_OK && engine->aside && engine->graph.pending_count >= most) st = run_for(vm, &(const Demand){0});
        if (st == ST_OK && engine->graph.pending_count >= most) st = vm_no_memory(vm); // no node could be run
    } else if (!foreign && (node_can_fail(node) || (float_errors_are_due_at_once(vm) && node_can_tell(node)))) {
        st = sched_observe(vm, target, false);
    }
    if (foreign) {
        if (st == ST_OK) st = sched_observe(vm, target, false);
        if (st == ST_OK) st = sharing_update(vm, target);
        storage_release(vm, target);
    }
    if (st == ST_OK || !is_pending(&engine->graph, node, target)) return st;
    graph_finish(vm, node, NODE_ELIMINATED); // recording it raised an exception, so it must not run later
    graph_sweep(vm);
    return st;
}
