// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The transport over MPI: its functions and its table.

#include <stdlib.h>
#include <string.h>

#include "dist/mpi/group.h"
#include "vm/value/vm.h"

// --- Joining and leaving --------------------------------------------------------------------------

// Returns the number of seconds that a failed rank waits for the others to notice.
static double patience(void) {
    const char *text = getenv("NACRE_MPI_PATIENCE");
    char *end = NULL;
    double seconds = text ? strtod(text, &end) : 0;
    return text && end != text && !*end && seconds > 0 && seconds < 1e6 ? seconds : 30;
}

static size_t group_bytes(int size) {
    return sizeof(Group) + (size_t)size * sizeof(Peer);
}

static Group *group_new(Vm *vm, const RanksOptions *options, int rank, int size) {
    Group *group = mem_alloc_free(&vm->mem, group_bytes(size));
    if (!group) return NULL;
    memset(group, 0, group_bytes(size));
    group->mem = &vm->mem;
    group->bytes = group_bytes(size);
    group->rank = rank;
    group->size = size;
    group->stopped = options->stopped;
    group->stopped_ctx = options->stopped_ctx;
    group->patience = patience();
    group->peers = (Peer *)(group + 1);
    group->failure.words_from = -1;
    group->data = group->control = MPI_COMM_NULL;
    if (outbox_open(group, &group->outbox, NOTES_ROOM) && flight_open(group)) return group;
    group_abandon(group);
    return NULL;
}

// Joins the group. If any rank failed to allocate its group (NULL there), no rank joins. Returns NULL, or the reason of
// the failure.
static const char *join(Group *group, MPI_Comm base) {
    int ready = group != NULL;
    if (MPI_Allreduce(MPI_IN_PLACE, &ready, 1, MPI_INT, MPI_MIN, base) != MPI_SUCCESS) return "MPI_Allreduce fails";
    if (!ready) return group ? "another rank has no memory" : "no memory";
    if (MPI_Comm_dup(base, &group->data) != MPI_SUCCESS) return "MPI_Comm_dup fails";
    MPI_Comm_set_errhandler(group->data, MPI_ERRORS_RETURN);
    if (MPI_Comm_dup(group->data, &group->control) != MPI_SUCCESS) return "MPI_Comm_dup fails";
    MPI_Comm_set_errhandler(group->control, MPI_ERRORS_RETURN);
    return listen(group, group->flight.requests) ? NULL : "MPI_Irecv fails";
}

static void *mpi_open(Vm *vm, const RanksOptions *options, const char **why) {
    int rank = 0, size = 1, inter = 0;
    if ((*why = mpi_enter())) return NULL;
    MPI_Comm base = options->communicator ? *(MPI_Comm *)options->communicator : MPI_COMM_WORLD;
    if (base == MPI_COMM_NULL || MPI_Comm_test_inter(base, &inter) != MPI_SUCCESS || inter) {
        *why = "the communicator is none of a group of processes";
        return NULL;
    }
    MPI_Comm_rank(base, &rank);
    MPI_Comm_size(base, &size);
    if (!options->communicator && (*why = launcher_problem(size))) return NULL;
    groups_sweep();
    Group *group = group_new(vm, options, rank, size);
    if (!(*why = join(group, base))) {
        groups_add(group);
        return group;
    }
    if (group) group_abandon(group);
    return NULL;
}

static void mpi_close(Vm *vm, void *ctx) {
    (void)vm;
    group_leave(ctx);
}

static int mpi_rank(void *ctx) {
    return ((Group *)ctx)->rank;
}

static int mpi_size(void *ctx) {
    return ((Group *)ctx)->size;
}

// --- Calls ----------------------------------------------------------------------------------------

static RanksOutcome ended(Group *group, RanksOutcome outcome, uint64_t *count, double since) {
    group->counts.waited += seconds_now() - since;
    if (outcome == RANKS_FAILED) group->failure.shown = true;
    if (outcome != RANKS_DONE) return outcome;
    group->steps++;
    ++*count;
    return RANKS_DONE;
}

// Returns whether calls can proceed. After a failure every call fails, and the first one aborts the transfers in
// progress.
static bool goes_on(Group *group) {
    if (!group->failure.set) return true;
    if (!group->failure.shown) transfer_break(group);
    group->failure.shown = true;
    return false;
}

static RanksOutcome mpi_post(void *ctx, const Transfer *list, int count) {
    Group *group = ctx;
    if (!goes_on(group)) return RANKS_FAILED;
    double since = seconds_now();
    RanksOutcome outcome = transfer_post(group, list, count);
    group->counts.waited += seconds_now() - since;
    if (outcome == RANKS_FAILED) group->failure.shown = true;
    return outcome;
}

static void mpi_poke(void *ctx) {
    Group *group = ctx;
    if (!group->failure.set) transfer_look(group);
}

static RanksOutcome mpi_finish(void *ctx) {
    Group *group = ctx;
    if (!goes_on(group)) return RANKS_FAILED;
    double since = seconds_now();
    return ended(group, transfer_wait(group), &group->counts.exchanges, since);
}

static RanksOutcome mpi_gather(void *ctx, const void *own, void *all, size_t bytes) {
    Group *group = ctx;
    if (!goes_on(group)) return RANKS_FAILED;
    double since = seconds_now();
    return ended(group, collect_gather(group, own, all, bytes), &group->counts.gathers, since);
}

static RanksOutcome mpi_broadcast(void *ctx, int from, void *at, size_t bytes) {
    Group *group = ctx;
    if (!goes_on(group)) return RANKS_FAILED;
    double since = seconds_now();
    return ended(group, collect_broadcast(group, from, at, bytes), &group->counts.broadcasts, since);
}

// --- Mail -----------------------------------------------------------------------------------------

static bool is_peer(Group *group, int rank) {
    if (rank >= 0 && rank < group->size && rank != group->rank) return true;
    failure_set(group, group->rank, false, "it has mail with a rank that is none");
    transfer_break(group);
    return false;
}

static RanksOutcome mpi_send(void *ctx, int to, Mail *mail) {
    Group *group = ctx;
    const bool may = goes_on(group) && is_peer(group, to);
    if (!may) mail_free(mail);
    if (may && mail_post(group, to, mail)) return RANKS_DONE;
    if (may) transfer_break(group);
    group->failure.shown = true;
    return RANKS_FAILED;
}

static RanksOutcome mpi_receive(void *ctx, int from, uint64_t context, int64_t tag, Mail **out) {
    Group *group = ctx;
    if (!goes_on(group) || !is_peer(group, from)) return RANKS_FAILED;
    double since = seconds_now();
    RanksOutcome outcome = mail_take(group, from, context, tag, out);
    group->counts.waited += seconds_now() - since;
    if (outcome == RANKS_FAILED) group->failure.shown = true;
    return outcome;
}

// --- Failing --------------------------------------------------------------------------------------

static void mpi_fail(void *ctx, const void *bytes, size_t len) {
    Group *group = ctx;
    Failure *failure = &group->failure;
    // The first reason is kept. A rank that has announced words (promised) still sends them.
    bool promised = failure->set && failure->follows && failure->culprit == group->rank;
    if (group->size == 1 || group->control == MPI_COMM_NULL || failure->told || (group->quit && !promised)) return;
    notes_send_words(group, bytes, len);
    if (!group->quit && group->flight.receives + group->flight.sends == 0)
        notes_send_quit(group, group->rank, true, "");
}

static void mpi_failure(void *ctx, RanksFailure *out) {
    const Failure *failure = &((Group *)ctx)->failure;
    *out = (RanksFailure){.rank = failure->culprit, .text = failure->text};
    if (failure->told && failure->words) {
        out->bytes = failure->words;
        out->len = failure->len;
    }
}

static void mpi_counts(void *ctx, RanksCounts *out) {
    *out = ((Group *)ctx)->counts;
}

static void mpi_describe(Buf *out) {
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    buf_printf(out, "  library: %s\n", library_name(text));
}

// --- The table ------------------------------------------------------------------------------------

static const Ranks table = {
    .abi_version = RANKS_ABI,
    .struct_size = sizeof(Ranks),
    .name = "mpi",
    .open = mpi_open,
    .close = mpi_close,
    .rank = mpi_rank,
    .size = mpi_size,
    .post = mpi_post,
    .poke = mpi_poke,
    .finish = mpi_finish,
    .gather = mpi_gather,
    .broadcast = mpi_broadcast,
    .fail = mpi_fail,
    .failure = mpi_failure,
    .counts = mpi_counts,
    .describe = mpi_describe,
    .send = mpi_send,
    .receive = mpi_receive,
};

__attribute__((visibility("default"))) const Ranks *nacre_ranks(void);
const Ranks *nacre_ranks(void) {
    return &table;
}
