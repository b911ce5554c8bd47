// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Messages: pairs their two sides, and copies them. With a seed, a hash of its identity determines each message's delay
// and turn, so that they are equal in every run.

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "dist/loopback/group.h"
#include "vm/value/vm.h"

static const double late_most = 2e-3; // maximum delay in seconds

bool parcels_reserve(Member *member, size_t count) {
    void *items = member->parcels;
    bool good = mem_grow(&member->vm->mem, &items, &member->cap, count, sizeof(Parcel));
    member->parcels = items;
    return good;
}

void parcels_free(Member *member) {
    mem_free(&member->vm->mem, member->parcels, member->cap * sizeof(Parcel));
    member->parcels = NULL;
    member->cap = 0;
    member->count = member->left = 0;
}

void parcels_add(Member *member, int peer, bool sends, const void *at, size_t bytes) {
    Transfer transfer = {.peer = peer, .sends = sends, .bytes = bytes, .at = (void *)(uintptr_t)at};
    member->parcels[member->count++] = (Parcel){.transfer = transfer};
    member->left++;
}

// --- Which belong together -----------------------------------------------------------------------

// splitmix64's finaliser (Steele, Lea, Flood, 2014).
static uint64_t mix(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static void decide_turn(const LoopbackOptions *options, uint64_t step, const Member *from, const Member *to,
                        uint64_t number, Parcel *parcel) {
    if (options->seed == 0) return;
    uint64_t hash = mix(mix(mix(options->seed + step) + (uint64_t)from->rank * LOOPBACK_MOST + (uint64_t)to->rank) +
                        number);
    double late = (double)(hash >> 32) * 0x1p-31 - 1; // between -1 and 1; half of the messages are not delayed
    parcel->turn = mix(hash + 1);
    parcel->due = late > 0 ? group_clock() + late * late_most : 0;
}

// Returns a member's next parcel from index *at on, to or from that peer, and advances *at; NULL: none.
static Parcel *next_parcel(Member *of, int *at, const Member *peer, bool sends) {
    for (; *at < of->count; ++*at) {
        const Transfer *transfer = &of->parcels[*at].transfer;
        if (transfer->peer == peer->rank && transfer->sends == sends) return &of->parcels[(*at)++];
    }
    return NULL;
}

static bool fit(Member *from, Member *to, const Parcel *sent, const Parcel *wanted, uint64_t number) {
    LoopbackGroup *group = from->group;
    const uint64_t step = from->step;
    if (!wanted)
        group_fail(group, from->rank, "in step %" PRIu64 " rank %d sends a message of %zu bytes, number %" PRIu64
                   ", that rank %d does not expect", step, from->rank, sent->transfer.bytes, number, to->rank);
    else if (!sent)
        group_fail(group, to->rank, "in step %" PRIu64 " rank %d expects a message of %zu bytes, number %" PRIu64
                   ", that rank %d does not send", step, to->rank, wanted->transfer.bytes, number, from->rank);
    else if (sent->transfer.bytes != wanted->transfer.bytes)
        group_fail(group, from->rank, "in step %" PRIu64 " rank %d sends %zu bytes to rank %d, which expects %zu",
                   step, from->rank, sent->transfer.bytes, to->rank, wanted->transfer.bytes);
    return !group->failure.is_set;
}

static void match_one_way(Member *from, Member *to) {
    int at_from = 0, at_to = 0;
    for (uint64_t number = 1;; number++) {
        Parcel *sent = next_parcel(from, &at_from, to, true), *wanted = next_parcel(to, &at_to, from, false);
        if ((!sent && !wanted) || !fit(from, to, sent, wanted, number)) return;
        decide_turn(&from->group->options, from->step, from, to, number, sent);
        wanted->due = sent->due;
        wanted->turn = sent->turn;
        sent->other = wanted;
        wanted->other = sent;
    }
}

void parcels_match(Member *member, Member *peer) {
    match_one_way(member, peer);
    match_one_way(peer, member);
}

// --- Copying -------------------------------------------------------------------------------------

static Member *peer_of(const Member *member, const Parcel *parcel) {
    return &member->group->members[parcel->transfer.peer];
}

static bool may_be_copied(const Member *member, const Parcel *parcel) {
    return parcel->other && !parcel->taken && !peer_of(member, parcel)->withdrawn;
}

static Parcel *choose(const Member *member) {
    Parcel *best = NULL;
    if (member->left == 0 || member->withdrawn || member->group->failure.is_set) return NULL;
    const double now = member->group->options.seed ? group_clock() : 0;
    for (Parcel *at = member->parcels; at < member->parcels + member->count; at++) {
        bool ready = at->due <= now && may_be_copied(member, at);
        if (ready && (!best || at->turn < best->turn)) best = at;
    }
    return best;
}

static void take(Member *member, Parcel *parcel) {
    parcel->taken = true;
    member->copies++;
}

static void end(Member *member, Parcel *parcel) {
    const uint64_t bytes = parcel->transfer.bytes;
    parcel->done = true;
    member->left--;
    member->copies--;
    if (parcel->transfer.sends) member->counts.messages_sent++, member->counts.bytes_sent += bytes;
    else member->counts.messages_received++, member->counts.bytes_received += bytes;
}

bool parcels_copy_one(Member *member) {
    Parcel *own = choose(member), *other = own ? own->other : NULL;
    if (!own) return false;
    Member *peer = peer_of(member, own);
    const Parcel *from = own->transfer.sends ? own : other, *to = own->transfer.sends ? other : own;
    take(member, own);
    take(peer, other);
    pthread_mutex_unlock(&member->group->mutex);
    if (from->transfer.bytes) memcpy(to->transfer.at, from->transfer.at, from->transfer.bytes);
    pthread_mutex_lock(&member->group->mutex);
    end(member, own);
    end(peer, other);
    pthread_cond_signal(&peer->news);
    return true;
}

double parcels_next_due(const Member *member) {
    double next = HUGE_VAL;
    for (const Parcel *at = member->parcels; at < member->parcels + member->count; at++)
        if (may_be_copied(member, at)) next = fmin(next, at->due);
    return next;
}

int parcels_withdrawn_peer(const Member *member) {
    for (const Parcel *at = member->parcels; at < member->parcels + member->count; at++)
        if (!at->done && peer_of(member, at)->withdrawn) return at->transfer.peer;
    return -1;
}
