// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Operations on graphs: the edges of node i lead to indices[indptr[i]] … indices[indptr[i + 1] - 1]. Indices are int32.

#ifndef NACRE_STDLIB_SPARSE_GRAPH_H
#define NACRE_STDLIB_SPARSE_GRAPH_H

#include "stdlib/sparse/ops.h"

#define SPARSE_GRAPH_ROWS                               \
    {"graph_walk", 6, 0, op_graph_walk},                \
    {"graph_components", 4, 0, op_graph_components},    \
    {"graph_dijkstra", 10, 0, op_graph_dijkstra},       \
    {"graph_bellman_ford", 6, 0, op_graph_bellman_ford},\
    {"graph_floyd", 3, 0x03, op_graph_floyd},           \
    {"graph_forest", 3, 0, op_graph_forest},            \
    {"graph_cuthill", 2, 0, op_graph_cuthill},          \
    {"graph_matching", 3, 0, op_graph_matching},        \
    {"graph_assignment", 4, 0, op_graph_assignment},    \
    {"graph_flow", 7, 0, op_graph_flow},
void op_graph_walk(SparseCall *call);
void op_graph_components(SparseCall *call);
void op_graph_dijkstra(SparseCall *call);
void op_graph_bellman_ford(SparseCall *call);
void op_graph_floyd(SparseCall *call);
void op_graph_forest(SparseCall *call);
void op_graph_cuthill(SparseCall *call);
void op_graph_matching(SparseCall *call);
void op_graph_assignment(SparseCall *call);
void op_graph_flow(SparseCall *call);

enum { GRAPH_NONE = -9999 }; // stands for "no node" in results, as in SciPy
enum { GRAPH_ASK = 1 << 14 }; // steps of a loop between two checks for an interrupt

typedef struct Graph {
    int32_t nodes; // 0: no graph
    const int32_t *indptr, *indices;
    const double *weights; // or NULL
} Graph;

// Reads a graph from the arguments: indptr at `first`, then indices and, if `weighted`, weights. Edges have to lead to
// nodes below `targets` (negative: the graph's own nodes). An indptr of None means no graph (nodes = 0). False: the
// call's error is set.
bool graph_from(SparseCall *call, int first, bool weighted, int64_t targets, Graph *out);

// A heap of nodes with the nearest one first. place[node] is its position in the heap, HEAP_NEW or HEAP_DONE.
enum { HEAP_NEW = -1, HEAP_DONE = -2 };
typedef struct Heap {
    int32_t *nodes, *place;
    int32_t count;
    const double *distance;
} Heap;
void heap_put(Heap *heap, int32_t node); // inserts a node, or moves it up after its distance has become less
int32_t heap_take(Heap *heap);           // removes and returns the nearest node; its place becomes HEAP_DONE

#endif
