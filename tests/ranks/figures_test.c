// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What a host is told of ranks: figures by line, which sum up to those of the whole; what went to each rank; and bytes of
// each rank for all.

#include <stdlib.h>
#include <string.h>

#include "tests/ranks/party.h"

// --- Bytes of each rank ------------------------------------------------------------------------------

enum { APART = 1000 };

typedef struct Collector {
    NacreVm *vm;
    pthread_t thread;
    int rank, calls, wrong;
    NacreStatus status;
} Collector;

// Rank r gives r * APART bytes of value r.
static void take(void *ctx, int rank, const void *bytes, size_t len) {
    Collector *collector = ctx;
    const unsigned char *at = bytes;
    collector->wrong += rank != collector->calls++ || len != (size_t)rank * APART;
    for (size_t i = 0; i < len; i++) collector->wrong += at[i] != rank;
}

static void *collect(void *arg) {
    Collector *collector = arg;
    unsigned char own[PARTY_MOST * APART];
    memset(own, collector->rank, sizeof own);
    collector->status = nacre_collect(collector->vm, own, (size_t)collector->rank * APART, take, collector);
    return NULL;
}

// On all ranks together; whether it ended like this on each of them.
static bool collected(const Party *party, NacreStatus status, int calls) {
    Collector all[PARTY_MOST] = {{.vm = NULL}};
    bool good = true;
    for (int r = 0; r < party->size; r++) {
        all[r] = (Collector){.vm = party->ranks[r].vm, .rank = r};
        good = pthread_create(&all[r].thread, NULL, collect, &all[r]) == 0 && good;
    }
    for (int r = 0; r < party->size; r++) {
        pthread_join(all[r].thread, NULL);
        good = good && all[r].status == status && all[r].calls == calls && all[r].wrong == 0;
    }
    return good;
}

static void test_collect(void) {
    static const NacreOptions checking = {.struct_size = sizeof checking, .check_ranks = true};
    Party party = {.size = 0};
    party_open(&party, 4, &checking);
    CHECK(collected(&party, NACRE_OK, 4));
    party_run(&party, "x = [1][2]\n");
    CHECK(party.ranks[0].status == NACRE_ERROR && collected(&party, NACRE_OK, 4)); // all have failed alike
    party_run(&party, "from nacre import comm\nif comm.rank == 2: raise ValueError('alone')\ncomm.barrier()\n");
    CHECK(collected(&party, NACRE_ERROR, 0));
    CHECK(strstr(nacre_error_text(party.ranks[0].vm), "alone"));
    party_close(&party);
}

static void take_alone(void *ctx, int rank, const void *bytes, size_t len) {
    *(int *)ctx += rank == 0 && len == 3 && memcmp(bytes, "abc", 3) == 0;
}

static void test_collect_alone(void) {
    NacreVm *vm = nacre_new(NULL);
    int calls = 0;
    uint64_t messages = 1, bytes = 1;
    NacreRankLine line = {.struct_size = sizeof line};
    CHECK(nacre_collect(vm, "abc", 3, take_alone, &calls) == NACRE_OK && calls == 1);
    CHECK(nacre_collect(vm, NULL, 3, take_alone, &calls) == NACRE_MISUSE);
    CHECK(nacre_collect(vm, "abc", 3, NULL, NULL) == NACRE_MISUSE);
    CHECK(nacre_rank_sent(vm, 0, &messages, &bytes) == NACRE_OK && messages == 0 && bytes == 0);
    CHECK(nacre_rank_sent(vm, 1, &messages, &bytes) == NACRE_MISUSE);
    CHECK(nacre_run(vm, "import numpy as np\nnp.ones(9).sum()\n", 35, "a", NACRE_FILE) == NACRE_OK);
    CHECK(nacre_rank_line(vm, 0, &line) == NACRE_MISUSE);
    nacre_free(vm);
}

// --- Lines ---------------------------------------------------------------------------------------------

static const char program[] = "import numpy as np\n"
                              "x = np.arange(600.0).reshape(60, 10) * 2\n"
                              "for i in range(3):\n"
                              "    x = x + 1.0\n"
                              "    low = float((x[1:] - x[:-1]).min())\n"
                              "print(low)\n"
                              "y = (x * x).tolist()\n";

static void add(NacreRankLine *sum, const NacreRankLine *line) {
    sum->exchanges += line->exchanges;
    sum->gathers += line->gathers;
    sum->broadcasts += line->broadcasts;
    sum->messages_sent += line->messages_sent;
    sum->messages_received += line->messages_received;
    sum->message_bytes_sent += line->message_bytes_sent;
    sum->message_bytes_received += line->message_bytes_received;
    sum->arrays_gathered += line->arrays_gathered;
    sum->seconds += line->seconds;
}

static void check_sums(const NacreVm *vm) {
    NacreStats all = {.struct_size = sizeof all};
    NacreRankLine sum = {.line = 0}, line = {.struct_size = sizeof line};
    uint64_t sent = 0;
    CHECK(nacre_stats(vm, &all) == NACRE_OK);
    for (int i = 0; nacre_rank_line(vm, i, &line) == NACRE_OK; i++) add(&sum, &line);
    CHECK(sum.exchanges == all.exchanges && sum.gathers == all.gathers && sum.broadcasts == all.broadcasts);
    CHECK(sum.messages_sent == all.messages_sent && sum.messages_received == all.messages_received);
    CHECK(sum.message_bytes_sent == all.message_bytes_sent && sum.message_bytes_received == all.message_bytes_received);
    CHECK(sum.arrays_gathered == all.arrays_gathered && all.arrays_gathered == 1);
    CHECK(sum.seconds > all.seconds_with_ranks - 1e-6 && sum.seconds < all.seconds_with_ranks + 1e-6);
    for (int r = 0; r < (int)all.ranks; r++) {
        uint64_t messages = 0, bytes = 0;
        CHECK(nacre_rank_sent(vm, r, &messages, &bytes) == NACRE_OK && (messages > 0) == (r != (int)all.rank));
        sent += bytes;
    }
    CHECK(sent > 0);
}

static NacreRankLine line_of(const NacreVm *vm, uint32_t number) {
    NacreRankLine line = {.struct_size = sizeof line};
    for (int i = 0; nacre_rank_line(vm, i, &line) == NACRE_OK; i++)
        if (line.file && line.line == number) return line;
    return (NacreRankLine){.line = 0};
}

static void test_lines(void) {
    static const NacreOptions least = {.struct_size = sizeof least, .split_least = 1};
    Party party = {.size = 0};
    uint64_t halos = 0;
    party_open(&party, 3, &least);
    party_run(&party, program);
    CHECK(party_went_well(&party) && strcmp(party.ranks[0].out, "20.0\n") == 0);
    for (int r = 0; r < party.size; r++) {
        const NacreVm *vm = party.ranks[r].vm;
        const NacreRankLine made = line_of(vm, 4), compared = line_of(vm, 5), seen = line_of(vm, 7);
        check_sums(vm);
        CHECK(made.results_cut == 3 && made.axes_cut == 1 && !made.why);
        CHECK(compared.results_combined == 3 && compared.array_exchanges == 3 && compared.arrays_gathered == 0);
        CHECK(seen.arrays_gathered == 1 && seen.array_bytes_gathered == 4800 && seen.why);
        halos += compared.array_bytes_received;
    }
    CHECK(halos == 3 * 2 * 80); // a row between the first and second rank, and the second and third
    party_close(&party);
}

int main(void) {
    test_collect();
    test_collect_alone();
    test_lines();
    return failures != 0;
}
