// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Graphs in files; what is in them is in docs/graph_json.md.

#ifndef NACRE_HOSTS_CLI_GRAPH_FILE_H
#define NACRE_HOSTS_CLI_GRAPH_FILE_H

#include "json.h"
#include "npy.h"
#include "plans.h"

enum { GRAPH_VERSION = 1, EMBEDDED_BYTES = 4096 };

// graph_save.c. Adds the plans that the drawing takes. Larger inputs become files beside `path`, each
// as it is come to. The number of plans; -1 with errno where a file cannot be written.
int graph_save(const Plans *plans, const Drawing *drawing, const char *path, Text *out);

// How an array of a graph is read and saved.
typedef struct GraphArray {
    const char *name;
    Npy form;       // without data
    char *data;     // owned, for an input; or NULL
    const char *file; // borrowed from the tree: where the data are; or NULL
} GraphArray;

// A graph from a file.
typedef struct LoadedGraph {
    NacreGraph graph; // points into what follows
    NacreStorage *storages;
    NacreNode *nodes;
    GraphArray *arrays; // one for each storage
    int64_t *numbers;   // shapes and strides
    size_t number_count, number_cap;
    Text problem;       // what is wrong, with its place
} LoadedGraph;

// graph_read.c. Plan `number` (from 0) of a tree, which has to outlive it. False: see problem.
bool graph_load(const Json *tree, long number, LoadedGraph *out);
void loaded_graph_free(LoadedGraph *graph);

// base64.c
void base64_put(const void *data, size_t bytes, Text *out);
// As many bytes as `bytes`, or false.
bool base64_read(const char *text, void *data, size_t bytes);

#endif
