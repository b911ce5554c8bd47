// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Runs kernel groups: makes the kernel, finds memory, launches it, and finishes the nodes.

#include <stdio.h>
#include <string.h>

#include "vm/plan/watch.h"
#include "vm/sched/boxes.h"
#include "vm/sched/dry.h"
#include "vm/sched/lazy_copy.h"
#include "vm/sched/operands.h"
#include "vm/sched/overlap.h"
#include "vm/sched/split.h"

// --- Launching ---------------------------------------------------------------------------------

bool target_takes(Vm *vm, Target *target, const Kernel *kernel) {
    const Backend *backend = target->device->backend;
    void *ctx = target->device->ctx;
    target->built = NULL;
    if (backend->supports(ctx, kernel) != SUPPORT_YES) return false;
    return !backend->build || backend->build(vm, ctx, kernel, &target->built);
}

static Status fall_back(Vm *vm, const Device *device, const Kernel *kernel, const Site *sites) {
    const Backend *backend = device->backend;
    const Node *node = sites[0].node;
    const char *name = node->attrs.called ? node->attrs.called : op_info[node->op].name;
    const char *reason = kernel->library != AOP_NONE && backend->lacks ? backend->lacks(device->ctx, kernel->library) : NULL;
    char why[256];
    if (kernel->library == AOP_NONE) snprintf(why, sizeof why, "%s does not run such a kernel", backend->name);
    else snprintf(why, sizeof why, "%s has no %s%s%s", backend->name, name, reason ? ": " : "", reason ? reason : "");
    return engine_detour(vm, DETOUR_KERNEL, node->op, node->place, name, why);
}

// Chooses where a kernel runs: on the host if the device does not support it, which is a detour.
static Status target_for(Vm *vm, const Kernel *kernel, const Site *sites, bool on_host, Target *target) {
    *target = (Target){.device = placing_of(vm->engine, kernel)};
    if (!on_host && target_takes(vm, target, kernel)) return ST_OK;
    const Device *device = target->device;
    *target = (Target){.device = &vm->engine->host};
    return fall_back(vm, device, kernel, sites);
}

static Status no_memory_for(Vm *vm, const Site *sites, int count) {
    for (int i = 0; i < count; i++) {
        const Node *node = sites[i].node;
        if (!is_blank(&node->output.storage->buffer)) continue;
        view_no_memory(vm, &node->output);
        if (vm->trace) vm->trace(vm, node->place);
        break;
    }
    return ST_ERROR;
}

// Launches a kernel, waits for it, and reports its time to the watcher.
static Status launch_watched(Vm *vm, Target *target, Kernel *kernel, const Site *sites, bool *refused) {
    struct Engine *engine = vm->engine;
    KernelRun run = {.kernel = kernel, .sites = sites, .on_host = target->device != &engine->device};
    Status st = flight_settle_all(vm); // earlier kernels must not count for this one's time
    if (st != ST_OK) return st;
    run.begin = watch_clock();
    st = flight_launch(vm, target, kernel, sites, refused);
    if (st == ST_OK && !*refused) st = flight_settle_all(vm);
    run.seconds = watch_clock() - run.begin;
    if (st == ST_OK && !*refused) engine->watch->kernel(engine->watch, vm, &run);
    return st;
}

// Launches a kernel with its operands. *refused: the device does not run it and nothing has changed, so that the host
// has to run it.
static Status launch(Vm *vm, Target *target, Kernel *kernel, const Site *sites, const Exchange *exchange,
                     bool *refused) {
    const Device *device = target->device;
    Separated separated = {.count = 0};
    *refused = target->launched = false;
    kernel->underflow = vm->float_errors.action[FLOAT_UNDERFLOW] != FLOAT_IGNORE;
    exchange_swap(vm, exchange);
    Status st = operands_bring(vm, device, kernel);
    if (st != ST_OK && vm_error_is(vm, EXC_MemoryError))
        st = no_memory_for(vm, sites, kernel->site_count);
    else if (st != ST_OK && vm->trace) vm->trace(vm, sites[0].node->place);
    if (st == ST_OK) st = flight_make_room(vm);
    if (st == ST_OK && device->backend->place == PLACE_DEVICE)
        st = lazy_copy_separate(vm, device, kernel, sites, &separated, refused);
    if (st == ST_OK && !*refused) {
        // A kernel of an asynchronous device is not interrupted, so it counts as not restartable.
        if (device->backend->wait) kernel->whole = true;
        operands_find(device, kernel);
        st = vm->engine->watch ? launch_watched(vm, target, kernel, sites, refused)
                               : flight_launch(vm, target, kernel, sites, refused);
    }
    if (st == ST_OK && !*refused && is_on_ranks(vm)) traffic_kernel(vm, kernel, sites);
    if (st != ST_OK || *refused) exchange_swap(vm, exchange);
    if (target->launched) lazy_copy_done(vm, &separated);
    else lazy_copy_rejoin(vm, &separated);
    if (*refused && device == &vm->engine->host)
        return vm_raise(vm, EXC_SystemError, "the host's backend refuses a kernel");
    return st;
}

// --- One node ----------------------------------------------------------------------------------

Site site_of(const Node *node, const Kernel *kernel, int number) {
    Site site = {.node = node, .reader = node, .like = number};
    if (kernel->library == AOP_NONE) site.like = kernel->like[number];
    if (kernel->library != AOP_NONE) site.untold = kernel->untold;
    for (int r = 0; kernel->library == AOP_NONE && r < kernel->reduction_count; r++)
        if (kernel->reductions[r].site == number) site.untold = kernel->reductions[r].untold;
    return site;
}

// Runs this rank's part of the kernel of one node. *refused: the device has refused it, and the host has to run it.
static Status run_part_on(Vm *vm, Kernel *kernel, const Node *node, const Node *reader, bool on_host, bool *refused) {
    if (kernel->library == AOP_NONE) kernel_simplify(kernel);
    const char *problem = kernel_verify(kernel);
    if (problem)
        return vm_raise(vm, EXC_SystemError, "malformed kernel of %s: %s", op_info[node->op].name, problem);
    if (!on_host) vm->engine->runs[node->op]++;
    if (dry_skips(vm, kernel)) return dry_launch(vm, kernel, node);
    if (!on_host && lazy_copy_begin(vm, kernel)) return ST_OK;
    Site site = site_of(node, kernel, 0);
    site.reader = reader;
    Target target;
    Status st = target_for(vm, kernel, &site, on_host, &target);
    if (st != ST_OK) return st;
    return launch(vm, &target, kernel, &site, &(Exchange){.count = 0}, refused);
}

// Returns whether a product of a sparse matrix runs as a loop: on a device that supports such loops (Backend.lines).
// The host has a routine for it, which divides rows among threads by their number of entries.
static bool is_loop_there(Vm *vm, const Node *node, bool on_host) {
    const Backend *backend = placing_home(vm->engine)->backend;
    return !on_host && backend->lines && backend->place != PLACE_HOST && kernel_has_lines(node) && !is_on_ranks(vm);
}

static Status run_node_on(Vm *vm, const Node *node, const Node *reader, bool on_host, bool *refused) {
    Kernel kernel;
    Split split;
    *refused = false;
    if (is_loop_there(vm, node, on_host)) kernel_from_lines(&kernel, node);
    else kernel_from_node(&kernel, node);
    dry_begin(vm, node);
    Status st = split_kernel(vm, &kernel, node, &split);
    if (st == ST_OK) st = run_part_on(vm, &kernel, node, reader, on_host, refused);
    return st;
}

static Status run_node(Vm *vm, const Node *node, const Node *reader) {
    bool refused;
    Status st = run_node_on(vm, node, reader, false, &refused);
    return st == ST_OK && refused ? run_node_on(vm, node, reader, true, &refused) : st;
}

// Copies an operand's elements into a storage of their own and lets the node read that one.
static Status copy_operand(Vm *vm, const Node *of, NodeInput *input) {
    View copy;
    view_copy(&copy, &input->view);
    size_t bytes = (size_t)view_size(&copy) * dtype_size(copy.dtype);
    Storage *storage = storage_new(vm, bytes);
    if (!storage) return vm_no_memory(vm);
    copy.storage = storage;
    copy.offset = 0;
    view_fill_strides(&copy);
    Node node; // its views are large, and not cleared
    node.op = AOP_CAST;
    node.input_count = 1;
    node.hints = of->hints;
    node.attrs = (NodeAttrs){.loop = copy.dtype};
    node.place = of->place;
    node.inputs[0].is_scalar = false;
    view_copy(&node.inputs[0].view, &input->view);
    view_copy(&node.output, &copy);
    Status st = run_node(vm, &node, of);
    if (st != ST_OK) {
        storage_release(vm, storage);
        return st;
    }
    Storage *old = input->view.storage;
    view_copy(&input->view, &copy); // takes over the only reference
    storage->held++;
    old->held--;
    storage_release(vm, old);
    return ST_OK;
}

static Status run_alone(Vm *vm, Node *node) {
    Status st = ST_OK;
    for (int clash; st == ST_OK && (clash = clashing_operand(node)) >= 0;)
        st = copy_operand(vm, node, &node->inputs[clash]);
    return st == ST_OK ? run_node(vm, node, node) : st;
}

// --- Recipes -----------------------------------------------------------------------------------

// Runs the kernel of a recipe's step. *apart: it was not run, and its nodes are to be run one by one.
static Status run_kernel_on(Vm *vm, const Step *step, Node *const *nodes, bool on_host, bool *refused, bool *apart) {
    Kernel kernel;
    Site sites[KERN_SITES];
    Exchange exchange;
    uint32_t dying;
    *refused = false;
    Split split;
    kernel_unpack(&kernel, step->packed, nodes, &dying);
    dry_begin(vm, nodes[step->count - 1]);
    Status st = split_kernel(vm, &kernel, nodes[0], &split);
    *apart = split.apart;
    if (st != ST_OK || split.apart) return st;
    kernel_simplify(&kernel);
    const char *problem = vm->engine->checks ? kernel_verify(&kernel) : NULL;
    if (problem) return vm_raise(vm, EXC_SystemError, "malformed kernel, unpacked: %s", problem);
    for (int n = 0; n < (int)step->count; n++) {
        sites[n] = site_of(nodes[n], &kernel, n);
        if (!on_host) vm->engine->runs[nodes[n]->op]++;
    }
    if (dry_skips(vm, &kernel)) return dry_launch(vm, &kernel, nodes[step->count - 1]);
    if (!on_host && lazy_copy_begin(vm, &kernel)) return ST_OK;
    Target target;
    st = target_for(vm, &kernel, sites, on_host, &target);
    if (st != ST_OK) return st;
    exchange_find(target.device, &kernel, dying, &exchange);
    return launch(vm, &target, &kernel, sites, &exchange, refused);
}

// Runs nodes one by one that cannot be run together. Marks each as executed at once, even though a later one may fail
// and be tried again: in-place updates must not be repeated.
static Status run_apart(Vm *vm, Node *const *nodes, uint32_t count) {
    Status st = ST_OK;
    for (uint32_t n = 0; st == ST_OK && n < count; n++) {
        st = run_alone(vm, nodes[n]);
        if (st == ST_OK) graph_finish(vm, nodes[n], NODE_EXECUTED);
    }
    return st;
}

// Runs a step's kernel. If its operands and results do not fit into the device's memory at once, runs its nodes one by
// one, which need less.
static Status run_kernel(Vm *vm, const Step *step, Node *const *nodes) {
    bool refused, apart;
    Status st = run_kernel_on(vm, step, nodes, false, &refused, &apart);
    if (st == ST_OK && apart) return run_apart(vm, nodes, step->count);
    if (st == ST_OK && refused) st = run_kernel_on(vm, step, nodes, true, &refused, &apart);
    if (st == ST_OK || step->count == 1 || !vm->engine->graph.has_device || !vm_error_is(vm, EXC_MemoryError)) return st;
    vm_clear_error(vm);
    return run_apart(vm, nodes, step->count);
}

static Status run_call(Vm *vm, const Step *step, Node *const *nodes) {
    bool refused;
    Kernel kernel;
    Site sites[GEMM_STEPS];
    Exchange exchange = {.count = 0};
    Call call;
    memcpy(&call, step->packed, sizeof call);
    Split split;
    kernel_from_call(&kernel, nodes, &call);
    dry_begin(vm, nodes[step->count - 1]);
    Status st = split_kernel(vm, &kernel, nodes[0], &split);
    if (st != ST_OK) return st;
    if (split.apart) return run_apart(vm, nodes, step->count);
    const char *problem = kernel_verify(&kernel);
    if (problem) return vm_raise(vm, EXC_SystemError, "malformed call: %s", problem);
    Target target = {.device = placing_of(vm->engine, &kernel)};
    bool taken = target_takes(vm, &target, &kernel);
    // Parts differ in size, so a backend may support the call on some ranks only. All ranks have to decide alike.
    if (kernel.split) st = split_agree(vm, kernel.split, taken, &taken);
    if (st != ST_OK) return st;
    if (!taken) return run_apart(vm, nodes, step->count);
    for (int n = 0; n < (int)step->count; n++) sites[n] = site_of(nodes[n], &kernel, n);
    refused = false;
    if (dry_skips(vm, &kernel)) {
        st = dry_launch(vm, &kernel, nodes[step->count - 1]);
    } else {
        if (call.takes_over && !kernel.split) exchange_find_addend(target.device, &kernel, &exchange);
        st = launch(vm, &target, &kernel, sites, &exchange, &refused);
    }
    if (st == ST_OK && refused) return run_apart(vm, nodes, step->count);
    vm->engine->runs[kernel.library]++;
    for (int n = 0; n < (int)step->count; n++) vm->engine->runs[nodes[n]->op]++;
    return st;
}

// Finishes nodes after they were run, or failed. Nodes that failed for lack of memory, by the device, by `strict` or by
// an interrupt stay pending; nodes with any other error are dropped.
static Status settled(Vm *vm, Node *const *nodes, uint32_t count, Status st) {
    if (st != ST_OK) overlap_abandon(vm); // the error that is set stays
    boxes_release(vm); // those of the last kernel
    bool again = st != ST_OK && (vm_error_is(vm, EXC_MemoryError) || vm->engine->device_failed ||
                                vm->engine->barred || vm_broken_off(vm));
    for (uint32_t n = 0; !again && n < count; n++)
        if (nodes[n]->state == NODE_RECORDED) graph_finish(vm, nodes[n], st == ST_OK ? NODE_EXECUTED : NODE_ELIMINATED);
    return st;
}

Status run_single(Vm *vm, Node *node) {
    traffic_begin(vm, &node, 1);
    Status st = run_alone(vm, node);
    traffic_end(vm);
    return settled(vm, &node, 1, st);
}

static Status run_step(Vm *vm, const Step *step, Node *const *all) {
    Node *nodes[KERN_SITES];
    for (uint32_t n = 0; n < step->count; n++) nodes[n] = all[step->nodes[n]];
    traffic_begin(vm, nodes, step->count);
    Status st = step->is_call ? run_call(vm, step, nodes)
                : step->packed ? run_kernel(vm, step, nodes) : run_alone(vm, nodes[0]);
    traffic_end(vm);
    return settled(vm, nodes, step->count, st);
}

Status run_recipe(Vm *vm, const Recipe *recipe, Node *const *nodes) {
    Status st = ST_OK;
    for (int i = 0; i < recipe->dead_count; i++) graph_finish(vm, nodes[recipe->dead[i]], NODE_ELIMINATED);
    for (const Step *step = recipe->first; st == ST_OK && step;) {
        int done;
        st = run_bands(vm, step, nodes, &done);
        if (st != ST_OK) break;
        if (done == 0) st = run_step(vm, step, nodes), done = 1;
        for (; done > 0; done--) step = step->next;
    }
    return st;
}
