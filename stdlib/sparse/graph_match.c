// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Matchings between rows and columns: with as many pairs as possible (Hopcroft and Karp), or of all rows at the least
// cost (shortest augmenting paths, after Jonker and Volgenant). Also the reverse Cuthill–McKee ordering.

#include <math.h>
#include <stdlib.h>

#include "stdlib/sparse/graph.h"

// --- Maximum matching ------------------------------------------------------------------------------

typedef struct Matching {
    const SparseCall *call;
    Graph g;                     // edges from rows to columns
    int32_t *of_row, *of_column; // the partner of each row and column; -1: none
    int32_t *level, *queue, *edge, *path;
} Matching;

// Sets the level of each row: its distance along alternating paths from the rows without a column. False: no path ends
// at a free column.
static bool find_levels(Matching *m) {
    int32_t count = 0;
    bool any = false;
    for (int32_t i = 0; i < m->g.nodes; i++) {
        m->level[i] = m->of_row[i] < 0 ? 0 : -1;
        if (m->of_row[i] < 0) m->queue[count++] = i;
    }
    for (int32_t at = 0; at < count; at++) {
        int32_t row = m->queue[at];
        for (int32_t k = m->g.indptr[row]; k < m->g.indptr[row + 1]; k++) {
            int32_t next = m->of_column[m->g.indices[k]];
            if (next < 0) any = true;
            else if (m->level[next] < 0) {
                m->level[next] = m->level[row] + 1;
                m->queue[count++] = next;
            }
        }
    }
    return any;
}

// Finds a path from row `start` to a free column on which levels increase by one, and swaps the pairs along it. Does
// nothing if there is none.
static void augment(Matching *m, int32_t start) {
    int32_t depth = 0;
    m->path[0] = start;
    while (depth >= 0) {
        int32_t row = m->path[depth];
        if (m->edge[row] == m->g.indptr[row + 1]) {
            m->level[row] = -1; // no free column can be reached from here
            depth--;
            continue;
        }
        int32_t next = m->of_column[m->g.indices[m->edge[row]++]];
        if (next < 0) break;
        if (m->level[next] == m->level[row] + 1) m->path[++depth] = next;
    }
    for (; depth >= 0; depth--) {
        int32_t row = m->path[depth], column = m->g.indices[m->edge[row] - 1];
        m->of_row[row] = column;
        m->of_column[column] = row;
    }
}

// graph_matching(indptr, indices, columns): returns the column of each row, or -1.
void op_graph_matching(SparseCall *call) {
    const SparseHost *host = call->host;
    int64_t columns = call->args[2].whole;
    Matching m = {.call = call};
    if (columns < 0 || columns > INT32_MAX) {
        SPARSE_FAIL(call, SPARSE_VALUE_ERROR, "columns of a graph are numbered by int32");
        return;
    }
    if (!graph_from(call, 0, false, columns, &m.g)) return;
    size_t n = (size_t)m.g.nodes;
    m.of_column = host->scratch(call, (size_t)columns * sizeof(int32_t));
    m.level = m.of_column ? host->scratch(call, 4 * n * sizeof(int32_t)) : NULL;
    m.of_row = m.level ? host->array(call, DT_INT32, m.g.nodes) : NULL;
    if (!m.of_row) return;
    m.queue = m.level + n;
    m.edge = m.queue + n;
    m.path = m.edge + n;
    for (size_t i = 0; i < n; i++) m.of_row[i] = -1;
    for (int64_t i = 0; i < columns; i++) m.of_column[i] = -1;
    while (find_levels(&m)) {
        for (size_t i = 0; i < n; i++) m.edge[i] = m.g.indptr[i];
        for (int32_t i = 0; i < m.g.nodes; i++)
            if (m.of_row[i] < 0) augment(&m, i);
        if (host->stopped(call)) return;
    }
}

// --- Minimum-cost matching of all rows -------------------------------------------------------------

typedef struct Assignment {
    Graph g;
    int32_t *of_row, *of_column;
    double *price;    // dual variables of columns
    double *distance; // by column: its distance from the row being assigned, at reduced costs
    int32_t *from;    // by column: the row before it on the path
    Heap heap;        // of columns
    int32_t *reached; // columns that have a distance
    int32_t count;
} Assignment;

static void look_at(Assignment *a, int32_t row, double before, double own) {
    for (int32_t k = a->g.indptr[row]; k < a->g.indptr[row + 1]; k++) {
        int32_t column = a->g.indices[k];
        if (a->heap.place[column] == HEAP_DONE) continue;
        double d = before + (a->g.weights[k] - a->price[column] - own);
        if (!(d < a->distance[column])) continue;
        if (isinf(a->distance[column])) a->reached[a->count++] = column;
        a->distance[column] = d;
        a->from[column] = row;
        heap_put(&a->heap, column);
    }
}

static double cost_of(const Assignment *a, int32_t row, int32_t column) {
    double least = INFINITY; // among parallel edges
    for (int32_t k = a->g.indptr[row]; k < a->g.indptr[row + 1]; k++)
        if (a->g.indices[k] == column && a->g.weights[k] < least) least = a->g.weights[k];
    return least;
}

// Finds a column for one more row by a shortest augmenting path. False: there is none.
static bool assign(Assignment *a, int32_t row) {
    int32_t found = -1;
    double least = 0;
    a->count = a->heap.count = 0;
    look_at(a, row, 0, 0);
    while (a->heap.count > 0 && found < 0) {
        int32_t column = heap_take(&a->heap), owner = a->of_column[column];
        least = a->distance[column];
        if (owner < 0) found = column;
        else look_at(a, owner, least, cost_of(a, owner, column) - a->price[column]);
    }
    for (int32_t i = 0; i < a->count; i++) {
        int32_t column = a->reached[i];
        if (found >= 0 && a->heap.place[column] == HEAP_DONE) a->price[column] += a->distance[column] - least;
        a->heap.place[column] = HEAP_NEW;
        a->distance[column] = INFINITY;
    }
    for (int32_t column = found; column >= 0;) {
        int32_t owner = a->from[column], next = a->of_row[owner];
        a->of_column[column] = owner;
        a->of_row[owner] = column;
        column = owner == row ? -1 : next;
    }
    return found >= 0;
}

// graph_assignment(indptr, indices, weights, columns): returns the column of each row for the least sum of weights.
void op_graph_assignment(SparseCall *call) {
    const SparseHost *host = call->host;
    int64_t columns = call->args[3].whole;
    Assignment a = {.count = 0};
    if (columns < 0 || columns > INT32_MAX) {
        SPARSE_FAIL(call, SPARSE_VALUE_ERROR, "columns of a graph are numbered by int32");
        return;
    }
    if (!graph_from(call, 0, true, columns, &a.g)) return;
    size_t n = (size_t)columns;
    int32_t *work = host->scratch(call, 5 * n * sizeof *work);
    double *numbers = work ? host->scratch(call, 2 * n * sizeof *numbers) : NULL;
    a.of_row = numbers ? host->array(call, DT_INT32, a.g.nodes) : NULL;
    if (!a.of_row) return;
    a.of_column = work;
    a.from = work + n;
    a.reached = work + 2 * n;
    a.price = numbers;
    a.distance = numbers + n;
    a.heap = (Heap){work + 3 * n, work + 4 * n, 0, a.distance};
    for (size_t i = 0; i < n; i++) {
        a.of_column[i] = -1;
        a.heap.place[i] = HEAP_NEW;
        a.price[i] = 0;
        a.distance[i] = INFINITY;
    }
    for (int32_t row = 0; row < a.g.nodes; row++) a.of_row[row] = -1;
    for (int32_t row = 0; row < a.g.nodes; row++) {
        if (!assign(&a, row)) {
            SPARSE_FAIL(call, SPARSE_VALUE_ERROR, "no full matching exists");
            return;
        }
        if (host->stopped(call)) return;
    }
}

// --- Reverse Cuthill–McKee -------------------------------------------------------------------------

typedef struct ByDegree {
    int32_t degree, at, node; // at: position before sorting, so that ties keep their order
} ByDegree;

static int compare_degrees(const void *a, const void *b) {
    const ByDegree *x = a, *y = b;
    if (x->degree != y->degree) return x->degree < y->degree ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

// Returns the degree of a node. A self-loop counts twice.
static int32_t degree_of(const Graph *g, int32_t node) {
    int32_t degree = g->indptr[node + 1] - g->indptr[node];
    for (int32_t k = g->indptr[node]; k < g->indptr[node + 1]; k++)
        if (g->indices[k] == node) return degree + 1;
    return degree;
}

// graph_cuthill(indptr, indices): returns the reverse Cuthill–McKee order of the nodes: breadth first from a node of
// least degree in each component, neighbours by increasing degree, then reversed.
void op_graph_cuthill(SparseCall *call) {
    Graph g;
    if (!graph_from(call, 0, false, -1, &g)) return;
    int32_t n = g.nodes, count = 0;
    ByDegree *starts = call->host->scratch(call, (size_t)n * sizeof *starts);
    ByDegree *next = starts ? call->host->scratch(call, (size_t)n * sizeof *next) : NULL;
    int32_t *degree = next ? call->host->scratch(call, (size_t)n * sizeof *degree) : NULL;
    bool *met = degree ? call->host->scratch(call, (size_t)n) : NULL;
    int32_t *order = met ? call->host->array(call, DT_INT32, n) : NULL;
    if (!order) return;
    memset(met, 0, (size_t)n);
    for (int32_t i = 0; i < n; i++) {
        degree[i] = degree_of(&g, i);
        starts[i] = (ByDegree){degree[i], i, i};
    }
    qsort(starts, (size_t)n, sizeof *starts, compare_degrees);
    for (int32_t s = 0, at = 0; s < n; s++) {
        if (met[starts[s].node]) continue;
        met[starts[s].node] = true;
        order[n - 1 - count++] = starts[s].node;
        for (; at < count; at++) {
            int32_t node = order[n - 1 - at], found = 0;
            for (int32_t k = g.indptr[node]; k < g.indptr[node + 1]; k++) {
                int32_t other = g.indices[k];
                if (met[other]) continue;
                met[other] = true;
                next[found] = (ByDegree){degree[other], found, other};
                found++;
            }
            qsort(next, (size_t)found, sizeof *next, compare_degrees);
            for (int32_t i = 0; i < found; i++) order[n - 1 - count++] = next[i].node;
            if (at % GRAPH_ASK == 0 && call->host->stopped(call)) return;
        }
    }
}
