// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Maximum flow through a graph with integer capacities, by augmenting paths: one shortest path at a time (Edmonds and
// Karp), or all shortest paths of one length at once (Dinitz).

#include "stdlib/sparse/graph.h"

typedef struct Flow {
    const SparseCall *call;
    Graph g;
    const int32_t *capacity, *reverse; // of edge k; the edge in the opposite direction
    int32_t *flow;
    int32_t source, sink;
    int32_t *level, *queue, *edge, *path; // edge: by node, its next edge to try; path: edges
} Flow;

static int64_t left(const Flow *f, int32_t k) {
    return (int64_t)f->capacity[k] - f->flow[k];
}

// Sets the level of each node: its distance from the source along edges with residual capacity. Resets `edge`. False:
// the sink cannot be reached.
static bool find_levels(Flow *f) {
    int32_t count = 1;
    for (int32_t i = 0; i < f->g.nodes; i++) {
        f->level[i] = -1;
        f->edge[i] = f->g.indptr[i];
    }
    f->level[f->source] = 0;
    f->queue[0] = f->source;
    for (int32_t at = 0; at < count && f->level[f->sink] < 0; at++) {
        int32_t node = f->queue[at];
        for (int32_t k = f->g.indptr[node]; k < f->g.indptr[node + 1]; k++) {
            int32_t next = f->g.indices[k];
            if (f->level[next] >= 0 || left(f, k) <= 0) continue;
            f->level[next] = f->level[node] + 1;
            f->queue[count++] = next;
        }
    }
    return f->level[f->sink] >= 0;
}

// Finds a path to the sink on which levels increase by one. Continues at each node with the first edge that was not
// tried before. Returns the number of edges in f->path; 0: there is none.
static int32_t find_path(Flow *f) {
    int32_t depth = 0, node = f->source;
    while (node != f->sink) {
        if (f->edge[node] == f->g.indptr[node + 1]) {
            if (depth == 0) return 0;
            node = f->g.indices[f->reverse[f->path[--depth]]];
            f->edge[node]++;
            continue;
        }
        int32_t k = f->edge[node], next = f->g.indices[k];
        if (left(f, k) > 0 && f->level[next] == f->level[node] + 1) {
            f->path[depth++] = k;
            node = next;
        } else {
            f->edge[node]++;
        }
    }
    return depth;
}

static int64_t push(Flow *f, int32_t length) {
    int64_t least = left(f, f->path[0]);
    for (int32_t i = 1; i < length; i++)
        if (left(f, f->path[i]) < least) least = left(f, f->path[i]);
    for (int32_t i = 0; i < length; i++) {
        f->flow[f->path[i]] += (int32_t)least;
        f->flow[f->reverse[f->path[i]]] -= (int32_t)least;
    }
    return least;
}

static bool check_edges(SparseCall *call, const Flow *f) {
    const SparseArg *capacity = &call->args[2], *reverse = &call->args[3];
    int64_t edges = f->g.indptr[f->g.nodes];
    bool fine = capacity->kind == SPARSE_ARRAY && capacity->type == DT_INT32 && capacity->count >= edges &&
                reverse->kind == SPARSE_ARRAY && reverse->type == DT_INT32 && reverse->count >= edges && f->source != f->sink &&
                f->source >= 0 && f->source < f->g.nodes && f->sink >= 0 && f->sink < f->g.nodes;
    if (fine) fine = check_indices(call, reverse, edges);
    for (int32_t i = 0; fine && i < f->g.nodes; i++) // an edge's reverse leads back, and its reverse is the edge
        for (int32_t k = f->g.indptr[i]; fine && k < f->g.indptr[i + 1]; k++)
            fine = f->g.indices[f->reverse[k]] == i && f->reverse[f->reverse[k]] == k && f->capacity[k] >= 0;
    if (!fine && call->error == SPARSE_OK)
        SPARSE_FAIL(call, SPARSE_VALUE_ERROR, "a flow needs capacities that are not negative, and edges that lead back");
    return fine;
}

// graph_flow(indptr, indices, capacities, reverse, source, sink, dinic): returns the flow along each edge, and the
// value of the flow.
void op_graph_flow(SparseCall *call) {
    const SparseArg *args = call->args;
    Flow f = {.call = call};
    if (!graph_from(call, 0, false, -1, &f.g)) return;
    f.capacity = args[2].data;
    f.reverse = args[3].data;
    f.source = args[4].whole >= 0 && args[4].whole < f.g.nodes ? (int32_t)args[4].whole : -1;
    f.sink = args[5].whole >= 0 && args[5].whole < f.g.nodes ? (int32_t)args[5].whole : -1;
    if (!check_edges(call, &f)) return;
    size_t n = (size_t)f.g.nodes;
    int64_t edges = f.g.indptr[f.g.nodes], value = 0;
    f.level = call->host->scratch(call, 4 * n * sizeof *f.level);
    f.flow = f.level ? call->host->array(call, DT_INT32, edges) : NULL;
    if (!f.flow) return;
    f.queue = f.level + n;
    f.edge = f.queue + n;
    f.path = f.edge + n;
    memset(f.flow, 0, (size_t)edges * sizeof *f.flow);
    while (find_levels(&f)) {
        for (int32_t length; (length = find_path(&f)) > 0;) {
            value += push(&f, length);
            if (call->host->stopped(call)) return;
            if (args[6].whole == 0) break; // Edmonds and Karp
        }
    }
    call->host->whole(call, value);
}
