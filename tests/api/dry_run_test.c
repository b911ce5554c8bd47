// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Dry runs: which options make one, what the host is told, figures of all ranks, and want of memory.

#include "harness.h"

#include <stdlib.h>
#include <string.h>

enum { RANKS = 5, KINDS = NACRE_DRY_ASSUMED + 1 };

static const char program[] = "import numpy as np\n"
                              "A = np.fromfunction(lambda i, j: i + j, (40, 30))\n"
                              "B = np.zeros((40, 30))\n"
                              "B += 1\n"
                              "B[1:-1] = A[2:] + A[:-2]\n" // line 5
                              "x = B.sum(axis=0)\n"
                              "y = x @ x\n"
                              "z = np.linalg.inv(B[:30])\n" // line 8
                              "if y > 0: raise ValueError\n"
                              "print(1)\n";

typedef struct Told {
    int kinds[KINDS];
    uint64_t received; // in exchanges, by all
    bool halo, whole;
} Told;

static void note(void *ctx, const NacreDryStep *step) {
    Told *told = ctx;
    told->kinds[step->kind]++;
    if (step->kind == NACRE_DRY_EXCHANGE) told->received += step->message_bytes;
    if (step->kind != NACRE_DRY_KERNEL) return;
    double bytes = 0;
    for (int i = 0; i < step->stream_count; i++) bytes += step->streams[i].bytes;
    CHECK(step->what && step->share > 0 && step->share <= 1 && step->operations >= 0 && bytes > 0);
    if (step->line == 5) told->halo |= step->is_shared && step->dimension == 0 && step->parts == RANKS && step->ndim == 2;
    if (step->line == 8) told->whole |= !step->is_shared && step->why;
}

static NacreDryRun dry_run(Told *told) {
    return (NacreDryRun){.struct_size = sizeof(NacreDryRun), .ranks = RANKS, .socket_ranks = 1, .node_ranks = 2,
                         .step = note, .ctx = told};
}

static void test_told(void) {
    Told told = {.received = 0};
    const NacreDryRun dry = dry_run(&told);
    const NacreOptions options = {.struct_size = sizeof options, .dry_run = &dry, .split_least = 1, .threads = 1};
    NacreVm *vm = nacre_new(&options);
    CHECK(vm && run(vm, program) == NACRE_OK); // nobody knows that y > 0
    CHECK(told.halo && told.whole);
    for (int k = 0; k < KINDS; k++) CHECK(told.kinds[k] > 0);
    uint64_t sent = 0, received = 0, array_bytes = 0;
    for (int r = 0; r < RANKS; r++) {
        NacreStats stats = {.struct_size = sizeof stats};
        CHECK(nacre_rank_stats(vm, r, &stats) == NACRE_OK);
        CHECK(stats.ranks == RANKS && stats.rank == (uint64_t)r && stats.kernels_gathered == 1);
        CHECK(stats.exchanges == (uint64_t)told.kinds[NACRE_DRY_EXCHANGE] && stats.array_exchanges == stats.exchanges);
        CHECK(stats.array_memory_peak >= 2 * 8 * 40 * 30 / RANKS);
        sent += stats.message_bytes_sent;
        received += stats.message_bytes_received;
        array_bytes += stats.array_bytes_received;
    }
    CHECK(sent == received && array_bytes == told.received);
    NacreStats stats = {.struct_size = sizeof stats};
    CHECK(nacre_rank_stats(vm, -1, &stats) == NACRE_MISUSE && nacre_rank_stats(vm, RANKS, &stats) == NACRE_MISUSE);
    CHECK(nacre_stats(vm, &stats) == NACRE_OK && stats.rank == 0);
    nacre_free(vm);
}

static void test_options(void) {
    NacreDryRun dry = dry_run(&(Told){.received = 0});
    NacreOptions options = {.struct_size = sizeof options, .dry_run = &dry};
    for (int ranks = -1; ranks <= 0; ranks++) {
        dry.ranks = ranks;
        CHECK(!nacre_new(&options));
    }
    dry.ranks = (1 << 20) + 1;
    CHECK(!nacre_new(&options));
    dry.ranks = RANKS;
    dry.struct_size = 1;
    CHECK(!nacre_new(&options));
    dry.struct_size = sizeof dry;
    options.ranks = "loopback"; // one or the other
    CHECK(!nacre_new(&options));
    options = (NacreOptions){.struct_size = sizeof options};
    NacreVm *vm = nacre_new(&options);
    NacreStats stats = {.struct_size = sizeof stats};
    CHECK(nacre_rank_stats(vm, 0, &stats) == NACRE_OK && nacre_rank_stats(vm, 1, &stats) == NACRE_MISUSE);
    CHECK(stats.array_memory_peak == 0);
    nacre_free(vm);
}

// One rank is a dry run too, and nobody has to be told.
static void test_one(void) {
    const NacreDryRun dry = {.struct_size = sizeof dry, .ranks = 1};
    const NacreOptions options = {.struct_size = sizeof options, .dry_run = &dry, .split_least = 1, .threads = 1};
    NacreVm *vm = nacre_new(&options);
    NacreStats stats = {.struct_size = sizeof stats};
    CHECK(vm && run(vm, program) == NACRE_OK && nacre_stats(vm, &stats) == NACRE_OK);
    CHECK(stats.messages_sent == 0 && stats.kernels > 0 && stats.array_memory_peak >= 2 * 8 * 40 * 30);
    nacre_free(vm);
}

// --- Want of memory --------------------------------------------------------------------------------

typedef struct Purse {
    long left; // requests that are granted
} Purse;

static void *spend(void *ctx, void *block, size_t old_size, size_t size) {
    Purse *purse = ctx;
    (void)old_size;
    if (size == 0) {
        free(block);
        return NULL;
    }
    if (purse->left <= 0) return NULL;
    purse->left--;
    return realloc(block, size);
}

static NacreVm *with_purse(Purse *purse, const NacreDryRun *dry) {
    const NacreOptions options = {.struct_size = sizeof options, .dry_run = dry, .split_least = 1, .threads = 1,
                                  .alloc = spend, .alloc_ctx = purse, .unpooled = 1};
    return nacre_new(&options);
}

static void test_want(void) {
    enum { PLENTY = 1 << 30, STARTS = 40, RUNS = 250 };
    Purse purse = {PLENTY};
    Told told = {.received = 0};
    const NacreDryRun dry = dry_run(&told);
    NacreVm *vm = with_purse(&purse, &dry);
    const long started = PLENTY - purse.left;
    CHECK(vm && run(vm, program) == NACRE_OK);
    const long all = PLENTY - purse.left - started;
    nacre_free(vm);
    for (int i = 0; i < STARTS; i++) {
        purse.left = started * i / STARTS;
        CHECK(!with_purse(&purse, &dry));
    }
    int failures = 0;
    for (int i = 0; i < RUNS; i++) {
        purse.left = PLENTY;
        CHECK((vm = with_purse(&purse, &dry)));
        purse.left = all * i / RUNS;
        const NacreStatus status = run(vm, program);
        purse.left = PLENTY;
        failures += status != NACRE_OK;
        CHECK(status == NACRE_OK || strcmp(nacre_error_class(vm), "MemoryError") == 0);
        CHECK(run(vm, "x = 1") == NACRE_OK);
        nacre_free(vm);
    }
    CHECK(failures > RUNS / 2);
}

int main(void) {
    const Test tests[] = {{"told", test_told}, {"options", test_options}, {"one", test_one}, {"want", test_want}};
    return RUN_TESTS(tests);
}
