// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Interrupts anywhere in direct solvers: each script is broken off at the first, second, third … time that anything
// looks whether it is to be, be that the interpreter, a dense kernel within a factorisation, or allocation. It ends in
// KeyboardInterrupt, nothing leaks (a sanitizer sees SuiteSparse's memory, too), and the same works afterwards.
//
//   solver_interrupts_test [--points N]

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heap.h"
#include "nacre/nacre.h"
#include "vm/api/api.h"
#include "vm/interp/interp.h"

static const char *const beginning =
    "import numpy as np\n"
    "from _sparse import has\n"
    "from scipy.sparse import csc_array, diags_array, eye_array, kron\n"
    "from scipy.sparse.linalg import splu, spsolve\n"
    "from sksparse.cholmod import cholesky\n"
    "from nacre.sparse import lstsq, qr\n"
    "def grid(m, wind):\n"
    "    T = diags_array([-1.0 - wind, 2.0, -1.0 + wind], offsets=[-1, 0, 1], shape=(m, m))\n"
    "    I = eye_array(m)\n"
    "    return (kron(kron(T, I), I) + kron(kron(I, T), I) + kron(kron(I, I), T)).tocsc()\n"
    "A, B = grid(9, 0.0), grid(9, 0.4)\n"
    "C = B * (1 + 1j)\n"
    "b = np.ones(729)\n"
    "small = csc_array(np.triu(np.ones((40, 40)) * (np.arange(40) % 5 == 0)) + 3 * np.eye(40))\n";

static const char *const works[] = {
    "spsolve(A, b)", "spsolve(B, b)", "splu(B, permc_spec='COLAMD').solve(b)", "splu(C, permc_spec='MMD_AT_PLUS_A').L.nnz",
    "splu(small).solve(b[:40])", "cholesky(A)(b)",
    "cholesky(A, mode='supernodal', ordering_method='metis').logdet()", "qr(B).solve(b)", "lstsq(C, b, ordering='amd')[0]",
};

// What the VM asks instead of a host's report: a count, and at `stop_at` an interrupt.
static struct {
    uint64_t looks, stop_at;
} now;

static bool look(Vm *vm) {
    if (++now.looks != now.stop_at) return false;
    atomic_store(&vm->interrupt, BREAK_INTERRUPT);
    return true;
}

static NacreStatus run(NacreVm *vm, const char *text) {
    return nacre_run(vm, text, strlen(text), "<test>", NACRE_FILE);
}

// watch(): a function of the host. From here on all looks count.
static NacreStatus watch(void *ctx, NacreVm *host, size_t count, NacreValue *const *args, NacreValue **result) {
    (void)ctx, (void)count, (void)args, (void)result;
    host->vm.report = look;
    interp_report(&host->vm);
    return NACRE_OK;
}

static NacreStatus define_watch(NacreVm *vm) {
    const NacreFunction function = {.struct_size = sizeof function, .name = "watch", .signature = "", .fn = watch};
    NacreValue *value = NULL;
    NacreStatus status = nacre_function(vm, &function, &value);
    if (status == NACRE_OK) status = nacre_set_global(vm, "watch", value);
    nacre_release(vm, value);
    return status;
}

static NacreStatus run_watched(NacreVm *vm, const char *work, uint64_t stop_at) {
    char text[256];
    snprintf(text, sizeof text, "watch()\nx = %s\n", work);
    now.looks = 0;
    now.stop_at = stop_at;
    return run(vm, text);
}

static int discard(void *ctx, int stream, const char *bytes, size_t len) {
    (void)ctx, (void)stream, (void)bytes, (void)len;
    return 0;
}

static NacreVm *make_vm(Heap *heap) {
    NacreOptions options = {.struct_size = sizeof options, .alloc = heap_alloc, .alloc_ctx = heap, .unpooled = 1, .threads = 1,
                            .write = discard};
    NacreVm *vm = nacre_new(&options);
    if (vm && (define_watch(vm) != NACRE_OK || run(vm, beginning) != NACRE_OK)) printf("%s\n", nacre_error_text(vm));
    return vm;
}

// How many failures.
static int try_work(const char *work, uint64_t points, uint64_t *tried) {
    Heap heap = {0};
    NacreVm *vm = make_vm(&heap);
    // The second time: at the first, pools and caches are filled.
    int failures = !vm || run_watched(vm, work, 0) != NACRE_OK || run_watched(vm, work, 0) != NACRE_OK;
    uint64_t looks = now.looks, stride = looks / points + 1;
    if (failures) printf("%s: does not run\n%s\n", work, vm ? nacre_error_text(vm) : "");
    for (uint64_t at = 1; at <= looks && !failures; at += stride, ++*tried) {
        NacreStatus status = run_watched(vm, work, at);
        bool fine = status == NACRE_INTERRUPTED && strcmp(nacre_error_class(vm), "KeyboardInterrupt") == 0;
        fine |= status == NACRE_OK && at == looks; // at the last look all is done
        if (!fine) printf("%s: look %llu of %llu: status %d\n", work, (unsigned long long)at, (unsigned long long)looks, (int)status);
        failures += !fine;
        if (at % (16 * stride) == 1 && run(vm, work) != NACRE_OK) failures += printf("%s: fails afterwards\n", work) > 0;
    }
    nacre_free(vm);
    if (heap.blocks || heap.wrong_sizes) failures += printf("%s: %zu blocks leaked\n", work, heap.blocks) > 0;
    printf("%-70s %6llu looks\n", work, (unsigned long long)looks);
    return failures;
}

static bool has_solvers(void) {
    Heap heap = {0};
    NacreVm *vm = make_vm(&heap);
    bool has = vm && run(vm, "assert has('qr_factor')") == NACRE_OK;
    nacre_free(vm);
    return has;
}

int main(int argc, char **argv) {
    enum { SKIPPED = 77 };
    uint64_t points = argc == 3 && strcmp(argv[1], "--points") == 0 ? strtoull(argv[2], NULL, 0) : 60, tried = 0;
    int failures = 0;
    if (!has_solvers()) return SKIPPED;
    for (size_t i = 0; i < sizeof works / sizeof *works; i++) failures += try_work(works[i], points ? points : 1, &tried);
    printf("%llu points, %d failures\n", (unsigned long long)tried, failures);
    return failures > 0 || tried == 0;
}
