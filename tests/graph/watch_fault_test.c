// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Every allocation fails once while a host watches, and while a graph of a host's is run: a MemoryError,
// or less is seen; nothing leaks.

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nacre/nacre.h"

typedef struct Allocator {
    long left;   // allocations that succeed before one fails; negative: none fails
    long blocks; // handed out and not returned
    bool failed;
} Allocator;

static void *allocate(void *ctx, void *ptr, size_t old_size, size_t new_size) {
    Allocator *a = ctx;
    (void)old_size;
    if (new_size == 0) {
        a->blocks -= ptr != NULL;
        free(ptr);
        return NULL;
    }
    if (a->left == 0) {
        a->left = -1;
        a->failed = true;
        return NULL;
    }
    if (a->left > 0) a->left--;
    void *new = realloc(ptr, new_size);
    a->blocks += new && !ptr;
    return new;
}

typedef struct Host {
    NacreVm *vm;
    long nodes, storages, kernels;
} Host;

static void on_pass(void *ctx, const NacrePlan *plan) {
    Host *host = ctx;
    for (int i = 0; i < plan->node_count; i++) {
        NacreNode node = {.struct_size = sizeof node};
        host->nodes += nacre_plan_node(host->vm, i, &node) == NACRE_OK;
    }
    for (int i = 0; i < plan->storage_count; i++) {
        NacreStorage storage = {.struct_size = sizeof storage};
        host->storages += nacre_plan_storage(host->vm, i, &storage) == NACRE_OK;
    }
}

static void on_kernel(void *ctx, const NacreKernel *kernel) {
    ((Host *)ctx)->kernels += kernel->node_count;
}

static const char script[] =
    "import numpy as np\na = np.ones((30, 20))\nfor i in range(5, 9):\n    b = a * i + 1\n"
    "    c = b[1:] - b[:-1]\n    d = np.vander(c[0, :3], 3)\n    c[0, 0]\nprint()\n";

static NacreStatus watched(NacreVm *vm) {
    Host host = {.vm = vm};
    NacreWatch watch = {
        .struct_size = sizeof watch, .ctx = &host, .pass = on_pass, .kernel = on_kernel, .data = 1};
    NacreStatus status = nacre_watch(vm, &watch);
    if (status != NACRE_OK) return status;
    return nacre_run(vm, script, strlen(script), "<test>", NACRE_FILE);
}

static NacreStatus graph(NacreVm *vm) {
    static const int64_t shape[] = {3}, strides[] = {8};
    static const double input[] = {1, 2, 3};
    NacreStorage storages[2] = {
        {.struct_size = sizeof(NacreStorage), .bytes = sizeof input, .data = input},
        {.struct_size = sizeof(NacreStorage), .bytes = sizeof input, .is_seen = 1}};
    NacreNode nodes[2];
    for (int i = 0; i < 2; i++) {
        NacreView from = {
            .storage = i, .dtype = "float64", .ndim = 1, .shape = shape, .strides = strides};
        nodes[i] = (NacreNode){.struct_size = sizeof(NacreNode),
                               .operation = "negative",
                               .operand_count = 1,
                               .operands[0].view = from,
                               .attributes.loop = "float64",
                               .result = from};
        nodes[i].result.storage = 1;
    }
    NacreGraph graph = {.struct_size = sizeof graph,
                        .storage_count = 2,
                        .node_count = 2,
                        .storages = storages,
                        .nodes = nodes};
    return nacre_run_graph(vm, &graph, NULL, NULL);
}

// Whether it was as it should be; *again: an allocation failed, so there may be a later one.
static bool try(NacreStatus (*work)(NacreVm *), long after, bool *again) {
    Allocator a = {.left = -1};
    NacreOptions options = {.struct_size = sizeof options};
    options.alloc = allocate;
    options.alloc_ctx = &a;
    options.unpooled = 1;
    options.threads = 1;
    NacreVm *vm = nacre_new(&options);
    a.left = after;
    NacreStatus status = work(vm);
    a.left = -1;
    *again = a.failed;
    const char *class = nacre_error_class(vm);
    bool right = status == NACRE_OK || (a.failed && status == NACRE_ERROR &&
                                        (strcmp(class, "MemoryError") == 0 || !*class));
    if (!right) printf("allocation %ld: status %d, %s\n", after, (int)status, nacre_error_text(vm));
    nacre_free(vm);
    if (a.blocks) printf("allocation %ld: %ld blocks leak\n", after, a.blocks);
    return right && a.blocks == 0;
}

static int try_all(NacreStatus (*work)(NacreVm *)) {
    int failures = 0;
    bool again = true;
    for (long after = 0; again; after++) failures += !try(work, after, &again);
    return failures;
}

int main(void) {
    return try_all(watched) + try_all(graph) != 0;
}
