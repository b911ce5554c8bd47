// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// How far a run has come, as the host is told; what the library and this process have; options for what no
// backend takes.

#include <pthread.h>
#include <string.h>
#include <time.h>

#include "harness.h"

enum { MOST_TALES = 1000 };

typedef struct Heard {
    int tales, end_at; // of how many; the last one before the call is to end, 0: none
    double at[MOST_TALES];
    NacreProgress last;
    NacreVm *vm;
    NacreStatus nested;
    pthread_t thread;
    bool elsewhere;
} Heard;

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int hear(void *ctx, const NacreProgress *progress) {
    Heard *heard = ctx;
    CHECK(progress->struct_size == sizeof *progress && progress->seconds >= heard->last.seconds);
    CHECK(progress->nodes_executed >= heard->last.nodes_executed);
    if (heard->tales < MOST_TALES) heard->at[heard->tales++] = seconds_now();
    heard->last = *progress;
    heard->elsewhere |= !pthread_equal(heard->thread, pthread_self());
    heard->nested = nacre_run(heard->vm, "1", 1, "a", NACRE_FILE);
    return heard->tales == heard->end_at;
}

static NacreVm *vm_for(Heard *heard, double interval, int threads) {
    NacreOptions options = {.struct_size = sizeof options, .progress = hear, .progress_interval = interval,
                            .ctx = heard, .threads = threads, .count_instructions = 1};
    *heard = (Heard){.thread = pthread_self()};
    return heard->vm = nacre_new(&options);
}

static void check_heard(const Heard *heard, int least, double interval) {
    CHECK(heard->tales >= least && !heard->elsewhere && heard->nested == NACRE_MISUSE);
    CHECK(heard->last.seconds > 0 && heard->last.memory_in_use > 0 && heard->last.instructions > 0);
    for (int i = 1; i < heard->tales; i++) CHECK(heard->at[i] - heard->at[i - 1] >= interval);
}

static const char waiting[] = "import time\nend = time.monotonic() + 0.3\nwhile time.monotonic() < end: pass\n";
static const char functions[] = "import time\ndef f(n):\n    return 0 if n == 0 else f(n - 1)\n"
                                "end = time.monotonic() + 0.2\nwhile time.monotonic() < end: f(20)\n";
static const char arrays[] = "import numpy as np\nimport time\na = np.arange(300000.0)\nend = time.monotonic() + 0.3\n"
                             "while time.monotonic() < end:\n    a = np.sin(a) + 1\n    s = a.sum()\n"
                             "b = np.arange(300000.0)\nassert b.sum() == 44999850000.0\n";
static const char one_kernel[] = "import numpy as np\nn = 1 << 17\nwhile True:\n    a = np.ones((n, 64))\n"
                                 "    b = np.sort(np.cos(np.exp(np.sin(a))), axis=1)\n    b.sum()\n";

static void test_told(void) {
    static const char *const scripts[] = {waiting, functions, arrays, "import time\ntime.sleep(0.3)"};
    for (int i = 0; i < 4; i++) {
        Heard heard;
        NacreVm *vm = vm_for(&heard, 0.02, 1 + i % 2);
        CHECK(run(vm, scripts[i]) == NACRE_OK);
        check_heard(&heard, 2, 0.02);
        int before = heard.tales;
        CHECK(run(vm, "x = 1") == NACRE_OK && heard.tales == before);
        nacre_free(vm);
    }
}

// The same results, whenever the host is told.
static void test_harmless(void) {
    Heard heard;
    NacreVm *vm = vm_for(&heard, 1e-6, 2);
    CHECK(run(vm, "import numpy as np\nrng = np.random.default_rng(1)\na = rng.random((300, 300))\n"
                  "s = a @ a.T + np.eye(300)\nok = True\n"
                  "for i in range(20):\n"
                  "    b = np.sort(a, axis=0)\n    ok &= bool((b[1:] >= b[:-1]).all())\n"
                  "    x = np.linalg.solve(s, a[:, i])\n    ok &= bool(np.allclose(s @ x, a[:, i]))\n"
                  "    c = a.copy()\n    c += 1\n    ok &= bool(np.allclose(c - 1, a))\n"
                  "    ok &= sum(range(10000)) == 49995000\n") == NACRE_OK);
    heard.last.seconds = 0;
    CHECK(heard.tales > 10 && evaluates(vm, "ok", "True"));
    nacre_free(vm);
}

static void test_ended(void) {
    static const char *const scripts[] = {"while True: pass", one_kernel, "import time\ntime.sleep(100)"};
    for (int i = 0; i < 3; i++) {
        Heard heard;
        NacreVm *vm = vm_for(&heard, 0.01, 2);
        heard.end_at = 3;
        NacreStatus status = run(vm, scripts[i]);
        if (status != NACRE_INTERRUPTED) printf("%d: %d %d %s\n", i, status, heard.tales, nacre_error_text(vm));
        CHECK(status == NACRE_INTERRUPTED && heard.tales >= 3); // once more while it ends, perhaps
        CHECK(strcmp(nacre_error_class(vm), "KeyboardInterrupt") == 0);
        CHECK(evaluates(vm, "1 + 1", "2"));
        nacre_free(vm);
    }
}

// With a time limit, too; a script that goes on after an interrupt is told of again.
static void test_both(void) {
    Heard heard = {.thread = pthread_self()};
    NacreOptions options = {.struct_size = sizeof options, .progress = hear, .progress_interval = 0.01,
                            .ctx = &heard, .time_limit = 0.2};
    NacreVm *vm = heard.vm = nacre_new(&options);
    heard.end_at = 3;
    CHECK(raises(vm, "while True:\n    try:\n        while True: pass\n    except KeyboardInterrupt: pass\n",
                 "TimeoutError", 0));
    CHECK(heard.tales > 3 && heard.last.instructions == 0);
    heard.tales = 0, heard.last.seconds = 0;
    CHECK(run(vm, "1") == NACRE_OK && heard.tales == 0);
    nacre_free(vm);
}

static void test_features(void) {
    NacreFeature feature = {.struct_size = sizeof feature};
    char version[32];
    bool seen_backends = false, seen_blis = false;
    int count = 0;
    while (nacre_feature(count, &feature)) {
        CHECK(feature.name[0] && feature.detail[0] && feature.struct_size == sizeof feature);
        if (strcmp(feature.name, "backends") == 0) seen_backends = feature.is_there && strstr(feature.detail, "cpu");
        if (strcmp(feature.name, "BLIS") == 0)
            seen_blis = feature.is_there == (strncmp(feature.detail, "not", 3) != 0);
        count++;
    }
    CHECK(count >= 8 && seen_backends && seen_blis);
    CHECK(!nacre_feature(-1, &feature) && !nacre_feature(0, NULL));
    feature.struct_size = 1;
    CHECK(!nacre_feature(0, &feature));
    snprintf(version, sizeof version, "%d.%d.%d", NACRE_VERSION_MAJOR, NACRE_VERSION_MINOR, NACRE_VERSION_PATCH);
    CHECK(strcmp(version, nacre_version()) == 0);
}

static void test_not_taken(void) {
    int something = 0;
    static const char *const names[] = {NULL, "cpu", "mirror"};
    for (int i = 0; i < 3; i++) {
        NacreOptions options = {.struct_size = sizeof options, .backend = names[i], .communicator = &something};
        CHECK(!nacre_new(&options));
        options.communicator = NULL;
        options.stream = &something;
        CHECK(!nacre_new(&options));
        options.stream = NULL;
        NacreVm *vm = nacre_new(&options);
        CHECK(vm);
        nacre_free(vm);
    }
}

int main(void) {
    static const Test tests[] = {{"told", test_told},         {"harmless", test_harmless}, {"ended", test_ended},
                                 {"both", test_both},         {"features", test_features}, {"not taken", test_not_taken}};
    return RUN_TESTS(tests);
}
