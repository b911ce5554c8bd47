// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Out of memory, everywhere: each scenario is run again and again with its first, second, third …
// request for memory failing, once alone and once together with all that follow. Whatever fails,
// the outcome is success or MemoryError, nothing leaks, and the VM goes on working. (The idea is
// that of SQLite's and Lua's test-suites.)
//
//   fault_test [--long] [--offset N] [--only NAME] [--at N [--sticky]] [--points N]
//
// Without --long every scenario gets at most --points failing requests of each sort, evenly spread,
// beginning at an offset that changes with the commit. --at tries a single one.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "heap.h"
#include "nacre_commit.h"
#include "scenarios.h"

#ifndef __has_feature // clang's way of telling about sanitizers
#define __has_feature(name) 0
#endif
#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
enum { DEFAULT_POINTS = 12 };
#elif defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
enum { DEFAULT_POINTS = 40 };
#else
enum { DEFAULT_POINTS = 250 };
#endif
enum { MANY_FAILURES = 20 };

typedef struct Run {
    int whole;       // --long
    uint64_t offset;
    uint64_t points; // per scenario and mode
    uint64_t at;
    int sticky;
    const char *only;
    uint64_t tried, caught, failures;
} Run;

static int discard(void *ctx, int stream, const char *bytes, size_t len) {
    (void)ctx;
    (void)stream;
    (void)bytes;
    (void)len;
    return 0;
}

static int publish(void *ctx, const NacrePublication *publication) {
    (void)ctx;
    return publication->count > 0 ? 0 : -1;
}

static long answer(void *ctx, const char *prompt, size_t len, int hidden, const char **bytes) {
    (void)ctx;
    (void)prompt;
    (void)hidden;
    *bytes = "an answer\n";
    return len > 0 ? 10 : -1;
}

static NacreVm *make_vm(Heap *heap, const Scenario *scenario) {
    NacreOptions options = {.struct_size = sizeof options};
    options.alloc = heap_alloc;
    options.alloc_ctx = heap;
    options.unpooled = 1;
    options.threads = 1;
    options.backend = scenario->backend;
    options.tier = scenario->tier;
    options.write = discard;
    if (scenario->publishes) {
        options.publish = publish;
        options.ask = answer;
    }
    return nacre_new(&options);
}

// --- One point -----------------------------------------------------------------------------------

static const char *judge_status(const Scenario *scenario, NacreVm *vm, NacreStatus status) {
    if (status == NACRE_OK || (status == NACRE_ERROR && scenario->silent)) return NULL;
    if (status == NACRE_ERROR && strcmp(nacre_error_class(vm), "MemoryError") == 0) return NULL;
    return "neither success nor MemoryError";
}

static const char *judge_vm(const Scenario *scenario, NacreVm *vm) {
    if (nacre_run(vm, "1+1", 3, "<after>", NACRE_EXPRESSION) != NACRE_OK ||
        strcmp(nacre_result_text(vm), "2") != 0)
        return "afterwards 1+1 fails";
    if (scenario->call && scenario->silent) return NULL;
    return scenario_run(scenario, vm) == NACRE_OK ? NULL : "afterwards the same fails";
}

static const char *judge_heap(const Heap *heap) {
    if (heap->wrong_sizes) return "blocks given back with a wrong size";
    return heap->blocks || heap->bytes ? "memory leaked" : NULL;
}

static void complain(Run *run, const Scenario *scenario, const Heap *heap, const NacreVm *vm,
                     const char *what) {
    run->failures++;
    printf("%s: request %llu%s: %s (%zu blocks, %zu bytes out)\n%s", scenario->name,
           (unsigned long long)heap->fail_at, heap->sticky ? " and all after it" : "", what,
           heap->blocks, heap->bytes, vm ? nacre_error_text(vm) : "");
    fflush(stdout);
}

// Runs a scenario with request number `fail_at` failing (0: none); returns how many it made.
static uint64_t try_point(Run *run, const Scenario *scenario, uint64_t fail_at, bool sticky) {
    Heap heap = {0};
    bool starting = !scenario->path && !scenario->call;
    if (starting) heap_arm(&heap, fail_at, sticky);
    NacreVm *vm = make_vm(&heap, scenario);
    if (!starting) heap_arm(&heap, fail_at, sticky);
    NacreStatus status = vm ? scenario_run(scenario, vm) : NACRE_ERROR;
    uint64_t requests = heap.requests, refused = heap.refused;
    heap.fail_at = 0;
    const char *wrong = NULL;
    if (vm) wrong = judge_status(scenario, vm, status);
    else if (!refused) wrong = "no VM, though nothing failed";
    if (vm && !wrong) wrong = judge_vm(scenario, vm);
    heap.fail_at = fail_at;
    if (wrong) complain(run, scenario, &heap, vm, wrong);
    heap.fail_at = 0;
    nacre_free(vm);
    heap.fail_at = fail_at;
    if ((wrong = judge_heap(&heap))) complain(run, scenario, &heap, NULL, wrong);
    run->tried += fail_at != 0;
    run->caught += status != NACRE_OK;
    return requests;
}

// --- All points ----------------------------------------------------------------------------------

static void try_mode(Run *run, const Scenario *scenario, uint64_t requests, bool sticky) {
    uint64_t stride = run->whole ? 1 : (requests + run->points - 1) / run->points;
    if (stride == 0) stride = 1;
    for (uint64_t at = 1 + run->offset % stride; at <= requests; at += stride) {
        if (run->failures > MANY_FAILURES) return;
        try_point(run, scenario, at, sticky);
    }
}

static void try_scenario(Run *run, const Scenario *scenario) {
    clock_t started = clock();
    if (run->at) {
        try_point(run, scenario, run->at, run->sticky);
        return;
    }
    uint64_t before = run->tried, failures = run->failures;
    uint64_t requests = try_point(run, scenario, 0, false);
    if (run->failures == failures) {
        try_mode(run, scenario, requests, false);
        try_mode(run, scenario, requests, true);
    }
    printf("%-28s %7llu requests %7llu points %6.1f s\n", scenario->name,
           (unsigned long long)requests, (unsigned long long)(run->tried - before),
           (double)(clock() - started) / CLOCKS_PER_SEC);
    fflush(stdout);
}

static int read_arguments(Run *run, int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(argv[i], "--long") == 0) run->whole = 1;
        else if (strcmp(argv[i], "--sticky") == 0) run->sticky = 1;
        else if (!value) return 0;
        else if (strcmp(argv[i], "--offset") == 0) run->offset = strtoull(argv[++i], NULL, 0);
        else if (strcmp(argv[i], "--points") == 0) run->points = strtoull(argv[++i], NULL, 0);
        else if (strcmp(argv[i], "--at") == 0) run->at = strtoull(argv[++i], NULL, 0);
        else if (strcmp(argv[i], "--only") == 0) run->only = argv[++i];
        else return 0;
    }
    return run->points > 0;
}

// The folder of this file, where scripts/ is.
static void find_scripts(char *path, size_t size) {
    snprintf(path, size, "%s", __FILE__);
    char *slash = strrchr(path, '/');
    size_t used = slash ? (size_t)(slash - path) + 1 : 0;
    snprintf(path + used, size - used, "scripts");
}

int main(int argc, char **argv) {
    char commit[8] = {0}, folder[4096];
    memcpy(commit, NACRE_COMMIT, sizeof commit - 1);
    Run run = {.points = DEFAULT_POINTS, .offset = strtoull(commit, NULL, 16)};
    if (!read_arguments(&run, argc, argv)) {
        fprintf(stderr, "usage: fault_test [--long] [--offset N] [--only NAME] [--points N] "
                        "[--at N [--sticky]]\n");
        return 2;
    }
    find_scripts(folder, sizeof folder);
    Scenarios all = scenarios_load(folder);
    if (!all.count) {
        printf("no scripts in %s\n", folder);
        return 1;
    }
    for (size_t i = 0; i < all.count; i++)
        if (!run.only || strstr(all.items[i].name, run.only)) try_scenario(&run, &all.items[i]);
    scenarios_free(&all);
    printf("%llu points tried (offset %llu), %llu ended in MemoryError, %llu failures\n",
           (unsigned long long)run.tried, (unsigned long long)run.offset,
           (unsigned long long)run.caught, (unsigned long long)run.failures);
    return run.failures || !run.tried;
}
