// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Sparse operations that are broken off anywhere, with the plug-ins' own memory and that of SuiteSparse, whose requests the VM's
// allocator is asked about. Each script runs again and again, and
//
//   - an interrupt comes at the first, second, third … time that anything looks for one, be that the interpreter, a dense
//     kernel within a factorisation, or allocation: KeyboardInterrupt;
//   - the first, second, third … request for memory is refused, alone or with all that follow: success or MemoryError.
//
// Nothing leaks (a sanitizer sees SuiteSparse's memory, too), and the same works afterwards.
//
//   solvers_fault_test [--points N] [--only PART_OF_A_SCRIPT]

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
    "from scipy.sparse.linalg import spilu\n"
    "from nacre.sparse import amg, ichol, lstsq, qr\n"
    "def grid(m, wind):\n"
    "    T = diags_array([-1.0 - wind, 2.0, -1.0 + wind], offsets=[-1, 0, 1], shape=(m, m))\n"
    "    I = eye_array(m)\n"
    "    return (kron(kron(T, I), I) + kron(kron(I, T), I) + kron(kron(I, I), T)).tocsc()\n"
    "A, B = grid(9, 0.0), grid(9, 0.4)\n"
    "C = B * (1 + 1j)\n"
    "b = np.ones(729)\n"
    "small = csc_array(np.triu(np.ones((40, 40)) * (np.arange(40) % 5 == 0)) + 3 * np.eye(40))\n";

static const char *const own[] = {
    "A @ A + 2 * B", "B.T.tocsr()[5:300, ::3].tocoo().tocsc()", "spilu(B).solve(b)", "ichol(A) @ b",
    "amg(A, max_coarse=50).solve(b)", "A.max(axis=0), (A > 1).sum(), abs(B).todense()",
};
static const char *const solvers[] = { // of SuiteSparse
    "spsolve(A, b)", "spsolve(B, b)", "splu(B, permc_spec='COLAMD').solve(b)", "splu(C, permc_spec='MMD_AT_PLUS_A').L.nnz",
    "(splu(small), splu(small * 2).U.nnz)", "cholesky(A)(b)", "cholesky(A, mode='supernodal', ordering_method='metis').logdet()",
    "cholesky(A[:50, :50]).update_inplace(A[:50, :2])", "qr(B).solve(b)", "lstsq(C, b, ordering='amd')[0]",
    "spsolve(diags_array([1.0, 3.0, -1.0], offsets=[-1, 0, 2], shape=(729, 729)).tocsc(), b)",
};

// What is to happen in a run, and what has happened so far.
static struct {
    Heap heap;
    uint64_t looks, requests, stop_at, fail_at;
    bool sticky;
} now;

static bool look(Vm *vm) {
    if (++now.looks != now.stop_at) return false;
    atomic_store(&vm->interrupt, BREAK_INTERRUPT);
    return true;
}

static NacreStatus run(NacreVm *vm, const char *text) {
    return nacre_run(vm, text, strlen(text), "<test>", NACRE_FILE);
}

// watch(): a function of the host. From here on all looks and requests count.
static NacreStatus watch(void *ctx, NacreVm *host, size_t count, NacreValue *const *args, NacreValue **result) {
    (void)ctx, (void)count, (void)args, (void)result;
    host->vm.report = look;
    interp_report(&host->vm);
    heap_arm(&now.heap, now.fail_at, now.sticky);
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

static NacreStatus run_watched(NacreVm *vm, const char *work, uint64_t stop_at, uint64_t fail_at, bool sticky) {
    char text[256];
    snprintf(text, sizeof text, "watch()\nx = %s\n", work);
    now.looks = 0;
    now.stop_at = stop_at;
    now.fail_at = fail_at;
    now.sticky = sticky;
    NacreStatus status = run(vm, text);
    now.requests = now.heap.requests;
    heap_arm(&now.heap, 0, false);
    return status;
}

static int discard(void *ctx, int stream, const char *bytes, size_t len) {
    (void)ctx, (void)stream, (void)bytes, (void)len;
    return 0;
}

static NacreVm *make_vm(void) {
    NacreOptions options = {.struct_size = sizeof options, .alloc = heap_alloc, .alloc_ctx = &now.heap, .unpooled = 1, .threads = 1,
                            .write = discard};
    now.heap = (Heap){0};
    NacreVm *vm = nacre_new(&options);
    if (vm && (define_watch(vm) != NACRE_OK || run(vm, beginning) != NACRE_OK)) printf("%s\n", nacre_error_text(vm));
    return vm;
}

// --- One script ------------------------------------------------------------------------------------

typedef enum Mode { INTERRUPTED, REFUSED, REFUSED_ALL, MODES } Mode;

static const char *judge(NacreVm *vm, NacreStatus status, Mode mode, bool late) {
    if (mode != INTERRUPTED) {
        bool fine = status == NACRE_OK || (status == NACRE_ERROR && strcmp(nacre_error_class(vm), "MemoryError") == 0);
        return fine ? NULL : "neither success nor MemoryError";
    }
    if (status == NACRE_OK && late) return NULL; // all was done, and nothing looked again
    return status == NACRE_INTERRUPTED && strcmp(nacre_error_class(vm), "KeyboardInterrupt") == 0 ? NULL : "no KeyboardInterrupt";
}

// How many failures.
static int try_mode(NacreVm *vm, const char *work, Mode mode, uint64_t count, uint64_t points, uint64_t *tried) {
    uint64_t stride = count / points + 1, k = 0;
    int failures = 0;
    for (uint64_t at = 1; at <= count && failures < 5; at += stride, ++*tried, k++) {
        NacreStatus status = mode == INTERRUPTED ? run_watched(vm, work, at, 0, false) : run_watched(vm, work, 0, at, mode == REFUSED_ALL);
        const char *wrong = judge(vm, status, mode, at + 2 >= count);
        if (!wrong && k % 8 == 0 && run_watched(vm, work, 0, 0, false) != NACRE_OK) wrong = "fails afterwards";
        if (!wrong) continue;
        failures++;
        printf("%s: mode %d, %llu of %llu: status %d: %s\n%s", work, (int)mode, (unsigned long long)at, (unsigned long long)count,
               (int)status, wrong, nacre_error_text(vm));
    }
    return failures;
}

static int try_work(const char *work, uint64_t points, uint64_t *tried) {
    NacreVm *vm = make_vm();
    // The second time: at the first, caches are filled.
    int failures = !vm || run_watched(vm, work, 0, 0, false) != NACRE_OK || run_watched(vm, work, 0, 0, false) != NACRE_OK;
    uint64_t looks = now.looks, requests = now.requests;
    if (failures) printf("%s: does not run\n%s\n", work, vm ? nacre_error_text(vm) : "");
    for (int mode = 0; mode < MODES && !failures; mode++)
        failures += try_mode(vm, work, (Mode)mode, mode == INTERRUPTED ? looks : requests, points, tried);
    nacre_free(vm);
    if (now.heap.blocks || now.heap.wrong_sizes) failures += printf("%s: %zu blocks leaked\n", work, now.heap.blocks) > 0;
    printf("%-90s %6llu looks %6llu requests\n", work, (unsigned long long)looks, (unsigned long long)requests);
    fflush(stdout);
    return failures;
}

static bool has(const char *operation) {
    NacreVm *vm = make_vm();
    char text[64];
    snprintf(text, sizeof text, "assert has('%s')", operation);
    bool found = vm && run(vm, text) == NACRE_OK;
    nacre_free(vm);
    return found;
}

int main(int argc, char **argv) {
    enum { SKIPPED = 77 };
    const char *only = "";
    uint64_t points = 12, tried = 0;
    int failures = 0;
    for (int i = 1; i + 1 < argc; i += 2)
        if (strcmp(argv[i], "--points") == 0) points = strtoull(argv[i + 1], NULL, 0);
        else if (strcmp(argv[i], "--only") == 0) only = argv[i + 1];
    if (!has("matmul")) return SKIPPED;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strstr(own[i], only)) failures += try_work(own[i], points + 1, &tried);
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers && has("qr_factor"); i++)
        if (strstr(solvers[i], only)) failures += try_work(solvers[i], points + 1, &tried);
    printf("%llu points, %d failures\n", (unsigned long long)tried, failures);
    return failures > 0 || tried == 0;
}
