// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Shortest paths: from given nodes (Dijkstra, Bellman and Ford), with one thread per source; between all nodes (Floyd
// and Warshall).

#include <math.h>

#include "stdlib/sparse/graph.h"

// --- A 4-ary heap: the four children of a node are in one cache line -------------------------------

enum { BELOW = 4 };

static void heap_set(Heap *h, int32_t at, int32_t node) {
    h->nodes[at] = node;
    h->place[node] = at;
}

void heap_put(Heap *h, int32_t node) {
    int32_t at = h->place[node] >= 0 ? h->place[node] : h->count++;
    double d = h->distance[node];
    while (at > 0) {
        int32_t above = (at - 1) / BELOW;
        if (h->distance[h->nodes[above]] <= d) break;
        heap_set(h, at, h->nodes[above]);
        at = above;
    }
    heap_set(h, at, node);
}

int32_t heap_take(Heap *h) {
    int32_t first = h->nodes[0], last = h->nodes[--h->count], at = 0;
    double d = h->distance[last];
    for (int64_t below = 1; below < h->count; below = (int64_t)at * BELOW + 1) {
        int32_t least = (int32_t)below;
        for (int64_t i = below + 1; i < below + BELOW && i < h->count; i++)
            if (h->distance[h->nodes[i]] < h->distance[h->nodes[least]]) least = (int32_t)i;
        if (h->distance[h->nodes[least]] >= d) break;
        heap_set(h, at, h->nodes[least]);
        at = least;
    }
    if (h->count > 0) heap_set(h, at, last);
    h->place[first] = HEAP_DONE;
    return first;
}

// --- Dijkstra --------------------------------------------------------------------------------------

typedef struct PathsJob {
    const SparseCall *call;
    Graph g, t;
    const int32_t *sources;
    int64_t count;       // number of sources
    bool together;       // one row of distances, from the nearest source
    double limit;
    double *distances;   // a row per source
    int32_t *from, *nearest; // or NULL
    int32_t *work;       // by worker
    int32_t *negative;   // by source: a node on or after a negative cycle, or -1
} PathsJob;

static void relax(const Graph *g, int32_t node, double limit, Heap *h, double *distance, int32_t *from, int32_t *nearest) {
    for (int32_t k = g->indptr[node]; k < g->indptr[node + 1]; k++) {
        int32_t next = g->indices[k];
        double d = distance[node] + g->weights[k];
        if (h->place[next] == HEAP_DONE || !(d < distance[next]) || d > limit) continue;
        distance[next] = d;
        if (from) from[next] = node;
        if (nearest) nearest[next] = nearest[node];
        heap_put(h, next);
    }
}

// Runs Dijkstra's algorithm from the sources [begin, end). On entry all distances are infinite and all places HEAP_NEW.
static void dijkstra(const PathsJob *j, int64_t begin, int64_t end, Heap *h, double *distance, int32_t *from) {
    for (int64_t i = begin; i < end; i++) {
        distance[j->sources[i]] = 0;
        if (j->nearest) j->nearest[j->sources[i]] = j->sources[i];
        if (h->place[j->sources[i]] == HEAP_NEW) heap_put(h, j->sources[i]);
    }
    for (int64_t step = 1; h->count > 0; step++) {
        int32_t node = heap_take(h);
        relax(&j->g, node, j->limit, h, distance, from, j->nearest);
        if (j->t.nodes) relax(&j->t, node, j->limit, h, distance, from, j->nearest);
        if (step % GRAPH_ASK == 0 && j->call->host->stopped(j->call)) return;
    }
}

static void dijkstra_part(void *argument, int part, int worker) {
    const PathsJob *j = argument;
    size_t n = (size_t)j->g.nodes;
    int32_t *work = j->work + (size_t)worker * 2 * n;
    double *distance = j->distances + (size_t)part * n;
    int32_t *from = j->from ? j->from + (size_t)part * n : NULL;
    Heap h = {work, work + n, 0, distance};
    for (size_t i = 0; i < n; i++) {
        h.place[i] = HEAP_NEW;
        distance[i] = INFINITY;
        if (from) from[i] = GRAPH_NONE;
        if (j->nearest) j->nearest[i] = GRAPH_NONE;
    }
    if (j->together) dijkstra(j, 0, j->count, &h, distance, from);
    else dijkstra(j, part, part + 1, &h, distance, from);
}

static bool take_sources(SparseCall *call, const SparseArg *sources, int64_t least, PathsJob *j) {
    if (sources->kind != SPARSE_ARRAY || sources->type != DT_INT32) {
        SPARSE_FAIL(call, SPARSE_VALUE_ERROR, "sources are an array of int32");
        return false;
    }
    j->sources = sources->data;
    j->count = sources->count;
    for (int64_t i = 0; i < j->count; i++) {
        if (j->sources[i] >= least && j->sources[i] < j->g.nodes) continue;
        SPARSE_FAIL(call, SPARSE_VALUE_ERROR, "indices out of range 0...N");
        return false;
    }
    return true;
}

// Makes the result arrays, with `rows` rows of one element per node. False: the call's error is set.
static bool make_results(SparseCall *call, PathsJob *j, int64_t rows, bool from, bool nearest) {
    int64_t n = j->g.nodes, size;
    if (__builtin_mul_overflow(rows, n, &size) || size > INT64_MAX / 8) {
        call->error = SPARSE_NO_MEMORY;
        return false;
    }
    j->distances = call->host->array(call, DT_FLOAT64, size);
    if (j->distances && from) j->from = call->host->array(call, DT_INT32, size);
    if (j->distances && nearest) j->nearest = call->host->array(call, DT_INT32, size);
    return j->distances && (!from || j->from) && (!nearest || j->nearest);
}

// graph_dijkstra(indptr, indices, weights, indptr, indices, weights, sources, limit, predecessors, together): returns
// the distances from each source to all nodes, a row per source. With `predecessors` it also returns the node before
// each one on its path. With `together` there is one row of distances from the nearest source, and with `predecessors`
// also that source. The second graph is the transpose or None, as for graph_walk.
void op_graph_dijkstra(SparseCall *call) {
    PathsJob j = {.call = call, .limit = call->args[7].number, .together = call->args[9].whole != 0};
    if (!graph_from(call, 0, true, -1, &j.g) || !graph_from(call, 3, true, j.g.nodes, &j.t) ||
        !take_sources(call, &call->args[6], 0, &j))
        return;
    if (j.t.nodes && j.t.nodes != j.g.nodes) {
        SPARSE_FAIL(call, SPARSE_VALUE_ERROR, "a graph and its transpose have the same nodes");
        return;
    }
    int64_t rows = j.together ? 1 : j.count;
    if (rows > INT32_MAX) {
        call->error = SPARSE_NO_MEMORY;
        return;
    }
    bool from = call->args[8].whole != 0;
    int workers = rows > 1 ? call->threads : 1;
    j.work = call->host->scratch(call, (size_t)workers * 2 * (size_t)j.g.nodes * sizeof *j.work);
    if (!j.work || !make_results(call, &j, rows, from, from && j.together)) return;
    if (rows > 1) call->host->share(call, dijkstra_part, &j, (int)rows);
    else if (rows == 1) dijkstra_part(&j, 0, 0);
}

// --- Bellman and Ford ------------------------------------------------------------------------------

// Relaxes all edges once, in both directions if `both`. Returns whether a distance decreased; *where is a node whose
// distance did.
static bool shorten(const Graph *g, bool both, double *distance, int32_t *from, int32_t *where) {
    bool any = false;
    for (int32_t i = 0; i < g->nodes; i++)
        for (int32_t k = g->indptr[i]; k < g->indptr[i + 1]; k++) {
            int32_t next = g->indices[k];
            double w = g->weights[k];
            for (int way = 0; way < 1 + both; way++) {
                int32_t a = way ? next : i, b = way ? i : next;
                if (!(distance[a] + w < distance[b])) continue;
                distance[b] = distance[a] + w;
                if (from) from[b] = a;
                *where = b;
                any = true;
            }
        }
    return any;
}

static void bellman_part(void *argument, int part, int worker) {
    PathsJob *j = argument;
    size_t n = (size_t)j->g.nodes;
    double *distance = j->distances + (size_t)part * n;
    int32_t *from = j->from ? j->from + (size_t)part * n : NULL, source = j->sources[part], where = -1;
    (void)worker;
    for (size_t i = 0; i < n; i++) {
        distance[i] = source < 0 ? 0 : INFINITY;
        if (from) from[i] = GRAPH_NONE;
    }
    if (source >= 0) distance[source] = 0;
    bool any = true;
    for (int32_t round = 0; any && round <= j->g.nodes; round++) {
        any = shorten(&j->g, j->together, distance, from, &where);
        if (j->call->host->stopped(j->call)) return;
    }
    j->negative[part] = any ? where : -1; // a path without cycles has fewer edges than there were rounds
}

// graph_bellman_ford(indptr, indices, weights, sources, predecessors, both_ways): returns the same as graph_dijkstra,
// for weights of any sign. A further array has for each source a node on, or reached from, a negative cycle, or -1.
// Source -1 is an extra node with edges of length 0 to all nodes.
void op_graph_bellman_ford(SparseCall *call) {
    PathsJob j = {.call = call, .together = call->args[5].whole != 0};
    if (!graph_from(call, 0, true, -1, &j.g) || !take_sources(call, &call->args[3], -1, &j)) return;
    if (j.count > INT32_MAX || !make_results(call, &j, j.count, call->args[4].whole != 0, false)) return;
    j.negative = call->host->array(call, DT_INT32, j.count);
    if (j.negative && j.count > 0) call->host->share(call, bellman_part, &j, (int)j.count);
}

// --- Floyd and Warshall ----------------------------------------------------------------------------

typedef struct FloydJob {
    double *distances;
    int32_t *from; // or NULL
    int64_t n, k;
    int parts;
} FloydJob;

static void floyd_part(void *argument, int part, int worker) {
    const FloydJob *j = argument;
    const double *by = j->distances + j->k * j->n;
    (void)worker;
    for (int64_t i = part_begin(j->n, part, j->parts); i < part_begin(j->n, part + 1, j->parts); i++) {
        double *row = j->distances + i * j->n, to = row[j->k];
        if (i == j->k || isinf(to)) continue; // all parts read row k; it only changes if there is a negative cycle
        if (!j->from) {
            for (int64_t c = 0; c < j->n; c++) row[c] = to + by[c] < row[c] ? to + by[c] : row[c];
            continue;
        }
        int32_t *from = j->from + i * j->n;
        const int32_t *from_by = j->from + j->k * j->n;
        for (int64_t c = 0; c < j->n; c++) {
            double d = to + by[c];
            if (!(d < row[c])) continue;
            row[c] = d;
            from[c] = from_by[c];
        }
    }
}

// graph_floyd(distances, predecessors, nodes): turns the lengths of edges into the distances between all nodes, in
// place. `predecessors` is updated likewise, or None. Returns a node on a negative cycle, or -1.
void op_graph_floyd(SparseCall *call) {
    const SparseArg *distances = &call->args[0], *from = &call->args[1];
    int64_t n = call->args[2].whole, size;
    if (n < 0 || __builtin_mul_overflow(n, n, &size) || distances->type != DT_FLOAT64 || distances->count != size ||
        (from->kind != SPARSE_NONE && (from->type != DT_INT32 || from->count != size))) {
        SPARSE_FAIL(call, SPARSE_VALUE_ERROR, "distances between all nodes are expected");
        return;
    }
    FloydJob j = {.distances = distances->data, .from = from->data, .n = n, .parts = parts_of(call, size, n)};
    for (j.k = 0; j.k < n; j.k++) {
        call->host->share(call, floyd_part, &j, j.parts);
        if (call->host->stopped(call)) return;
    }
    int64_t negative = -1;
    for (int64_t i = 0; i < n && negative < 0; i++)
        if (j.distances[i * n + i] < 0) negative = i;
    call->host->whole(call, negative);
}
