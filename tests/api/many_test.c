// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Many VMs in one process: a hundred at once, each in a thread of its own; thousands one after the other,
// which leave nothing behind. NACRE_CYCLES says how many thousands.

#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"

enum { VMS = 100 };

static const char program[] = "import numpy as np\n"
                              "rng = np.random.default_rng(seed)\n"
                              "a = rng.random((60, 60))\n"
                              "s = a @ a.T + np.eye(60)\n"
                              "x = np.linalg.solve(s, np.ones(60))\n"
                              "f = np.abs(np.fft.fft(np.exp(a[0]) * 2 + np.sin(a[1]))).sum()\n"
                              "t = sum(i * i for i in range(2000))\n"
                              "try:\n    1 // 0\nexcept ZeroDivisionError: t += 1\n"
                              "result = float(s.sum() + x.sum() + np.sort(a, axis=None)[7] + f + t)\n";

static NacreStatus twice(void *ctx, NacreVm *vm, size_t count, NacreValue *const *args, NacreValue **result) {
    (void)ctx;
    (void)count;
    return nacre_operator(vm, "+", args[0], args[0], result);
}

// What the program comes to; negative if something failed.
static double run_one(int seed, int threads) {
    const NacreFunction function = {.struct_size = sizeof function, .name = "twice", .signature = "x", .fn = twice};
    NacreOptions options = {.struct_size = sizeof options, .threads = threads};
    NacreVm *vm = nacre_new(&options);
    NacreValue *value = vm ? nacre_int(vm, seed) : NULL, *host = NULL, *doubled = NULL;
    double result = -1;
    if (value && nacre_set_global(vm, "seed", value) == NACRE_OK &&
        nacre_run(vm, program, strlen(program), "<many>", NACRE_FILE) == NACRE_OK &&
        nacre_global(vm, "result", &value) == NACRE_OK && nacre_function(vm, &function, &host) == NACRE_OK &&
        nacre_call(vm, host, 1, &value, &doubled) == NACRE_OK)
        nacre_as_float(vm, doubled, &result);
    nacre_free(vm);
    return result;
}

typedef struct One {
    pthread_t thread;
    int seed;
    double result;
} One;

static void *in_thread(void *ctx) {
    One *one = ctx;
    one->result = run_one(one->seed, 1 + one->seed % 2);
    return NULL;
}

static void test_at_once(void) {
    static One all[VMS];
    double expected[5];
    for (int i = 0; i < 5; i++) expected[i] = run_one(i, 1);
    for (int i = 0; i < VMS; i++) {
        all[i].seed = i % 5;
        CHECK(pthread_create(&all[i].thread, NULL, in_thread, &all[i]) == 0);
    }
    for (int i = 0; i < VMS; i++) {
        pthread_join(all[i].thread, NULL);
        double off = all[i].result - expected[i % 5];
        CHECK(expected[i % 5] > 0 && off < 1e-9 * expected[i % 5] && off > -1e-9 * expected[i % 5]);
    }
}

static size_t in_use(void) {
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

static void test_one_after_the_other(void) {
    const char *thousands = getenv("NACRE_CYCLES");
    int cycles = thousands ? 1000 * atoi(thousands) : 300;
    for (int i = 0; i < 20; i++) run_one(i, 1); // what libraries keep once and for all
    size_t before = in_use();
    for (int i = 0; i < cycles; i++) CHECK(run_one(i % 5, 1) > 0);
    size_t after = in_use();
    printf("%d cycles, %+ld bytes\n", cycles, (long)(after - before));
    CHECK(after <= before + 4096);
}

// What a thread keeps of freed blocks counts as in use, and grows for thousands of rounds: it has to keep
// none, which is only read when the program starts.
static void start_without_cache(char **argv) {
    static const char name[] = "GLIBC_TUNABLES";
    if (getenv(name) || setenv(name, "glibc.malloc.tcache_count=0", 1) != 0) return;
    execv("/proc/self/exe", argv);
}

int main(int argc, char **argv) {
    (void)argc;
    start_without_cache(argv);
    test_at_once();
    test_one_after_the_other();
    printf("%d failures\n", failures);
    return failures > 0;
}
