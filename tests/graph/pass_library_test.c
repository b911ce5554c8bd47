// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Which products become one call with the arithmetic behind them, as the engine's figures and the plan
// tell; and that a backend without such a call is not asked for one.

#include <stdio.h>
#include <string.h>

#include "nacre/nacre.h"
#include "vm/api/api.h"
#include "vm/plan/watch.h"
#include "vm/sched/sched.h"

static int failures;

#define CHECK(condition, ...)                                                         \
    ((condition) ? (void)0                                                            \
                 : (void)(printf("%s:%d: ", __FILE__, __LINE__), printf(__VA_ARGS__), \
                          printf("\n"), failures++))

static Backend modest;
static Support (*of_all)(void *ctx, const Kernel *kernel);

static Support modest_supports(void *ctx, const Kernel *kernel) {
    return kernel->library == AOP_GEMM ? SUPPORT_NO : of_all(ctx, kernel);
}

static const char start[] =
    "import numpy as np\nn = 12\na = np.arange(144.0).reshape(n, n)\n"
    "b = a[::-1].copy()\nc = a + 1\nv = np.ones(n)\nw = a[0, 0], b[0, 0], c[0, 0]\n";

typedef struct Figures {
    uint64_t calls, products, kernels, made, fallbacks;
} Figures;

static Figures figures_of(const NacreVm *vm) {
    EngineStats stats = engine_stats(&vm->vm);
    const uint64_t *runs = vm->vm.engine->runs;
    return (Figures){runs[AOP_GEMM], runs[AOP_MATMUL], stats.kernels + stats.library_calls,
                     stats.plans_made, stats.fallbacks};
}

static bool runs(NacreVm *vm, const char *text) {
    bool fine = nacre_run(vm, text, strlen(text), "<test>", NACRE_FILE) == NACRE_OK;
    CHECK(fine, "%s: %s", text, nacre_error_text(vm));
    return fine;
}

static Figures figures(const char *backend, bool is_modest, const char *text) {
    NacreOptions options = {.struct_size = sizeof options};
    options.backend = backend;
    options.depth = 256; // small operations are put off too
    NacreVm *vm = nacre_new(&options);
    Figures before = {0}, after = {0};
    vm->vm.engine->checks = true;
    if (is_modest) {
        modest = *vm->vm.engine->device.backend;
        of_all = modest.supports;
        modest.supports = modest_supports;
        vm->vm.engine->device.backend = vm->vm.engine->host.backend = &modest;
    }
    if (runs(vm, start)) {
        before = figures_of(vm);
        runs(vm, text);
        after = figures_of(vm);
    }
    nacre_free(vm);
    return (Figures){after.calls - before.calls, after.products - before.products,
                     after.kernels - before.kernels, after.made - before.made,
                     after.fallbacks - before.fallbacks};
}

// How many calls there are, and how many kernels, calls among them.
static void expect(const char *text, uint64_t calls, uint64_t kernels) {
    static const char *const names[] = {"cpu", "mirror"};
    for (int i = 0; i < 2; i++) {
        Figures f = figures(names[i], false, text);
        CHECK(f.calls == calls && f.kernels == kernels && f.fallbacks == 0,
              "%s: %s: %d calls, %d kernels, %d on the host", names[i], text, (int)f.calls,
              (int)f.kernels, (int)f.fallbacks);
    }
    CHECK(figures("cpu", true, text).calls == 0, "%s: a call that the backend has not", text);
}

static void check_forms(void) {
    expect("d = 2 * (a @ b) + 3 * c\nx = d[0, 0]\n", 1, 1);
    expect("d = a @ b + c\nx = d[0, 0]\n", 1, 1);
    expect("d = c - a @ b\nx = d[0, 0]\n", 1, 1);
    expect("d = a.T @ b * 2 - c.T\nx = d[0, 0]\n", 1, 1);
    expect("d = -(a @ b)\nx = d[0, 0]\n", 1, 1);
    expect("d = a @ b + v\nx = d[0, 0]\n", 1, 1);
    expect("c += a @ b\nx = c[0, 0]\n", 1, 1);
    expect("c[...] = 2 * (a @ b) + 3 * c\nx = c[0, 0]\n", 1,
           2); // into a new array, which is copied
    expect("c[2:5] += 2 * (a[:3] @ b)\nx = c[0, 0]\n", 1, 1);
    expect("c[2:5, 1:4] -= a[:3] @ b[:, :3]\nx = c[0, 0]\n", 1, 1);
    expect("c += a @ b\nc -= 0.5 * (b @ a)\nx = c[0, 0]\n", 2, 2);
    expect("d = a @ b + 2 * (b @ a)\nx = d[0, 0]\n", 1, 2);
    expect("d = (a @ b + c) @ a - c\nx = d[0, 0]\n", 2, 2);
}

static void check_refusals(void) {
    expect("d = a @ b\nx = d[0, 0]\n", 0, 1);
    expect("p = a @ b\nd = p + c\nx = d[0, 0]\n", 0, 2); // p is seen
    expect("p = a @ b\nd = p + p\ndel p\nx = d[0, 0]\n", 0, 2);
    expect("d = a @ b + 1\nx = d[0, 0]\n", 0, 2);
    expect("d = (a @ b).T + c\nx = d[0, 0]\n", 0, 2);
    expect("d = np.sqrt(abs(2 * (a @ b)))\nx = d[0, 0]\n", 0, 2); // one loop takes it all
    expect("d = a @ b + (c * c + 1)\nx = d[0, 0]\n", 0, 2);       // likewise
    expect("c += c @ b\nx = c[0, 0]\n", 0, 2);                    // a factor is overwritten
    expect("p = a @ b\na[0] = 3\nd = p + c\ndel p\nprint()\n", 0,
           3); // a factor is written in between
    expect("p = a @ b\nt = 3 * c\nc[0] = 3\nd = p + t\ndel p, t\nprint()\n", 0, 3); // C is
    expect("p = a @ b\na[0] = 3\nd = p + c\ndel p\nx = d[0, 0]\n", 1, 2); // that is run later
    expect("a[:-1] = a[1:] @ b + a[1:]\nx = a[0, 0]\n", 1, 2);
    expect("a[:-1, :-1] += c[1:, 1:] @ a[1:, 1:]\nx = a[0, 0]\n", 0, 2);
    expect("i = a.astype(int)\nx = i[0, 0]\nd = i @ i + i\nx = d[0, 0]\n", 0, 3);
    expect("d = a @ b + c.astype(np.float32)\nx = d[0, 0]\n", 0, 2);
    expect("d = a @ v + v\nx = d[0]\n", 0, 2);
    expect("d = a[:0] @ b + c[:0]\nx = d.sum()\n", 0, 3);
}

// Plans with calls are kept, and tell operands and numbers apart.
static void check_reuse(void) {
    Figures f = figures("cpu", false,
                        "for i in range(2, 32):\n    c = i * (a @ b) + 3 * c\n    x = c[0, 0]\n");
    CHECK(f.calls == 30 && f.made <= 2, "%d calls, %d plans", (int)f.calls, (int)f.made);
    f = figures("cpu", false,
                "for i in range(30):\n    c = i * (a @ b) + 3 * c\n"
                "    if i % 2:\n        q = c\n    x = c[0, 0]\n");
    CHECK(f.calls == 30, "%d calls", (int)f.calls);
}

// What other libraries have routines for is one loop here, or a product.
static void check_single_passes(void) {
    expect("s = (a * a).sum()\n", 0, 1);
    expect("s = (a * b).sum()\n", 0, 1);
    expect("s = np.sqrt((a * a).sum())\n", 0, 2); // the root is of a number
    expect("c += 3 * a\nx = c[0, 0]\n", 0, 1);
    expect("c -= np.outer(v, v)\nx = c[0, 0]\n", 0, 1);
    expect("c = c + 2 * np.outer(v, a[0])\nx = c[0, 0]\n", 0, 1);
    expect("s = v @ v\n", 0, 1);
    expect("s = np.dot(v, v)\n", 0, 1);
    expect("s = np.linalg.norm(v)\n", 0, 2);
}

int main(void) {
    check_single_passes();
    check_forms();
    check_refusals();
    check_reuse();
    if (failures) printf("%d failures\n", failures);
    return failures != 0;
}
