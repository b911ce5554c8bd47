// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Kernels that are kept: without the room for 64 dimensions, and with numbers of a key instead of
// storages. They come back with the storages, offsets and scalars of the nodes at hand.

#include <stddef.h>

#include "vm/sched/recipe.h"

typedef struct Head {
    int16_t ndim, loads, params, code, stores, reductions, handovers;
} Head;

typedef struct PackedAccess {
    uint32_t number;
    DType dtype;
    int64_t offset; // from where the storage is first seen
} PackedAccess;

typedef struct PackedParam {
    uint16_t node, input;
    DType type;
    bool inverted;
} PackedParam;

// --- Packing -----------------------------------------------------------------------------------

// With `at` NULL it only counts.
typedef struct Writer {
    char *at;
    size_t bytes;
} Writer;

static void put(Writer *w, const void *from, size_t bytes) {
    if (w->at) memcpy(w->at + w->bytes, from, bytes);
    w->bytes += bytes;
}

static void put_access(Writer *w, const KernAccess *access, int ndim, const PlanKey *key) {
    uint32_t number = access->storage->number - 1;
    PackedAccess packed = {number, access->dtype, access->offset - key->origins[number]};
    put(w, &packed, sizeof packed);
    put(w, access->strides, (size_t)ndim * sizeof *access->strides);
}

static void put_param(Writer *w, const Kernel *k, const KernelMaker *maker, int i, Node *const *nodes) {
    PackedParam packed = {.type = k->param_types[i], .inverted = maker->inverted[i]};
    for (;; packed.node++)
        for (packed.input = 0; packed.input < nodes[packed.node]->input_count; packed.input++)
            if (&nodes[packed.node]->inputs[packed.input] == maker->params[i]) {
                put(w, &packed, sizeof packed);
                return;
            }
}

size_t kernel_pack(const Kernel *k, const KernelMaker *maker, Node *const *nodes, const PlanKey *key,
                   const Handover *handovers, int handover_count, char *to) {
    Writer w = {to, 0};
    Head head = {(int16_t)k->ndim,       (int16_t)k->load_count,  (int16_t)k->param_count,
                 (int16_t)k->code_count, (int16_t)k->store_count, (int16_t)k->reduction_count,
                 (int16_t)handover_count};
    size_t dims = (size_t)k->ndim * sizeof *k->shape, tail = offsetof(Kernel, reduction_count);
    put(&w, &head, sizeof head);
    put(&w, k->shape, dims);
    for (int i = 0; i < k->load_count; i++) put_access(&w, &k->loads[i], k->ndim, key);
    for (int i = 0; i < k->store_count; i++) {
        put_access(&w, &k->stores[i].to, k->ndim, key);
        put(&w, &k->stores[i].value, sizeof k->stores[i].value);
    }
    for (int i = 0; i < k->param_count; i++) put_param(&w, k, maker, i, nodes);
    put(&w, k->code, (size_t)k->code_count * sizeof *k->code);
    put(&w, (const char *)k + tail, sizeof *k - tail);
    put(&w, k->like, (size_t)k->site_count);
    put(&w, k->reductions, (size_t)k->reduction_count * sizeof *k->reductions);
    if (k->reduction_count) put(&w, k->order, dims);
    put(&w, handovers, (size_t)handover_count * sizeof *handovers);
    return w.bytes;
}

// --- Unpacking ---------------------------------------------------------------------------------

static void take(const char **at, void *to, size_t bytes) {
    memcpy(to, *at, bytes);
    *at += bytes;
}

static void take_access(const char **at, KernAccess *access, int ndim, const PlanKey *key) {
    PackedAccess packed;
    take(at, &packed, sizeof packed);
    access->storage = key->storages[packed.number];
    access->dtype = packed.dtype;
    access->offset = packed.offset + key->origins[packed.number];
    take(at, access->strides, (size_t)ndim * sizeof *access->strides);
}

static void take_param(const char **at, Kernel *k, int i, Node *const *nodes) {
    PackedParam packed;
    take(at, &packed, sizeof packed);
    const NodeInput *input = &nodes[packed.node]->inputs[packed.input];
    k->params[i] = dtype_convert(input->dtype, packed.type, input->scalar);
    if (packed.inverted) k->params[i] = scalar_inverse(k->params[i]);
    k->param_types[i] = packed.type;
}

int kernel_unpack(Kernel *k, const char *at, Node *const *nodes, const PlanKey *key,
                  Handover handovers[KERN_STORES]) {
    Head head;
    size_t tail = offsetof(Kernel, reduction_count);
    take(&at, &head, sizeof head);
    k->library = AOP_NONE;
    k->workspace = NULL;
    k->ndim = head.ndim;
    k->load_count = head.loads;
    k->param_count = head.params;
    k->code_count = head.code;
    k->store_count = head.stores;
    size_t dims = (size_t)k->ndim * sizeof *k->shape;
    take(&at, k->shape, dims);
    for (int i = 0; i < k->load_count; i++) take_access(&at, &k->loads[i], k->ndim, key);
    for (int i = 0; i < k->store_count; i++) {
        take_access(&at, &k->stores[i].to, k->ndim, key);
        take(&at, &k->stores[i].value, sizeof k->stores[i].value);
    }
    for (int i = 0; i < k->param_count; i++) take_param(&at, k, i, nodes);
    take(&at, k->code, (size_t)k->code_count * sizeof *k->code);
    take(&at, (char *)k + tail, sizeof *k - tail);
    take(&at, k->like, (size_t)k->site_count);
    take(&at, k->reductions, (size_t)head.reductions * sizeof *k->reductions);
    if (k->reduction_count) take(&at, k->order, dims);
    take(&at, handovers, (size_t)head.handovers * sizeof *handovers);
    return head.handovers;
}
