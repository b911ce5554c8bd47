// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// VMs of one process that are ranks of one program: joining, figures, leaving.

#include "harness.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

enum { RANKS = 3 };

typedef struct Rank {
    NacreOptions options;
    const char *program;
    bool joined;
    NacreStatus status;
    NacreStats stats;
} Rank;

static void *run_rank(void *arg) {
    Rank *rank = arg;
    NacreVm *vm = nacre_new(&rank->options);
    rank->joined = vm;
    if (!vm) return NULL;
    rank->status = run(vm, rank->program);
    rank->stats.struct_size = sizeof rank->stats;
    if (nacre_stats(vm, &rank->stats) != NACRE_OK) rank->status = NACRE_MISUSE;
    nacre_free(vm);
    return NULL;
}

static void run_ranks(Rank ranks[RANKS], NacreGroup *group, const char *program) {
    pthread_t threads[RANKS];
    for (int r = 0; r < RANKS; r++) {
        ranks[r] = (Rank){.program = program};
        ranks[r].options = (NacreOptions){.struct_size = sizeof(NacreOptions), .ranks = "loopback", .group = group,
                                          .rank = r, .threads = 1};
        CHECK(pthread_create(&threads[r], NULL, run_rank, &ranks[r]) == 0);
    }
    for (int r = 0; r < RANKS; r++) pthread_join(threads[r], NULL);
}

static void test_joined(void) {
    Rank ranks[RANKS];
    const NacreGroupOptions options = {.struct_size = sizeof options, .ranks = RANKS};
    NacreGroup *group = nacre_group_new(&options);
    CHECK(group);
    run_ranks(ranks, group, "import numpy as np\nif np.arange(1000.0).sum() != 499500.0: raise ValueError");
    for (int r = 0; r < RANKS; r++) {
        const NacreStats *stats = &ranks[r].stats;
        CHECK(ranks[r].joined && ranks[r].status == NACRE_OK);
        CHECK(stats->ranks == RANKS && stats->rank == (uint64_t)r);
        CHECK(stats->messages_sent <= stats->message_bytes_sent);
        CHECK(stats->messages_received <= stats->message_bytes_received);
        CHECK(stats->exchanges == ranks[0].stats.exchanges && stats->gathers == ranks[0].stats.gathers);
        CHECK(stats->broadcasts == ranks[0].stats.broadcasts);
        CHECK(stats->seconds_with_ranks >= 0);
        CHECK(stats->plans_hash == ranks[0].stats.plans_hash);
    }
    nacre_group_free(group);
}

static bool is_refused(NacreOptions options) {
    options.struct_size = sizeof options;
    NacreVm *vm = nacre_new(&options);
    nacre_free(vm);
    return !vm;
}

static void test_refused(void) {
    int something = 0;
    const NacreGroupOptions one = {.struct_size = sizeof one, .ranks = 1}, none = {.struct_size = sizeof none};
    const NacreGroupOptions alone = {.struct_size = sizeof alone, .ranks = 2, .stall = 0.2};
    NacreGroup *group = nacre_group_new(&one);
    CHECK(group && !nacre_group_new(NULL) && !nacre_group_new(&none));
    CHECK(is_refused((NacreOptions){.ranks = "loopback"}));
    CHECK(is_refused((NacreOptions){.group = group}));
    CHECK(is_refused((NacreOptions){.ranks = "telepathy", .group = group}));
    CHECK(is_refused((NacreOptions){.ranks = "loopback", .group = group, .rank = 1}));
    CHECK(is_refused((NacreOptions){.ranks = "loopback", .group = group, .communicator = &something}));
    CHECK(!is_refused((NacreOptions){.ranks = "loopback", .group = group}));
    CHECK(is_refused((NacreOptions){.ranks = "loopback", .group = group})); // a rank joins but once
    nacre_group_free(group);
    group = nacre_group_new(&alone);
    CHECK(is_refused((NacreOptions){.ranks = "loopback", .group = group})); // nobody else comes
    nacre_group_free(group);
    nacre_group_free(NULL);
}

// The group is there as long as a VM is in it.
static void test_freed_first(void) {
    const NacreGroupOptions one = {.struct_size = sizeof one, .ranks = 1};
    NacreGroup *group = nacre_group_new(&one);
    const NacreOptions options = {.struct_size = sizeof options, .ranks = "loopback", .group = group};
    NacreVm *vm = nacre_new(&options);
    CHECK(vm);
    nacre_group_free(group);
    CHECK(run(vm, "import numpy as np\nx = np.ones(10).sum()") == NACRE_OK && evaluates(vm, "float(x)", "10.0"));
    nacre_free(vm);
}

int main(void) {
    static const Test tests[] = {{"joined", test_joined}, {"refused", test_refused}, {"freed first", test_freed_first}};
    return RUN_TESTS(tests);
}
