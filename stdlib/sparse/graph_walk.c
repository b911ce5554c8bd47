// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Breadth-first and depth-first traversals of graphs, connected components, and spanning forests.

#include "stdlib/sparse/graph.h"

bool graph_from(SparseCall *call, int first, bool weighted, int64_t targets, Graph *out) {
    const SparseArg *indptr = &call->args[first], *indices = indptr + 1, *weights = indptr + 2;
    *out = (Graph){0};
    if (indptr->kind == SPARSE_NONE) return true;
    if (indptr->kind != SPARSE_ARRAY || indptr->type != DT_INT32 || indices->kind != SPARSE_ARRAY || indices->type != DT_INT32 ||
        (weighted && (weights->kind != SPARSE_ARRAY || weights->type != DT_FLOAT64 || weights->count < indices->count))) {
        SPARSE_FAIL(call, SPARSE_VALUE_ERROR, "a graph has indices of int32 and weights of float64");
        return false;
    }
    if (!check_indptr(call, indptr, indices->count)) return false;
    out->nodes = (int32_t)(indptr->count - 1);
    out->indptr = indptr->data;
    out->indices = indices->data;
    out->weights = weighted ? weights->data : NULL;
    return check_indices(call, indices, targets < 0 ? out->nodes : targets);
}

// --- Walks ---------------------------------------------------------------------------------------

// Returns how many edges a node has in a graph and its transpose, if there is one. They are numbered in that order.
static int32_t edges_of(const Graph *g, const Graph *t, int32_t node) {
    int32_t count = g->indptr[node + 1] - g->indptr[node];
    return t->nodes ? count + t->indptr[node + 1] - t->indptr[node] : count;
}

static int32_t target_of(const Graph *g, const Graph *t, int32_t node, int32_t k) {
    int32_t count = g->indptr[node + 1] - g->indptr[node];
    return k < count ? g->indices[g->indptr[node] + k] : t->indices[t->indptr[node] + k - count];
}

typedef struct Walk {
    const SparseCall *call;
    Graph g, t;
    int32_t *order, *from; // nodes in the order of their visit; by node: the node that it was reached from
    bool *met;
    int32_t count;
} Walk;

static void meet(Walk *w, int32_t node, int32_t from) {
    w->met[node] = true;
    w->from[node] = from;
    w->order[w->count++] = node;
}

static void walk_breadth(Walk *w, int32_t start) {
    meet(w, start, GRAPH_NONE);
    for (int32_t i = 0; i < w->count; i++) {
        int32_t node = w->order[i], edges = edges_of(&w->g, &w->t, node);
        for (int32_t k = 0; k < edges; k++) {
            int32_t next = target_of(&w->g, &w->t, node, k);
            if (!w->met[next]) meet(w, next, node);
        }
        if (i % GRAPH_ASK == 0 && w->call->host->stopped(w->call)) return;
    }
}

// `path` is a stack of the nodes from the start to the current one; edge[node] is how many edges of a node were
// followed.
static void walk_depth(Walk *w, int32_t start, int32_t *path, int32_t *edge) {
    int32_t depth = 1;
    meet(w, start, GRAPH_NONE);
    path[0] = start;
    for (int64_t step = 1; depth > 0; step++) {
        int32_t node = path[depth - 1];
        if (edge[node] == edges_of(&w->g, &w->t, node)) {
            depth--;
        } else {
            int32_t next = target_of(&w->g, &w->t, node, edge[node]++);
            if (!w->met[next]) {
                meet(w, next, node);
                path[depth++] = next;
            }
        }
        if (step % GRAPH_ASK == 0 && w->call->host->stopped(w->call)) return;
    }
}

// graph_walk(indptr, indices, indptr, indices, start, depth_first): returns the nodes that can be reached from `start`,
// in the order of their visit, and for each node of the graph the one that it was reached from. The second graph is the
// transpose of the first, for undirected edges, or None.
void op_graph_walk(SparseCall *call) {
    const SparseHost *host = call->host;
    Walk w = {.call = call};
    if (!graph_from(call, 0, false, -1, &w.g) || !graph_from(call, 2, false, w.g.nodes, &w.t)) return;
    int32_t n = w.g.nodes;
    int64_t start = call->args[4].whole;
    if (start < 0 || start >= n || (w.t.nodes && w.t.nodes != n)) {
        SPARSE_FAIL(call, SPARSE_VALUE_ERROR, "a walk starts at a node of the graph");
        return;
    }
    bool depth = call->args[5].whole != 0;
    size_t size = (size_t)n * sizeof(int32_t);
    w.order = host->scratch(call, size);
    w.met = host->scratch(call, (size_t)n);
    int32_t *path = depth ? host->scratch(call, size) : NULL, *edge = depth ? host->scratch(call, size) : NULL;
    if (!w.order || !w.met || (depth && (!path || !edge))) return;
    int32_t *from = w.from = host->scratch(call, size);
    if (!from) return;
    memset(w.met, 0, (size_t)n);
    for (int32_t i = 0; i < n; i++) from[i] = GRAPH_NONE;
    if (depth) {
        memset(edge, 0, size);
        walk_depth(&w, (int32_t)start, path, edge);
    } else {
        walk_breadth(&w, (int32_t)start);
    }
    int32_t *order = host->array(call, DT_INT32, w.count), *all = order ? host->array(call, DT_INT32, n) : NULL;
    if (!all) return;
    memcpy(order, w.order, (size_t)w.count * sizeof *order);
    memcpy(all, from, size);
}

// --- Components ----------------------------------------------------------------------------------

// Returns the representative of a node's set (union–find with path halving).
static int32_t find(int32_t *parent, int32_t node) {
    while (parent[node] != node) node = parent[node] = parent[parent[node]];
    return node;
}

// Unites the sets of two nodes; the lower representative stays. False: they were in one set already.
static bool unite(int32_t *parent, int32_t a, int32_t b) {
    a = find(parent, a);
    b = find(parent, b);
    if (a == b) return false;
    if (a < b) parent[b] = a;
    else parent[a] = b;
    return true;
}

static int32_t weak_components(const SparseCall *call, const Graph *g, int32_t *parent, int32_t *labels) {
    int32_t count = 0;
    for (int32_t i = 0; i < g->nodes; i++) parent[i] = i;
    for (int32_t i = 0; i < g->nodes; i++) {
        for (int32_t k = g->indptr[i]; k < g->indptr[i + 1]; k++) unite(parent, i, g->indices[k]);
        if (i % GRAPH_ASK == 0 && call->host->stopped(call)) return 0;
    }
    for (int32_t i = 0; i < g->nodes; i++) {
        int32_t root = find(parent, i); // root <= i, so it has its label
        labels[i] = root == i ? count++ : labels[root];
    }
    return count;
}

// Tarjan's algorithm with an explicit stack in place of recursion. Edges are followed from the last to the first, as in
// SciPy, so that components get the same numbers. met[node] is the time of its first visit. low[node] starts as that
// and becomes the earliest time of a node on the path that it leads back to.
typedef struct Tarjan {
    int32_t *low, *met, *path, *edge, *open;
    int32_t depth, opened, time, labels_count;
} Tarjan;

static void tarjan_meet(const Graph *g, Tarjan *t, int32_t node) {
    t->low[node] = t->met[node] = ++t->time;
    t->edge[node] = g->indptr[node + 1];
    t->path[t->depth++] = node;
    t->open[t->opened++] = node;
}

static void tarjan_leave(Tarjan *t, int32_t node, int32_t *labels) {
    t->depth--;
    if (t->depth > 0) {
        int32_t before = t->path[t->depth - 1];
        if (t->low[node] < t->low[before]) t->low[before] = t->low[node];
    }
    if (t->low[node] != t->met[node]) return;
    int32_t member;
    do {
        member = t->open[--t->opened];
        labels[member] = t->labels_count;
    } while (member != node);
    t->labels_count++;
}

static int32_t strong_components(const SparseCall *call, const Graph *g, Tarjan *t, int32_t *labels) {
    int64_t step = 0;
    for (int32_t i = 0; i < g->nodes; i++) {
        if (labels[i] < 0) tarjan_meet(g, t, i);
        while (t->depth > 0) {
            int32_t node = t->path[t->depth - 1];
            if (t->edge[node] == g->indptr[node]) {
                tarjan_leave(t, node, labels);
            } else {
                int32_t next = g->indices[--t->edge[node]];
                if (!t->met[next]) tarjan_meet(g, t, next);
                else if (labels[next] < 0 && t->met[next] < t->low[node]) t->low[node] = t->met[next];
            }
            if (++step % GRAPH_ASK == 0 && call->host->stopped(call)) return 0;
        }
    }
    return t->labels_count;
}

// graph_components(indptr, indices, strong, _): returns the component of each node, and the number of components. The
// last argument is not used.
void op_graph_components(SparseCall *call) {
    const SparseHost *host = call->host;
    Graph g;
    if (!graph_from(call, 0, false, -1, &g)) return;
    size_t n = (size_t)g.nodes;
    bool strong = call->args[2].whole != 0;
    int32_t *work = host->scratch(call, (strong ? 5 : 1) * n * sizeof *work);
    int32_t *labels = work ? host->array(call, DT_INT32, g.nodes) : NULL;
    if (!labels) return;
    for (size_t i = 0; i < n; i++) labels[i] = -1;
    if (!strong) {
        host->whole(call, weak_components(call, &g, work, labels));
        return;
    }
    Tarjan t = {work, work + n, work + 2 * n, work + 3 * n, work + 4 * n, 0, 0, 0, 0};
    memset(t.met, 0, n * sizeof *work);
    host->whole(call, strong_components(call, &g, &t, labels));
}

// graph_forest(rows, columns, nodes): takes edges in ascending order of weight and returns for each one whether it is
// in the spanning forest, that is, connects two components (Kruskal's algorithm).
void op_graph_forest(SparseCall *call) {
    const SparseArg *rows = &call->args[0], *columns = &call->args[1];
    int64_t n = call->args[2].whole;
    if (n < 0 || n > INT32_MAX || rows->count != columns->count || rows->type != DT_INT32 || columns->type != DT_INT32) {
        SPARSE_FAIL(call, SPARSE_VALUE_ERROR, "edges have two ends of int32 each");
        return;
    }
    if (!check_indices(call, rows, n) || !check_indices(call, columns, n)) return;
    int32_t *parent = call->host->scratch(call, (size_t)n * sizeof *parent);
    bool *kept = parent ? call->host->array(call, DT_BOOL, rows->count) : NULL;
    if (!kept) return;
    for (int32_t i = 0; i < n; i++) parent[i] = i;
    for (int64_t k = 0; k < rows->count; k++) {
        kept[k] = unite(parent, ((const int32_t *)rows->data)[k], ((const int32_t *)columns->data)[k]);
        if (k % GRAPH_ASK == 0 && call->host->stopped(call)) return;
    }
}
