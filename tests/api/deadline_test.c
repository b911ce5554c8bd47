// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The time limit: whatever a script does ends with TimeoutError soon after, and the VM goes on.

#include <string.h>
#include <time.h>

#include "harness.h"

#define LIMIT 0.3

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static NacreVm *start(Host *host, const char *tier) {
    memset(host, 0, sizeof *host);
    NacreOptions options = host_options(host);
    options.time_limit = LIMIT;
    options.tier = tier;
    options.threads = 2;
    host->vm = nacre_new(&options);
    CHECK(host->vm);
    return host->vm;
}

// Room for machines that do something else meanwhile; what is typical is printed.
static void check_stops(NacreVm *vm, const char *text, double most) {
    double begin = now();
    NacreStatus status = run(vm, text);
    double over = now() - begin - LIMIT;
    bool good = status == NACRE_ERROR && strcmp(nacre_error_class(vm), "TimeoutError") == 0 && over < most;
    printf("%6.1f ms over:\n%s", 1e3 * over, text);
    if (good) return;
    printf("status %d, %s, %s\n", (int)status, nacre_error_class(vm), text);
    failures++;
}

// The VM goes on. On a machine that is busy with others even this may take too long, but not each time.
static bool works(NacreVm *vm, const char *expression, const char *expect) {
    for (int i = 0; i < 10; i++) {
        NacreStatus status = nacre_run(vm, expression, strlen(expression), "<test>", NACRE_EXPRESSION);
        if (status == NACRE_OK) return strcmp(nacre_result_text(vm), expect) == 0;
        if (strcmp(nacre_error_class(vm), "TimeoutError") != 0) return false;
    }
    return false;
}

static void test_scripts(const char *tier) {
    static const char *const texts[] = {
        "while True: pass\n",
        "n = 0\nwhile True:\n    n += 1\n",
        "while True:\n    try:\n        while True: pass\n    except BaseException:\n        caught = 1\n",
        "def f(): return f\nwhile True: f()()\n",
        "try:\n    while True: pass\nfinally:\n    while True: pass\n",
        "def g():\n    try:\n        yield 1\n    finally:\n        while True: pass\nx = g()\nnext(x)\ndel x\n",
        "def g():\n    while True: yield 1\nsum(g())\n",
        "sorted(iter(int, 1))\n",
        "import time\ntime.sleep(100)\n",
        "import numpy as np\nx = np.ones(1000000)\nwhile True: x = x * 1.0001\n",
        "import numpy as np\nwhile True: x = np.random.default_rng(1).random(40000000)\n",
        "import numpy as np\nx = np.random.default_rng(1).random(3000000)\nwhile True: y = np.sort(x)\n",
        "'x' * 1000000 in 'y' * 1000000\nwhile True: 2 ** 100000 // 3 ** 50000\n",
        "class C:\n    def __eq__(self, o):\n        while True: pass\n[C()].index(3)\n",
    };
    Host host;
    NacreVm *vm = start(&host, tier);
    CHECK(run(vm, "import numpy as np\ncaught = 0") == NACRE_OK);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        check_stops(vm, texts[i], 2);
        CHECK(works(vm, "6 * 7, caught", "(42, 0)"));
    }
    // A product that takes long notices between its panels.
    check_stops(vm, "a = np.ones((3000, 3000))\nwhile True: b = a @ a\n", 3);
    CHECK(works(vm, "np.arange(3).sum()", "np.int64(3)"));
    nacre_free(vm);
}

// Many short calls: each has its own time.
static void test_short_calls(void) {
    Host host;
    NacreVm *vm = start(&host, "interp");
    double begin = now();
    int good = 0, bad = 0;
    while (now() - begin < 3 * LIMIT) run(vm, "x = 1") == NACRE_OK ? good++ : bad++;
    CHECK(good > 100 * bad);
    NacreValue *loop = NULL, *out = NULL;
    CHECK(run(vm, "def loop():\n    while True: pass\ndef soon(): return 1\n") == NACRE_OK);
    CHECK(nacre_global(vm, "loop", &loop) == NACRE_OK);
    CHECK(nacre_call(vm, loop, 0, NULL, &out) == NACRE_ERROR);
    CHECK(strcmp(nacre_error_class(vm), "TimeoutError") == 0);
    CHECK(works(vm, "soon()", "1"));
    nacre_free(vm);
}

static NacreStatus go_on(void *ctx, NacreVm *vm, size_t count, NacreValue *const *args, NacreValue **result) {
    (void)ctx;
    (void)count;
    nacre_call(vm, args[0], 0, NULL, result); // and takes no notice of how that went
    return NACRE_OK;
}

static void test_within_host(void) {
    Host host;
    NacreVm *vm = start(&host, "interp");
    const NacreFunction function = {.struct_size = sizeof function, .name = "go_on", .signature = "f", .fn = go_on};
    NacreValue *value = NULL;
    CHECK(nacre_function(vm, &function, &value) == NACRE_OK && nacre_set_global(vm, "go_on", value) == NACRE_OK);
    CHECK(run(vm, "def loop():\n    while True: pass\n") == NACRE_OK);
    check_stops(vm, "while True:\n    try:\n        go_on(loop)\n    except BaseException: pass\n", 2);
    CHECK(works(vm, "1 + 1", "2"));
    nacre_free(vm);
}

int main(void) {
    test_scripts("interp");
    test_scripts("auto");
    test_short_calls();
    test_within_host();
    printf("%d failures\n", failures);
    return failures > 0;
}
