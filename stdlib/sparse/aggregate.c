// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Aggregates of the nodes of a graph, for multigrid: the greedy algorithm of Vaněk, Mandel and Brezina ("Algebraic
// multigrid by smoothed aggregation for second and fourth order elliptic problems", 1996).

#include "stdlib/sparse/ops.h"

typedef struct Nodes {
    const SparseArg *indptr, *indices;
    int64_t n, count, *of; // count: aggregates; of: each node's aggregate, ALONE (no neighbours) or NOWHERE (none yet)
} Nodes;

enum { ALONE = -1, NOWHERE = -2 };

// Returns whether no neighbour of the node is in an aggregate. Sets *has_neighbours; a self-loop does not count.
static bool all_free(const Nodes *g, int64_t node, bool *has_neighbours) {
    *has_neighbours = false;
    for (int64_t k = index_at(g->indptr, node); k < index_at(g->indptr, node + 1); k++) {
        int64_t other = index_at(g->indices, k);
        if (other == node) continue;
        *has_neighbours = true;
        if (g->of[other] >= 0) return false;
    }
    return true;
}

// Makes a new aggregate of a node and those neighbours that are in none.
static void found(Nodes *g, int64_t node) {
    g->of[node] = g->count;
    for (int64_t k = index_at(g->indptr, node); k < index_at(g->indptr, node + 1); k++) {
        int64_t other = index_at(g->indices, k);
        if (g->of[other] == NOWHERE) g->of[other] = g->count;
    }
    g->count++;
}

// First pass: makes an aggregate of each node whose neighbours are all free, in the order of nodes.
static void found_whole(Nodes *g) {
    for (int64_t node = 0; node < g->n; node++) {
        bool has_neighbours;
        if (g->of[node] != NOWHERE || !all_free(g, node, &has_neighbours)) continue;
        if (has_neighbours) found(g, node);
        else g->of[node] = ALONE;
    }
}

// Second pass: remaining nodes join the aggregate of a neighbour. Only aggregates of the first pass count, since chains
// would grow otherwise.
static void join(Nodes *g, int64_t *joined) {
    for (int64_t node = 0; node < g->n; node++) {
        joined[node] = NOWHERE;
        for (int64_t k = index_at(g->indptr, node); k < index_at(g->indptr, node + 1) && g->of[node] == NOWHERE; k++) {
            int64_t other = index_at(g->indices, k);
            if (g->of[other] < 0) continue;
            joined[node] = g->of[other];
            break;
        }
    }
    for (int64_t node = 0; node < g->n; node++)
        if (joined[node] >= 0) g->of[node] = joined[node];
}

// aggregate(indptr, indices): returns the aggregate of each node (-1 for one without neighbours), and the number of
// aggregates. The graph's pattern should be symmetric.
void op_aggregate(SparseCall *call) {
    const SparseArg *indptr = &call->args[0], *indices = &call->args[1];
    if (!check_indptr(call, indptr, indices->count)) return;
    Nodes g = {indptr, indices, indptr->count - 1, 0, NULL};
    if (!check_indices(call, indices, g.n)) return;
    int64_t *joined = call->host->scratch(call, (size_t)g.n * sizeof *joined);
    g.of = joined ? call->host->array(call, DT_INT64, g.n) : NULL;
    if (!g.of) return;
    for (int64_t node = 0; node < g.n; node++) g.of[node] = NOWHERE;
    found_whole(&g);
    join(&g, joined);
    for (int64_t node = 0; node < g.n; node++)
        if (g.of[node] == NOWHERE) found(&g, node);
    call->host->whole(call, g.count);
}
