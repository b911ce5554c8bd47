// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Reverse Cuthill–McKee ordering, which brings entries near the diagonal. It starts from pseudoperipheral nodes, found
// by the method of George and Liu ("An implementation of a pseudoperipheral node finder", 1979).

#include "stdlib/sparse/ops.h"

// The graph of A + A': the neighbours of node i are edges[first[i]] … edges[first[i + 1] - 1], some of them twice.
typedef struct Graph {
    int64_t n, *first, *edges;
    int64_t *queue, *level; // level: base + a node's distance in the last search; less than base: not reached by it
    int64_t base;   // level of the root in the last search; each search raises it by n + 1
    int64_t placed; // number of nodes with a final place, which come first in `queue`
} Graph;

static bool build_graph(SparseCall *call, const SparseArg *indptr, const SparseArg *indices, Graph *g) {
    int64_t entries = index_at(indptr, g->n);
    g->first = call->host->scratch(call, (size_t)(g->n + 2) * sizeof *g->first);
    g->edges = call->host->scratch(call, (size_t)entries * 2 * sizeof *g->edges);
    g->queue = call->host->scratch(call, (size_t)g->n * sizeof *g->queue);
    g->level = call->host->scratch(call, (size_t)g->n * sizeof *g->level);
    if (!g->first || !g->edges || !g->queue || !g->level) return false;
    memset(g->first, 0, (size_t)(g->n + 2) * sizeof *g->first);
    memset(g->level, 0, (size_t)g->n * sizeof *g->level);
    for (int64_t j = 0; j < g->n; j++)
        for (int64_t k = index_at(indptr, j); k < index_at(indptr, j + 1); k++) {
            g->first[j + 2]++;
            g->first[index_at(indices, k) + 2]++;
        }
    for (int64_t j = 0; j < g->n; j++) g->first[j + 2] += g->first[j + 1];
    for (int64_t j = 0; j < g->n; j++)
        for (int64_t k = index_at(indptr, j); k < index_at(indptr, j + 1); k++) {
            int64_t i = index_at(indices, k);
            g->edges[g->first[j + 1]++] = i;
            g->edges[g->first[i + 1]++] = j;
        }
    return true;
}

static int64_t degree(const Graph *g, int64_t node) {
    return g->first[node + 1] - g->first[node];
}

// Sorts the nodes [from, end) of the queue by degree, with Shell sort, as there are mostly few.
static void sort_by_degree(const Graph *g, int64_t from, int64_t end) {
    for (int64_t gap = (end - from) / 2; gap > 0; gap /= 2)
        for (int64_t i = from + gap; i < end; i++) {
            int64_t node = g->queue[i], k = i;
            for (; k - gap >= from && degree(g, g->queue[k - gap]) > degree(g, node); k -= gap) g->queue[k] = g->queue[k - gap];
            g->queue[k] = node;
        }
}

// Searches breadth first from `root`. The nodes that it reaches are put in the queue after the placed ones, up to *end,
// by distance and then degree. Returns the last one, and its distance in *depth.
static int64_t search(Graph *g, int64_t root, int64_t *end, int64_t *depth) {
    int64_t tail = g->placed;
    g->base += g->n + 1;
    g->queue[tail++] = root;
    g->level[root] = g->base;
    for (int64_t head = g->placed; head < tail; head++) {
        int64_t node = g->queue[head], from = tail;
        for (int64_t k = g->first[node]; k < g->first[node + 1]; k++) {
            int64_t next = g->edges[k];
            if (g->level[next] >= g->base) continue;
            g->level[next] = g->level[node] + 1;
            g->queue[tail++] = next;
        }
        sort_by_degree(g, from, tail);
    }
    *end = tail;
    *depth = g->level[g->queue[tail - 1]] - g->base;
    return g->queue[tail - 1];
}

// rcm_order(indptr, indices): returns the reverse Cuthill–McKee order of a square matrix.
void op_rcm_order(SparseCall *call) {
    const SparseArg *indptr = &call->args[0], *indices = &call->args[1];
    Graph g = {.n = indptr->count - 1};
    if (!check_indptr(call, indptr, indices->count) || !check_indices(call, indices, g.n)) return;
    if (!build_graph(call, indptr, indices, &g)) return;
    int64_t *order = call->host->array(call, DT_INT64, g.n);
    if (!order) return;
    for (int64_t node = 0; node < g.n; node++) {
        int64_t end, depth = -1, deeper, root = node, far;
        if (g.level[node] > 0) continue; // an earlier search has reached and placed it
        while (far = search(&g, root, &end, &deeper), deeper > depth) {
            depth = deeper;
            root = far;
        }
        g.placed = end;
        if (call->host->stopped(call)) return;
    }
    for (int64_t k = 0; k < g.n; k++) order[k] = g.queue[g.n - 1 - k];
}
