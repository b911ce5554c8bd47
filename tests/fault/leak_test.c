// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The scripts of the other tests once more, over an allocator that hands out every block on its own,
// filled with rubbish, and fills it with other rubbish when it comes back: after each script every
// block must be back, with the size it was asked for. A reference that is not released shows as a
// leak, one released too often as a broken object. What the scripts print is judged elsewhere.
//
//   leak_test [--only PART_OF_A_PATH]

#define _GNU_SOURCE // nftw
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "heap.h"
#include "scenarios.h"

static const char *const folders[] = {"array",  "array_errors", "errors", "files",  "functions", "lang",
                                      "linalg", "random",       "sorting", "stdlib", "value"};
enum { FOLDERS = sizeof folders / sizeof *folders };
static const size_t memory_limit = (size_t)1 << 30;

static int discard(void *ctx, int stream, const char *bytes, size_t len) {
    (void)ctx;
    (void)stream;
    (void)bytes;
    (void)len;
    return 0;
}

static NacreVm *make_vm(Heap *heap) {
    NacreOptions options = {.struct_size = sizeof options};
    options.alloc = heap_alloc;
    options.alloc_ctx = heap;
    options.memory_limit = memory_limit;
    options.unpooled = 1;
    options.threads = 1;
    options.write = discard;
    return nacre_new(&options);
}

// The status says only whether the script could be started at all: many are meant to fail.
static int run_script(const Scenario *scenario) {
    Heap heap = {0};
    NacreVm *vm = make_vm(&heap);
    if (!vm) return 0;
    const char *argv[] = {scenario->path};
    NacreStatus status = nacre_set_argv(vm, 1, argv);
    if (status == NACRE_OK) status = scenario_run(scenario, vm);
    nacre_free(vm);
    if (status != NACRE_MISUSE && !heap.blocks && !heap.bytes && !heap.wrong_sizes) return 1;
    printf("%s: status %d, %zu blocks, %zu bytes not given back, %u of a wrong size\n",
           scenario->path, (int)status, heap.blocks, heap.bytes, heap.wrong_sizes);
    fflush(stdout);
    return 0;
}

static int run_folder(const char *root, const char *folder, const char *only, int *tried) {
    char path[4200];
    snprintf(path, sizeof path, "%s/%s", root, folder);
    Scenarios all = scenarios_load(path);
    int failures = all.count == 0;
    for (size_t i = 0; i < all.count; i++) {
        const Scenario *scenario = &all.items[i];
        if (!scenario->path || (only && !strstr(scenario->path, only))) continue;
        failures += !run_script(scenario);
        ++*tried;
    }
    scenarios_free(&all);
    return failures;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *place) {
    (void)info;
    (void)kind;
    (void)place;
    return remove(path);
}

int main(int argc, char **argv) {
    const char *only = argc == 3 && strcmp(argv[1], "--only") == 0 ? argv[2] : NULL;
    char root[4096], here[] = "/tmp/nacre-leak-XXXXXX";
    snprintf(root, sizeof root, "%s", __FILE__);
    *strstr(root, "/fault/leak_test.c") = 0;
    if (!mkdtemp(here) || chdir(here)) return 1;

    int failures = 0, tried = 0;
    for (int i = 0; i < FOLDERS; i++) failures += run_folder(root, folders[i], only, &tried);
    if (chdir("/") || nftw(here, remove_one, 8, FTW_DEPTH | FTW_PHYS)) printf("left: %s\n", here);
    printf("%d scripts, %d failures\n", tried, failures);
    return failures || !tried;
}
