// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Prints how many seconds the functions of nacre.h take that a host calls most: a call of a function of the
// script with two arguments, with its result held and released, and the same sum within the script; an array over
// the host's memory; what the first VM of a process and others after it keep
// resident.

#include <nacre/nacre.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TURNS = 9, TIMES = 200000 };

static double now(void) {
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

static int ascending(const void *a, const void *b) {
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

static void fail(const NacreVm *vm) {
    fputs(nacre_error_text(vm), stderr);
    exit(1);
}

static void run(NacreVm *vm, const char *text) {
    if (nacre_run(vm, text, strlen(text), "<bench>", NACRE_FILE) != NACRE_OK) fail(vm);
}

// The median time of one of TIMES goes.
static double timed(void (*go)(NacreVm *vm, void *ctx), NacreVm *vm, void *ctx) {
    double spent[TURNS];
    for (int turn = 0; turn < TURNS; turn++) {
        double from = now();
        go(vm, ctx);
        spent[turn] = (now() - from) / TIMES;
    }
    qsort(spent, TURNS, sizeof *spent, ascending);
    return spent[TURNS / 2];
}

typedef struct Call {
    NacreValue *function, *args[2];
} Call;

static void calls(NacreVm *vm, void *ctx) {
    const Call *call = ctx;
    for (int i = 0; i < TIMES; i++) {
        NacreValue *result;
        if (nacre_call(vm, call->function, 2, call->args, &result) != NACRE_OK) fail(vm);
        nacre_release(vm, result);
    }
}

static void within(NacreVm *vm, void *ctx) {
    const Call *call = ctx;
    NacreValue *result;
    if (nacre_call(vm, call->function, 2, call->args, &result) != NACRE_OK) fail(vm);
    nacre_release(vm, result);
}

static void wraps(NacreVm *vm, void *ctx) {
    static const int64_t shape[] = {1000};
    const NacreMemory memory = {.struct_size = sizeof memory, .data = ctx, .dtype = "float64", .ndim = 1, .shape = shape};
    for (int i = 0; i < TIMES; i++) {
        NacreValue *array;
        if (nacre_wrap(vm, &memory, &array) != NACRE_OK) fail(vm);
        nacre_release(vm, array);
    }
}

static double resident(void) {
    long pages = 0, all;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld %ld", &all, &pages) != 2) exit(1);
    fclose(file);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

int main(void) {
    enum { VMS = 32 };
    static double data[1000];
    NacreOptions options = {.struct_size = sizeof options};
    NacreVm *vms[VMS];
    double before = resident();
    NacreVm *vm = nacre_new(&options);
    if (!vm) return 1;
    printf("first_resident %.12f\n", resident() - before);
    run(vm, "def add(a, b): return a + b\n"
            "def loop(a, b):\n    for _ in range(200000): add(a, b)\n");
    Call call = {.args = {nacre_int(vm, 3), nacre_int(vm, 4)}}, loop = call;
    if (nacre_global(vm, "add", &call.function) != NACRE_OK || nacre_global(vm, "loop", &loop.function) != NACRE_OK)
        fail(vm);
    printf("call %.12f\n", timed(calls, vm, &call));
    printf("within %.12f\n", timed(within, vm, &loop));
    printf("wrap %.12f\n", timed(wraps, vm, data));
    before = resident();
    for (int i = 0; i < VMS; i++)
        if (!(vms[i] = nacre_new(&options))) return 1;
    printf("resident %.12f\n", (resident() - before) / VMS);
    for (int i = 0; i < VMS; i++) nacre_free(vms[i]);
    nacre_free(vm);
    return 0;
}
