// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Packs kernels for recipes, without sizes, storages and scalars. Unpacking takes these from the
// current nodes; packed references name nodes and operands.

#include <stddef.h>

#include "vm/plan/pass.h"

typedef struct Head {
    int16_t loads, params, code, stores, reductions;
    uint16_t order; // site of the last reduction, whose operand's strides give the summation order; else unused
    uint32_t dying;
} Head;

enum { OUTPUT = NODE_INPUTS }; // stands for the output in place of an operand's number

typedef struct PackedAccess {
    uint16_t node;
    uint8_t operand;
} PackedAccess;

typedef struct PackedParam {
    uint16_t node, input;
    DType type;
    bool inverted;
} PackedParam;

// --- Packing -----------------------------------------------------------------------------------

// Only counts bytes if `at` is NULL.
typedef struct Writer {
    char *at;
    size_t bytes;
} Writer;

static void put(Writer *w, const void *from, size_t bytes) {
    if (w->at) memcpy(w->at + w->bytes, from, bytes);
    w->bytes += bytes;
}

static void put_access(Writer *w, const Lowering *l, const View *view) {
    PackedAccess packed;
    memset(&packed, 0, sizeof packed);
    for (;; packed.node++) {
        const Node *node = l->nodes[packed.node];
        packed.operand = 0;
        while (packed.operand < node->input_count && &node->inputs[packed.operand].view != view)
            packed.operand++;
        if (packed.operand == node->input_count && &node->output != view) continue;
        if (packed.operand == node->input_count) packed.operand = OUTPUT;
        put(w, &packed, sizeof packed);
        return;
    }
}

static void put_stores(Writer *w, const Lowering *l) {
    const Kernel *k = &l->kernel;
    const KernelMaker *m = &l->maker;
    int next = k->reduction_count;
    for (int i = 0; i < k->reduction_count; i++) put_access(w, l, &m->reductions[i]->output);
    for (int i = 0; i < m->known_count; i++)
        if (m->known[i].stored) {
            put_access(w, l, m->known[i].view);
            next++;
        }
    for (int i = 0; i < next; i++) put(w, &k->stores[i].value, sizeof k->stores[i].value);
}

static void put_param(Writer *w, const Lowering *l, int i) {
    const Kernel *k = &l->kernel;
    PackedParam packed;
    memset(&packed, 0, sizeof packed);
    packed.type = k->param_types[i];
    packed.inverted = l->maker.inverted[i];
    for (;; packed.node++)
        for (packed.input = 0; packed.input < l->nodes[packed.node]->input_count; packed.input++)
            if (&l->nodes[packed.node]->inputs[packed.input] == l->maker.params[i]) {
                put(w, &packed, sizeof packed);
                return;
            }
}

size_t kernel_pack(const Lowering *l, char *to) {
    Writer w = {to, 0};
    const Kernel *k = &l->kernel;
    size_t tail = offsetof(Kernel, reduction_count);
    Head head = {.loads = (int16_t)k->load_count,
                 .params = (int16_t)k->param_count,
                 .code = (int16_t)k->code_count,
                 .stores = (int16_t)k->store_count,
                 .reductions = (int16_t)k->reduction_count,
                 .dying = l->dying};
    if (k->reduction_count) head.order = k->reductions[k->reduction_count - 1].site;
    put(&w, &head, sizeof head);
    for (int i = 0; i < k->load_count; i++) put_access(&w, l, l->maker.loads[i]);
    put_stores(&w, l);
    for (int i = 0; i < k->param_count; i++) put_param(&w, l, i);
    put(&w, k->code, (size_t)k->code_count * sizeof *k->code);
    put(&w, (const char *)k + tail, sizeof *k - tail);
    put(&w, k->like, (size_t)k->site_count);
    put(&w, k->reductions, (size_t)k->reduction_count * sizeof *k->reductions);
    return w.bytes;
}

// --- Unpacking ---------------------------------------------------------------------------------

static void take(const char **at, void *to, size_t bytes) {
    memcpy(to, *at, bytes);
    *at += bytes;
}

static const Node *take_view(const char **at, Node *const *nodes, const View **view) {
    PackedAccess packed;
    take(at, &packed, sizeof packed);
    const Node *node = nodes[packed.node];
    *view = packed.operand == OUTPUT ? &node->output : &node->inputs[packed.operand].view;
    return node;
}

static void take_stores(const char **at, Kernel *k, int reductions, Node *const *nodes) {
    const View *view;
    for (int i = 0; i < k->store_count; i++) {
        const Node *node = take_view(at, nodes, &view);
        if (i < reductions)
            kernel_set_reduced(k, &k->stores[i].to, node);
        else
            kernel_set_access(&k->stores[i].to, view);
    }
    for (int i = 0; i < k->store_count; i++)
        take(at, &k->stores[i].value, sizeof k->stores[i].value);
}

static void take_param(const char **at, Kernel *k, int i, Node *const *nodes) {
    PackedParam packed;
    take(at, &packed, sizeof packed);
    const NodeInput *input = &nodes[packed.node]->inputs[packed.input];
    k->params[i] = dtype_convert(input->dtype, packed.type, input->scalar);
    if (packed.inverted) k->params[i] = scalar_inverse(k->params[i]);
    k->param_types[i] = packed.type;
}

void kernel_unpack(Kernel *k, const char *at, Node *const *nodes, uint32_t *dying) {
    Head head;
    size_t tail = offsetof(Kernel, reduction_count);
    take(&at, &head, sizeof head);
    k->library = AOP_NONE;
    k->workspace = NULL;
    k->load_count = head.loads;
    k->param_count = head.params;
    k->code_count = head.code;
    k->store_count = head.stores;
    kernel_set_space(k, nodes[0]);
    const View *views[KERN_LOADS];
    for (int i = 0; i < k->load_count; i++) {
        take_view(&at, nodes, &views[i]);
        kernel_set_access(&k->loads[i], views[i]);
    }
    take_stores(&at, k, head.reductions, nodes);
    for (int i = 0; i < k->param_count; i++) take_param(&at, k, i, nodes);
    take(&at, k->code, (size_t)k->code_count * sizeof *k->code);
    take(&at, (char *)k + tail, sizeof *k - tail);
    for (int i = 0; i < k->lines_count; i++) kernel_set_lines(k, i, &views[k->lines[i].load]);
    take(&at, k->like, (size_t)k->site_count);
    take(&at, k->reductions, (size_t)head.reductions * sizeof *k->reductions);
    if (k->reduction_count) kernel_set_order(k, nodes[head.order]);
    for (int r = 0; r < k->reduction_count; r++)
        if (node_sums_floats(nodes[k->reductions[r].site])) sum_runs(nodes[k->reductions[r].site], &k->runs);
    *dying = head.dying;
}
