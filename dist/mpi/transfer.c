// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Messages of the program: posting, testing, waiting and aborting.

#include <stdio.h>
#include <string.h>

#include "dist/mpi/group.h"

// --- Requests -------------------------------------------------------------------------------------

static bool flight_reserve(Group *group, int need) {
    Flight *flight = &group->flight;
    if (need <= flight->room) return true;
    int room = need + need / 2 + 16;
    size_t each = sizeof(MPI_Status) + sizeof(MPI_Request) + sizeof(Part) + sizeof(int);
    size_t bytes = (size_t)room * each;
    char *block = mem_alloc(group->mem, bytes);
    if (!block) return false;
    Flight grown = *flight;
    grown.statuses = (MPI_Status *)block;
    grown.requests = (MPI_Request *)(grown.statuses + room);
    grown.parts = (Part *)(grown.requests + room);
    grown.done = (int *)(grown.parts + room);
    grown.room = room;
    grown.bytes = bytes;
    if (flight->count > 0) {
        memcpy(grown.requests, flight->requests, (size_t)flight->count * sizeof *grown.requests);
        memcpy(grown.parts, flight->parts, (size_t)flight->count * sizeof *grown.parts);
    }
    flight_free(group);
    *flight = grown;
    return true;
}

bool flight_open(Group *group) {
    if (!flight_reserve(group, 1)) return false;
    group->flight.requests[0] = MPI_REQUEST_NULL;
    group->flight.count = 1;
    return true;
}

void flight_free(Group *group) {
    Flight *flight = &group->flight;
    mem_free(group->mem, flight->statuses, flight->bytes);
    *flight = (Flight){.count = 0};
}

void failure_of_mpi(Group *group, const char *function, int code) {
    char text[TEXT_MOST], words[MPI_MAX_ERROR_STRING];
    int length = 0;
    if (MPI_Error_string(code, words, &length) != MPI_SUCCESS) length = 0;
    snprintf(text, sizeof text, "%s: %.*s", function, length, words);
    failure_set(group, group->rank, false, text);
}

bool listen(Group *group, MPI_Request *request) {
    int code = MPI_Irecv(&group->note, (int)sizeof group->note, MPI_BYTE, MPI_ANY_SOURCE, 0, group->control, request);
    if (code != MPI_SUCCESS) failure_of_mpi(group, "MPI_Irecv", code);
    return code == MPI_SUCCESS;
}

// --- Beginning ------------------------------------------------------------------------------------

static int parts_of(size_t bytes) {
    return (int)((bytes + PART_MOST - 1) / PART_MOST);
}

static bool begin_part(Group *group, Part part, int tag, char *at) {
    Flight *flight = &group->flight;
    MPI_Request *request = &flight->requests[flight->count];
    int code = part.sends ? MPI_Isend(at, part.bytes, MPI_BYTE, part.peer, tag, group->data, request)
                          : MPI_Irecv(at, part.bytes, MPI_BYTE, part.peer, tag, group->data, request);
    if (code != MPI_SUCCESS) {
        failure_of_mpi(group, part.sends ? "MPI_Isend" : "MPI_Irecv", code);
        return false;
    }
    flight->parts[flight->count++] = part;
    if (part.sends) flight->sends++;
    else flight->receives++;
    return true;
}

static bool begin(Group *group, const Transfer *transfer, int tag) {
    for (size_t at = 0; at < transfer->bytes; at += PART_MOST) {
        size_t left = transfer->bytes - at;
        Part part = {.peer = transfer->peer, .sends = transfer->sends,
                     .bytes = (int)(left < PART_MOST ? left : PART_MOST)};
        if (!begin_part(group, part, tag, (char *)transfer->at + at)) return false;
    }
    return true;
}

static bool is_stopped(const Group *group) {
    return group->stopped && group->stopped(group->stopped_ctx);
}

static RanksOutcome post(Group *group, const Transfer *list, int count, int tag) {
    int parts = 1;
    bool stopped = false;
    group->flight.count = 1;
    for (int i = 0; i < count; i++) parts += parts_of(list[i].bytes);
    if (!flight_reserve(group, parts)) {
        stopped = is_stopped(group); // memory is also refused when the VM is to stop
        failure_set(group, group->rank, stopped, stopped ? "it was stopped" : "no memory for its messages");
    }
    // Posts receives first, so that arriving messages need no buffering.
    for (int sends = 0; sends < 2; sends++)
        for (int i = 0; i < count && !group->failure.set; i++)
            if (list[i].sends == (sends != 0)) begin(group, &list[i], tag);
    if (!group->failure.set) return RANKS_DONE;
    transfer_break(group);
    return stopped ? RANKS_STOPPED : RANKS_FAILED;
}

RanksOutcome transfer_post(Group *group, const Transfer *list, int count) {
    return post(group, list, count, TAG_EXCHANGE);
}

RanksOutcome transfer_one(Group *group, int from, int tag, void *at, size_t bytes) {
    const Transfer transfer = {.peer = from, .bytes = bytes, .at = at};
    RanksOutcome outcome = post(group, &transfer, 1, tag);
    if (outcome != RANKS_DONE) return outcome;
    group->mailing = true; // the sender may have left since
    outcome = transfer_wait(group);
    group->mailing = false;
    return outcome;
}

// --- Looking --------------------------------------------------------------------------------------

static void take_note(Group *group, const MPI_Status *status) {
    note_take(group, &group->note, status->MPI_SOURCE);
    listen(group, &group->flight.requests[0]);
}

static void take_part(Group *group, const Part *part, const MPI_Status *status) {
    RanksCounts *counts = &group->counts;
    int cancelled = 0, bytes = part->bytes;
    if (part->sends) {
        group->flight.sends--;
        counts->messages_sent++;
        counts->bytes_sent += (uint64_t)part->bytes;
        return;
    }
    group->flight.receives--;
    MPI_Test_cancelled(status, &cancelled);
    if (cancelled) return;
    MPI_Get_count(status, MPI_BYTE, &bytes);
    counts->messages_received++;
    counts->bytes_received += (uint64_t)bytes;
    if (bytes == part->bytes) return;
    char text[TEXT_MOST];
    snprintf(text, sizeof text, "it waited for %d bytes of rank %d, which sent %d", part->bytes, part->peer, bytes);
    failure_set(group, group->rank, false, text);
}

void transfer_look(Group *group) {
    Flight *flight = &group->flight;
    int done = 0;
    int code = MPI_Testsome(flight->count, flight->requests, &done, flight->done, flight->statuses);
    bool each = code == MPI_ERR_IN_STATUS;
    if (code != MPI_SUCCESS && !each) failure_of_mpi(group, "MPI_Testsome", code);
    if (done == MPI_UNDEFINED || (code != MPI_SUCCESS && !each)) return;
    for (int i = 0; i < done; i++) {
        const MPI_Status *status = &flight->statuses[i];
        int at = flight->done[i];
        if (each && status->MPI_ERROR != MPI_SUCCESS) failure_of_mpi(group, "MPI_Testsome", status->MPI_ERROR);
        if (at == 0) take_note(group, status);
        else take_part(group, &flight->parts[at], status);
    }
}

// --- Breaking off ---------------------------------------------------------------------------------

// Processes completed requests until `is_over` returns true. Returns false after the group's patience has run out.
static bool look_until(Group *group, bool (*is_over)(const Group *group)) {
    Wait wait = {.turns = 0};
    while (!is_over(group)) {
        transfer_look(group);
        wait_turn(&wait);
        if (wait_time(&wait) > group->patience) return is_over(group);
    }
    return true;
}

static bool nothing_comes(const Group *group) {
    return group->flight.receives == 0;
}

// Returns whether all sends are complete, apart from those to ranks that have quit, which will never receive them.
static bool nobody_reads(const Group *group) {
    const Flight *flight = &group->flight;
    for (int i = 1; i < flight->count && flight->sends > 0; i++)
        if (flight->requests[i] != MPI_REQUEST_NULL && !group->peers[flight->parts[i].peer].quit) return false;
    return true;
}

static bool words_are_there(const Group *group) {
    const Failure *failure = &group->failure;
    return failure->told || !failure->follows || failure->culprit == group->rank || group->peers[failure->culprit].left;
}

// Aborts an exchange: cancels receives, or completes those whose message is on its way. Notifies all peers that this
// rank matches no more of their messages, and waits for the same note from each: then no buffer is in use.
void transfer_break(Group *group) {
    Flight *flight = &group->flight;
    const Failure *failure = &group->failure;
    if (group->control == MPI_COMM_NULL) return;
    for (int i = 1; i < flight->count; i++)
        if (flight->requests[i] != MPI_REQUEST_NULL && !flight->parts[i].sends) MPI_Cancel(&flight->requests[i]);
    bool over = look_until(group, nothing_comes);
    if (!group->quit) notes_send_quit(group, failure->culprit, failure->told || failure->follows, failure->text);
    over = over && look_until(group, nobody_reads);
    if (!over) give_up(group);
    for (int i = 1; i < flight->count; i++)
        if (flight->requests[i] != MPI_REQUEST_NULL) MPI_Request_free(&flight->requests[i]);
    flight->count = 1;
    flight->sends = 0;
    look_until(group, words_are_there);
}

// --- Waiting --------------------------------------------------------------------------------------

// Fails the group if a rank with pending messages has left without completing the current call.
static void look_for_the_missing(Group *group) {
    const Flight *flight = &group->flight;
    for (int i = 1; i < flight->count; i++) {
        const Peer *peer = &group->peers[flight->parts[i].peer];
        if (flight->requests[i] == MPI_REQUEST_NULL || !peer->left || peer->steps > group->steps) continue;
        failure_set(group, flight->parts[i].peer, false, "it left");
        return;
    }
}

RanksOutcome transfer_wait(Group *group) {
    const Flight *flight = &group->flight;
    Wait wait = {.turns = 0};
    bool stopped = false;
    do {
        transfer_look(group);
        if (group->left > 0 && !group->mailing) look_for_the_missing(group);
        if (group->failure.set || flight->receives + flight->sends == 0) break;
        stopped = wait_turn(&wait) && is_stopped(group);
    } while (!stopped);
    if (stopped) failure_set(group, group->rank, true, "it was stopped");
    else if (!group->failure.set) return RANKS_DONE;
    transfer_break(group);
    return stopped ? RANKS_STOPPED : RANKS_FAILED;
}
