// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Handing plans and kernels to a host that watches.

#include "vm/api/watch.h"

#include <string.h>

#include "vm/api/sizes.h"
#include "vm/value/str.h"

// --- Plans that have been seen -----------------------------------------------------------------

static uint64_t mixed(uint64_t h, uint64_t word) {
    h = (h ^ word) * 0x9E3779B97F4A7C15u;
    return h ^ h >> 29;
}

// Of what is in the plan's key, the attributes that are not, and the lines.
static uint64_t hash_of(const Watcher *w, const Plan *plan, const PlanKey *key) {
    uint64_t h = mixed(key->hash, (uint64_t)plan->node_count);
    for (int n = 0; n < plan->node_count; n++) {
        const NodeAttrs *a = &plan->nodes[n]->attrs;
        h = mixed(h, (uint64_t)plan->nodes[n]->op << 32 | w->lines[n].line);
        h = mixed(h, (uint64_t)a->step);
        h = mixed(h, (uint64_t)a->points << 8 | a->part);
        h = mixed(h, (uint64_t)a->axis << 3 | (uint64_t)a->right << 2 | (uint64_t)a->upper << 1 |
                         a->or_nan);
        for (const char *c = w->lines[n].file; c && *c; c++) h = mixed(h, (unsigned char)*c);
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
    w->plan = plan;
    w->key = key;
    w->node_count = plan->node_count;
    w->showing = SHOWING_NOTHING;
    if (!grow_seen(w, &vm->mem)) return false;
    for (int n = 0; n < plan->node_count; n++) {
        const CodePlace place = plan->nodes[n]->place;
        w->lines[n] = (SourceLine){0};
        if (place.code) vm->locate(vm, place, &w->lines[n]);
    }
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
        w->showing = SHOWING_RUN;
        w->host.run(w->host.ctx, &w->about);
        w->showing = SHOWING_NOTHING;
    }
    return is_new && w->host.pass;
}

static void on_pass(Watch *watch, const Making *making, const Pass *pass) {
    Watcher *w = (Watcher *)watch;
    (void)making;
    w->about.pass = pass ? pass->name : NULL;
    w->about.is_last = pass ? !pass[1].name : w->about.use == NACRE_PLAN_SINGLE;
    w->showing = SHOWING_PASS;
    w->host.pass(w->host.ctx, &w->about);
    w->showing = SHOWING_NOTHING;
}

// --- Nodes -------------------------------------------------------------------------------------

static int number_of(const Watcher *w, const Storage *storage) {
    for (int i = 0; i < w->key->storage_count; i++)
        if (w->key->storages[i].storage == storage) return i;
    return -1;
}

static NacreView view_out(const Watcher *w, const View *view) {
    return (NacreView){.storage = number_of(w, view->storage),
                       .dtype = dtype_info[view->dtype].name,
                       .offset = view->offset,
                       .ndim = view->ndim,
                       .shape = view->shape,
                       .strides = view->strides};
}

static NacreOperand operand_out(const Watcher *w, const NodeInput *input) {
    NacreOperand out = {.is_scalar = input->is_scalar};
    if (!input->is_scalar) {
        out.view = view_out(w, &input->view);
        return out;
    }
    out.view = (NacreView){.storage = -1, .dtype = dtype_info[input->dtype].name};
    if (dtype_kind(input->dtype) == DK_COMPLEX) {
        out.real = input->scalar.re;
        out.imaginary = input->scalar.im;
    } else if (dtype_kind(input->dtype) == DK_FLOAT) out.real = input->scalar.f;
    else out.integer = input->scalar.i;
    return out;
}

static NacreAttributes attributes_out(const NodeAttrs *a) {
    return (NacreAttributes){
        .axes = a->axes, .loop = a->loop < DT_COUNT ? dtype_info[a->loop].name : NULL,
        .combine = a->combine < AOP_COUNT ? op_info[a->combine].name : NULL, .step = a->step,
        .points = a->points, .axis = a->axis, .part = a->part, .begun = a->begun, .right = a->right,
        .upper = a->upper, .or_nan = a->or_nan, .scalar = a->scalar, .quiet = a->quiet};
}

static void decisions_out(const Plan *plan, int index, NacreNode *out) {
    static const NacreFate fates[] = {[FATE_LIVE] = NACRE_UNDECIDED, [FATE_DEAD] = NACRE_DROPPED,
                                      [FATE_STORED] = NACRE_STORED, [FATE_ELIDED] = NACRE_INSIDE};
    out->fate = fates[plan->fates[index]];
    if (!plan_is_live(plan, index)) return;
    if (plan->call_count && plan->call_of[index] >= 0) out->routine = op_info[AOP_GEMM].name;
    if (plan->group_count) out->group = plan->group_of[index];
    for (int p = 0; p < plan->piece_count; p++)
        for (int i = 0; i < plan->pieces[p].count; i++)
            if (plan->order[plan->pieces[p].from + i] == index) out->kernel = p;
    out->why = why_text((WhyId)plan->whys[index].id);
    out->why_node = plan->whys[index].with;
    out->why_plain = plan->whys[index].id == WHY_ALONE || plan->whys[index].id == WHY_ROUTINE;
}

static bool is_shown(const NacreVm *handle, int index, int count) {
    const Watcher *w = api_is_alive(handle) ? handle->watcher : NULL;
    return w && w->showing != SHOWING_NOTHING && index >= 0 && index < count;
}

NacreStatus nacre_plan_node(const NacreVm *handle, int index, NacreNode *node) {
    if (!api_is_alive(handle) || !handle->watcher || !api_can_give(node, FIRST_NODE)) return NACRE_MISUSE;
    const Watcher *w = handle->watcher;
    if (!is_shown(handle, index, w->node_count)) return NACRE_MISUSE;
    const Node *from = w->plan->nodes[index];
    if (from->state != NODE_RECORDED) return NACRE_MISUSE;
    NacreNode found = {.operation = op_info[from->op].name,
                       .file = w->lines[index].file,
                       .line = (int)w->lines[index].line,
                       .operand_count = from->input_count,
                       .result = view_out(w, &from->output),
                       .attributes = attributes_out(&from->attrs),
                       .group = -1,
                       .kernel = -1,
                       .why = "",
                       .why_node = -1};
    for (int i = 0; i < from->input_count; i++)
        found.operands[i] = operand_out(w, &from->inputs[i]);
    if (w->showing == SHOWING_PASS) decisions_out(w->plan, index, &found);
    API_GIVE(node, &found);
    return NACRE_OK;
}

NacreStatus nacre_plan_storage(NacreVm *handle, int index, NacreStorage *storage) {
    if (!api_is_alive(handle) || !handle->watcher || !api_can_give(storage, FIRST_STORAGE)) return NACRE_MISUSE;
    const Watcher *w = handle->watcher;
    if (!is_shown(handle, index, w->key ? w->key->storage_count : 0) ||
        w->showing == SHOWING_KERNEL)
        return NACRE_MISUSE;
    Storage *from = w->key->storages[index].storage;
    const Buffer *buffer = &from->components[0];
    Array *array;
    NacreStorage found = {.bytes = buffer->bytes, .is_input = buffer->valid != 0, .is_seen = w->key->seen[index],
                          .name = variable_of(&handle->vm, from, &array)};
    if (found.name)
        found.array = (NacreView){.storage = index, .dtype = dtype_info[array->dtype].name,
                                  .offset = array->offset, .ndim = array->ndim,
                                  .shape = array_shape(array), .strides = array_strides(array)};
    bool fetch = w->host.data && found.is_input && w->showing == SHOWING_PASS;
    if (fetch) found.data = engine_peek(&handle->vm, from);
    API_GIVE(storage, &found);
    return NACRE_OK;
}

// --- Kernels -----------------------------------------------------------------------------------

enum { KERNEL_VIEWS = KERN_SITES * NODE_INPUTS };

// What a kernel of these nodes touches in memory.
typedef struct Touched {
    const View *reads[KERNEL_VIEWS], *writes[KERN_SITES];
    int read_count, write_count;
} Touched;

static bool is_among(const View *view, const View *const *views, int count) {
    for (int i = 0; i < count; i++)
        if (view_same(view, views[i])) return true;
    return false;
}

static bool is_stored(const Kernel *k, const View *view) {
    if (k->library != AOP_NONE) return k->result.view.storage == view->storage;
    for (int i = 0; i < k->store_count; i++)
        if (k->stores[i].to.storage == view->storage) return true;
    return false;
}

static void find_touched(const KernelRun *run, Touched *t) {
    const View *made[KERN_SITES];
    t->read_count = t->write_count = 0;
    for (int n = 0; n < run->kernel->site_count; n++) {
        const Node *node = run->sites[n].node;
        for (int i = 0; i < node->input_count; i++) {
            const View *view = &node->inputs[i].view;
            if (node->inputs[i].is_scalar || is_among(view, made, n)) continue;
            if (!is_among(view, t->reads, t->read_count)) t->reads[t->read_count++] = view;
        }
        made[n] = &node->output;
        if (!is_stored(run->kernel, made[n]) || is_among(made[n], t->writes, t->write_count))
            continue;
        t->writes[t->write_count++] = made[n];
    }
}

static int64_t views_out(const Watcher *w, const View *const *from, int count, NacreView *to) {
    int64_t bytes = 0;
    for (int i = 0; i < count; i++) {
        to[i] = view_out(w, from[i]);
        bytes += view_bytes(from[i]);
    }
    return bytes;
}

static void on_kernel(Watch *watch, Vm *vm, const KernelRun *run) {
    Watcher *w = (Watcher *)watch;
    const Kernel *k = run->kernel;
    Touched touched;
    NacreView reads[KERNEL_VIEWS], writes[KERN_SITES];
    int nodes[KERN_SITES];
    (void)vm;
    if (!w->host.kernel || !w->plan) return;
    for (int n = 0; n < k->site_count; n++) {
        nodes[n] = -1;
        for (int i = 0; i < w->node_count; i++)
            if (w->plan->nodes[i] == run->sites[n].reader) nodes[n] = i;
    }
    find_touched(run, &touched);
    NacreKernel out = {.struct_size = sizeof out,
                       .plan = w->about.number,
                       .use = w->about.use,
                       .library = k->library == AOP_NONE ? NULL : op_info[k->library].name,
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
                       .seconds = run->seconds};
    out.bytes_read = views_out(w, touched.reads, touched.read_count, reads);
    out.bytes_written = views_out(w, touched.writes, touched.write_count, writes);
    w->showing = SHOWING_KERNEL;
    w->host.kernel(w->host.ctx, &out);
    w->showing = SHOWING_NOTHING;
}

// --- Beginning and ending ----------------------------------------------------------------------

void api_watch_stop(NacreVm *handle) {
    Watcher *w = handle->watcher;
    Vm *vm = &handle->vm;
    if (!w) return;
    engine_watch(vm, NULL);
    mem_free(&vm->mem, w->seen, w->seen_cap * sizeof *w->seen);
    mem_free(&vm->mem, w, sizeof *w);
    handle->watcher = NULL;
}

NacreStatus nacre_watch(NacreVm *handle, const NacreWatch *host) {
    NacreWatch taken;
    if (!api_is_alive(handle) || handle->running || (host && !API_TAKE(&taken, FIRST_WATCH, host)))
        return NACRE_MISUSE;
    api_watch_stop(handle);
    if (!host) return NACRE_OK;
    Watcher *w = mem_zalloc(&handle->vm.mem, sizeof *w);
    if (!w) return NACRE_ERROR;
    w->watch = (Watch){.plan = on_plan, .pass = on_pass, .kernel = on_kernel};
    w->handle = handle;
    w->host = taken;
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
