// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The command `nacre run-graph`: runs a plan from a file that `nacre graph` has written, and prints or saves its
// results.

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "graph_file.h"

typedef struct Results {
    const LoadedGraph *graph;
    char **data; // owned copies, one per storage; NULL: not a result
    bool failed;
} Results;

static int fail(const char *of, const char *what) {
    fprintf(stderr, "nacre run-graph: %s: %s\n", of, what);
    return 2;
}

// --- Inputs ------------------------------------------------------------------------------------

static bool same_form(const Npy *a, const Npy *b) {
    bool same = strcmp(a->dtype, b->dtype) == 0 && a->ndim == b->ndim;
    for (int d = 0; same && d < a->ndim; d++) same = a->shape[d] == b->shape[d];
    return same;
}

// Reads the elements of an input from a file, which must have the input's dtype and shape. Returns 0, or the exit
// status after printing an error.
static int read_input(LoadedGraph *graph, int number, const char *path) {
    GraphArray *array = &graph->arrays[number];
    Text text = {0};
    Npy npy;
    const char *problem = npy_read(path, &text, &npy);
    if (!problem && !same_form(&npy, &array->form))
        problem = "has another dtype or shape than the input";
    if (!problem) {
        free(array->data);
        array->data = malloc(npy.bytes + 1);
        if (!array->data) problem = "out of memory";
        else memcpy(array->data, npy.data, npy.bytes);
        graph->storages[number].data = array->data;
    }
    text_free(&text);
    return problem ? fail(path, problem) : 0;
}

static int read_files(LoadedGraph *graph, const char *path) {
    int status = 0;
    const char *slash = strrchr(path, '/');
    for (int i = 0; status == 0 && i < graph->graph.storage_count; i++) {
        if (!graph->arrays[i].file || graph->storages[i].data) continue;
        Text beside = {0};
        text_add(&beside, path, slash ? (size_t)(slash + 1 - path) : 0);
        text_puts(&beside, graph->arrays[i].file);
        status = beside.failed ? fail(path, "out of memory") : read_input(graph, i, beside.bytes);
        text_free(&beside);
    }
    return status;
}

static int find_array(const LoadedGraph *graph, const char *name, size_t len) {
    for (int i = 0; i < graph->graph.storage_count; i++)
        if (strlen(graph->arrays[i].name) == len && memcmp(graph->arrays[i].name, name, len) == 0)
            return i;
    return -1;
}

// Parses NAME=FILE. Sets *file to what follows '=', or NULL, and returns the array's number; -1: none of that name.
static int find_named(const LoadedGraph *graph, const char *argument, const char **file) {
    const char *equals = strchr(argument, '=');
    *file = equals ? equals + 1 : NULL;
    return equals ? find_array(graph, argument, (size_t)(equals - argument)) : -1;
}

// --- Results -----------------------------------------------------------------------------------

static void on_result(void *ctx, int storage, const void *data, size_t bytes) {
    Results *results = ctx;
    results->data[storage] = malloc(bytes + 1);
    if (results->data[storage]) memcpy(results->data[storage], data, bytes);
    else results->failed = true;
}

// Prints a result by a script, as printing of arrays is only available to scripts.
static int print_result(NacreVm *vm, const GraphArray *array, const Npy *npy) {
    char path[] = "/tmp/nacre_result_XXXXXX";
    Text code = {0};
    int file = mkstemp(path), status = 1;
    if (file < 0) return fail(path, strerror(errno));
    close(file);
    text_printf(&code, "import numpy\n_result = numpy.load('%s')\nprint(", path);
    json_put_string(array->name, &code);
    text_puts(&code, ", _result.dtype, _result.shape)\nprint(_result)\n");
    if (!npy_write(npy, path)) fail(path, strerror(errno));
    else if (!code.failed &&
             nacre_run(vm, code.bytes, code.len, "<results>", NACRE_FILE) == NACRE_OK)
        status = 0;
    else fputs(nacre_error_text(vm), stderr);
    unlink(path);
    text_free(&code);
    return status;
}

static int give_results(NacreVm *vm, const Results *results, int count, char **arguments) {
    const LoadedGraph *graph = results->graph;
    bool saves = false;
    int status = 0;
    for (int i = 0; status == 0 && i < count; i++) {
        const char *file;
        if (strcmp(arguments[i], "-o") != 0) continue;
        int number = find_named(graph, arguments[++i], &file);
        Npy npy = graph->arrays[number].form;
        npy.data = results->data[number];
        saves = true;
        if (!npy_write(&npy, file)) status = fail(file, strerror(errno));
    }
    for (int i = 0; status == 0 && !saves && i < graph->graph.storage_count; i++) {
        Npy npy = graph->arrays[i].form;
        npy.data = results->data[i];
        if (npy.data) status = print_result(vm, &graph->arrays[i], &npy);
    }
    return status;
}

// --- All of it ---------------------------------------------------------------------------------

// Reads the arguments: NAME=FILE.npy for inputs, -o NAME=FILE.npy for results. Returns 0, or the exit status after
// printing an error.
static int read_arguments(LoadedGraph *graph, int count, char **arguments) {
    int status = 0;
    for (int i = 0; status == 0 && i < count; i++) {
        const char *file;
        bool output = strcmp(arguments[i], "-o") == 0;
        if (output && ++i == count) return fail("-o", "NAME=FILE.npy is wanted");
        int number = find_named(graph, arguments[i], &file);
        if (!file) return fail(arguments[i], "NAME=FILE.npy is wanted");
        if (number < 0) return fail(arguments[i], "the graph has no array of that name");
        if (output ? !graph->storages[number].is_seen : !graph->storages[number].is_input)
            return fail(arguments[i], output ? "this is no result" : "this is no input");
        if (!output) status = read_input(graph, number, file);
    }
    return status;
}

static int run_loaded(Cli *cli, const char *path, LoadedGraph *graph, int count, char **arguments) {
    int status = read_arguments(graph, count, arguments);
    if (status == 0) status = read_files(graph, path);
    if (status != 0) return status;
    Results results = {.graph = graph};
    results.data = calloc((size_t)graph->graph.storage_count + 1, sizeof *results.data);
    if (!results.data) return fail(path, "out of memory");
    NacreVm *vm = cli_start(cli, 1, (char *[]){(char *)path});
    if (!vm) {
        free(results.data);
        return cli->start_status;
    }
    NacreStatus ran = nacre_run_graph(vm, &graph->graph, on_result, &results);
    if (ran == NACRE_OK && results.failed) status = fail(path, "out of memory");
    else if (ran == NACRE_OK) status = give_results(vm, &results, count, arguments);
    int code = cli_finish(cli, vm, ran);
    for (int i = 0; i < graph->graph.storage_count; i++) free(results.data[i]);
    free(results.data);
    return code ? code : status;
}

int cli_run_graph(Cli *cli, int count, char **argv) {
    long plan = -1;
    char *end;
    if (count >= 3 && strcmp(argv[1], "--plan") == 0) {
        plan = strtol(argv[2], &end, 10) - 1;
        if (*end || plan < 0) return fail("--plan", "a number is wanted");
        argv += 2;
        count -= 2;
    }
    if (count < 2)
        return fail("usage",
                    "run-graph [--plan N] FILE.json [INPUT=FILE.npy…] [-o RESULT=FILE.npy…]");
    Text text = {0};
    Json tree = {0};
    LoadedGraph graph = {0};
    const char *problem;
    int status, line;
    if (!text_read_file(&text, argv[1])) status = fail(argv[1], strerror(errno));
    else if (!json_read(text_string(&text), text.len, &tree, &problem, &line)) {
        fprintf(stderr, "nacre run-graph: %s:%d: %s\n", argv[1], line, problem);
        status = 2;
    } else if (!graph_load(&tree, plan, &graph))
        status = fail(argv[1], text_string(&graph.problem));
    else status = run_loaded(cli, argv[1], &graph, count - 2, argv + 2);
    loaded_graph_free(&graph);
    json_free(&tree);
    text_free(&text);
    return status;
}
