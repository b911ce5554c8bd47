// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Graphs that a host hands over: results, errors, misuse.

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "nacre/nacre.h"

static int failures;

#define CHECK(condition)   \
    ((condition) ? (void)0 \
                 : (void)(printf("%s:%d: %s\n", __FILE__, __LINE__, #condition), failures++))

typedef struct Results {
    NacreVm *vm;
    int count, storage;
    double elements[4];
    NacreStatus nested;
    NacreGraph *graph;
} Results;

static void on_result(void *ctx, int storage, const void *data, size_t bytes) {
    Results *results = ctx;
    results->count++;
    results->storage = storage;
    if (bytes <= sizeof results->elements) memcpy(results->elements, data, bytes);
    results->nested = nacre_run_graph(results->vm, results->graph, NULL, NULL);
}

static const int64_t three[] = {3}, stride[] = {8}, none[] = {0};
static const double input[] = {1, 2, 3};

static NacreView view_of(int storage) {
    return (NacreView){
        .storage = storage, .dtype = "float64", .ndim = 1, .shape = three, .strides = stride};
}

// b = a * 2; c = b + a
typedef struct Sample {
    NacreStorage storages[3];
    NacreNode nodes[2];
    NacreGraph graph;
} Sample;

static void make(Sample *s) {
    *s = (Sample){0};
    for (int i = 0; i < 3; i++)
        s->storages[i] = (NacreStorage){
            .struct_size = sizeof(NacreStorage), .bytes = sizeof input, .is_seen = i == 2};
    s->storages[0].data = input;
    for (int i = 0; i < 2; i++) {
        s->nodes[i] = (NacreNode){.struct_size = sizeof(NacreNode),
                                  .operation = i ? "add" : "multiply",
                                  .operand_count = 2,
                                  .attributes.loop = "float64",
                                  .result = view_of(i + 1)};
        s->nodes[i].operands[0].view = view_of(i);
        s->nodes[i].operands[1].view = view_of(0);
    }
    s->nodes[0].operands[1] = (NacreOperand){.is_scalar = 1, .view.dtype = "float64", .real = 2};
    s->graph = (NacreGraph){.struct_size = sizeof s->graph, .storage_count = 3, .node_count = 2,
                            .storages = s->storages, .nodes = s->nodes};
}

static void check_results(void) {
    Sample s;
    Results results = {.vm = nacre_new(NULL), .graph = &s.graph};
    make(&s);
    for (int i = 0; i < 3; i++) {
        CHECK(nacre_run_graph(results.vm, &s.graph, on_result, &results) == NACRE_OK);
        CHECK(results.count == i + 1 && results.storage == 2 && results.nested == NACRE_MISUSE);
        CHECK(results.elements[0] == 3 && results.elements[1] == 6 && results.elements[2] == 9);
    }
    NacreStats stats = {.struct_size = sizeof stats};
    CHECK(nacre_stats(results.vm, &stats) == NACRE_OK);
    CHECK(stats.kernels == 3 && stats.plans_made == 1 && stats.plans_reused == 2 && stats.nodes_pending == 0);
    CHECK(nacre_run_graph(results.vm, &s.graph, NULL, NULL) == NACRE_OK);
    s.storages[0].data = NULL; // zeros
    CHECK(nacre_run_graph(results.vm, &s.graph, on_result, &results) == NACRE_OK);
    CHECK(results.elements[0] == 0 && results.elements[2] == 0);
    nacre_free(results.vm);
}

static void check_error(NacreVm *vm, const Sample *s, const char *expect) {
    bool right = nacre_run_graph(vm, &s->graph, NULL, NULL) == NACRE_ERROR &&
                 strstr(nacre_error_text(vm), expect);
    if (!right) printf("expected %s, got %s\n", expect, nacre_error_text(vm));
    failures += !right;
}

// After any error the VM goes on.
static void check_errors(void) {
    NacreVm *vm = nacre_new(NULL);
    Sample s;
    make(&s);
    s.nodes[1].result.strides = none;
    check_error(vm, &s, "ValueError: node 1: elements of the result share their places");
    make(&s);
    s.nodes[1].operands[0].view.storage = 3;
    check_error(vm, &s, "ValueError: node 1: there is no such storage");
    make(&s);
    s.nodes[0].operands[1].view.dtype = NULL;
    check_error(vm, &s, "ValueError: node 0: there is no such dtype");
    make(&s);
    s.nodes[0].struct_size = 1;
    check_error(vm, &s, "ValueError: node 0: struct_size of another library");
    make(&s);
    s.storages[1].bytes = (size_t)1 << 60;
    check_error(vm, &s, "MemoryError");
    make(&s);
    s.nodes[0].operation = NULL;
    check_error(vm, &s, "ValueError: node 0: there is no such operation");
    make(&s);
    CHECK(nacre_run_graph(vm, &s.graph, NULL, NULL) == NACRE_OK);
    CHECK(strcmp(nacre_error_text(vm), "") == 0);
    nacre_free(vm);
}

static void check_misuse(void) {
    NacreVm *vm = nacre_new(NULL);
    Sample s;
    make(&s);
    CHECK(nacre_run_graph(NULL, &s.graph, NULL, NULL) == NACRE_MISUSE);
    CHECK(nacre_run_graph(vm, NULL, NULL, NULL) == NACRE_MISUSE);
    s.graph.nodes = NULL;
    CHECK(nacre_run_graph(vm, &s.graph, NULL, NULL) == NACRE_MISUSE);
    make(&s);
    s.graph.storage_count = -1;
    CHECK(nacre_run_graph(vm, &s.graph, NULL, NULL) == NACRE_MISUSE);
    make(&s);
    s.graph.struct_size = 8;
    CHECK(nacre_run_graph(vm, &s.graph, NULL, NULL) == NACRE_MISUSE);
    nacre_free(vm);
}

int main(void) {
    check_results();
    check_errors();
    check_misuse();
    if (failures) printf("%d failures\n", failures);
    return failures != 0;
}
