// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Any bytes as a graph: operations stay within their arrays, whatever its indices and weights are.

#include <string.h>

#include "stdlib/sparse/graph.h"
#include "tests/fuzz/sparse_host.h"

enum { NODES = 12, EDGES = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void run(void (*op)(SparseCall *), const SparseArg *args, int count) {
    FuzzCall f;
    fuzz_run(&f, op, args, count);
    fuzz_free(&f);
}

static void run_all(SparseArg p, SparseArg k, SparseArg w, SparseArg capacity, SparseArg reverse, SparseArg sources, int64_t node) {
    const SparseArg no = fuzz_number_arg(0), yes = fuzz_number_arg(1), n = fuzz_number_arg(NODES), none = {0};
    run(op_graph_walk, (SparseArg[]){p, k, none, none, fuzz_number_arg(node), no}, 6);
    run(op_graph_walk, (SparseArg[]){p, k, p, k, fuzz_number_arg(node), yes}, 6);
    run(op_graph_components, (SparseArg[]){p, k, no, none}, 4);
    run(op_graph_components, (SparseArg[]){p, k, yes, none}, 4);
    run(op_graph_dijkstra, (SparseArg[]){p, k, w, none, none, none, sources, fuzz_number_arg(100), yes, no}, 10);
    run(op_graph_dijkstra, (SparseArg[]){p, k, w, p, k, w, sources, fuzz_number_arg(100), yes, yes}, 10);
    run(op_graph_bellman_ford, (SparseArg[]){p, k, w, sources, yes, no}, 6);
    run(op_graph_bellman_ford, (SparseArg[]){p, k, w, sources, no, yes}, 6);
    run(op_graph_forest, (SparseArg[]){k, k, n}, 3);
    run(op_graph_cuthill, (SparseArg[]){p, k}, 2);
    run(op_graph_matching, (SparseArg[]){p, k, n}, 3);
    run(op_graph_assignment, (SparseArg[]){p, k, w, n}, 4);
    run(op_graph_flow, (SparseArg[]){p, k, capacity, reverse, fuzz_number_arg(node), fuzz_number_arg(0), yes}, 7);
    run(op_graph_flow, (SparseArg[]){p, k, capacity, reverse, fuzz_number_arg(node), fuzz_number_arg(1), no}, 7);
}

// A byte for each degree; then for each edge its target, its weight, and the number of the edge that leads back.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    int32_t indptr[NODES + 1] = {0}, sources[2];
    if (size < NODES + 3) return 0;
    for (int i = 0; i < NODES; i++) indptr[i + 1] = indptr[i] + (int8_t)data[i] % 6;
    sources[0] = data[NODES] % (NODES + 1) - (data[NODES] > 250);
    sources[1] = data[NODES + 1] % NODES;
    size_t edges = (size - NODES - 3) / 3 < EDGES ? (size - NODES - 3) / 3 : EDGES;
    int32_t *indices = malloc(edges * 4 + 1), *capacity = malloc(edges * 4 + 1), *reverse = malloc(edges * 4 + 1);
    double *weights = malloc(edges * 8 + 1);
    for (size_t i = 0; i < edges; i++) {
        const uint8_t *edge = data + NODES + 3 + 3 * i;
        indices[i] = edge[0] == 255 ? -1 : edge[0] % (NODES + (edge[0] > 250));
        weights[i] = edge[1] == 255 ? 0.0 / 0.0 : edge[1] == 254 ? 1.0 / 0.0 : (int8_t)edge[1];
        capacity[i] = edge[1];
        reverse[i] = edge[2];
    }
    int64_t count = (int64_t)edges;
    run_all(fuzz_array_arg(indptr, NODES + 1, DT_INT32), fuzz_array_arg(indices, count, DT_INT32),
            fuzz_array_arg(weights, count, DT_FLOAT64), fuzz_array_arg(capacity, count, DT_INT32),
            fuzz_array_arg(reverse, count, DT_INT32), fuzz_array_arg(sources, 2, DT_INT32), data[NODES + 2] % NODES);
    free(indices);
    free(capacity);
    free(reverse);
    free(weights);
    return 0;
}
