// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The transport "loopback": its functions and its table.

#include "dist/loopback/loopback.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dist/loopback/group.h"

static void lock(const Member *member) {
    pthread_mutex_lock(&member->group->mutex);
}

static void unlock(const Member *member) {
    pthread_mutex_unlock(&member->group->mutex);
}

static int group_size(const Member *member) {
    return member->group->options.ranks;
}

// --- Joining and leaving -------------------------------------------------------------------------

// Returns the first rank that has not joined; -1: all have.
static int missing_to_join(const Member *member) {
    for (int r = 0; r < group_size(member); r++)
        if (member->group->members[r].life == LIFE_ABSENT) return r;
    return -1;
}

static bool all_joined(Member *member) {
    return missing_to_join(member) < 0;
}

static const char *join(Member *member, struct Vm *vm, const RanksOptions *options) {
    static const Wait wait = {.is_done = all_joined, .missing = missing_to_join};
    LoopbackGroup *group = member->group;
    if (member->life != LIFE_ABSENT) return "another VM has this rank";
    if (group->failure.is_set) return group->failure.text;
    member->vm = vm;
    member->options = *options;
    member->life = LIFE_JOINED;
    group->owners++;
    group_tell(group);
    switch (group_wait(member, &wait)) {
    case RANKS_DONE: return NULL;
    case RANKS_STOPPED: group_fail(group, member->rank, "rank %d was stopped before all had joined", member->rank);
    case RANKS_FAILED: break;
    }
    member->life = LIFE_GONE;
    group->owners--; // not the last owner, as the host is one
    return group->failure.text;
}

static void *loopback_open(struct Vm *vm, const RanksOptions *options, const char **why) {
    LoopbackGroup *group = options->group;
    *why = "a communicator is for other transports";
    if (options->communicator) return NULL;
    *why = "no group was given";
    if (!group) return NULL;
    *why = "the group has no such rank";
    if (options->rank < 0 || options->rank >= group->options.ranks) return NULL;
    Member *member = &group->members[options->rank];
    lock(member);
    *why = join(member, vm, options);
    unlock(member);
    return *why ? NULL : member;
}

static void loopback_close(struct Vm *vm, void *ctx) {
    Member *member = ctx;
    LoopbackGroup *group = member->group;
    (void)vm; // the VM is in `member`
    lock(member);
    if (member->inside) group_fail(group, member->rank, "rank %d left in step %" PRIu64, member->rank, member->step);
    group_withdraw(member);
    member->life = LIFE_GONE;
    parcels_free(member);
    group_tell(group);
    unlock(member);
    loopback_group_free(group);
}

static int loopback_rank(void *ctx) {
    return ((const Member *)ctx)->rank;
}

static int loopback_size(void *ctx) {
    return group_size(ctx);
}

// --- Entering a call -----------------------------------------------------------------------------

static const char *const call_names[] = {
    [CALL_EXCHANGE] = "exchanges messages", [CALL_GATHER] = "gathers", [CALL_BROADCAST] = "broadcasts from rank"};

// Fails the group if two ranks make different calls.
static void compare(const Member *a, const Member *b) {
    LoopbackGroup *group = a->group;
    if (a->call.kind != b->call.kind)
        group_fail(group, a->rank, "in step %" PRIu64 " rank %d %s, and rank %d %s", a->step, a->rank,
                   call_names[a->call.kind], b->rank, call_names[b->call.kind]);
    else if (a->call.from != b->call.from)
        group_fail(group, a->rank, "in step %" PRIu64 " rank %d broadcasts from rank %d, and rank %d from rank %d",
                   a->step, a->rank, a->call.from, b->rank, b->call.from);
    else if (a->call.bytes != b->call.bytes)
        group_fail(group, a->rank, "in step %" PRIu64 " rank %d %s %zu bytes, and rank %d %zu", a->step, a->rank,
                   a->call.kind == CALL_GATHER ? "gathers" : "broadcasts", a->call.bytes, b->rank, b->call.bytes);
}

// Fails the group because a member that was withdrawn continues. Most often the group has failed before.
static void fail_stopped(const Member *member) {
    group_fail(member->group, member->rank, "rank %d was stopped in step %" PRIu64, member->rank, member->step);
}

// Returns whether the member may make its next call. Fails the group if not.
static bool may_enter(Member *member) {
    LoopbackGroup *group = member->group;
    const LoopbackOptions *options = &group->options;
    if (group->failure.is_set) return false;
    if (member->withdrawn)
        fail_stopped(member);
    else if (member->inside)
        group_fail(group, member->rank, "rank %d did not finish the exchange of step %" PRIu64, member->rank,
                   member->step);
    else if (options->lost_step == member->step + 1 && options->lost_rank == member->rank)
        group_fail(group, member->rank, "rank %d was lost in step %" PRIu64, member->rank, member->step + 1);
    return !group->failure.is_set;
}

// Enters a call, and pairs the member's parcels, which have been added before, with those of members in the same call.
static RanksOutcome enter(Member *member, Call call) {
    LoopbackGroup *group = member->group;
    member->step++;
    member->call = call;
    member->inside = true;
    for (int r = 0; r < group->options.ranks && !group->failure.is_set; r++) {
        Member *peer = &group->members[r];
        if (peer == member || peer->step != member->step) continue;
        compare(member, peer);
        if (!group->failure.is_set) parcels_match(member, peer);
    }
    group_tell(group);
    if (!group->failure.is_set) return RANKS_DONE;
    member->step--; // so that other ranks do not complete this call without it
    group_withdraw(member);
    return RANKS_FAILED;
}

static bool begin_list(Member *member, size_t most) {
    if (!may_enter(member)) return false;
    member->count = member->left = 0;
    if (!parcels_reserve(member, most)) group_fail(member->group, member->rank, "rank %d is out of memory", member->rank);
    return !member->group->failure.is_set;
}

// --- Ending it -----------------------------------------------------------------------------------

// Returns the first rank that has not entered the member's call, or was stopped in it; -1: none.
static int missing_here(const Member *member) {
    for (int r = 0; r < group_size(member); r++)
        if (member->group->members[r].step < member->step) return r;
    return parcels_withdrawn_peer(member);
}

static bool is_ended(Member *member) {
    while (parcels_copy_one(member)) {}
    return member->left == 0 && missing_here(member) < 0;
}

static RanksOutcome end(Member *member) {
    static const Wait wait = {.is_done = is_ended, .missing = missing_here, .until = parcels_next_due};
    RanksOutcome result = group_wait(member, &wait);
    if (result != RANKS_DONE) return result;
    member->inside = false;
    switch (member->call.kind) {
    case CALL_EXCHANGE: member->counts.exchanges++; break;
    case CALL_GATHER: member->counts.gathers++; break;
    case CALL_BROADCAST: member->counts.broadcasts++; break;
    }
    return RANKS_DONE;
}

// --- The calls -----------------------------------------------------------------------------------

static double begin_call(Member *member) {
    double begun = group_clock();
    lock(member);
    return begun;
}

static RanksOutcome end_call(Member *member, double begun, RanksOutcome result) {
    member->counts.waited += group_clock() - begun;
    unlock(member);
    return result;
}

static bool is_transfer(Member *member, const Transfer *transfer) {
    bool good = transfer->peer >= 0 && transfer->peer < group_size(member) && transfer->peer != member->rank &&
                transfer->bytes > 0 && transfer->at;
    if (!good)
        group_fail(member->group, member->rank, "rank %d of %d %s %zu bytes %s rank %d", member->rank,
                   group_size(member), transfer->sends ? "sends" : "expects", transfer->bytes,
                   transfer->sends ? "to" : "from", transfer->peer);
    return good;
}

static bool list_exchange(Member *member, const Transfer *list, int count) {
    if (!begin_list(member, (size_t)count)) return false;
    for (int i = 0; i < count; i++) {
        if (!is_transfer(member, &list[i])) return false;
        parcels_add(member, list[i].peer, list[i].sends, list[i].at, list[i].bytes);
    }
    return true;
}

static RanksOutcome loopback_post(void *ctx, const Transfer *list, int count) {
    Member *member = ctx;
    double begun = begin_call(member);
    bool good = list_exchange(member, list, count);
    return end_call(member, begun, good ? enter(member, (Call){.kind = CALL_EXCHANGE}) : RANKS_FAILED);
}

static void loopback_poke(void *ctx) {
    Member *member = ctx;
    lock(member);
    while (member->inside && !member->withdrawn && parcels_copy_one(member)) {}
    unlock(member);
}

static RanksOutcome loopback_finish(void *ctx) {
    Member *member = ctx;
    double begun = begin_call(member);
    const bool good = member->inside && !member->withdrawn;
    if (member->withdrawn) fail_stopped(member);
    else if (!good) group_fail(member->group, member->rank, "rank %d finishes no exchange", member->rank);
    return end_call(member, begun, good ? end(member) : RANKS_FAILED);
}

static RanksOutcome gather(Member *member, const void *own, char *all, size_t bytes) {
    int size = group_size(member);
    if (!begin_list(member, 2 * (size_t)(size - 1))) return RANKS_FAILED;
    for (int r = 0; r < size; r++) {
        if (r == member->rank) continue;
        parcels_add(member, r, true, own, bytes);
        parcels_add(member, r, false, all + (size_t)r * bytes, bytes);
    }
    RanksOutcome result = enter(member, (Call){.kind = CALL_GATHER, .bytes = bytes});
    return result == RANKS_DONE ? end(member) : result;
}

static RanksOutcome loopback_gather(void *ctx, const void *own, void *all, size_t bytes) {
    Member *member = ctx;
    double begun = begin_call(member);
    RanksOutcome result = gather(member, own, all, bytes);
    if (result == RANKS_DONE && bytes) memmove((char *)all + (size_t)member->rank * bytes, own, bytes);
    return end_call(member, begun, result);
}

static RanksOutcome broadcast(Member *member, int from, void *at, size_t bytes) {
    int size = group_size(member);
    if (!begin_list(member, (size_t)size)) return RANKS_FAILED;
    if (from < 0 || from >= size) {
        group_fail(member->group, member->rank, "rank %d of %d broadcasts from rank %d", member->rank, size, from);
        return RANKS_FAILED;
    }
    for (int r = 0; r < size; r++)
        if (r != member->rank && from == member->rank) parcels_add(member, r, true, at, bytes);
    if (from != member->rank) parcels_add(member, from, false, at, bytes);
    RanksOutcome result = enter(member, (Call){.kind = CALL_BROADCAST, .from = from, .bytes = bytes});
    return result == RANKS_DONE ? end(member) : result;
}

static RanksOutcome loopback_broadcast(void *ctx, int from, void *at, size_t bytes) {
    Member *member = ctx;
    double begun = begin_call(member);
    return end_call(member, begun, broadcast(member, from, at, bytes));
}

// --- Failing -------------------------------------------------------------------------------------

static void loopback_fail(void *ctx, const void *bytes, size_t len) {
    Member *member = ctx;
    void *copy = bytes && len ? malloc(len) : NULL;
    if (copy) memcpy(copy, bytes, len);
    lock(member);
    Failure *failure = &member->group->failure;
    bool first = !failure->is_set;
    if (copy) group_fail(member->group, member->rank, "%s", "");
    else group_fail(member->group, member->rank, "rank %d failed", member->rank);
    if (first) {
        failure->bytes = copy;
        failure->len = copy ? len : 0;
    }
    group_withdraw(member);
    unlock(member);
    if (!first) free(copy);
}

static void loopback_failure(void *ctx, RanksFailure *out) {
    const Member *member = ctx;
    lock(member);
    const Failure *failure = &member->group->failure;
    *out = (RanksFailure){.rank = failure->rank, .bytes = failure->bytes, .len = failure->len, .text = failure->text};
    unlock(member);
}

static void loopback_counts(void *ctx, RanksCounts *out) {
    const Member *member = ctx;
    lock(member);
    *out = member->counts;
    unlock(member);
}

const Ranks ranks_loopback = {
    .abi_version = RANKS_ABI,
    .struct_size = sizeof(Ranks),
    .name = "loopback",
    .open = loopback_open,
    .close = loopback_close,
    .rank = loopback_rank,
    .size = loopback_size,
    .post = loopback_post,
    .poke = loopback_poke,
    .finish = loopback_finish,
    .gather = loopback_gather,
    .broadcast = loopback_broadcast,
    .fail = loopback_fail,
    .failure = loopback_failure,
    .counts = loopback_counts,
    .send = loopback_send,
    .receive = loopback_receive,
};
