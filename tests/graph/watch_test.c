// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What a host that watches is told: plans after each pass, why nodes are not fused, kernels with their
// figures.

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "nacre/nacre.h"

enum { KEPT = 64 };

// What was seen of the first plan that has several nodes, after its last pass; and of all kernels.
typedef struct Seen {
    NacreVm *vm;
    char passes[256];
    int plans, runs, reused, kernels, misuse;
    int node_count;
    NacreNode nodes[KEPT];
    char names[KEPT][32], files[KEPT][32];
    uint64_t kept; // number of that plan + 1
    NacreKernel last;
    double operations;
    int64_t bytes_read, bytes_written;
} Seen;

static int failures;

#define CHECK(condition) \
    ((condition) ? (void)0 : (void)(printf("%s:%d: %s\n", __FILE__, __LINE__, #condition), failures++))

static void on_pass(void *ctx, const NacrePlan *plan) {
    Seen *seen = ctx;
    if (!plan->pass) seen->plans++;
    if (!seen->kept && plan->node_count > 1) seen->kept = plan->number + 1;
    if (seen->kept != plan->number + 1) return;
    strcat(seen->passes, plan->pass ? plan->pass : "-");
    strcat(seen->passes, " ");
    seen->node_count = plan->node_count;
    for (int i = 0; i < plan->node_count && i < KEPT; i++) {
        seen->nodes[i] = (NacreNode){.struct_size = sizeof(NacreNode)};
        CHECK(nacre_plan_node(seen->vm, i, &seen->nodes[i]) == NACRE_OK);
        snprintf(seen->files[i], sizeof seen->files[i], "%s", seen->nodes[i].file);
    }
    NacreNode none = {.struct_size = sizeof none};
    CHECK(nacre_plan_node(seen->vm, plan->node_count, &none) == NACRE_MISUSE);
    CHECK(nacre_plan_node(seen->vm, -1, &none) == NACRE_MISUSE);
    for (int i = 0; i < plan->storage_count && i < KEPT; i++) {
        NacreStorage storage = {.struct_size = sizeof storage};
        CHECK(nacre_plan_storage(seen->vm, i, &storage) == NACRE_OK);
        snprintf(seen->names[i], sizeof seen->names[i], "%s", storage.name ? storage.name : "");
    }
}

static void on_run(void *ctx, const NacrePlan *plan) {
    Seen *seen = ctx;
    seen->runs++;
    seen->reused += plan->use == NACRE_PLAN_REUSED;
}

static void on_kernel(void *ctx, const NacreKernel *kernel) {
    Seen *seen = ctx;
    seen->kernels++;
    seen->last = *kernel;
    seen->operations += kernel->operations;
    seen->bytes_read += kernel->bytes_read;
    seen->bytes_written += kernel->bytes_written;
    NacreNode node = {.struct_size = sizeof node};
    for (int i = 0; i < kernel->node_count; i++)
        if (kernel->nodes[i] >= 0) CHECK(nacre_plan_node(seen->vm, kernel->nodes[i], &node) == NACRE_OK);
    CHECK(nacre_watch(seen->vm, NULL) == NACRE_MISUSE);
}

static void watch(Seen *seen, const char *text) {
    *seen = (Seen){.vm = nacre_new(NULL)};
    NacreWatch watch = {.struct_size = sizeof watch, .ctx = seen, .pass = on_pass, .run = on_run,
                        .kernel = on_kernel};
    char before[] = "import numpy as np\nn = 2000\na = np.ones(n)\nb = np.ones(n)\na[0], b[0]\n";
    CHECK(nacre_run(seen->vm, before, strlen(before), "before", NACRE_FILE) == NACRE_OK);
    CHECK(nacre_watch(seen->vm, &watch) == NACRE_OK);
    CHECK(nacre_run(seen->vm, text, strlen(text), "script", NACRE_FILE) == NACRE_OK);
    CHECK(nacre_watch(seen->vm, NULL) == NACRE_OK);
    int plans = seen->plans, runs = seen->runs, kernels = seen->kernels;
    CHECK(nacre_run(seen->vm, text, strlen(text), "script", NACRE_FILE) == NACRE_OK);
    CHECK(plans == seen->plans && runs == seen->runs && kernels == seen->kernels);
}

static void check_a_chain(void) {
    Seen seen;
    watch(&seen, "c = a * 2 + b\nd = c - 1\nx = d[3]\n");
    CHECK(strcmp(seen.passes, "- dead_code library fusion stores ") == 0);
    CHECK(seen.node_count == 3 && seen.kernels == 1 && seen.plans == 1 && seen.runs == 1);
    CHECK(strcmp(seen.nodes[0].operation, "multiply") == 0 && seen.nodes[0].fate == NACRE_INSIDE);
    CHECK(seen.nodes[1].fate == NACRE_STORED && seen.nodes[2].fate == NACRE_STORED);
    CHECK(strcmp(seen.files[1], "script") == 0 && seen.nodes[1].line == 1 && seen.nodes[2].line == 2);
    CHECK(seen.nodes[0].operands[1].is_scalar && seen.nodes[0].operands[0].view.ndim == 1);
    CHECK(strcmp(seen.names[seen.nodes[0].operands[0].view.storage], "a") == 0);
    CHECK(strcmp(seen.names[seen.nodes[2].result.storage], "d") == 0);
    CHECK(seen.last.node_count == 3 && seen.last.read_count == 2 && seen.last.write_count == 2);
    CHECK(seen.bytes_read == 32000 && seen.bytes_written == 32000 && seen.operations == 6000);
    CHECK(seen.last.elements == 2000 && seen.last.seconds >= 0 && !seen.last.library);
    nacre_free(seen.vm);
}

static void check_dropped(void) {
    Seen seen;
    watch(&seen, "c = a + b\nd = np.negative(a)\ndel d\ne = c - a\nprint()\n");
    CHECK(seen.node_count == 3);
    CHECK(seen.nodes[1].fate == NACRE_DROPPED && seen.nodes[1].kernel == -1 && seen.nodes[1].group == -1);
    nacre_free(seen.vm);
}

// The reason for node number `at`, and the node that it names.
static void check_why(const char *text, int at, const char *why, int with) {
    Seen seen;
    watch(&seen, text);
    if (at >= seen.node_count) {
        printf("%s: %d nodes\n", text, seen.node_count);
        failures++;
    } else if (strcmp(seen.nodes[at].why, why) != 0 || seen.nodes[at].why_node != with) {
        printf("%s: node %d: %s, %d\n", text, at, seen.nodes[at].why, seen.nodes[at].why_node);
        failures++;
    }
    nacre_free(seen.vm);
}

static void check_reasons(void) {
    check_why("c = a + b\nd = c[1:] + c[:-1]\nprint()\n", 1, "needs other elements of the result of", 0);
    check_why("c = a + b\nd = c[::-1] + c\nprint()\n", 1, "needs other elements of the result of", 0);
    check_why("c = a + b\na[1:] = b[:-1]\nprint()\n", 1, "overwrites elements in use by", 0);
    check_why("c = a + b\nd = a - c.sum(keepdims=True)\nprint()\n", 2, "needs the whole result of", 1);
    check_why("c = a + b\nd = c.reshape(10, 200) * 2\nprint()\n", 1, "has another shape than", 0);
    check_why("c = (a + b).sum(keepdims=True)\nd = (a + b).max(keepdims=True)\nprint()\n", 3, "", -1);
    check_why("m = a.reshape(10, 200) + 1\nc = m.sum(axis=0)\nd = m.max(axis=1)\nprint()\n", 2,
              "reduces in another way than", 1);
    check_why("c = a + b\nd = np.ones(3000) + 1\nprint()\n", 1, "shares no data with what was written before", -1);
    check_why("c = a + b\nd = np.cumsum(c)\ne = d * 2\nprint()\n", 1, "is done by a library routine", -1);
    check_why("c = a + b\nd = c * 2\nprint()\n", 1, "", -1);
}

static void check_reuse(void) {
    Seen seen;
    watch(&seen, "for i in range(5, 10):\n    c = a + i\n    d = c * 2\n    x = d[0]\n");
    CHECK(seen.plans == 1 && seen.runs == 5 && seen.reused == 4 && seen.kernels == 5);
    nacre_free(seen.vm);
}

// What a line calls in a module of the library is that line's.
static void check_library_lines(void) {
    Seen seen;
    watch(&seen, "c = a + b\nd = np.vander(b, 3)\nprint()\n");
    for (int i = 0; i < seen.node_count; i++)
        CHECK(strcmp(seen.files[i], "script") == 0 && seen.nodes[i].line <= 2);
    nacre_free(seen.vm);
}

static void check_misuse(void) {
    NacreVm *vm = nacre_new(NULL);
    NacreWatch watch = {.struct_size = 3};
    NacreNode node = {.struct_size = sizeof node};
    NacreStorage storage = {.struct_size = sizeof storage};
    const char *name, *doc;
    CHECK(nacre_watch(vm, &watch) == NACRE_MISUSE && nacre_watch(NULL, NULL) == NACRE_MISUSE);
    CHECK(nacre_plan_node(vm, 0, &node) == NACRE_MISUSE);
    CHECK(nacre_plan_storage(vm, 0, &storage) == NACRE_MISUSE);
    CHECK(nacre_pass(0, &name, &doc) && strcmp(name, "dead_code") == 0 && *doc);
    CHECK(!nacre_pass(-1, &name, &doc) && !nacre_pass(1000, &name, &doc) && !name);
    nacre_free(vm);
}

int main(void) {
    check_a_chain();
    check_dropped();
    check_reasons();
    check_reuse();
    check_library_lines();
    check_misuse();
    if (failures) printf("%d failures\n", failures);
    return failures != 0;
}
