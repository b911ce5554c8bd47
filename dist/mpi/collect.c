// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Collective calls, implemented by exchanges.

#include <string.h>

#include "dist/mpi/group.h"

// Describes the transfer of blocks low … low + count - 1, modulo `size`. Returns the number of messages, 1 or 2.
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

// Gathers in place by Bruck's algorithm (Bruck, Ho, Kipnis, Upfal, Weathersby, 1997). In each round, a rank that has n
// blocks receives up to n blocks from the rank n places after it, and sends as many to the rank n places before it. The
// numbers of rounds and of bytes are minimal.
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

// Broadcasts along a binomial tree: in each round, each rank that has the bytes sends them to the rank that is n places
// further on, where n is the number of ranks that have them.
RanksOutcome collect_broadcast(Group *group, int from, void *at, size_t bytes) {
    int size = group->size, place = (group->rank + size - from) % size, have = 1;
    Transfer list[32];
    int count = 0;
    if (size == 1 || bytes == 0) return exchange(group, NULL, 0);
    while (have <= place) have *= 2; // number of ranks that have the bytes after the round in which this rank receives
                                     // them
    if (place > 0) {
        list[0] = (Transfer){.peer = (place - have / 2 + from) % size, .bytes = bytes, .at = at};
        RanksOutcome outcome = exchange(group, list, 1);
        if (outcome != RANKS_DONE) return outcome;
    }
    for (; place + have < size; have *= 2)
        list[count++] = (Transfer){.peer = (place + have + from) % size, .sends = true, .bytes = bytes, .at = at};
    return exchange(group, list, count);
}
