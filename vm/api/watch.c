// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Reports plans and kernels to the host's watcher.

#include "vm/api/watch.h"

#include <string.h>

#include "vm/api/sizes.h"
#include "vm/kernel/figures.h"
#include "vm/kernel/host_op.h"
#include "vm/sched/collective.h"
#include "vm/sched/split.h"
#include "vm/value/str.h"

// --- Plans reported before ---------------------------------------------------------------------

// Hashes the plan's key, the attributes that are not part of it, and the lines.
static uint64_t hash_of(const Watcher *w, const Plan *plan, const PlanKey *key) {
    uint64_t h = hash_mixed(key->hash, (uint64_t)plan->node_count);
    for (int n = 0; n < plan->node_count; n++) {
        const NodeAttrs *a = &plan->nodes[n]->attrs;
        h = hash_mixed(h, (uint64_t)plan->nodes[n]->op << 32 | w->shown.lines[n].line);
        h = hash_mixed(h, (uint64_t)a->step);
        h = hash_mixed(h, (uint64_t)a->points << 8 | a->part);
        h = hash_mixed(h, (uint64_t)a->axis << 3 | (uint64_t)a->right << 2 | (uint64_t)a->upper << 1 |
                         a->or_nan);
        for (const char *c = w->shown.lines[n].file; c && *c; c++) h = hash_mixed(h, (unsigned char)*c);
    }
    return h | 1;
}

static SeenPlan *slot_of(SeenPlan *table, size_t cap, uint64_t hash) {
    size_t at = hash & (cap - 1);
    while (table[at].hash && table[at].hash != hash) at = (at + 1) & (cap - 1);
    return &table[at];
}

static bool grow_seen(Watcher *w, Mem *mem) {
    size_t cap = w->seen_cap ? 2 * w->seen_cap : 64;
    if (2 * w->seen_count < w->seen_cap) return true;
    SeenPlan *table = mem_zalloc(mem, cap * sizeof *table);
    if (!table) return false;
    for (size_t i = 0; i < w->seen_cap; i++)
        if (w->seen[i].hash) *slot_of(table, cap, w->seen[i].hash) = w->seen[i];
    mem_free(mem, w->seen, w->seen_cap * sizeof *table);
    w->seen = table;
    w->seen_cap = cap;
    return true;
}

static bool on_plan(Watch *watch, Vm *vm, const Plan *plan, const PlanKey *key, PlanUse use) {
    Watcher *w = (Watcher *)watch;
    shown_begin(&w->shown, vm, plan, key);
    w->handle->shown = &w->shown;
    if (!grow_seen(w, &vm->mem)) return false;
    uint64_t hash = hash_of(w, plan, key);
    SeenPlan *seen = slot_of(w->seen, w->seen_cap, hash);
    bool is_new = !seen->hash;
    if (is_new) *seen = (SeenPlan){.hash = hash, .number = w->seen_count++};
    w->about = (NacrePlan){.struct_size = sizeof w->about,
                           .number = seen->number,
                           .runs = ++seen->runs,
                           .use = (NacreUse)use,
                           .node_count = plan->node_count,
                           .storage_count = key->storage_count};
    if (w->host.run) {
        w->shown.showing = SHOWING_RUN;
        w->host.run(w->host.ctx, &w->about);
        w->shown.showing = SHOWING_NOTHING;
    }
    return is_new && w->host.pass;
}

static void on_pass(Watch *watch, const Making *making, const Pass *pass) {
    Watcher *w = (Watcher *)watch;
    (void)making;
    w->about.pass = pass ? pass->name : NULL;
    w->about.is_last = pass ? !pass[1].name : w->about.use == NACRE_PLAN_SINGLE;
    w->shown.showing = SHOWING_PASS;
    w->host.pass(w->host.ctx, &w->about);
    w->shown.showing = SHOWING_NOTHING;
}

// --- Kernels -----------------------------------------------------------------------------------

enum { KERNEL_VIEWS = KERN_SITES * NODE_INPUTS };

// The distinct views that a kernel reads and writes in memory.
typedef struct Touched {
    const View *reads[KERNEL_VIEWS], *writes[KERN_SITES];
    int read_count, write_count;
} Touched;

static bool is_among(const View *view, const View *const *views, int count) {
    for (int i = 0; i < count; i++)
        if (view_same(view, views[i])) return true;
    return false;
}

static bool is_stored(const KernelRun *run, const View *view) {
    const Kernel *k = run->kernel;
    if (k->library != AOP_NONE) return k->result.view.storage == view->storage;
    for (int i = 0; i < k->store_count; i++)
        if (k->stores[i].to.storage == view->storage) return !(run->stores_inside >> i & 1);
    return false;
}

// Returns whether the kernel reads a view from a thread's workspace, where an earlier kernel of its chain stored it.
static bool is_inside(const KernelRun *run, const View *view) {
    for (int i = 0; run->loads_inside && i < run->kernel->load_count; i++)
        if (run->kernel->loads[i].storage == view->storage) return run->loads_inside >> i & 1;
    return false;
}

static void find_touched(const KernelRun *run, Touched *t) {
    const View *made[KERN_SITES];
    t->read_count = t->write_count = 0;
    for (int n = 0; n < run->kernel->site_count; n++) {
        const Node *node = run->sites[n].node;
        for (int i = 0; i < node->input_count; i++) {
            const View *view = &node->inputs[i].view;
            if (node->inputs[i].is_scalar || is_among(view, made, n) || is_inside(run, view)) continue;
            if (!is_among(view, t->reads, t->read_count)) t->reads[t->read_count++] = view;
        }
        made[n] = &node->output;
        if (!is_stored(run, made[n]) || is_among(made[n], t->writes, t->write_count))
            continue;
        t->writes[t->write_count++] = made[n];
    }
}

static int64_t views_out(const Watcher *w, const View *const *from, int count, NacreView *to) {
    int64_t bytes = 0;
    for (int i = 0; i < count; i++) {
        to[i] = shown_view(&w->shown, from[i]);
        bytes += view_bytes(from[i]);
    }
    return bytes;
}

// Scales the bytes of a loop that is cut over ranks to this rank's part of the iterations.
static int64_t own_bytes(const Vm *vm, const Kernel *k, int64_t bytes) {
    const Link *link = link_of(vm);
    if (!k->split || k->library != AOP_NONE) return bytes;
    if (k->split->is_empty) return 0;
    const Extent part = link->ranges[link->rank];
    return (int64_t)((double)bytes * (double)(part.high - part.low) / (double)k->split->shape[k->split->dim]);
}

static void on_kernel(Watch *watch, Vm *vm, const KernelRun *run) {
    Watcher *w = (Watcher *)watch;
    const Kernel *k = run->kernel;
    Touched touched;
    NacreView reads[KERNEL_VIEWS], writes[KERN_SITES];
    int nodes[KERN_SITES];
    if (!w->host.kernel || !w->shown.plan) return;
    for (int n = 0; n < k->site_count; n++) {
        nodes[n] = -1;
        for (int i = 0; i < w->shown.node_count; i++)
            if (w->shown.plan->nodes[i] == run->sites[n].reader) nodes[n] = i;
    }
    find_touched(run, &touched);
    NacreKernel out = {.struct_size = sizeof out,
                       .plan = w->about.number,
                       .use = w->about.use,
                       .library = k->library == AOP_NONE ? NULL : kernel_name(k),
                       .is_copy = run->sites[0].reader != run->sites[0].node,
                       .on_host = run->on_host,
                       .node_count = k->site_count,
                       .nodes = nodes,
                       .read_count = touched.read_count,
                       .write_count = touched.write_count,
                       .reads = reads,
                       .writes = writes,
                       .elements = kernel_elements(k),
                       .operations = kernel_operations(k),
                       .begin = run->begin,
                       .seconds = run->seconds,
                       .band_rows = run->band};
    out.bytes_read = own_bytes(vm, k, views_out(w, touched.reads, touched.read_count, reads));
    out.bytes_written = own_bytes(vm, k, views_out(w, touched.writes, touched.write_count, writes));
    w->shown.showing = SHOWING_KERNEL;
    w->host.kernel(w->host.ctx, &out);
    w->shown.showing = SHOWING_NOTHING;
}

// --- Direct operations ---------------------------------------------------------------------------

// Returns the number of elements of the result, or of the first operand if that is larger.
static int64_t elements_of(const Node *node) {
    int64_t made = view_size(&node->output);
    int64_t read = node->input_count && !node->inputs[0].is_scalar ? view_size(&node->inputs[0].view) : 0;
    return read > made ? read : made;
}

static void on_direct(Watch *watch, Vm *vm, const Node *node) {
    Watcher *w = (Watcher *)watch;
    CodePlace place = {.code = NULL};
    SourceLine line = {0};
    if (!w->host.direct) return;
    if (vm->where) vm->where(vm, 0, &place);
    if (place.code) vm->locate(vm, place, &line);
    const NacreDirect out = {.struct_size = sizeof out,
                             .operation = op_info[node->op].name,
                             .file = line.file,
                             .line = (int)line.line,
                             .elements = elements_of(node)};
    w->host.direct(w->host.ctx, &out);
}

// --- Beginning and ending ----------------------------------------------------------------------

void api_watch_stop(NacreVm *handle) {
    Watcher *w = handle->watcher;
    Vm *vm = &handle->vm;
    if (!w) return;
    engine_watch(vm, NULL);
    mem_free(&vm->mem, w->seen, w->seen_cap * sizeof *w->seen);
    if (handle->shown == &w->shown) handle->shown = NULL;
    mem_free(&vm->mem, w, sizeof *w);
    handle->watcher = NULL;
}

NacreStatus nacre_watch(NacreVm *handle, const NacreWatch *host) {
    NacreWatch taken;
    if (!api_is_open(handle) || (host && !API_TAKE(&taken, FIRST_WATCH, host)))
        return NACRE_MISUSE;
    api_watch_stop(handle);
    if (!host) return NACRE_OK;
    Watcher *w = mem_zalloc(&handle->vm.mem, sizeof *w);
    if (!w) return NACRE_ERROR;
    w->watch = (Watch){.plan = on_plan, .pass = on_pass, .kernel = on_kernel, .direct = on_direct,
                       .all = taken.all};
    w->handle = handle;
    w->host = taken;
    w->shown.data = taken.data;
    handle->watcher = w;
    engine_watch(&handle->vm, &w->watch);
    return NACRE_OK;
}

int nacre_pass(int index, const char **name, const char **doc) {
    int at = 0;
    for (const Pass *pass = plan_passes; pass->name; pass++)
        if (at++ == index) return *name = pass->name, *doc = pass->doc, 1;
    for (const KernelPass *pass = kernel_passes; pass->name; pass++)
        if (at++ == index) return *name = pass->name, *doc = pass->doc, 1;
    *name = *doc = NULL;
    return 0;
}
