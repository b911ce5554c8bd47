// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What a host may ask about backends, machine code and programs.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"

static char kept[1 << 16];
static size_t kept_len;

static int keep(void *ctx, int stream, const char *bytes, size_t len) {
    (void)ctx;
    CHECK(stream == 1);
    if (kept_len + len < sizeof kept) memcpy(kept + kept_len, bytes, len), kept_len += len;
    kept[kept_len] = '\0';
    return 0;
}

static int refuse(void *ctx, int stream, const char *bytes, size_t len) {
    (void)ctx;
    (void)stream;
    (void)bytes;
    (void)len;
    return -1;
}

static void test_backends(void) {
    CHECK(nacre_backend_known("cpu") && nacre_backend_known("mirror"));
    CHECK(!nacre_backend_known("nothing") && !nacre_backend_known(NULL) && !nacre_backend_known("../cpu"));
}

static void test_flags(void) {
    int count = 0;
    while (nacre_build_flag(count)) CHECK(*nacre_build_flag(count++) == '-');
    CHECK(count > 0 && !nacre_build_flag(-1));
}

// With no compiler there are loops without code; with one they have it at once.
static void test_loops(void) {
    Host host = {0};
    NacreOptions options = host_options(&host);
    options.tier = "function";
    NacreVm *vm = nacre_new(&options);
    CHECK(run(vm, "def f(n):\n    s = 0\n    for i in range(n):\n        s += i * i\n    return s\nprint(f(20000))\n") ==
          NACRE_OK);
    CHECK(strcmp(host.out, "2666466670000\n") == 0);
    NacreLoop loop = {.struct_size = sizeof loop};
    CHECK(nacre_loop(vm, 0, &loop) == NACRE_OK && loop.line == 3 && strcmp(loop.file, "<test>") == 0);
    CHECK(loop.variants >= 1);
    CHECK(nacre_loop(vm, 99, &loop) == NACRE_MISUSE && nacre_loop(vm, -1, &loop) == NACRE_MISUSE);
    CHECK(nacre_loop(NULL, 0, &loop) == NACRE_MISUSE && nacre_loop(vm, 0, NULL) == NACRE_MISUSE);
    kept_len = 0;
    CHECK(nacre_loop_source(vm, 0, 0, keep, NULL) == NACRE_OK && strstr(kept, "s += i * i"));
    CHECK(nacre_loop_source(vm, 0, 99, keep, NULL) == NACRE_MISUSE);
    CHECK(nacre_loop_source(vm, 0, 0, refuse, NULL) == NACRE_ERROR);
    CHECK(nacre_loop_source(vm, 0, 0, NULL, NULL) == NACRE_MISUSE);
    nacre_free(vm);
}

static void test_kernels(void) {
    Host host = {0};
    NacreOptions options = host_options(&host);
    options.tier = "kernel";
    NacreVm *vm = nacre_new(&options);
    CHECK(run(vm, "import numpy as np\nx = np.arange(5000.0)\ny = x * 2 + x / 3 - 1\nprint(y[3])\n") == NACRE_OK);
    CHECK(strcmp(host.out, "6.0\n") == 0);
    NacreStats stats = {.struct_size = sizeof stats};
    CHECK(nacre_stats(vm, &stats) == NACRE_OK);
    kept_len = 0;
    if (stats.kernels_compiled) { // there is a compiler
        CHECK(nacre_kernel_source(vm, 0, keep, NULL) == NACRE_OK && kept_len > 100);
        CHECK(nacre_kernel_source(vm, 0, refuse, NULL) == NACRE_ERROR);
    }
    CHECK(nacre_kernel_source(vm, 999, keep, NULL) == NACRE_MISUSE);
    CHECK(nacre_kernel_source(vm, 0, NULL, NULL) == NACRE_MISUSE);
    nacre_free(vm);
}

static void count_file(void *ctx, const char *path, const char *text, size_t len) {
    int *seen = ctx;
    CHECK(len == strlen(text));
    if (strstr(path, "main.py")) seen[0]++;
    if (strstr(path, "beside.py")) seen[1]++;
    seen[2]++;
}

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void test_program(void) {
    char folder[] = "/tmp/nacre_program_XXXXXX", main_path[64], beside[64];
    int seen[3] = {0};
    Host host;
    NacreVm *vm = host_start(&host);
    CHECK(mkdtemp(folder));
    snprintf(main_path, sizeof main_path, "%s/main.py", folder);
    snprintf(beside, sizeof beside, "%s/beside.py", folder);
    write_file(main_path, "def f():\n    import beside\n1 / 0\n");
    write_file(beside, "import math\n");
    CHECK(nacre_program_files(vm, main_path, count_file, seen) == NACRE_OK); // runs nothing
    CHECK(seen[0] == 1 && seen[1] == 1 && seen[2] == 2);
    write_file(beside, "def f(:\n");
    CHECK(nacre_program_files(vm, main_path, count_file, seen) == NACRE_ERROR);
    CHECK(strcmp(nacre_error_class(vm), "SyntaxError") == 0);
    unlink(beside);
    unlink(main_path);
    CHECK(nacre_program_files(vm, main_path, count_file, seen) == NACRE_ERROR);
    CHECK(nacre_program_files(vm, NULL, count_file, seen) == NACRE_MISUSE);
    rmdir(folder);
    nacre_free(vm);
}

int main(void) {
    static const Test tests[] = {{"backends", test_backends}, {"flags", test_flags}, {"loops", test_loops},
                                 {"kernels", test_kernels}, {"program", test_program}};
    return RUN_TESTS(tests);
}
