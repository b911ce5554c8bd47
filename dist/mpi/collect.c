// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Collective calls, made of exchanges.

#include <string.h>

#include "dist/mpi/group.h"

// Blocks low … low + count - 1 of those of `size` ranks, which go round: one message, or two.
static int range(Transfer out[2], int peer, bool sends, char *all, size_t bytes, int size, int low, int count) {
    low %= size;
    int first = low + count <= size ? count : size - low;
    out[0] = (Transfer){.peer = peer, .sends = sends, .bytes = (size_t)first * bytes, .at = all + (size_t)low * bytes};
    if (first == count) return 1;
    out[1] = (Transfer){.peer = peer, .sends = sends, .bytes = (size_t)(count - first) * bytes, .at = all};
    return 2;
}

static RanksOutcome exchange(Group *group, const Transfer *list, int count) {
    RanksOutcome outcome = transfer_post(group, list, count);
    return outcome == RANKS_DONE ? transfer_wait(group) : outcome;
}

// Bruck's algorithm, in place: in each round a rank gets as many blocks as it has from the rank that is so many
// further on, and gives its own to the one that is so many before. The least number of rounds, and of bytes.
RanksOutcome collect_gather(Group *group, const void *own, void *all, size_t bytes) {
    int rank = group->rank, size = group->size;
    RanksOutcome outcome = RANKS_DONE;
    char *mine = (char *)all + (size_t)rank * bytes;
    if (bytes && mine != own) memmove(mine, own, bytes);
    if (size == 1 || bytes == 0) return exchange(group, NULL, 0);
    for (int had = 1; had < size && outcome == RANKS_DONE; had *= 2) {
        Transfer list[4];
        int count = had < size - had ? had : size - had;
        int n = range(list, (rank + had) % size, false, all, bytes, size, rank + had, count);
        n += range(list + n, (rank + size - had) % size, true, all, bytes, size, rank, count);
        outcome = exchange(group, list, n);
    }
    return outcome;
}

// A binomial tree: who has the bytes gives them to a rank as far away as there are ranks that have them.
RanksOutcome collect_broadcast(Group *group, int from, void *at, size_t bytes) {
    int size = group->size, place = (group->rank + size - from) % size, have = 1;
    Transfer list[32];
    int count = 0;
    if (size == 1 || bytes == 0) return exchange(group, NULL, 0);
    while (have <= place) have *= 2; // ranks that have them once this one does
    if (place > 0) {
        list[0] = (Transfer){.peer = (place - have / 2 + from) % size, .bytes = bytes, .at = at};
        RanksOutcome outcome = exchange(group, list, 1);
        if (outcome != RANKS_DONE) return outcome;
    }
    for (; place + have < size; have *= 2)
        list[count++] = (Transfer){.peer = (place + have + from) % size, .sends = true, .bytes = bytes, .at = at};
    return exchange(group, list, count);
}
