// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What an observation runs and what it leaves: scripts stop at input(), where the figures of the VM
// are read.

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "nacre/nacre.h"

enum { STOPS = 8 };

typedef struct Run {
    NacreVm *vm;
    int stops;
    unsigned long long pending[STOPS]; // nodes, at each input()
} Run;

static int failures;

static NacreStats stats_of(const NacreVm *vm) {
    NacreStats stats = {.struct_size = sizeof stats};
    nacre_stats(vm, &stats);
    return stats;
}

static long on_read(void *ctx, const char **line) {
    Run *run = ctx;
    if (run->stops < STOPS) run->pending[run->stops++] = stats_of(run->vm).nodes_pending;
    *line = "\n";
    return 1;
}

static void check(const char *name, const char *text, int stops, const int *pending) {
    Run run = {0};
    NacreOptions options = {.struct_size = sizeof options};
    options.read_line = on_read;
    options.ctx = &run;
    options.depth = 128; // small operations are put off too
    run.vm = nacre_new(&options);
    NacreStatus status = nacre_run(run.vm, text, strlen(text), "<test>", NACRE_FILE);
    bool right = status == NACRE_OK && run.stops == stops;
    for (int i = 0; right && i < stops; i++) right = run.pending[i] == (unsigned)pending[i];
    NacreStats stats = stats_of(run.vm);
    right = right && stats.nodes_pending == 0 &&
            stats.nodes_recorded == stats.nodes_executed + stats.nodes_eliminated;
    if (!right) {
        printf("%s: status %d %s, %d stops, pending", name, (int)status, nacre_error_text(run.vm), run.stops);
        for (int i = 0; i < run.stops; i++) printf(" %llu", run.pending[i]);
        printf(", %llu recorded\n", (unsigned long long)stats.nodes_recorded);
        failures++;
    }
    nacre_free(run.vm);
}

#define CHECK_PENDING(name, text, ...) \
    check(name, "import numpy as np\na = np.array([1.0, 2.0, 3.0])\nb = np.array([4.0, 5.0, 6.0])\n" text, \
          sizeof((int[]){__VA_ARGS__}) / sizeof(int), (int[]){__VA_ARGS__})

int main(void) {
    CHECK_PENDING("nothing runs before it is wanted", "c = a + b\nd = c * 2\ninput()\n", 2);
    CHECK_PENDING("one element", "c = a + b\nd = a * 2\ninput()\nc[0]\ninput()\n", 2, 1);
    CHECK_PENDING("a sum runs its ancestors only",
                  "c = a + b\nd = a * 2\ne = d - 1\ns = (c * c).sum()\ninput()\n", 2);
    CHECK_PENDING("what an input's change would spoil",
                  "c = a + 1\nd = b + 1\ninput()\na[0] = 7.0\ninput()\n", 2, 1);
    CHECK_PENDING("the value before a pending write",
                  "c = a + 1\na += 5\nd = b * 2\nc[0]\ninput()\na[0]\ninput()\n", 2, 1);
    CHECK_PENDING("what can fail runs at once", "c = b * 2\nd = a + 1\nm = np.linalg.inv(d * np.eye(3))\ninput()\n",
                  1);
    CHECK_PENDING("a test of convergence runs its ancestors only",
                  "delta = 1.0\nu = a\nwhile delta > 0.2:\n    new = (u + b) / 2\n    aside = new * 3\n"
                  "    delta = abs(new - u).max()\n    u = new\n    input()\n", 1, 2, 3, 4);
    CHECK_PENDING("printing", "c = a + b\nprint('x')\ninput()\n", 0);
    CHECK_PENDING("a clock", "import time\nc = a + b\ntime.perf_counter()\ninput()\n", 0);
    CHECK_PENDING("other rules for float errors", "c = a / b\nwith np.errstate(all='raise'):\n    input()\n", 0);
    CHECK_PENDING("float errors that raise", "with np.errstate(all='raise'):\n    c = a / b\n    input()\n", 0);
    CHECK_PENDING("a loop's back-edge", "for i in range(97):\n    c = a + i\ninput()\n", 1);
    CHECK_PENDING("many of them", "c = a" " + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1\n"
                  "def f(x): return x + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1\n"
                  "c = f(f(f(f(f(f(f(c)))))))\ninput()\n", 0);
    if (failures) printf("%d failures\n", failures);
    return failures > 0;
}
