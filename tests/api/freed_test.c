// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Hosts that free memory while scripts still see it. Pages that are gone are an exception where the VM looks
// (debug builds, `stress`); of memory that was freed AddressSanitizer tells, wherever it is read.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"

enum { ROWS = 64, BYTES = ROWS * ROWS * (int)sizeof(double) };

static const char *const uses[] = {
    "y = x.sum()", "y = x + 1", "y = x[3, 5]", "x[3, 5] = 7", "x += 1", "y = x @ x", "y = np.sort(x, axis=None)",
    "y = str(x)", "for i in range(3): x[i, 0] = i", "y = x[2:3, :2] + 1", "y = x.tolist()", "y = np.linalg.eigh(x)",
};
enum { USES = sizeof uses / sizeof *uses };

static void forget(void *ctx, void *data) {
    (void)data;
    ++*(int *)ctx;
}

static NacreVm *vm_with(void *data, const char *backend, int *released) {
    const int64_t shape[] = {ROWS, ROWS};
    const NacreMemory memory = {.struct_size = sizeof memory, .data = data, .dtype = "float64", .ndim = 2,
                                .shape = shape, .release = forget, .ctx = released};
    NacreOptions options = {.struct_size = sizeof options, .stress = 1, .threads = 1, .backend = backend};
    NacreVm *vm = nacre_new(&options);
    NacreValue *x = NULL;
    CHECK(vm && nacre_wrap(vm, &memory, &x) == NACRE_OK && nacre_set_global(vm, "x", x) == NACRE_OK);
    nacre_release(vm, x);
    CHECK(run(vm, "import numpy as np") == NACRE_OK);
    return vm;
}

static void test_pages(const char *backend) {
    int released = 0;
    void *data = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(data != MAP_FAILED);
    NacreVm *vm = vm_with(data, backend, &released);
    for (int i = 0; i < USES; i++) CHECK(run(vm, uses[i]) == NACRE_OK);
    CHECK(run(vm, "del y\nz = x * 0\nx[:] = 2") == NACRE_OK);
    // Where a device has a copy of it, the memory itself is not asked for.
    bool copied = strcmp(backend, "cpu") != 0;
    munmap(data, BYTES);
    for (int i = 0; i < USES; i++) CHECK(copied ? run(vm, uses[i]) != NACRE_MISUSE : raises(vm, uses[i], "BufferError", 1));
    CHECK(evaluates(vm, "float(z.sum())", "0.0") && evaluates(vm, "x.shape", "(64, 64)"));
    CHECK(run(vm, "del x") == NACRE_OK && released == 1);
    nacre_free(vm);
}

static void test_pages_cpu(void) {
    test_pages("cpu");
}

static void test_pages_mirror(void) {
    test_pages("mirror");
}

#if defined(__SANITIZE_ADDRESS__)
// A child does it; what it says before it ends is looked through.
static bool is_told(const char *use) {
    int ends[2], status = 0;
    char text[1 << 14];
    size_t len = 0;
    CHECK(pipe(ends) == 0);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        int released = 0;
        dup2(ends[1], 2);
        double *data = calloc(1, BYTES);
        NacreVm *vm = vm_with(data, "cpu", &released);
        free(data);
        run(vm, use);
        _exit(0);
    }
    close(ends[1]);
    for (ssize_t got; (got = read(ends[0], text + len, sizeof text - 1 - len)) > 0;) len += (size_t)got;
    text[len] = '\0';
    close(ends[0]);
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    return status != 0 && strstr(text, "heap-use-after-free") && strstr(text, "freed by thread");
}

static void test_freed(void) {
    for (int i = 0; i < USES; i++)
        if (!is_told(uses[i])) {
            printf("nothing was said of: %s\n", uses[i]);
            failures++;
        }
}
#else
static void test_freed(void) {
}
#endif

int main(void) {
    static const Test tests[] = {
        {"pages on the host", test_pages_cpu},
        {"pages on the mirror", test_pages_mirror},
        {"freed", test_freed},
    };
    return RUN_TESTS(tests);
}
