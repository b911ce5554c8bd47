// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Graphs in files. docs/graph_json.md describes the format.

#ifndef NACRE_HOSTS_CLI_GRAPH_FILE_H
#define NACRE_HOSTS_CLI_GRAPH_FILE_H

#include "json.h"
#include "npy.h"
#include "plans.h"

enum { GRAPH_VERSION = 1, EMBEDDED_BYTES = 4096 };

// graph_save.c. Appends the plans that `drawing` selects. Inputs of more than EMBEDDED_BYTES are written to files
// beside `path` at once. Returns the number of plans, or -1 with errno if a file cannot be written.
int graph_save(const Plans *plans, const Drawing *drawing, const char *path, Text *out);

// Type and shape of a graph's array, and where its elements are.
typedef struct GraphArray {
    const char *name;
    Npy form;       // without data
    char *data;     // owned elements of an input, or NULL
    const char *file; // file of the elements, borrowed from the JSON tree; or NULL
} GraphArray;

// A graph that was read from a file.
typedef struct LoadedGraph {
    NacreGraph graph; // its pointers refer to the fields below
    NacreStorage *storages;
    NacreNode *nodes;
    GraphArray *arrays; // one per storage
    int64_t *numbers;   // shapes and strides
    size_t number_count, number_cap;
    Text problem;       // error message with its place in the file
} LoadedGraph;

// graph_read.c. Loads plan `number` (from 0; negative: the first one) of a JSON tree, which must outlive *out. Returns
// false after setting `problem`. The caller frees *out with loaded_graph_free in both cases.
bool graph_load(const Json *tree, long number, LoadedGraph *out);
void loaded_graph_free(LoadedGraph *graph);

// base64.c
void base64_put(const void *data, size_t bytes, Text *out);
// Decodes exactly `bytes` bytes. Returns false if the text is invalid or has another length.
bool base64_read(const char *text, void *data, size_t bytes);

#endif
